// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A libcuda.so.1 of the tests' own: see core.hpp.
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#include "core.hpp"

namespace {

using Result = int;
using Address = unsigned long long;

constexpr Result ok = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3, no_device = 100,
                 invalid_image = 200, invalid_context = 201, invalid_handle = 400, not_found = 500, not_ready = 600;

struct Context {
    int device;
};
struct Module {
    std::string options;
    std::map<std::string, fake::Kernel> functions;
};

bool started = false;
thread_local std::vector<Context*> current;

int devices() { return static_cast<int>(fake::setting("ZEROFAB_FAKE_DEVICES", 2)); }

Context* primary(int device) {
    static Context all[16];
    all[device].device = device;
    return &all[device];
}

/// Check in, with the lock: the failure that was ordered, else that the driver runs, else (asked for) the context.
struct Call {
    std::lock_guard<std::recursive_mutex> guard{fake::lock()};
    Result result;
    int device = 0;

    explicit Call(const char* name, bool needs_context = true) : result(fake::called(name)) {
        if (result != ok) return;
        if (!started || !fake::same_process()) {
            result = not_initialized;
        } else if (needs_context && current.empty()) {
            result = invalid_context;
        } else if (needs_context) {
            device = current.back()->device;
        }
    }
};

/// The stream behind a handle: 1 is the legacy stream too.
fake::Stream* stream_of(void* handle) {
    return reinterpret_cast<std::uintptr_t>(handle) == 1 ? nullptr : fake::stream_of(handle);
}
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

struct Named {
    Result result;
    const char* name;
    const char* text;
};
constexpr Named names[] = {
    {ok, "CUDA_SUCCESS", "no error"},
    {invalid_value, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {not_initialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {no_device, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {invalid_image, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {invalid_context, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {invalid_handle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {not_found, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {not_ready, "CUDA_ERROR_NOT_READY", "device not ready"},
};

const Named* named(Result result) {
    for (const Named& one : names) {
        if (one.result == result) return &one;
    }
    return nullptr;
}

}  // namespace

extern "C" {

Result cuInit(unsigned) {
    const std::lock_guard guard(fake::lock());
    if (const Result result = fake::called("cuInit"); result != ok) return result;
    if (!fake::same_process()) return not_initialized;
    if (devices() == 0) return no_device;
    started = true;
    return ok;
}
Result cuDriverGetVersion(int* version) {
    *version = static_cast<int>(fake::setting("ZEROFAB_FAKE_VERSION", 13000));
    return fake::called("cuDriverGetVersion");
}
Result cuGetErrorName(Result result, const char** name) {
    const Named* one = named(result);
    *name = one == nullptr ? nullptr : one->name;
    return one == nullptr ? invalid_value : ok;
}
Result cuGetErrorString(Result result, const char** text) {
    const Named* one = named(result);
    *text = one == nullptr ? nullptr : one->text;
    return one == nullptr ? invalid_value : ok;
}

Result cuDeviceGetCount(int* count) {
    const Call call("cuDeviceGetCount", false);
    *count = devices();
    return call.result;
}
Result cuDeviceGet(int* device, int number) {
    const Call call("cuDeviceGet", false);
    if (number < 0 || number >= devices()) return 101;
    *device = number;
    return call.result;
}
Result cuDeviceGetName(char* name, int bytes, int device) {
    const Call call("cuDeviceGetName", false);
    std::snprintf(name, static_cast<std::size_t>(bytes), "fake driver of the tests (CUDA), device %d", device);
    return call.result;
}
Result cuDeviceGetAttribute(int* value, int attribute, int) {
    const Call call("cuDeviceGetAttribute", false);
    const std::string architecture = fake::text_setting("ZEROFAB_FAKE_ARCH", "sm_90");
    const int number = std::atoi(architecture.c_str() + 3);
    if (attribute != 75 && attribute != 76) return invalid_value;
    *value = attribute == 75 ? number / 10 : number % 10;
    return call.result;
}
Result cuDeviceTotalMem_v2(std::size_t* bytes, int) {
    const Call call("cuDeviceTotalMem_v2", false);
    *bytes = static_cast<std::size_t>(fake::setting("ZEROFAB_FAKE_MEMORY", 1L << 30U));
    return call.result;
}

Result cuDevicePrimaryCtxRetain(Context** context, int device) {
    const Call call("cuDevicePrimaryCtxRetain", false);
    if (call.result == ok) *context = primary(device);
    return call.result;
}
Result cuCtxPushCurrent_v2(Context* context) {
    const Call call("cuCtxPushCurrent_v2", false);
    if (call.result == ok) current.push_back(context);
    return call.result;
}
Result cuCtxPopCurrent_v2(Context** context) {
    const Call call("cuCtxPopCurrent_v2");
    if (call.result != ok) return call.result;
    *context = current.back();
    current.pop_back();
    return ok;
}
Result cuCtxGetCurrent(Context** context) {
    const Call call("cuCtxGetCurrent", false);
    *context = current.empty() ? nullptr : current.back();
    return call.result;
}

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
    if (stream == nullptr || !fake::is_stream(stream_of(stream))) return invalid_handle;
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
    if (!fake::options_of(static_cast<const char*>(image), loaded->options)) return invalid_image;
    *module = loaded.release();  // loaded for good
    return ok;
}
Result cuModuleGetFunction(fake::Kernel** function, Module* module, const char* name) {
    const Call call("cuModuleGetFunction");
    if (call.result != ok) return call.result;
    if (!fake::has_kernel(name)) return not_found;
    fake::Kernel& kernel = module->functions[name];
    kernel = {name, module->options};
    *function = &kernel;
    return ok;
}
Result cuLaunchKernel(fake::Kernel* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned, void* stream, void** arguments, void**) {
    const Call call("cuLaunchKernel");
    if (call.result != ok) return call.result;
    if (!is_usable(stream, call.device)) return invalid_handle;
    const bool fits = grid_x > 0 && grid_y > 0 && grid_y <= 65535 && grid_z == 1 && block_x > 0 && block_x <= 1024 &&
                      block_y == 1 && block_z == 1;
    if (!fits) return invalid_value;
    return fake::launch(*function, grid_x, grid_y, block_x, arguments, stream_of(stream), call.device) ? ok
                                                                                                       : invalid_image;
}

}  // extern "C"
