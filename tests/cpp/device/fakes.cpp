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

namespace {

/// The device is current for calls of somebody else's while this lives.
class Current {
public:
    Current(zerofab::BackendKind kind, int device) : kind_(kind), before_(0) {
        if (kind_ == zerofab::BackendKind::cuda) {
            Context* context = nullptr;
            function<int(Context**, int)>("cuda", "cuDevicePrimaryCtxRetain")(&context, device);
            function<int(Context*)>("cuda", "cuCtxPushCurrent_v2")(context);
        } else {
            before_ = current_device(kind);
            function<int(int)>("hip", "hipSetDevice")(device);
        }
    }
    ~Current() {
        Context* context = nullptr;
        if (kind_ == zerofab::BackendKind::cuda) {
            function<int(Context**)>("cuda", "cuCtxPopCurrent_v2")(&context);
        } else {
            function<int(int)>("hip", "hipSetDevice")(before_);
        }
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

private:
    zerofab::BackendKind kind_;
    int before_;
};

}  // namespace

zerofab::Stream make_stream(zerofab::BackendKind kind, int device, bool blocking) {
    const Current current(kind, device);
    void* stream = nullptr;
    const unsigned flags = blocking ? 0 : 1;
    const bool cuda = kind == zerofab::BackendKind::cuda;
    CHECK((cuda ? function<int(void**, unsigned)>("cuda", "cuStreamCreate")(&stream, flags)
                : function<int(void**, unsigned)>("hip", "hipStreamCreateWithFlags")(&stream, flags)) == 0);
    return {stream};
}

void destroy_stream(zerofab::BackendKind kind, int device, zerofab::Stream stream) {
    const Current current(kind, device);
    const bool cuda = kind == zerofab::BackendKind::cuda;
    CHECK((cuda ? function<int(void*)>("cuda", "cuStreamDestroy_v2")(stream.handle)
                : function<int(void*)>("hip", "hipStreamDestroy")(stream.handle)) == 0);
}

void capture(zerofab::BackendKind kind, int device, zerofab::Stream stream, bool begin) {
    const Current current(kind, device);
    const bool cuda = kind == zerofab::BackendKind::cuda;
    void* graph = nullptr;
    if (begin) {
        CHECK((cuda ? function<int(void*, int)>("cuda", "cuStreamBeginCapture_v2")(stream.handle, 0)
                    : function<int(void*, int)>("hip", "hipStreamBeginCapture")(stream.handle, 0)) == 0);
    } else {
        CHECK((cuda ? function<int(void*, void**)>("cuda", "cuStreamEndCapture")(stream.handle, &graph)
                    : function<int(void*, void**)>("hip", "hipStreamEndCapture")(stream.handle, &graph)) == 0);
    }
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

int live_events(const std::string& library) { return function<int()>(library.c_str(), "fake_events")(); }

void watch(const std::string& library, void (*told)(const char* function)) {
    function<void(void (*)(const char*))>(library.c_str(), "fake_watch")(told);
}

int last_hip_error() { return function<int()>("hip", "hipPeekAtLastError")(); }

}  // namespace fakes
