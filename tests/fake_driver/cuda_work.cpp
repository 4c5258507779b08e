// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Memory, streams, events and kernels of the libcuda of the tests' own.
#include <cstring>
#include <map>
#include <memory>

#include "cuda.hpp"

using namespace fake_cuda;

namespace {

struct Module {
    fake::Program program;
    std::map<std::string, fake::Kernel> functions;
};

/// The stream behind a handle on the current device.
fake::Stream* stream_of(void* handle) { return fake::stream_of(handle, current.empty() ? 0 : current.back()->device); }
/// Whether it is one of those that nobody creates or destroys.
bool is_default(void* handle) { return reinterpret_cast<std::uintptr_t>(handle) <= 2; }
/// A stream of the current device, or the legacy stream.
bool is_usable(void* handle, int device) {
    const fake::Stream* stream = stream_of(handle);
    return fake::is_stream(stream) && (stream == nullptr || stream->device == device);
}
void* pointer(Address address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }
Address address(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

Result allocate(Address* out, std::size_t bytes, fake::Kind kind, int device) {
    if (bytes == 0) return invalid_value;
    void* data = fake::allocate(kind, bytes, device);
    if (data == nullptr) return out_of_memory;
    *out = address(data);
    return ok;
}

}  // namespace

extern "C" {

Result cuMemAlloc_v2(Address* out, std::size_t bytes) {
    const Call call("cuMemAlloc_v2");
    return call.result != ok ? call.result : allocate(out, bytes, fake::Kind::device, call.device);
}
Result cuMemAllocManaged(Address* out, std::size_t bytes, unsigned) {
    const Call call("cuMemAllocManaged");
    return call.result != ok ? call.result : allocate(out, bytes, fake::Kind::managed, call.device);
}
Result cuMemHostAlloc(void** out, std::size_t bytes, unsigned) {
    const Call call("cuMemHostAlloc");
    if (call.result != ok) return call.result;
    Address at = 0;
    const Result result = allocate(&at, bytes, fake::Kind::pinned, call.device);
    if (result == ok) *out = pointer(at);
    return result;
}
Result cuMemFree_v2(Address data) {
    const Call call("cuMemFree_v2");
    if (call.result != ok) return call.result;
    return fake::release(pointer(data)) ? ok : invalid_value;
}
Result cuMemFreeHost(void* data) {
    const Call call("cuMemFreeHost");
    if (call.result != ok) return call.result;
    return fake::release(data) ? ok : invalid_value;
}
Result cuPointerGetAttribute(void* value, int attribute, Address data) {
    const Call call("cuPointerGetAttribute", false);
    if (call.result != ok) return call.result;
    const fake::Block* block = fake::block_of(pointer(data));
    if (attribute != 2 || block == nullptr) return invalid_value;
    const unsigned type = block->kind == fake::Kind::pinned ? 1 : 2;
    std::memcpy(value, &type, sizeof type);
    return ok;
}

Result cuMemcpyAsync(Address to, Address from, std::size_t bytes, void* stream) {
    const Call call("cuMemcpyAsync");
    if (call.result != ok) return call.result;
    if (!is_usable(stream, call.device)) return invalid_handle;
    if (!fake::is_whole(pointer(to), bytes) || !fake::is_whole(pointer(from), bytes)) return invalid_value;
    fake::enqueue(stream_of(stream), call.device, [=] { std::memmove(pointer(to), pointer(from), bytes); });
    return ok;
}
Result cuMemsetD8Async(Address to, unsigned char byte, std::size_t bytes, void* stream) {
    const Call call("cuMemsetD8Async");
    if (call.result != ok) return call.result;
    if (!is_usable(stream, call.device)) return invalid_handle;
    if (!fake::is_whole(pointer(to), bytes)) return invalid_value;
    fake::enqueue(stream_of(stream), call.device, [=] { std::memset(pointer(to), byte, bytes); });
    return ok;
}

Result cuStreamCreate(void** stream, unsigned flags) {
    const Call call("cuStreamCreate");
    if (call.result == ok) *stream = fake::create_stream(call.device, (flags & 1U) == 0);
    return call.result;
}
Result cuStreamDestroy_v2(void* stream) {
    const Call call("cuStreamDestroy_v2");
    if (call.result != ok) return call.result;
    if (is_default(stream) || !fake::is_stream(stream_of(stream))) return invalid_handle;
    fake::destroy_stream(stream_of(stream));
    return ok;
}
Result cuStreamGetCtx(void* stream, Context** context) {
    const Call call("cuStreamGetCtx");
    if (call.result != ok) return call.result;
    if (!fake::is_stream(stream_of(stream))) return invalid_handle;
    *context = primary(stream_of(stream) == nullptr ? call.device : stream_of(stream)->device);
    return ok;
}
Result cuStreamSynchronize(void* stream) {
    const Call call("cuStreamSynchronize");
    if (call.result != ok) return call.result;
    if (!is_usable(stream, call.device)) return invalid_handle;
    fake::synchronize(stream_of(stream), call.device);
    return ok;
}
Result cuStreamBeginCapture_v2(void* stream, int) {
    const Call call("cuStreamBeginCapture_v2");
    if (call.result != ok) return call.result;
    if (stream_of(stream) == nullptr || !is_usable(stream, call.device)) return invalid_handle;
    stream_of(stream)->captured = true;
    return ok;
}
Result cuStreamEndCapture(void* stream, void** graph) {
    const Call call("cuStreamEndCapture");
    if (call.result != ok) return call.result;
    if (stream_of(stream) == nullptr || !is_usable(stream, call.device)) return invalid_handle;
    stream_of(stream)->captured = false;
    *graph = nullptr;
    return ok;
}
Result cuStreamIsCapturing(void* stream, int* status) {
    const Call call("cuStreamIsCapturing");
    if (call.result != ok) return call.result;
    if (!is_usable(stream, call.device)) return invalid_handle;
    *status = stream_of(stream) != nullptr && stream_of(stream)->captured ? 1 : 0;
    return ok;
}
Result cuStreamWaitEvent(void* stream, void* event, unsigned) {
    const Call call("cuStreamWaitEvent");
    if (call.result != ok) return call.result;
    const auto* known = static_cast<const fake::Event*>(event);
    if (!fake::is_event(known) || !fake::is_stream(stream_of(stream))) return invalid_handle;
    fake::wait(stream_of(stream), call.device, known);
    return ok;
}

Result cuEventCreate(void** event, unsigned) {
    const Call call("cuEventCreate");
    if (call.result == ok) *event = fake::create_event(call.device);
    return call.result;
}
Result cuEventRecord(void* event, void* stream) {
    const Call call("cuEventRecord");
    if (call.result != ok) return call.result;
    auto* known = static_cast<fake::Event*>(event);
    if (!fake::is_event(known) || !is_usable(stream, known->device)) return invalid_handle;
    fake::record(known, stream_of(stream));
    return ok;
}
Result cuEventQuery(void* event) {
    const Call call("cuEventQuery", false);
    if (call.result != ok) return call.result;
    auto* known = static_cast<fake::Event*>(event);
    if (!fake::is_event(known)) return invalid_handle;
    return fake::reached(known) ? ok : not_ready;
}
Result cuEventDestroy_v2(void* event) {
    const Call call("cuEventDestroy_v2", false);
    if (call.result != ok) return call.result;
    auto* known = static_cast<fake::Event*>(event);
    if (!fake::is_event(known)) return invalid_handle;
    fake::destroy_event(known);
    return ok;
}

Result cuModuleLoadData(Module** module, const void* image) {
    const Call call("cuModuleLoadData");
    if (call.result != ok) return call.result;
    auto loaded = std::make_unique<Module>();
    if (!fake::read_program(image, loaded->program)) return invalid_image;
    *module = loaded.release();  // loaded for good
    return ok;
}
Result cuModuleGetFunction(fake::Kernel** function, Module* module, const char* name) {
    const Call call("cuModuleGetFunction");
    if (call.result != ok) return call.result;
    if (!fake::has_kernel(module->program, name)) return not_found;
    fake::Kernel& kernel = module->functions[name];
    kernel = {name, &module->program};
    *function = &kernel;
    return ok;
}
Result cuLaunchKernel(fake::Kernel* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned, void* stream, void** arguments, void**) {
    const Call call("cuLaunchKernel");
    if (call.result != ok) return call.result;
    if (!is_usable(stream, call.device)) return invalid_handle;
    const bool fits = grid_x > 0 && grid_y > 0 && grid_y <= 65535 && grid_z == 1 && block_x > 0 && block_y > 0 &&
                      block_x <= 1024 && block_y <= 1024 && block_x * block_y <= 1024 && block_z == 1;
    if (!fits) return invalid_value;
    return fake::launch(*function, grid_x, grid_y, arguments, stream_of(stream), call.device) ? ok : invalid_image;
}

}  // extern "C"
