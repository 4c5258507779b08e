// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Running one test case of this program in a process of its own: for what ends a process, or is settled once in it.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace child {

struct Result {
    int status = -1;  ///< exit status, or minus the signal that ended it
    std::string output;
};

/// Run the test case of that name (a skipped one) with changes of the environment.
///
///     TEST_CASE("child: no driver" * doctest::skip()) { ... }
///     const auto result = child::run("child: no driver", {{"ZEROFAB_CUDA_LIBRARY", "/nowhere"}});
///     CHECK_MESSAGE(result.status == 0, result.output);
inline Result run(const std::string& test_case,
                  const std::vector<std::pair<std::string, std::string>>& environment = {}) {
    int ends[2];
    Result result;
    if (pipe(ends) != 0) return result;
    const std::string filter = "--test-case=" + test_case;
    const pid_t process = fork();
    if (process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
        execl("/proc/self/exe", "test", filter.c_str(), "--no-skip", static_cast<char*>(nullptr));
        _exit(127);
    }
    close(ends[1]);
    char buffer[4096];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
        result.output.append(buffer, static_cast<std::size_t>(got));
    }
    close(ends[0]);
    int status = 0;
    if (process > 0 && waitpid(process, &status, 0) == process) {
        result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    return result;
}

}  // namespace child
