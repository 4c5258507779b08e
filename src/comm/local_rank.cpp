// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/comm/local_rank.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace zerofab {
namespace {

using Name = std::array<char, 320>;

/// What two processes have in common if and only if they run on one machine: its name, and the number of its start,
/// for machines may share a name.
Name this_machine() {
    Name name{};
    gethostname(name.data(), 256);
    if (std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
        static_cast<void>(std::fread(name.data() + 256, 1, 36, file));
        std::fclose(file);
    }
    return name;
}

}  // namespace

int local_rank(Communicator& ranks) {
    if (ranks.size() == 1) return 0;
    const Name mine = this_machine();
    std::vector<Name> all(static_cast<std::size_t>(ranks.size()));
    ranks.all_gather(mine.data(), sizeof mine, all.data());
    return static_cast<int>(std::count(all.begin(), all.begin() + ranks.rank(), mine));
}

}  // namespace zerofab
