// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The fake drivers of the tests (tests/fake_driver), in place of the vendors' libraries, for this program's backends.
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "zerofab/device/backend.hpp"

namespace fakes {

/// Path of a fake library: "cuda", "nvrtc", "hip", "incomplete".
inline std::string path(const std::string& name) {
    return std::string(ZEROFAB_FAKE_FOLDER) + "/libfake_" + name + ".so";
}

/// A setting of the fakes while this lives; the earlier value comes back.
class Setting {
public:
    Setting(std::string name, const std::string& value) : name_(std::move(name)) {
        if (const char* was = std::getenv(name_.c_str())) before_ = {was};
        setenv(name_.c_str(), value.c_str(), 1);
    }
    ~Setting() {
        if (before_.empty()) {
            unsetenv(name_.c_str());
        } else {
            setenv(name_.c_str(), before_[0].c_str(), 1);
        }
    }
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;

private:
    std::string name_;
    std::vector<std::string> before_;
};

/// Streams of a fake, as another library would make them.
zerofab::Stream make_stream(zerofab::BackendKind kind, int device, bool blocking);

/// End the stream, as its owner would; its work stays to be done.
void destroy_stream(zerofab::BackendKind kind, int device, zerofab::Stream stream);
/// Record the stream's work for a graph, or end that.
void capture(zerofab::BackendKind kind, int device, zerofab::Stream stream, bool begin);

/// The device that is current in this thread for other libraries, -1 if none is.
int current_device(zerofab::BackendKind kind);

/// How many events of a fake there are: "cuda", "hip", "sycl".
int live_events(const std::string& library);

/// Call this with the name of each function of a fake that is called from now on; null ends it.
void watch(const std::string& library, void (*told)(const char* function));

/// What another library of this thread would find as the last error of HIP.
int last_hip_error();

/// Memory of a backend while this lives.
class Memory {
public:
    Memory(zerofab::Backend& vendor, zerofab::MemoryKind kind, std::size_t bytes, int device = 0)
        : vendor_(vendor), kind_(kind), bytes_(bytes), device_(device), data_(vendor.allocate(kind, bytes, device)) {}
    ~Memory() { vendor_.deallocate(kind_, data_, bytes_, device_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    [[nodiscard]] unsigned char* data() const { return static_cast<unsigned char*>(data_); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    zerofab::Backend& vendor_;
    zerofab::MemoryKind kind_;
    std::size_t bytes_;
    int device_;
    void* data_;
};

/// What is in memory of a device, by a copy to the host on its default stream.
inline std::vector<unsigned char> read(zerofab::Backend& vendor, const Memory& memory, int device = 0) {
    std::vector<unsigned char> host(memory.bytes());
    vendor.copy(device, host.data(), memory.data(), memory.bytes(), {});
    vendor.synchronize(device, {});
    return host;
}

}  // namespace fakes
