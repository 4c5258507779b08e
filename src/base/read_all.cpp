// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "base/read_all.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace zerofab::detail {

WholeFile read_all(int descriptor, std::size_t most) {
    WholeFile file;
    std::string buffer(std::size_t{1} << 16U, '\0');
    while (file.content.size() <= most) {
        const std::size_t wanted = std::min(buffer.size(), most + 1 - file.content.size());
        const ssize_t n = ::pread(descriptor, buffer.data(), wanted, static_cast<off_t>(file.content.size()));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) file.error = errno;
        if (n <= 0) break;
        file.content.append(buffer, 0, static_cast<std::size_t>(n));
    }
    return file;
}

}  // namespace zerofab::detail
