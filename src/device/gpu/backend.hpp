// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// GPUs of NVIDIA and AMD: one backend over a small description of each vendor's interface.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/gpu/driver.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/blocking.hpp"

namespace zerofab::gpu {

/// The backend of one vendor, whose interface `Api` describes (cuda/api.hpp, hip/api.hpp): the table of the driver's
/// functions, which have the same names of ours where they do the same, and what the two do in different ways.
///
/// The default stream is the legacy default stream (a null handle), which the blocking streams of other libraries order
/// with.  Every call makes its device the thread's current one and then the earlier one again; commands, and whatever
/// else may wait for the driver, release Python's lock meanwhile (Blocking), and never inside a lock of ours.
///
/// The bodies are in open.hpp, memory.hpp, stream.hpp and launch.hpp, instantiated by each vendor's backend.cpp.
template <class Api>
class GpuBackend final : public Backend {
public:
    [[nodiscard]] BackendKind kind() const noexcept override { return Api::kind; }
    [[nodiscard]] std::string_view name() const noexcept override { return Api::name; }
    [[nodiscard]] const BackendFacts& facts() const noexcept override { return Api::facts; }
    [[nodiscard]] const BackendReport& report() override;

    [[nodiscard]] void* allocate(MemoryKind kind, std::size_t bytes, int device) override;
    void deallocate(MemoryKind kind, void* data, std::size_t bytes, int device) noexcept override;

    [[nodiscard]] Stream default_stream(int device) override;
    [[nodiscard]] Stream named_stream(int device, std::intptr_t number, bool is_object) override;
    [[nodiscard]] std::optional<std::intptr_t> stream_number(Stream stream) const noexcept override;
    [[nodiscard]] bool is_per_thread(Stream stream) const noexcept override;
    void synchronize(int device, Stream stream) override;
    void synchronize_all(int device) override;
    [[nodiscard]] bool capturing(int device, Stream stream) override;
    [[nodiscard]] Event record(int device, Stream stream) override;
    void wait(int device, Stream stream, Event event) override;
    [[nodiscard]] bool reached(int device, Event event) override;
    void forget(int device, Event event) noexcept override;

    void copy(int device, void* to, const void* from, std::size_t bytes, Stream stream) override;
    void fill(int device, void* to, unsigned char byte, std::size_t bytes, Stream stream) override;
    void launch(int device, const KernelCall& call, Stream stream) override;

private:
    /// A device is the thread's current one while this lives.
    using Here = typename Api::Current;

    /// A program that was loaded, with the functions that were asked for.
    struct Loaded {
        Module module = nullptr;
        std::unordered_map<std::string_view, Function> functions;
    };

    struct Gpu {
        typename Api::Gpu own;
        std::string architecture;
        std::mutex loading;
        Loaded programs[kernel_types];
    };

    void open();
    Gpu& gpu(int device);
    typename Api::Gpu& own(int device) { return gpu(device).own; }
    void require(Result result, const char* what) const { check<Api>(driver_, result, what); }
    /// A result that is no error of ours, whatever it is: the driver forgets it.
    Result quiet(Result result) const noexcept {
        if (result != success) Api::clear_error(driver_);
        return result;
    }
    Function function(Gpu& gpu, const KernelCall& call);

    typename Api::Driver driver_;
    typename Api::Compiler compiler_;
    BackendReport report_;
    BackendReport report_of_child_;  ///< after a fork
    std::once_flag once_;
    std::atomic<bool> opened_{false};
    int version_ = 0;
    unsigned forks_ = 0;
    std::vector<std::unique_ptr<Gpu>> gpus_;
};

}  // namespace zerofab::gpu
