// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Functions of a library that is opened at run time: each is declared once, with its type and its name.
#pragma once

#include <dlfcn.h>

#include <string>
#include <vector>

namespace zerofab {

/// What a Symbol is without its type.
struct SymbolSlot {
    const char* name;
    bool required;
    void* address = nullptr;
};

/// The base of a list of symbols.  An object is resolved once and stays where it is, for its members are known by
/// place.
///
///     struct Driver : SymbolTable {
///         Symbol<int(unsigned)> init{this, "cuInit"};
///         Symbol<int(void*, void**)> context_of{this, "cuStreamGetCtx", optional};
///     };
///     if (const std::string missing = driver.resolve(library); !missing.empty()) ...
///     driver.init(0);
class SymbolTable {
public:
    SymbolTable() = default;
    SymbolTable(const SymbolTable&) = delete;
    SymbolTable& operator=(const SymbolTable&) = delete;

    /// Look up all of them; the names of required ones that the library lacks, joined by commas.
    std::string resolve(void* library) {
        std::string missing;
        for (SymbolSlot* slot : slots_) {
            slot->address = dlsym(library, slot->name);
            if (slot->address != nullptr || !slot->required) continue;
            if (!missing.empty()) missing += ", ";
            missing += slot->name;
        }
        return missing;
    }

protected:
    static constexpr bool optional = false;

private:
    template <class>
    friend class Symbol;
    std::vector<SymbolSlot*> slots_;
};

template <class>
class Symbol;

/// One function; calling it before the table is resolved, or if it is optional and absent, is an error of the caller.
template <class R, class... A>
class Symbol<R(A...)> {
public:
    Symbol(SymbolTable* table, const char* name, bool required = true) : slot_{name, required} {
        table->slots_.push_back(&slot_);
    }
    Symbol(const Symbol&) = delete;
    Symbol& operator=(const Symbol&) = delete;

    explicit operator bool() const noexcept { return slot_.address != nullptr; }
    R operator()(A... arguments) const { return reinterpret_cast<R (*)(A...)>(slot_.address)(arguments...); }

private:
    SymbolSlot slot_;
};

}  // namespace zerofab
