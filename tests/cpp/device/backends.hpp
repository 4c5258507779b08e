// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Devices that tests of other modules run on: the tests' own drivers always, SYCL where ZEROFAB_SYCL_LIBRARY names
// dpctl's library.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "zerofab/device/runtime.hpp"
#include "zerofab/memory/arena.hpp"
#include "zerofab/memory/transfer.hpp"
#include "zerofab/mesh/fab_array.hpp"

namespace zerofab::test {

/// Call test(name of a device) for every one, with the run time on it.
template <class Test>
void on_all_devices(Test test) {
    std::vector<std::string> names{"cuda", "hip"};
    if (std::getenv("ZEROFAB_SYCL_LIBRARY") != nullptr) names.emplace_back("sycl");
    for (const std::string& name : names) {
        INFO("device ", name);
        Runtime::initialize(name);
        test(name);
        Runtime::synchronize();
        Runtime::finalize();
    }
}

/// Arena number 0 to 3: of the device alone, two that the host reaches too, and the host's.
inline Arena& arena_number(int number) {
    Arena* const all[] = {&The_Device_Arena(), &The_Managed_Arena(), &The_Pinned_Arena(), &The_Cpu_Arena()};
    return *all[number];
}

/// The same numbers twice: in memory of the host, and in some memory.
template <int D, class T>
struct Twin {
    FabArray<D, T> host, other;

    /// Random eighths (integers: whole numbers), none of them 0; sums of them are exact.
    Twin(const BoxArray<D>& boxes, int ncomp, const IntVect<D>& ngrow, Arena& arena, std::mt19937& random)
        : host(boxes, DistributionMapping(boxes), ncomp, ngrow, {.alloc = true, .arena = &The_Cpu_Arena(), .tags = {}}),
          other(boxes, DistributionMapping(boxes), ncomp, ngrow, {.alloc = true, .arena = &arena, .tags = {}}) {
        for (std::size_t i = 0; i < host.lease()->fabs.size(); ++i) {
            T* const data = numbers(i);
            for (std::size_t n = 0; n < count(i); ++n) {
                const int value = std::uniform_int_distribution<int>(-32, 31)(random);
                data[n] = static_cast<T>(value == 0 ? 32 : value) / (std::is_integral_v<T> ? 1 : 8);
            }
            const FabMemory<D>& fab = other.lease()->fabs[i];
            copy_bytes(fab.data, fab.memory->space(), data, {}, count(i) * sizeof(T));
        }
    }

    T* numbers(std::size_t fab) const { return static_cast<T*>(host.lease()->fabs[fab].data); }
    std::size_t count(std::size_t fab) const {
        return static_cast<std::size_t>(host.lease()->fabs[fab].box.num_pts() * host.n_comp());
    }

    /// Whether both hold the same numbers, in all cells and components.
    bool same() const {
        for (std::size_t i = 0; i < host.lease()->fabs.size(); ++i) {
            const FabMemory<D>& fab = other.lease()->fabs[i];
            std::vector<T> copy(count(i));
            copy_bytes(copy.data(), {}, fab.data, fab.memory->space(), copy.size() * sizeof(T));
            for (std::size_t n = 0; n < copy.size(); ++n) {
                const T wanted = numbers(i)[n];
                if (copy[n] != wanted && (copy[n] == copy[n] || wanted == wanted)) return false;
            }
        }
        return true;
    }
};

}  // namespace zerofab::test
