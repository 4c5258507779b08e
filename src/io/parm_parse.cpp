// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// ParmParse: the process-wide table of input parameters.
#include "zerofab/io/parm_parse.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <mutex>
#include <type_traits>

#include "io/expression.hpp"
#include "io/inputs_text.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {
namespace {

struct Table {
    std::mutex mutex;
    std::map<std::string, ParmEntry, std::less<>> entries;
};

// Never destroyed: other static objects may read parameters while the process ends.
Table& table() {
    static Table* const the_table = new Table;
    return *the_table;
}

// Adds all definitions or, if one of them throws, none.
void merge(std::vector<detail::Definition> definitions) {
    std::map<std::string, ParmEntry, std::less<>> fresh;
    for (detail::Definition& definition : definitions) {
        ParmEntry entry{definition.name, std::move(definition.values), ParmKind::text, false, true};
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

// An expression may name parameters, from the root or beside its own; the table's mutex is held.
template <class T>
T converted(const std::string& key, const std::string& text) {
    if constexpr (std::is_same_v<T, std::string>) {
        return text;
    } else {
        const auto text_of = [](std::string_view name) -> const std::string* {
            const auto found = table().entries.find(name);
            if (found == table().entries.end()) return nullptr;
            found->second.used = true;
            return found->second.values.size() == 1 ? &found->second.values[0] : nullptr;
        };
        const std::string beside = key.substr(0, key.rfind('.') + 1);
        const detail::NameLookup lookup = [&](std::string_view name) {
            const std::string* found = text_of(name);
            return found != nullptr || beside.empty() ? found : text_of(beside + std::string(name));
        };
        detail::EvalBudget budget;
        const auto refuse = [&](const std::string& why) {
            const std::string shown = text.size() <= 100 ? text : text.substr(0, 100) + "...";
            throw ValueError("ParmParse: '" + key + "' = '" + shown + "' is no " + word_for<T>() + ": " + why);
        };
        try {
            if constexpr (std::is_same_v<T, bool>) {
                return detail::evaluate<Real>(text, lookup, budget) != 0;
            } else if constexpr (std::is_floating_point_v<T>) {
                return detail::evaluate<Real>(text, lookup, budget);
            } else {
                const Long value = detail::evaluate<Long>(text, lookup, budget);
                if (value < Long{std::numeric_limits<T>::min()} || value > Long{std::numeric_limits<T>::max()}) {
                    refuse("it needs more than " + std::to_string(8 * sizeof(T)) + " bits");
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
    ParmEntry entry{key, std::move(values), kind, false, false};
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

// Whether a key is below a prefix, as the root is above all.
bool is_below(std::string_view key, std::string_view prefix) {
    return prefix.empty() || (key.size() > prefix.size() && key.starts_with(prefix) && key[prefix.size()] == '.');
}

}  // namespace

void ParmParse::initialize(const std::vector<std::string>& args) {
    std::size_t first = 0;
    std::vector<detail::Definition> definitions;
    const bool has_file = !args.empty() && args[0] != "--" && args[0].find('=') == std::string::npos &&
                          !(args.size() > 1 && args[1].starts_with('='));
    if (has_file && args[0].find_first_not_of(" \t") != std::string::npos) {
        definitions = detail::parse_inputs_file(args[0]);
        first = 1;
    }
    std::string line;
    for (std::size_t i = first; i < args.size() && args[i] != "--"; ++i) line += args[i] + ' ';
    for (detail::Definition& definition : detail::parse_inputs(line, "the command line", true)) {
        definitions.push_back(std::move(definition));
    }
    merge(std::move(definitions));
}

void ParmParse::finalize() {
    const std::lock_guard lock(table().mutex);
    table().entries.clear();
}

void ParmParse::add_file(const std::string& path) { merge(detail::parse_inputs_file(path)); }

void ParmParse::add_text(std::string_view text) { merge(detail::parse_inputs(text, "the text", false)); }

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
    ParmEntry& entry = found->second;
    if (ival < 0 || static_cast<std::size_t>(ival) >= entry.values.size()) {
        throw IndexError("ParmParse: '" + key + "' has " + std::to_string(entry.values.size()) +
                         " values, there is no number " + std::to_string(ival) + " (the first is number 0)");
    }
    value = converted<T>(key, entry.values[static_cast<std::size_t>(ival)]);
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
    ParmEntry& entry = found->second;
    const Long size = static_cast<Long>(entry.values.size());
    const Long stop = num < 0 ? size : Long{start} + num;
    if (start < 0 || num < -1 || start > size || stop > size) {
        throw IndexError("ParmParse: '" + key + "' has " + std::to_string(size) + " values, " + std::to_string(num) +
                         " from number " + std::to_string(start) + " on cannot be read");
    }
    std::vector<T> read;
    read.reserve(static_cast<std::size_t>(stop - start));
    for (Long i = start; i < stop; ++i) read.push_back(converted<T>(key, entry.values[static_cast<std::size_t>(i)]));
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
    return prefix_.empty() ? std::string(name) : prefix_ + "." + std::string(name);
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
