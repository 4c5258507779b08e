// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// ParmParse: the process-wide table of input parameters, from command lines, files and code.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zerofab/base/export.hpp"
#include "zerofab/base/types.hpp"

namespace zerofab {

/// What the values of a parameter were last written or read as.
enum class ParmKind : std::uint8_t { text, boolean, integer, real, int_vect, box };

/// One parameter: its full name, its values as text, and what they were last used as.
struct ParmEntry {
    std::string key;
    std::vector<std::string> values;
    ParmKind kind = ParmKind::text;
    bool used = false;       ///< somebody has read it
    bool from_user = false;  ///< it came from a command line or a file, not from add()

    /// Whether the values are the words of one expression with blanks, as in `dt = 0.1 / (3.0 * 2.0)`: read as a number
    /// they are one.
    ZEROFAB_API bool is_one_number() const;
};

/// A view of the table through a prefix: ParmParse("amr") reads "n_cell" from the parameter "amr.n_cell".
///
/// The table is one per process, may be used before initialize() and from several threads, and is emptied by
/// finalize(). An inputs file holds definitions `name = value value ...`, one per line (a backslash at a line's end
/// continues it):
/// @code
/// # a comment
/// amr.n_cell   = 32 32 64
/// geometry.lo  = 0.0  "-2*pi"  1.e-3      # an expression with "=" in it wants quotes
/// dt           = 0.1 / (3.0 * 2.0)        # blanks in the only expression of a parameter do not
/// title        = "two words"
/// formula      = """several lines, and "quotation marks" in them"""
/// "rho(x,y)"   = 1.0                      # so may a name be written
/// tags         = [1, 2, "x y"]            # a list may have brackets, over several lines; [] is one without values
/// table        = {{1, 2}, {3, 4}}         # one value, a text without needless blanks; so is a list of lists
/// FILE         = more_inputs              # read another file here
/// #if (AMREX_SPACEDIM == 2)               // for the space that reads the file: the `dim` of the functions below
/// n            = 8 8
/// #else
/// n            = 8 8 8
/// #endif
/// @endcode
/// The last definition of a name wins. Fortran namelists, from a line's "&name" to "/", are passed over. Numbers may be
/// expressions (+ - * / ^ ** < > <= >= == != and or, if(c,a,b), the usual functions, pi, and names of other
/// parameters). // divides integers downward; in a real it begins a comment, as in AMReX. true, false, t and f, in any
/// case, are 1 and 0. Words that an operator connects are never taken for several numbers: beside other values
/// ("1 2 * 3") they are a ValueError.
///
/// Errors: StateError if a needed parameter is missing, ValueError for a value that is not of the type asked for or for
/// text that is not an inputs file, IndexError for a value number that is not there, IoError for a file that cannot be
/// read. After an error the table is as it was before.
class ZEROFAB_API ParmParse {
public:
    explicit ParmParse(std::string prefix = {}) : prefix_(std::move(prefix)) {}

    /// Read a command line: an inputs file first if args[0] has no "=", then definitions `a=1`, `b = 1 2`, `FILE=name`,
    /// which may be spread over several args. What follows "--" is left to the program. Adds to what is in the table.
    /// `dim` are the dimensions of the space that reads, for conditions on AMREX_SPACEDIM in files; if it is 0, such a
    /// condition is a ValueError.
    static void initialize(const std::vector<std::string>& args, int dim = 0);

    /// Empty the table.
    static void finalize();

    /// Set the table to these parameters, those of entries() at an earlier time.
    static void restore(const std::vector<ParmEntry>& entries);

    /// Read an inputs file (at most 16 MiB, at most 32 files within each other), for a space of `dim` dimensions.
    static void add_file(const std::string& path, int dim = 0);

    /// Read the text of an inputs file.
    static void add_text(std::string_view text, int dim = 0);

    /// Set a parameter to one value, in place of any older definition.
    void add(std::string_view name, bool value);
    void add(std::string_view name, int value) { add(name, Long{value}); }
    void add(std::string_view name, Long value);
    void add(std::string_view name, Real value);
    void add(std::string_view name, std::string value);
    void add(std::string_view name, const char* value) { add(name, std::string(value)); }

    /// Set a parameter to several values, given as text, with what they are.
    void add_values(std::string_view name, std::vector<std::string> values, ParmKind kind);
    void addarr(std::string_view name, const std::vector<int>& values);
    void addarr(std::string_view name, const std::vector<Long>& values);
    void addarr(std::string_view name, const std::vector<Real>& values);
    void addarr(std::string_view name, const std::vector<std::string>& values);

    /// Value number `ival` of a parameter into `value`; false, and `value` untouched, if there is no such parameter.
    /// T is bool, int, Long, Real or std::string.
    template <class T>
    bool query(std::string_view name, T& value, int ival = 0) const;

    /// The same, but a missing parameter is a StateError.
    template <class T>
    T get(std::string_view name, int ival = 0) const {
        T value{};
        if (!query(name, value, ival)) missing(name);
        return value;
    }

    /// `num` values from number `start` on (all that follow for num = -1). T as above.
    template <class T>
    bool queryarr(std::string_view name, std::vector<T>& values, int start = 0, int num = -1) const;

    template <class T>
    std::vector<T> getarr(std::string_view name, int start = 0, int num = -1) const {
        std::vector<T> values;
        if (!queryarr(name, values, start, num)) missing(name);
        return values;
    }

    bool contains(std::string_view name) const;

    /// How many values the parameter has; 0 if there is no such parameter.
    int countval(std::string_view name) const;

    /// Forget a parameter; whether it was there.
    bool remove(std::string_view name);

    /// The parameters below the prefix, sorted by their full name.
    std::vector<ParmEntry> entries() const;

    /// Full names below the prefix that came from a command line or a file and that nobody has read.
    std::vector<std::string> unused() const;

    /// The parameters below the prefix as the text of an inputs file; reading it gives the same again. ValueError if an
    /// inputs file cannot hold one, as a value with blanks and three quotation marks in a row.
    std::string to_text() const;

    const std::string& prefix() const noexcept { return prefix_; }

private:
    std::string full_name(std::string_view name) const;
    [[noreturn]] void missing(std::string_view name) const;

    std::string prefix_;
};

}  // namespace zerofab
