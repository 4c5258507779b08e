// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A libcuda.so.1 of the tests' own: see core.hpp. Here: devices and contexts; cuda_work.cpp has the rest.
#include "cuda.hpp"

#include <cstdio>
#include <cstdlib>

using namespace fake_cuda;

namespace {

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
Result cuCtxGetDevice(int* device) {
    const Call call("cuCtxGetDevice");
    if (call.result == ok) *device = call.device;
    return call.result;
}
Result cuCtxSynchronize() {
    const Call call("cuCtxSynchronize");
    if (call.result != ok) return call.result;
    return fake::synchronize_all(call.device) ? ok : capture_unsupported;
}
Result cuCtxGetCurrent(Context** context) {
    const Call call("cuCtxGetCurrent", false);
    *context = current.empty() ? nullptr : current.back();
    return call.result;
}

}  // extern "C"
