// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// ParmParse: the process-wide table of input parameters.
#include "zerofab/io/parm_parse.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <type_traits>

#include "io/expression.hpp"
#include "io/inputs_text.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/runtime.hpp"

namespace zerofab {
namespace {

// Which words of a parameter are parts of an expression with blanks; most have none.
enum class Words : std::uint8_t { apart, one_expression, mixed };

struct TableEntry : ParmEntry {
    explicit TableEntry(ParmEntry entry) : ParmEntry(std::move(entry)), words(words_of(values)) {}

    static Words words_of(const std::vector<std::string>& values) {
        bool any = false;
        bool all = true;
        Long open = 0;
        for (std::size_t n = 1; n < values.size(); ++n) {
            const bool on = continues(values, n, open);
            any = any || on;
            all = all && on;
        }
        return any ? (all ? Words::one_expression : Words::mixed) : Words::apart;
    }

    // Whether value n goes on with the expression of the one before; `open` counts the brackets of that expression.
    static bool continues(const std::vector<std::string>& values, std::size_t n, Long& open) {
        for (const char c : values[n - 1]) open += c == '(' ? 1 : (c == ')' ? -1 : 0);
        const bool on = open > 0 || detail::goes_on(values[n - 1], values[n]);
        if (!on) open = 0;
        return on;
    }

