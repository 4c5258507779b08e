// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A libamdhip64 of the tests' own: see core.hpp. Its compiler is in hiprtc.cpp.
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "core.hpp"

namespace {

using Result = int;

constexpr Result ok = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3, no_device = 100,
                 invalid_device = 101, invalid_image = 200, invalid_handle = 400, not_found = 500, not_ready = 600,
                 capture_unsupported = 900;

struct Module {
    fake::Program program;
    std::map<std::string, fake::Kernel> functions;
};

thread_local int current = 0;
thread_local Result last = ok;

int devices() { return static_cast<int>(fake::setting("ZEROFAB_FAKE_DEVICES", 2)); }

struct Named {
    Result result;
    const char* name;
    const char* text;
};
constexpr Named names[] = {
    {invalid_value, "hipErrorInvalidValue", "invalid argument"},
    {out_of_memory, "hipErrorOutOfMemory", "out of memory"},
    {not_initialized, "hipErrorNotInitialized", "initialization error"},
    {no_device, "hipErrorNoDevice", "no ROCm-capable device is detected"},
    {invalid_device, "hipErrorInvalidDevice", "invalid device ordinal"},
    {invalid_image, "hipErrorInvalidImage", "device kernel image is invalid"},
    {invalid_handle, "hipErrorInvalidHandle", "invalid resource handle"},
    {not_found, "hipErrorNotFound", "named symbol not found"},
};

const Named& named(Result result) {
    static constexpr Named unknown{0, "hipErrorUnknown", "unknown error"};
    for (const Named& one : names) {
        if (one.result == result) return one;
    }
    return unknown;
}

/// One call: with the lock; its failure is the thread's last error.
template <class Work>
Result call(const char* name, Work work) {
    const std::lock_guard guard(fake::lock());
    Result result = fake::called(name);
    if (result == ok) result = fake::same_process() ? work() : not_initialized;
    if (result != ok) last = result;
    return result;
}

/// The stream behind a handle on the current device.
fake::Stream* stream_of(void* handle) { return fake::stream_of(handle, current); }
/// Whether it is one of those that nobody creates or destroys.
bool is_default(void* handle) { return reinterpret_cast<std::uintptr_t>(handle) <= 2; }
/// A stream of the current device, or the null stream.
bool is_usable(void* handle) {
    const fake::Stream* stream = stream_of(handle);
    return fake::is_stream(stream) && (stream == nullptr || stream->device == current);
}

Result allocate(void** out, std::size_t bytes, fake::Kind kind) {
    void* data = fake::allocate(kind, bytes, current);
    if (data == nullptr) return out_of_memory;
    *out = data;
    return ok;
}

}  // namespace

