// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The host as a device: its memory is the C library's, its work is done when a call returns.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "device/backends.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {
namespace {

class HostBackend final : public Backend {
public:
    BackendKind kind() const noexcept override { return BackendKind::host; }
    std::string_view name() const noexcept override { return "cpu"; }
    const BackendReport& report() override { return report_; }

    void* allocate(MemoryKind, std::size_t bytes, int) override {
        constexpr std::size_t line = 64, huge_page = std::size_t{1} << 21U;
        const std::size_t unit = bytes >= huge_page ? huge_page : line;
        const std::size_t rounded = (bytes + line - 1) / line * line;
        void* data = nullptr;  // not aligned_alloc: the size need be no multiple of a huge page
        if (rounded < bytes || posix_memalign(&data, unit, rounded == 0 ? line : rounded) != 0) {
            throw MemoryError("the host has no " + std::to_string(bytes) + " bytes of free memory");
        }
        if (unit == huge_page) {
            // Fewer faults and TLB misses. Whether it is heeded is the system's business.
            static_cast<void>(madvise(data, rounded / huge_page * huge_page, MADV_HUGEPAGE));
        }
        return data;
    }

    void deallocate(MemoryKind, void* data, std::size_t, int) noexcept override { std::free(data); }

    Stream default_stream(int) override { return {}; }
    void synchronize(int, Stream) override {}
    Event record(int, Stream) override { return {}; }
    void wait(int, Stream, Event) override {}
    bool reached(int, Event) override { return true; }
    void forget(int, Event) noexcept override {}

    void copy(int, void* to, const void* from, std::size_t bytes, Stream) override {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }
    void fill(int, void* to, unsigned char byte, std::size_t bytes, Stream) override {
        if (bytes > 0) std::memset(to, byte, bytes);
    }
    void launch(int, const KernelCall& call, Stream) override {
        throw DeviceError("the host runs compiled loops, not the kernel '" + std::string(call.kernel) + "'");
    }

private:
    BackendReport report_{
        .library = {}, .version = {}, .devices = {{.name = "host", .architecture = "cpu"}}, .why_not = {}};
};

}  // namespace

Backend& host_backend() {
    static auto& host = *new HostBackend;  // never destroyed: memory is freed after static destructors have run
    return host;
}

}  // namespace zerofab