    Words words;
};

struct Table {
    std::mutex mutex;
    std::map<std::string, TableEntry, std::less<>> entries;
};

// Never destroyed: other static objects may read parameters while the process ends.
Table& table() {
    static Table* const the_table = new Table;
    return *the_table;
}

// Adds all definitions or, if one of them throws, none.
void merge(std::vector<detail::Definition> definitions) {
    std::map<std::string, TableEntry, std::less<>> fresh;
    for (detail::Definition& definition : definitions) {
        TableEntry entry(ParmEntry{definition.name, std::move(definition.values), ParmKind::text, false, true});
        fresh.insert_or_assign(std::move(definition.name), std::move(entry));
    }
    const std::lock_guard lock(table().mutex);
    fresh.merge(table().entries);  // fresh ones win, nodes move without allocation
    table().entries.swap(fresh);
}

template <class T>
constexpr ParmKind kind_of() {
    if constexpr (std::is_same_v<T, bool>)
        return ParmKind::boolean;
    else if constexpr (std::is_integral_v<T>)
        return ParmKind::integer;
    else if constexpr (std::is_floating_point_v<T>)
        return ParmKind::real;
    else
        return ParmKind::text;
}

template <class T>
constexpr const char* word_for() {
    if constexpr (std::is_same_v<T, bool>)
        return "bool";
    else if constexpr (std::is_integral_v<T>)
        return "int";
    else
        return "real number";
}

std::string joined(const std::vector<std::string>& values) {
    std::string text;
    for (const std::string& value : values) text += (text.empty() ? "" : " ") + value;
    return text;
}

std::string shown(const std::string& text) { return text.size() <= 100 ? text : text.substr(0, 100) + "..."; }

// IndexError or ValueError if values [first, last) are not numbers of their own, but words of an expression.
void require_apart(const TableEntry& entry, std::size_t first, std::size_t last, const char* word) {
    Long open = 0;
    for (std::size_t n = 1; n <= last && n < entry.values.size(); ++n) {
        if (!TableEntry::continues(entry.values, n, open) || n < first || first == last) continue;
        const std::size_t part = n > first ? n - 1 : n;
        throw ValueError(
            concat("ParmParse: '", entry.key, "' = '", shown(joined(entry.values)), "': value number ", part, ", '",
                   shown(entry.values[part]), "', is no ", word,
                   ", but a part of an expression with blanks beside other values: write it without blanks or in "
                   "quotation marks (comments begin with #)"));
    }
}

// Value number n to be read as a T: an expression with blanks is one number, its words are no other numbers.
template <class T>
std::string text_of_value(const TableEntry& entry, std::size_t n) {
    if (std::is_same_v<T, std::string> || entry.words != Words::one_expression) return entry.values[n];
    if (n == 0) {
        std::string text = joined(entry.values);
        // "7 // 2" may be meant as a comment or as a division
        if ((!std::is_integral_v<T> || std::is_same_v<T, bool>) && text.find("//") != std::string::npos) {
            throw ValueError("ParmParse: '" + entry.key + "' = '" + shown(text) + "' is no " + word_for<T>() +
                             ": // between words divides integers (comments begin with #)");
        }
        return text;
    }
    throw IndexError(concat("ParmParse: '", entry.key, "' = '", shown(joined(entry.values)),
                            "' is one expression with blanks, so that there is no number ", n,
                            " (the first is number 0)"));
}

// An expression may name parameters, from the root or beside its own; the table's mutex is held.
template <class T>
T converted(const std::string& key, const std::string& text) {
    if constexpr (std::is_same_v<T, std::string>) {
        return text;
    } else {
        const auto text_of = [](std::string_view name) -> std::optional<std::string> {
            const auto found = table().entries.find(name);
            if (found == table().entries.end()) return std::nullopt;
            found->second.used = true;
            const TableEntry& entry = found->second;
            return entry.values.size() == 1 || entry.words == Words::one_expression
                       ? std::optional<std::string>(text_of_value<T>(entry, 0))
                       : std::nullopt;
        };
        const std::string beside = key.substr(0, key.rfind('.') + 1);
        const detail::NameLookup lookup = [&](std::string_view name) {
            const std::optional<std::string> found = text_of(name);
            return found || beside.empty() ? found : text_of(beside + std::string(name));
        };
        detail::EvalBudget budget;
        const auto refuse = [&](const std::string& why) {
            throw ValueError("ParmParse: '" + key + "' = '" + shown(text) + "' is no " + word_for<T>() + ": " + why);
        };
        try {
            if constexpr (std::is_same_v<T, bool>) {
                const Real value = detail::evaluate<Real>(text, lookup, budget);
                if (!std::isfinite(value)) refuse("its value is not finite");
                return value != 0;
            } else if constexpr (std::is_floating_point_v<T>) {
                return detail::evaluate<Real>(text, lookup, budget);
            } else {
                const Long value = detail::evaluate<Long>(text, lookup, budget);
                if (value < Long{std::numeric_limits<T>::min()} || value > Long{std::numeric_limits<T>::max()}) {
                    refuse(concat("it needs more than ", 8 * sizeof(T), " bits"));
                }
                return static_cast<T>(value);
            }
        } catch (const ValueError& error) {
            const std::string why = error.what();
            if (why.starts_with("ParmParse: ")) throw;
            refuse(why);
        }
        return T{};
    }
}

void check_name(const std::string& key) {
    if (key.empty()) throw ValueError("ParmParse: a parameter needs a name");
    for (const char c : key) {
        if (c == '=' || c == '"' || c == '#' || c == '\0' || c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            throw ValueError("ParmParse: '" + key +
                             "' is no name for a parameter: blanks, =, # and quotation marks are not allowed");
        }
    }
}

void set_entry(std::string key, std::vector<std::string> values, ParmKind kind) {
    check_name(key);
    TableEntry entry(ParmEntry{key, std::move(values), kind, false, false});
    const std::lock_guard lock(table().mutex);
    table().entries.insert_or_assign(std::move(key), std::move(entry));
}

template <class T>
std::string number_text(T value) {
    std::array<char, 40> buffer;
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    ensure(error == std::errc{}, "a number fits into 40 characters");
    return std::string(buffer.data(), end);
}

template <class T>
std::vector<std::string> number_texts(const std::vector<T>& values) {
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const T value : values) texts.push_back(number_text(value));
    return texts;
}

// Who reads a file: a space of `dim` dimensions, in a run on some device.
detail::InputsReader reader(int dim) {
    if (dim < 0 || dim > 3) {
        throw ValueError(concat("ParmParse: a space has 1, 2 or 3 dimensions, not ", dim));
    }
    if (!Runtime::initialized()) return {dim, {}};
    return {dim, backend(Runtime::run_device().backend).name()};
}

// Whether a key is below a prefix, as the root is above all.
bool is_below(std::string_view key, std::string_view prefix) {
    return prefix.empty() || (key.size() > prefix.size() && key.starts_with(prefix) && key[prefix.size()] == '.');
}

}  // namespace

