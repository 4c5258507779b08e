// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a run: one process always, MPI when a table is plugged in at run time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "zerofab/base/export.hpp"

namespace zerofab {

/// How an all-reduce joins the values of the ranks.
enum class ReduceOp { sum, min, max, logical_and, logical_or };

/// A contiguous piece of memory that goes to, or comes from, one rank.
struct Message {
    int peer;    ///< the other rank
    int tag;     ///< messages between two ranks match by tag, equal tags in order
    void* data;  ///< read by a send, written by a receive; host memory
    std::size_t bytes;
};

/// Messages under way. Their memory must stay until wait() has returned; the destructor waits.
class ZEROFAB_API PendingExchange {
public:
    virtual ~PendingExchange() = default;
    /// Return when all messages are done. A second call does nothing.
    virtual void wait() = 0;
};

/// The seam between the library and message passing.
///
/// An implementation moves bytes only: what they mean, and how they are reduced, is decided here, so that an MPI
/// table needs very few of MPI's constants, and so that a reduction is the same, bit for bit, on every rank.
/// Every call that says "collective" must be made by all ranks in the same order.
///
/// ```cpp
/// double mass = local_mass();
/// communicator().all_reduce(std::span(&mass, 1), ReduceOp::sum);   // collective
/// ```
class ZEROFAB_API Communicator {
public:
    virtual ~Communicator() = default;

    /// This process, 0 <= rank() < size().
    virtual int rank() const noexcept = 0;
    /// The number of processes.
    virtual int size() const noexcept = 0;
    /// Return when every rank has called it (collective).
    virtual void barrier() = 0;
    /// Gather `bytes` bytes of every rank, in rank order, into `all` (size() * bytes long; collective).
    virtual void all_gather(const void* mine, std::size_t bytes, void* all) = 0;
    /// Copy `bytes` bytes of `root` to every rank (collective).
    virtual void broadcast(void* data, std::size_t bytes, int root) = 0;
    /// Start sends and receives; a rank may send to itself. Nothing may touch the memory until wait().
    virtual std::unique_ptr<PendingExchange> start_exchange(std::span<const Message> sends,
                                                            std::span<const Message> receives) = 0;

    /// The rank that writes files and prints.
    static constexpr int io_rank() noexcept { return 0; }
    /// Whether this process is io_rank().
    bool is_io_rank() const noexcept { return rank() == io_rank(); }

    /// Send and receive, and return when all is done.
    void exchange(std::span<const Message> sends, std::span<const Message> receives) {
        start_exchange(sends, receives)->wait();
    }

    /// Join `values` element by element over all ranks, in rank order; every rank has the result (collective).
    template <class T>
    void all_reduce(std::span<T> values, ReduceOp op);

    /// The same for one value.
    template <class T>
    T all_reduce(T value, ReduceOp op) {
        all_reduce(std::span<T>(&value, 1), op);
        return value;
    }

    /// One value of every rank, in rank order (collective).
    template <class T>
    std::vector<T> all_gather(const T& mine) {
        static_assert(std::is_trivially_copyable_v<T>);
        std::vector<T> all(static_cast<std::size_t>(size()));
        all_gather(&mine, sizeof(T), all.data());
        return all;
    }

    /// Values of every rank, any number each, joined in rank order (collective).
    template <class T>
    std::vector<T> all_gather_varying(std::span<const T> mine);
};

/// The communicator of this run: a serial one, until set_communicator() gave another.
ZEROFAB_API Communicator& communicator() noexcept;

/// Make `next` the communicator of this run; nullptr brings the serial one back. Layouts that exist keep their owners,
/// so call this before the first one is made.
ZEROFAB_API void set_communicator(std::shared_ptr<Communicator> next);

/// A communicator with one rank.
ZEROFAB_API std::shared_ptr<Communicator> make_serial_communicator();

namespace detail {
template <class T>
T join(T a, T b, ReduceOp op) {
    switch (op) {
        case ReduceOp::sum:
            return static_cast<T>(a + b);
        case ReduceOp::min:
            return b < a ? b : a;
        case ReduceOp::max:
            return a < b ? b : a;
        case ReduceOp::logical_and:
            return static_cast<T>(a != T{} && b != T{});
        case ReduceOp::logical_or:
            return static_cast<T>(a != T{} || b != T{});
    }
    return a;
}
}  // namespace detail

template <class T>
void Communicator::all_reduce(std::span<T> values, ReduceOp op) {
    static_assert(std::is_arithmetic_v<T>);
    const std::size_t n = values.size();
    if (size() == 1 || n == 0) {
        return;
    }
    std::vector<T> all(n * static_cast<std::size_t>(size()));
    all_gather(values.data(), n * sizeof(T), all.data());
    for (std::size_t i = 0; i < n; ++i) {
        T joined = all[i];
        for (std::size_t k = i + n; k < all.size(); k += n) {
            joined = detail::join(joined, all[k], op);
        }
        values[i] = joined;
    }
}

template <class T>
std::vector<T> Communicator::all_gather_varying(std::span<const T> mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::vector<std::size_t> counts = all_gather(mine.size());
    std::vector<T> joined;
    for (int root = 0; root < size(); ++root) {
        std::vector<T> part(counts[static_cast<std::size_t>(root)]);
        if (root == rank()) {
            part.assign(mine.begin(), mine.end());
        }
        broadcast(part.data(), part.size() * sizeof(T), root);
        joined.insert(joined.end(), part.begin(), part.end());
    }
    return joined;
}

}  // namespace zerofab
