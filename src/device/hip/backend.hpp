// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// AMD's GPUs by ROCm's run time.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "device/hip/compiler.hpp"
#include "device/hip/library.hpp"
#include "zerofab/device/backend.hpp"

namespace zerofab::hip {

/// The backend "hip".
///
/// Every call makes its device the thread's current one and then the earlier one again.  The default stream is the
/// null stream, which the other libraries' blocking streams order with.
class HipBackend final : public Backend {
public:
    BackendKind kind() const noexcept override { return BackendKind::hip; }
    std::string_view name() const noexcept override { return "hip"; }
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
    /// A device is the thread's current one while this lives.
    class Here {
    public:
        Here(HipBackend& owner, int device);
        ~Here();
        Here(const Here&) = delete;
        Here& operator=(const Here&) = delete;

    private:
        HipBackend& owner_;
        int before_ = 0;
        bool changed_ = false;
    };

    /// A program that was loaded, with the functions that were asked for.
    struct Loaded {
        Module module = nullptr;
        std::unordered_map<std::string_view, Function> functions;
    };

    struct Gpu {
        std::string architecture;
        std::mutex loading;
        Loaded programs[kernel_types];
    };

    void open();
    void describe(int number);
    Gpu& gpu(int device);
    [[nodiscard]] bool is_pageable(const void* data) const;
    Function function(Gpu& gpu, const KernelCall& call);

    Driver driver_;
    Compiler compiler_;
    BackendReport report_;
    BackendReport report_of_child_;  ///< after a fork
    std::once_flag opened_;
    int version_ = 0;
    unsigned forks_ = 0;
    std::vector<std::unique_ptr<Gpu>> gpus_;
};

}  // namespace zerofab::hip