bool ParmEntry::is_one_number() const {
    return values.size() == 1 || TableEntry::words_of(values) == Words::one_expression;
}

void ParmParse::initialize(const std::vector<std::string>& args, int dim) {
    std::size_t first = 0;
    std::vector<detail::Definition> definitions;
    const bool has_file = !args.empty() && args[0] != "--" && args[0].find('=') == std::string::npos &&
                          !(args.size() > 1 && args[1].starts_with('='));
    if (has_file && args[0].find_first_not_of(" \t") != std::string::npos) {
        definitions = detail::parse_inputs_file(args[0], reader(dim));
        first = 1;
    }
    std::string line;
    for (std::size_t i = first; i < args.size() && args[i] != "--"; ++i) line += args[i] + ' ';
    for (detail::Definition& definition : detail::parse_inputs(line, "the command line", true, reader(dim))) {
        definitions.push_back(std::move(definition));
    }
    merge(std::move(definitions));
}

void ParmParse::finalize() {
    const std::lock_guard lock(table().mutex);
    table().entries.clear();
}

void ParmParse::restore(const std::vector<ParmEntry>& entries) {
    std::map<std::string, TableEntry, std::less<>> fresh;
    for (const ParmEntry& entry : entries) fresh.insert_or_assign(entry.key, TableEntry(entry));
    const std::lock_guard lock(table().mutex);
    table().entries.swap(fresh);
}

void ParmParse::add_file(const std::string& path, int dim) { merge(detail::parse_inputs_file(path, reader(dim))); }

void ParmParse::add_text(std::string_view text, int dim) {
    merge(detail::parse_inputs(text, "the text", false, reader(dim)));
}

void ParmParse::add(std::string_view name, bool value) {
    set_entry(full_name(name), {value ? "true" : "false"}, ParmKind::boolean);
}

void ParmParse::add(std::string_view name, Long value) {
    set_entry(full_name(name), {number_text(value)}, ParmKind::integer);
}

void ParmParse::add(std::string_view name, Real value) {
    set_entry(full_name(name), {number_text(value)}, ParmKind::real);
}

void ParmParse::add(std::string_view name, std::string value) {
    set_entry(full_name(name), {std::move(value)}, ParmKind::text);
}

void ParmParse::add_values(std::string_view name, std::vector<std::string> values, ParmKind kind) {
    set_entry(full_name(name), std::move(values), kind);
}

void ParmParse::addarr(std::string_view name, const std::vector<int>& values) {
    set_entry(full_name(name), number_texts(values), ParmKind::integer);
}

void ParmParse::addarr(std::string_view name, const std::vector<Long>& values) {
    set_entry(full_name(name), number_texts(values), ParmKind::integer);
}

void ParmParse::addarr(std::string_view name, const std::vector<Real>& values) {
    set_entry(full_name(name), number_texts(values), ParmKind::real);
}

void ParmParse::addarr(std::string_view name, const std::vector<std::string>& values) {
    set_entry(full_name(name), values, ParmKind::text);
}

template <class T>
bool ParmParse::query(std::string_view name, T& value, int ival) const {
    const std::string key = full_name(name);
    const std::lock_guard lock(table().mutex);
    const auto found = table().entries.find(key);
    if (found == table().entries.end()) return false;
    TableEntry& entry = found->second;
    if (ival < 0 || static_cast<std::size_t>(ival) >= entry.values.size()) {
        throw IndexError(concat("ParmParse: '", key, "' has ", entry.values.size(), " values, there is no number ",
                                ival, " (the first is number 0)"));
    }
    const auto n = static_cast<std::size_t>(ival);
    if (!std::is_same_v<T, std::string> && entry.words == Words::mixed) require_apart(entry, n, n + 1, word_for<T>());
    value = converted<T>(key, text_of_value<T>(entry, n));
    entry.used = true;
    entry.kind = kind_of<T>();
    return true;
}

