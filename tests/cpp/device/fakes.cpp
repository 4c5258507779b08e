// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/fakes.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace fakes {
namespace {

/// Before any test: a variable that is set already (in a child of a test) stays.
const bool prepared = [] {
    setenv("ZEROFAB_CUDA_LIBRARY", path("cuda").c_str(), 0);
    setenv("ZEROFAB_NVRTC_LIBRARY", path("nvrtc").c_str(), 0);
    setenv("ZEROFAB_HIP_LIBRARY", path("hip").c_str(), 0);
    setenv("ZEROFAB_CACHE_DIR", "", 0);
    return true;
}();

template <class Signature>
auto function(const char* library, const char* name) {
    void* handle = dlopen(path(library).c_str(), RTLD_NOW);
    REQUIRE(handle != nullptr);
    void* found = dlsym(handle, name);
    REQUIRE(found != nullptr);
    return reinterpret_cast<Signature*>(found);
}

struct Context {
    int device;
};

}  // namespace

zerofab::Stream make_stream(zerofab::BackendKind kind, int device, bool blocking) {
    void* stream = nullptr;
    const unsigned flags = blocking ? 0 : 1;
    if (kind == zerofab::BackendKind::cuda) {
        Context* context = nullptr;
        function<int(Context**, int)>("cuda", "cuDevicePrimaryCtxRetain")(&context, device);
        function<int(Context*)>("cuda", "cuCtxPushCurrent_v2")(context);
        CHECK(function<int(void**, unsigned)>("cuda", "cuStreamCreate")(&stream, flags) == 0);
        function<int(Context**)>("cuda", "cuCtxPopCurrent_v2")(&context);
    } else {
        const int before = current_device(kind);
        function<int(int)>("hip", "hipSetDevice")(device);
        CHECK(function<int(void**, unsigned)>("hip", "hipStreamCreateWithFlags")(&stream, flags) == 0);
        function<int(int)>("hip", "hipSetDevice")(before);
    }
    return {stream};
}

int current_device(zerofab::BackendKind kind) {
    if (kind == zerofab::BackendKind::cuda) {
        Context* context = nullptr;
        CHECK(function<int(Context**)>("cuda", "cuCtxGetCurrent")(&context) == 0);
        return context == nullptr ? -1 : context->device;
    }
    int device = -1;
    CHECK(function<int(int*)>("hip", "hipGetDevice")(&device) == 0);
    return device;
}

int last_hip_error() { return function<int()>("hip", "hipPeekAtLastError")(); }

}  // namespace fakes
