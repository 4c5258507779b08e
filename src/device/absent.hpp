// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A backend without a device.
#pragma once

#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"

namespace zerofab {

class AbsentBackend final : public Backend {
public:
    AbsentBackend(BackendKind kind, std::string_view name) : kind_(kind), name_(name) {
        report_.why_not = "this build does not have it";
    }
    BackendKind kind() const noexcept override { return kind_; }
    std::string_view name() const noexcept override { return name_; }
    const BackendReport& report() override { return report_; }
    void* allocate(MemoryKind, std::size_t, int) override { refuse(); }
    void deallocate(MemoryKind, void*, std::size_t, int) noexcept override {}
    Stream default_stream(int) override { refuse(); }
    void synchronize(int, Stream) override { refuse(); }
    Event record(int, Stream) override { refuse(); }
    void wait(int, Stream, Event) override { refuse(); }
    bool reached(int, Event) override { refuse(); }
    void forget(int, Event) noexcept override {}
    void copy(int, void*, const void*, std::size_t, Stream) override { refuse(); }
    void fill(int, void*, unsigned char, std::size_t, Stream) override { refuse(); }
    void launch(int, const KernelCall&, Stream) override { refuse(); }

private:
    [[noreturn]] void refuse() const { throw DeviceError(std::string(name_) + ": " + report_.why_not); }

    BackendKind kind_;
    std::string_view name_;
    BackendReport report_;
};

}  // namespace zerofab