template <class T>
bool ParmParse::queryarr(std::string_view name, std::vector<T>& values, int start, int num) const {
    const std::string key = full_name(name);
    const std::lock_guard lock(table().mutex);
    const auto found = table().entries.find(key);
    if (found == table().entries.end()) return false;
    TableEntry& entry = found->second;
    const bool is_one = !std::is_same_v<T, std::string> && entry.words == Words::one_expression;
    const Long size = is_one ? 1 : static_cast<Long>(entry.values.size());
    const Long stop = num < 0 ? size : Long{start} + num;
    if (start < 0 || num < -1 || start > size || stop > size) {
        throw IndexError(concat("ParmParse: '", key, "' has ", size, " values, ", num, " from number ", start,
                                " on cannot be read"));
    }
    if (!std::is_same_v<T, std::string> && entry.words == Words::mixed) {
        require_apart(entry, static_cast<std::size_t>(start), static_cast<std::size_t>(stop), word_for<T>());
    }
    std::vector<T> read;
    read.reserve(static_cast<std::size_t>(stop - start));
    for (Long i = start; i < stop; ++i) {
        read.push_back(converted<T>(key, text_of_value<T>(entry, static_cast<std::size_t>(i))));
    }
    values = std::move(read);
    entry.used = true;
    entry.kind = kind_of<T>();
    return true;
}

bool ParmParse::contains(std::string_view name) const {
    const std::string key = full_name(name);
    const std::lock_guard lock(table().mutex);
    return table().entries.find(key) != table().entries.end();
}

int ParmParse::countval(std::string_view name) const {
    const std::string key = full_name(name);
    const std::lock_guard lock(table().mutex);
    const auto found = table().entries.find(key);
    return found == table().entries.end() ? 0 : static_cast<int>(found->second.values.size());
}

bool ParmParse::remove(std::string_view name) {
    const std::string key = full_name(name);
    const std::lock_guard lock(table().mutex);
    return table().entries.erase(key) > 0;
}

std::vector<ParmEntry> ParmParse::entries() const {
    std::vector<ParmEntry> found;
    const std::lock_guard lock(table().mutex);
    for (const auto& [key, entry] : table().entries) {
        if (is_below(key, prefix_)) found.push_back(entry);
    }
    return found;
}

std::vector<std::string> ParmParse::unused() const {
    std::vector<std::string> keys;
    for (const ParmEntry& entry : entries()) {
        if (entry.from_user && !entry.used) keys.push_back(entry.key);
    }
    return keys;
}

std::string ParmParse::to_text() const {
    std::string text;
    for (const ParmEntry& entry : entries()) text += detail::write_definition({entry.key, entry.values});
    return text;
}

std::string ParmParse::full_name(std::string_view name) const {
    return prefix_.empty() ? std::string(name) : concat(prefix_, ".", name);
}

void ParmParse::missing(std::string_view name) const {
    throw StateError("ParmParse: the parameter '" + full_name(name) +
                     "' is not defined; define it on the command line, in an inputs file or with add()");
}

template ZEROFAB_API bool ParmParse::query(std::string_view, int&, int) const;
template ZEROFAB_API bool ParmParse::query(std::string_view, Long&, int) const;
template ZEROFAB_API bool ParmParse::query(std::string_view, Real&, int) const;
template ZEROFAB_API bool ParmParse::query(std::string_view, std::string&, int) const;
template ZEROFAB_API bool ParmParse::query(std::string_view, bool&, int) const;
template ZEROFAB_API bool ParmParse::queryarr(std::string_view, std::vector<int>&, int, int) const;
template ZEROFAB_API bool ParmParse::queryarr(std::string_view, std::vector<Long>&, int, int) const;
template ZEROFAB_API bool ParmParse::queryarr(std::string_view, std::vector<Real>&, int, int) const;
template ZEROFAB_API bool ParmParse::queryarr(std::string_view, std::vector<std::string>&, int, int) const;

}  // namespace zerofab
