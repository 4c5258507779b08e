// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA's GPUs by the driver's interface.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "device/cuda/compiler.hpp"
#include "device/cuda/library.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/blocking.hpp"

namespace zerofab::cuda {

/// The backend "cuda".
///
/// Work is in the primary context of each device, which torch, CuPy and numba use too: it is retained at the first use
/// and never let go.  Every call pushes it and pops it, so that the thread's current context stays what it was.  The
/// default stream is the legacy default stream (a null handle), which the other libraries' blocking streams order with.
class CudaBackend final : public Backend {
public:
    BackendKind kind() const noexcept override { return BackendKind::cuda; }
    std::string_view name() const noexcept override { return "cuda"; }
    const BackendReport& report() override;

    void* allocate(MemoryKind kind, std::size_t bytes, int device) override;
    void deallocate(MemoryKind kind, void* data, std::size_t bytes, int device) noexcept override;

    Stream default_stream(int device) override;
    void synchronize(int device, Stream stream) override;
    void synchronize_all(int device) override;
    bool capturing(int device, Stream stream) override;
    Event record(int device, Stream stream) override;
    void wait(int device, Stream stream, Event event) override;
    bool reached(int device, Event event) override;
    void forget(int device, Event event) noexcept override;

    void copy(int device, void* to, const void* from, std::size_t bytes, Stream stream) override;
    void fill(int device, void* to, unsigned char byte, std::size_t bytes, Stream stream) override;
    void launch(int device, const KernelCall& call, Stream stream) override;

private:
    /// The primary context of a device is current while this lives.
    class Here {
    public:
        Here(CudaBackend& owner, int device);
        ~Here();
        Here(const Here&) = delete;
        Here& operator=(const Here&) = delete;

    private:
        CudaBackend& owner_;
    };

    /// A program that was loaded, with the functions that were asked for.
    struct Loaded {
        Module module = nullptr;
        std::unordered_map<std::string_view, Function> functions;
    };

    struct Gpu {
        int number = 0;
        std::string architecture;
        std::atomic<Context> context{nullptr};
        std::mutex loading;
        Loaded programs[kernel_types];
    };

    void open();
    void describe(int number);
    Gpu& gpu(int device);
    int device_of(Stream stream, int here);
    [[nodiscard]] bool is_pageable(const void* data) const;
    Function function(Gpu& gpu, const KernelCall& call);

    Driver driver_;
    Compiler compiler_;
    BackendReport report_;
    BackendReport report_of_child_;  ///< after a fork
    std::once_flag opened_;
    std::once_flag compiler_opened_;
    int version_ = 0;
    unsigned forks_ = 0;
    std::vector<std::unique_ptr<Gpu>> gpus_;
};

}  // namespace zerofab::cuda