extern "C" {

Result hipInit(unsigned) {
    return call("hipInit", [] { return devices() == 0 ? no_device : ok; });
}
Result hipRuntimeGetVersion(int* version) {
    return call("hipRuntimeGetVersion", [=] {
        *version = static_cast<int>(fake::setting("ZEROFAB_FAKE_VERSION", 60200000));
        return ok;
    });
}
const char* hipGetErrorName(Result result) { return named(result).name; }
const char* hipGetErrorString(Result result) { return named(result).text; }
Result hipGetLastError() { return std::exchange(last, ok); }
Result hipPeekAtLastError() { return last; }

Result hipGetDeviceCount(int* count) {
    return call("hipGetDeviceCount", [=] {
        *count = devices();
        return *count == 0 ? no_device : ok;
    });
}
Result hipDeviceGetName(char* name, int bytes, int device) {
    return call("hipDeviceGetName", [=] {
        std::snprintf(name, static_cast<std::size_t>(bytes), "fake driver of the tests (HIP), device %d", device);
        return ok;
    });
}
Result hipDeviceTotalMem(std::size_t* bytes, int) {
    return call("hipDeviceTotalMem", [=] {
        *bytes = static_cast<std::size_t>(fake::setting("ZEROFAB_FAKE_MEMORY", 1L << 30U));
        return ok;
    });
}
Result hipGetDeviceProperties(void* record, int) {
    return call("hipGetDeviceProperties", [=] {
        constexpr std::size_t place = 1160;  // of the architecture's name in ROCm 6
        auto* bytes = static_cast<char*>(record);
        std::memset(bytes, 0, 1472);
        std::strcpy(bytes, "gfx is in the name too");
        std::strcpy(bytes + place, fake::text_setting("ZEROFAB_FAKE_ARCH", "gfx90a:sramecc+:xnack-").c_str());
        return ok;
    });
}
Result hipGetDevice(int* device) {
    return call("hipGetDevice", [=] {
        *device = current;
        return ok;
    });
}
Result hipSetDevice(int device) {
    return call("hipSetDevice", [=] {
        if (device < 0 || device >= devices()) return invalid_device;
        current = device;
        return ok;
    });
}

Result hipMalloc(void** out, std::size_t bytes) {
    return call("hipMalloc", [=] { return allocate(out, bytes, fake::Kind::device); });
}
Result hipMallocManaged(void** out, std::size_t bytes, unsigned) {
    return call("hipMallocManaged", [=] { return allocate(out, bytes, fake::Kind::managed); });
}
Result hipHostMalloc(void** out, std::size_t bytes, unsigned) {
    return call("hipHostMalloc", [=] { return allocate(out, bytes, fake::Kind::pinned); });
}
Result hipFree(void* data) {
    return call("hipFree", [=] { return fake::release(data) ? ok : invalid_value; });
}
Result hipHostFree(void* data) {
    return call("hipHostFree", [=] { return fake::release(data) ? ok : invalid_value; });
}
Result hipPointerGetAttributes(void* record, const void* data) {
    return call("hipPointerGetAttributes", [=] {
        const fake::Block* block = fake::block_of(data);
        const int type = block == nullptr ? 0 : block->kind == fake::Kind::pinned ? 1 : 2;  // as ROCm 6 has it
        std::memcpy(record, &type, sizeof type);
        return ok;
    });
}

Result hipMemcpyAsync(void* to, const void* from, std::size_t bytes, int, void* stream) {
    return call("hipMemcpyAsync", [=] {
        if (!is_usable(stream)) return invalid_handle;
        if (!fake::is_whole(to, bytes) || !fake::is_whole(from, bytes)) return invalid_value;
        fake::enqueue(stream_of(stream), current, [=] { std::memmove(to, from, bytes); });
        return ok;
    });
}
Result hipMemsetAsync(void* to, int byte, std::size_t bytes, void* stream) {
    return call("hipMemsetAsync", [=] {
        if (!is_usable(stream)) return invalid_handle;
        if (!fake::is_whole(to, bytes)) return invalid_value;
        fake::enqueue(stream_of(stream), current, [=] { std::memset(to, byte, bytes); });
        return ok;
    });
}

Result hipStreamCreateWithFlags(void** stream, unsigned flags) {
    return call("hipStreamCreateWithFlags", [=] {
        *stream = fake::create_stream(current, (flags & 1U) == 0);
        return ok;
    });
}
Result hipStreamDestroy(void* stream) {
    return call("hipStreamDestroy", [=] {
        if (is_default(stream) || !fake::is_stream(stream_of(stream))) return invalid_handle;
        fake::destroy_stream(stream_of(stream));
        return ok;
    });
}
Result hipStreamGetDevice(void* stream, int* device) {
    return call("hipStreamGetDevice", [=] {
        if (!fake::is_stream(stream_of(stream))) return invalid_handle;
        *device = stream_of(stream) == nullptr ? current : stream_of(stream)->device;
        return ok;
    });
}
Result hipStreamSynchronize(void* stream) {
    return call("hipStreamSynchronize", [=] {
        if (!is_usable(stream)) return invalid_handle;
        fake::synchronize(stream_of(stream), current);
        return ok;
    });
}
Result hipDeviceSynchronize() {
    return call("hipDeviceSynchronize", [=] { return fake::synchronize_all(current) ? ok : capture_unsupported; });
}
Result hipStreamBeginCapture(void* stream, int) {
    return call("hipStreamBeginCapture", [=] {
        if (stream_of(stream) == nullptr || !is_usable(stream)) return invalid_handle;
        stream_of(stream)->captured = true;
        return ok;
    });
}
Result hipStreamEndCapture(void* stream, void** graph) {
    return call("hipStreamEndCapture", [=] {
        if (stream_of(stream) == nullptr || !is_usable(stream)) return invalid_handle;
        stream_of(stream)->captured = false;
        *graph = nullptr;
        return ok;
    });
}
Result hipStreamIsCapturing(void* stream, int* status) {
    return call("hipStreamIsCapturing", [=] {
        if (!is_usable(stream)) return invalid_handle;
        *status = stream_of(stream) != nullptr && stream_of(stream)->captured ? 1 : 0;
        return ok;
    });
}
Result hipStreamWaitEvent(void* stream, void* event, unsigned) {
    return call("hipStreamWaitEvent", [=] {
        const auto* known = static_cast<const fake::Event*>(event);
        if (!fake::is_event(known) || !fake::is_stream(stream_of(stream))) return invalid_handle;
        fake::wait(stream_of(stream), current, known);
        return ok;
    });
}

Result hipEventCreateWithFlags(void** event, unsigned) {
    return call("hipEventCreateWithFlags", [=] {
        *event = fake::create_event(current);
        return ok;
    });
}
Result hipEventRecord(void* event, void* stream) {
    return call("hipEventRecord", [=] {
        auto* known = static_cast<fake::Event*>(event);
        if (!fake::is_event(known) || !is_usable(stream)) return invalid_handle;
        fake::record(known, stream_of(stream));
        return ok;
    });
}
Result hipEventQuery(void* event) {
    return call("hipEventQuery", [=] {
        auto* known = static_cast<fake::Event*>(event);
        if (!fake::is_event(known)) return invalid_handle;
        return fake::reached(known) ? ok : not_ready;
    });
}
Result hipEventDestroy(void* event) {
    return call("hipEventDestroy", [=] {
        auto* known = static_cast<fake::Event*>(event);
        if (!fake::is_event(known)) return invalid_handle;
        fake::destroy_event(known);
        return ok;
    });
}

Result hipModuleLoadData(Module** module, const void* image) {
    return call("hipModuleLoadData", [=] {
        auto loaded = std::make_unique<Module>();
        if (!fake::read_program(image, loaded->program)) return invalid_image;
        *module = loaded.release();  // loaded for good
        return ok;
    });
}
Result hipModuleGetFunction(fake::Kernel** function, Module* module, const char* name) {
    return call("hipModuleGetFunction", [=] {
        if (!fake::has_kernel(module->program, name)) return not_found;
        fake::Kernel& kernel = module->functions[name];
        kernel = {name, &module->program};
        *function = &kernel;
        return ok;
    });
}
Result hipModuleLaunchKernel(fake::Kernel* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned, void* stream,
                             void** arguments, void**) {
    return call("hipModuleLaunchKernel", [=] {
        if (!is_usable(stream)) return invalid_handle;
        const bool fits = grid_x > 0 && grid_y > 0 && grid_y <= 65535 && grid_z == 1 && block_x > 0 && block_y > 0 &&
                          block_x <= 1024 && block_y <= 1024 && block_x * block_y <= 1024 && block_z == 1;
        if (!fits) return invalid_value;
        return fake::launch(*function, grid_x, grid_y, arguments, stream_of(stream), current) ? ok : invalid_image;
    });
}

}  // extern "C"
