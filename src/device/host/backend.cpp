// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The host as a device: its memory is the C library's, its work is done when a call returns.
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "device/backends.hpp"
#include "device/host/kernels.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {
namespace {

class HostBackend final : public Backend {
public:
    BackendKind kind() const noexcept override { return BackendKind::host; }
    std::string_view name() const noexcept override { return "cpu"; }
    const BackendFacts& facts() const noexcept override { return facts_; }
    const BackendReport& report() override { return report_; }

    void* allocate(MemoryKind, std::size_t bytes, int) override {
        const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + line - 1) / line * line;
        void* data = nullptr;
        if (rounded >= bytes) {
            if (bytes >= huge_page) {
                data = allocate_huge(rounded);
            } else if (posix_memalign(&data, line, rounded) != 0) {
                data = nullptr;
            }
        }
        if (data == nullptr) throw MemoryError(concat("the host has no ", bytes, " bytes of free memory"));
        return data;
    }

    void deallocate(MemoryKind, void* data, std::size_t bytes, int) noexcept override {
        std::free(bytes >= huge_page ? static_cast<void**>(data)[-1] : data);
    }

    Stream default_stream(int) override { return {}; }
    void synchronize(int, Stream) override {}
    void synchronize_all(int) override {}
    bool capturing(int, Stream) override { return false; }
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
    void launch(int, const KernelCall& call, Stream) override { launch_on_host(call); }

private:
    static constexpr BackendFacts facts_{.names = {"cpu", "host"}};
    static constexpr std::size_t line = 64, huge_page = std::size_t{1} << 21U;

    /// Memory that begins at a huge page; malloc's own address stands before it. Null if there is not so much.
    /// Not by posix_memalign: glibc gives each such block back to the system, and the next one faults its pages anew.
    static void* allocate_huge(std::size_t bytes) noexcept {
        void* raw = bytes <= PTRDIFF_MAX - 2 * huge_page ? std::malloc(bytes + huge_page + sizeof(void*)) : nullptr;
        if (raw == nullptr) return nullptr;
        const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(raw) + sizeof(void*);
        auto* data = static_cast<char*>(raw) + sizeof(void*) + (huge_page - first % huge_page) % huge_page;
        reinterpret_cast<void**>(data)[-1] = raw;
        // Fewer faults and TLB misses. Whether it is heeded is the system's business.
        static_cast<void>(madvise(data, bytes / huge_page * huge_page, MADV_HUGEPAGE));
        return data;
    }

    BackendReport report_{
        .library = {}, .version = {}, .devices = {{.name = "host", .architecture = "cpu"}}, .why_not = {}};
};

}  // namespace

Backend& host_backend() {
    static auto& host = *new HostBackend;  // never destroyed: memory is freed after static destructors have run
    return host;
}

}  // namespace zerofab
