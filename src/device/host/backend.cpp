// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The host as a device: its memory is the C library's and the system's, its work is done when a call returns.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "device/backends.hpp"
#include "device/host/kernels.hpp"
#include "device/host/poison.hpp"
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
        const std::size_t unit = is_mapped(bytes) ? page() : line;
        const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
        void* data = nullptr;
        if (rounded >= bytes && bytes <= PTRDIFF_MAX) {
            if (is_mapped(bytes)) {
                data = map(rounded);
            } else if (posix_memalign(&data, line, rounded) != 0) {
                data = nullptr;
            }
        }
        if (data == nullptr) throw MemoryError(concat("the host has no ", bytes, " bytes of free memory"));
        return data;
    }

    void deallocate(MemoryKind, void* data, std::size_t bytes, int) noexcept override {
        if (!is_mapped(bytes)) return std::free(data);
        const std::size_t rounded = (bytes + page() - 1) / page() * page();
        // The system may have no more pieces of address space to give; the memory at least goes back.
        if (munmap(data, rounded) != 0) static_cast<void>(madvise(data, rounded, MADV_DONTNEED));
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
    static constexpr std::size_t line = 64, least_mapped = std::size_t{128} << 10U, huge_page = std::size_t{1} << 21U;

    /// Large blocks are the system's own mappings, which it has back at once. Not for AddressSanitizer, which watches
    /// what comes from malloc.
    static bool is_mapped(std::size_t bytes) noexcept { return bytes >= least_mapped && !detail::has_asan; }

    static std::size_t page() noexcept {
        static const long bytes = sysconf(_SC_PAGESIZE);
        return bytes > 0 ? static_cast<std::size_t>(bytes) : 4096;
    }

    /// Whole pages, from a huge page on if they are as many as that; null if there is not so much.
    static void* map(std::size_t bytes) noexcept {
        const std::size_t spare = bytes >= huge_page ? huge_page : 0;
        void* raw = mmap(nullptr, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (raw == MAP_FAILED) return nullptr;
        if (spare == 0) return raw;
        const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(raw) % huge_page) % huge_page;
        auto* data = static_cast<char*>(raw) + before;
        if (before > 0) munmap(raw, before);
        munmap(data + bytes, spare - before);
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
