// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for each element type: FAKE_LIST is the name of its list, FAKE_NAMES the file with the kernels' names.
#include "host_kernels.hpp"

#include <utility>

#include "kernels/kernels.h"

namespace fake {
namespace {

template <auto kernel>
struct Call;

template <class... A, void (*kernel)(A...)>
struct Call<kernel> {
    static constexpr std::size_t sizes[] = {sizeof(A)...};

    template <std::size_t... n>
    static void once(void* const* arguments, std::index_sequence<n...>) {
        kernel(*static_cast<A*>(arguments[n])...);
    }
    static void run(void* const* arguments, unsigned groups_x, unsigned groups_y) {
        k_here.item = 0;
        k_here.items = 1;
        k_here.groups_x = groups_x;
        k_here.groups_y = groups_y;
        k_here.barrier = [] {};
        for (k_here.group_y = 0; k_here.group_y < groups_y; ++k_here.group_y) {
            for (k_here.group_x = 0; k_here.group_x < groups_x; ++k_here.group_x) {
                once(arguments, std::index_sequence_for<A...>());
            }
        }
    }
};

template <auto kernel>
constexpr HostKernel entry(std::string_view name) {
    return {name, Call<kernel>::sizes, &Call<kernel>::run};
}

constexpr HostKernel all[] = {
#include FAKE_NAMES
};

}  // namespace

std::span<const HostKernel> FAKE_LIST() { return all; }

}  // namespace fake
