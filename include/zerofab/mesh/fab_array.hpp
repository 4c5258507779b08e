// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// FabArray<D, T>: numbers on all boxes of a layout; MultiFab and its kin.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "zerofab/memory/device_tables.hpp"
#include "zerofab/mesh/base_fab.hpp"
#include "zerofab/mesh/fab_layout.hpp"

namespace zerofab {

/// One local fab of a FabArray: its box with ghosts, and its memory.
template <int D>
struct FabMemory {
    Box<D> box;
    AllocationPtr memory;
    void* data = nullptr;
};

/// What a FabArray holds: never changed in structure once it is made, so that whoever holds a share of it (a lease)
/// may use it without the GIL while the FabArray is cleared, redefined or deleted.
template <int D>
struct FabBody {
    std::shared_ptr<const FabLayout<D>> layout;
    const DType* dtype = nullptr;
    int ncomp = 0;
    IntVect<D> ngrow;
    Arena* arena = nullptr;
    std::vector<std::string> tags;
    std::vector<FabMemory<D>> fabs;  ///< by local index; empty if made without memory
    mutable DeviceTables tables;     ///< what kernels read of the above

    /// Where the memory of the fabs is.
    [[nodiscard]] MemorySpace space() const noexcept {
        for (const FabMemory<D>& fab : fabs) {
            if (fab.memory) return fab.memory->space();
        }
        return arena != nullptr ? arena->space() : MemorySpace{};
    }
    [[nodiscard]] int num_local() const noexcept { return static_cast<int>(fabs.size()); }
    /// The valid cells of a local fab.
    [[nodiscard]] Box<D> valid_box(int local) const { return layout->local_box(local); }

    /// Local fab `local` as numbers of type T, which must be the body's own type (or const of it).
    template <class T>
    [[nodiscard]] Array4<T> array(int local) const noexcept {
        const FabMemory<D>& fab = fabs[static_cast<std::size_t>(local)];
        return array_over(static_cast<T*>(fab.data), fab.box, ncomp);
    }
};

/// A share of a body: what an operation works on.
template <int D>
using Lease = std::shared_ptr<const FabBody<D>>;

/// What all FabArrays of one dimension have in common, whatever their element type.
template <int D>
class ZEROFAB_API FabArrayBase {
public:
    static constexpr int dim = D;

    /// Whether it has a layout and memory.
    [[nodiscard]] bool ok() const noexcept { return body_ != nullptr; }
    /// A share of what it holds; StateError if it is empty or cleared.
    [[nodiscard]] const Lease<D>& lease() const {
        if (body_ == nullptr) {
            throw_empty();
        }
        return body_;
    }
    /// The same, null if empty.
    [[nodiscard]] const Lease<D>& body() const noexcept { return body_; }

    [[nodiscard]] int n_comp() const noexcept { return body_ ? body_->ncomp : 0; }
    [[nodiscard]] IntVect<D> n_grow_vect() const noexcept { return body_ ? body_->ngrow : IntVect<D>(0); }
    [[nodiscard]] IndexType<D> ix_type() const noexcept { return body_ ? body_->layout->ix_type() : IndexType<D>(); }
    /// Boxes of all ranks.
    [[nodiscard]] int size() const noexcept { return body_ ? body_->layout->size() : 0; }
    /// Release layout and memory.
    void clear() noexcept { body_.reset(); }

protected:
    FabArrayBase() noexcept = default;
    ~FabArrayBase() = default;
    FabArrayBase(const FabArrayBase&) noexcept = default;
    FabArrayBase(FabArrayBase&&) noexcept = default;
    FabArrayBase& operator=(const FabArrayBase&) noexcept = default;
    FabArrayBase& operator=(FabArrayBase&&) noexcept = default;

    [[noreturn]] static void throw_empty();

    Lease<D> body_;
};

/// What to allocate, and where.
struct MFInfo {
    bool alloc = true;       ///< false: layout only
    Arena* arena = nullptr;  ///< null: The_Arena()
    std::vector<std::string> tags;
};

/// A body over these boxes; new memory is not initialized.  StateError before initialize, ValueError for a negative
/// count or a layout that does not fit, MemoryError.
template <int D>
ZEROFAB_API Lease<D> make_body(const BoxArray<D>& boxes, const DistributionMapping& owners, int ncomp,
                               const IntVect<D>& ngrow, const MFInfo& info, const DType& dtype);

/// Numbers of type T with components and ghost cells on all boxes of a layout.
///
/// A FabArray is a handle: copies show the same memory.  Operations on it (arithmetic.hpp, halo) take its lease first,
/// so that clearing it while they run is harmless.
///
///     MultiFab<3> mf(ba, dm, 1, IntVect<3>(1));
///     for (int local = 0; local < mf.lease()->num_local(); ++local) {
///         Array4<Real> a = mf.array(local);
///     }
template <int D, class T>
class FabArray : public FabArrayBase<D> {
public:
    using value_type = T;

    FabArray() noexcept = default;
    FabArray(const BoxArray<D>& boxes, const DistributionMapping& owners, int ncomp, const IntVect<D>& ngrow,
             const MFInfo& info = {}) {
        define(boxes, owners, ncomp, ngrow, info);
    }
    explicit FabArray(Lease<D> body) noexcept { this->body_ = std::move(body); }

    /// Another layout and new memory; as the constructor.  After an error nothing has changed.
    void define(const BoxArray<D>& boxes, const DistributionMapping& owners, int ncomp, const IntVect<D>& ngrow,
                const MFInfo& info = {}) {
        this->body_ = make_body(boxes, owners, ncomp, ngrow, info, dtype_of<T>);
    }
    [[nodiscard]] Array4<T> array(int local) const { return this->lease()->template array<T>(local); }
    [[nodiscard]] Array4<const T> const_array(int local) const { return this->lease()->template array<const T>(local); }
};

template <int D>
class MultiFab : public FabArray<D, Real> {
public:
    using FabArray<D, Real>::FabArray;
};
template <int D>
class iMultiFab : public FabArray<D, int> {
public:
    using FabArray<D, int>::FabArray;
};
template <int D>
class fMultiFab : public FabArray<D, float> {
public:
    using FabArray<D, float>::FabArray;
};

}  // namespace zerofab
