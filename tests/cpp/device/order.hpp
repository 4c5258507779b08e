// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// For tests of the order of work on a device: runs on the fake drivers, whose late work is seen as wrong data.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "device/fakes.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/memory/arena.hpp"
#include "zerofab/memory/transfer.hpp"

namespace order {

using namespace zerofab;
using fakes::Setting;

constexpr std::size_t size = 3000;
constexpr const char* gpus[] = {"cuda", "hip"};

struct Run {
    explicit Run(const char* name) {
        Runtime::initialize(name);
        device = Runtime::run_device();
        trim();
    }
    ~Run() {
        Runtime::use_stream({});
        trim();
        Runtime::finalize();
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    static void trim() {
        for (Arena* arena : {&The_Device_Arena(), &The_Async_Arena(), &The_Managed_Arena(), &The_Pinned_Arena()}) {
            arena->trim();
        }
    }
    [[nodiscard]] Stream stream() const { return fakes::make_stream(device.backend, device.id, false); }
    [[nodiscard]] Backend& vendor() const { return backend(device.backend); }

    Device device;
};

template <class Work>
void on_a_thread(Work work) {
    std::thread thread(work);
    thread.join();
}

inline std::vector<unsigned char> bytes_of(const Allocation& memory) {
    std::vector<unsigned char> bytes(memory.bytes());
    copy_bytes(bytes.data(), {}, memory.data(), memory.space(), bytes.size());
    return bytes;
}

inline bool is_all(const Allocation& memory, unsigned char byte) {
    const std::vector<unsigned char> bytes = bytes_of(memory);
    return std::count(bytes.begin(), bytes.end(), byte) == static_cast<std::ptrdiff_t>(bytes.size());
}

/// Whether what is written into the memory by its new user stays, when all that was late has come.
inline bool stays(const Run& run, const Allocation& memory) {
    fill_bytes(memory.data(), memory.space(), 2, memory.bytes());
    const bool now = is_all(memory, 2);
    run.vendor().synchronize_all(run.device.id);
    return now && is_all(memory, 2);
}

/// Calls of a function of the fakes while this lives.
class Calls {
public:
    explicit Calls(std::string function)
        : function_(std::move(function)),
          path_(std::filesystem::temp_directory_path() / ("calls." + std::to_string(getpid()))),
          log_("ZEROFAB_FAKE_LOG", path_.string()) {}
    ~Calls() { std::filesystem::remove(path_); }
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;

    [[nodiscard]] int count() const {
        std::ifstream file(path_);
        int found = 0;
        for (std::string line; std::getline(file, line);) found += line == function_ ? 1 : 0;
        return found;
    }

private:
    std::string function_;
    std::filesystem::path path_;
    Setting log_;
};

inline const char* wait_for_device(const Run& run) {
    return run.device.backend == BackendKind::cuda ? "cuCtxSynchronize" : "hipDeviceSynchronize";
}

inline const char* wait_for_stream(const Run& run) {
    return run.device.backend == BackendKind::cuda ? "cuStreamSynchronize" : "hipStreamSynchronize";
}

}  // namespace order
