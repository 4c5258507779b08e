// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Conditions of inputs files: which of their lines are meant for the space that reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zerofab::detail {

/// What conditions can ask of the program that reads a file.
struct InputsReader {
    int dim = 0;               ///< dimensions of the space that reads; 0 if that is not known
    std::string_view backend;  ///< "cpu", "cuda", "hip" or "sycl" in a run; empty before it, when nobody knows
};

/// `#if`, `#ifdef`, `#ifndef`, `#elif`, `#else` and `#endif` of one file, line by line.
///
/// Conditions are those of C over integers, AMREX_SPACEDIM and the names of GPU builds. One whose value hangs
/// on any other name is a ValueError with the line's number. A comment that only begins with such a word ("# if you
/// want ...") is none; should it have been meant as one, the `#endif` that is left over is an error that names it.
class InputsConditions {
public:
    /// `where` names the file in messages.
    InputsConditions(std::string_view where, InputsReader reader) : where_(where), reader_(reader) {}

    /// Whether the line is not to be read: it is a condition, or its branch is not taken. Lines that do not begin with
    /// a # may be given as empty ones.
    bool takes(std::string_view line, int number);

    /// The file has ended: ValueError if a condition is open.
    void finish() const;

private:
    struct Branch {
        int line;           // of its #if
        bool outer;         // what is around it is read
        bool taken;         // a branch of it was read or is being read
        bool active;        // this branch is read
        bool last = false;  // it is the #else
    };

    bool active() const { return open_.empty() || open_.back().active; }
    void begin(std::string_view condition, int number);
    void next(std::string_view condition, int number);
    bool otherwise(std::string_view rest, bool spaced, int number);
    bool holds(std::string_view condition, int number) const;
    [[noreturn]] void unmatched(std::string_view word, int number) const;
    [[noreturn]] void fail(int number, const std::string& what) const;

    std::string_view where_;
    InputsReader reader_;
    std::vector<Branch> open_;
    int doubtful_ = 0;  // the line of the last comment that looked like a condition
};

}  // namespace zerofab::detail
