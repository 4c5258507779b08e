// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Mirror<D>: a field where work can reach it.
#pragma once

#include "zerofab/mesh/fab_array.hpp"

namespace zerofab {

/// Where an operation that writes (or first of all reads) this field runs: on the field's device, else on the host.
/// Memory that both reach belongs to the device while the run is on it.
[[nodiscard]] ZEROFAB_API MemorySpace space_of_work(MemorySpace memory) noexcept;

/// A field as work in one memory space sees it: the field itself where that work reaches its memory, else a copy there.
///
/// This is how the host works on what only a device reaches, and a device on what only the host does. Work of the host
/// may start at once: the device's has been waited for.
///
///     const Mirror<3> seen(mf.lease());   // on the host
///     change(*seen.body());
///     seen.write_back();
template <int D>
class ZEROFAB_API Mirror {
public:
    explicit Mirror(const Lease<D>& body, MemorySpace work = {});
    /// Of these local fabs only; the others must not be touched.
    Mirror(const Lease<D>& body, const std::vector<int>& locals, MemorySpace work = {});

    [[nodiscard]] const Lease<D>& body() const noexcept { return seen_; }
    /// Bring what was written into the copy to the field; nothing where there is no copy.
    void write_back() const;

private:
    Lease<D> body_, seen_;
};

}  // namespace zerofab
