// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Memory of another library's pool as the memory of an arena.
#pragma once

#include <cstddef>
#include <memory>

#include "zerofab/base/export.hpp"
#include "zerofab/memory/arena.hpp"

namespace zerofab {

/// Where an arena can take memory instead of its own: the pool of another library in the same program.
class ZEROFAB_API ArenaSource {
public:
    ArenaSource() = default;
    ArenaSource(const ArenaSource&) = delete;
    ArenaSource& operator=(const ArenaSource&) = delete;
    virtual ~ArenaSource() = default;

    /// Memory of this kind at a multiple of 64 bytes, ready for the calling thread's stream; MemoryError if there is
    /// none.  Called from any thread.  Allocation::adopt makes it, and lets it go after the library's work on it.
    [[nodiscard]] virtual AllocationPtr allocate(std::size_t bytes, MemorySpace space) = 0;
};

/// Let the arena take memory from there from now on; null: its own again.  Memory that was given out stays what it is.
/// What comes from a source is not in the arena's statistics.
ZEROFAB_API void set_source(Arena& arena, std::shared_ptr<ArenaSource> source);

}  // namespace zerofab
