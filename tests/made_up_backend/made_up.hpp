// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A backend that no vendor has: memory of the host that plays a device's, the host's build of the kernels, and work
// that is done when a call returns.  It is all that a new backend takes (docs/dev/add-a-backend.md).
#pragma once

#include <cstring>
#include <string>

#include "kernels_host.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"

namespace zerofab::made_up {

class MadeUpBackend final : public Backend {
public:
    BackendKind kind() const noexcept override { return added_kind(0); }
    std::string_view name() const noexcept override { return "made_up"; }
    const BackendFacts& facts() const noexcept override { return facts_; }
    const BackendReport& report() override { return report_; }

    void* allocate(MemoryKind, std::size_t bytes, int device) override {
        static_cast<void>(info(device));
        return host().allocate(MemoryKind::host, bytes, 0);
    }
    void deallocate(MemoryKind, void* data, std::size_t bytes, int) noexcept override {
        host().deallocate(MemoryKind::host, data, bytes, 0);
    }

    Stream default_stream(int) override { return {}; }
    Stream named_stream(int, std::intptr_t number, bool) override {
        if (number != 77) throw ValueError("made_up: the one stream there is has the number 77");
        return {};
    }
    std::optional<std::intptr_t> stream_number(Stream) const noexcept override { return 77; }
    void synchronize(int, Stream) override {}
    void synchronize_all(int) override {}
    bool capturing(int, Stream) override { return false; }
    Event record(int, Stream) override { return {}; }
    void wait(int, Stream, Event) override {}
    bool reached(int, Event) override { return true; }
    void forget(int, Event) noexcept override {}

    void copy(int, void* to, const void* from, std::size_t bytes, Stream) override { std::memmove(to, from, bytes); }
    void fill(int, void* to, unsigned char byte, std::size_t bytes, Stream) override { std::memset(to, byte, bytes); }
    void launch(int, const KernelCall& call, Stream) override { kernels_host::launch(call); }

private:
    static Backend& host() { return backend(BackendKind::host); }

    static constexpr BackendFacts facts_{
        .names = {"abacus", "made_up"},
        .array_module = "beads",
        .array_package = "beads",
        .array_converter = "to_beads",
        .dlpack_device = 12,  // kDLExtDev
        .integer_streams = true,
        .stream_forms = "77 or None",
    };
    BackendReport report_{.library = "none",
                          .version = "1",
                          .devices = {{.name = "beads", .architecture = "wood", .bytes = 1024, .dlpack_id = 5}},
                          .why_not = {}};
};

}  // namespace zerofab::made_up
