// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "base/call_errors.hpp"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "zerofab/base/error.hpp"

namespace zerofab::python {
namespace {

constexpr std::string_view sign = "(): incompatible function arguments.";

/// Number of positional arguments; nanobind and CPython mark calls in the upper bits.
std::size_t count_of(std::size_t nargsf) noexcept { return nargsf & 0xffffffffU; }

enum class Cause { other, no_overload, conversion };

/// Why a call failed: whether no overload fits, or an argument did not convert to a number in the implementation. An
/// error that passes through from a call in there has a message of its own, or a traceback.
Cause cause_of(const nb::python_error& error, nb::handle function) {
    if (error.type().ptr() != PyExc_TypeError || error.traceback().is_valid()) return Cause::other;
    const nb::object arguments = error.value().attr("args");
    if (nb::len(arguments) != 1 || !nb::isinstance<nb::str>(arguments[0])) return Cause::other;
    const nb::str text(arguments[0]);
    const std::string_view all = text.c_str();
    const nb::str known(function.attr("__name__"));
    const std::string_view name = known.c_str();  // empty where only a signature has it
    const std::size_t end = all.find(sign);
    if (end != std::string_view::npos && (name.empty() || all.substr(0, end) == name)) {
        const bool is_name = all.substr(0, end).find_first_of(" .(:") == std::string_view::npos;
        return is_name ? Cause::no_overload : Cause::other;
    }
    for (const std::string_view start :
         {"must be real number, not ", "only integer scalar arrays", "only 0-dimensional", "only length-1 arrays",
          "__index__ returned non-int", "float() argument must be "}) {
        if (all.substr(0, start.size()) == start) return Cause::conversion;
    }
    constexpr std::string_view ending = "object cannot be interpreted as an integer";
    const bool ends = all.size() > ending.size() && all.substr(all.size() - ending.size()) == ending;
    return ends ? Cause::conversion : Cause::other;
}

/// An object of ours that its __init__ never made.
bool is_unmade(nb::handle object) { return nb::type_check(object.type()) && !nb::inst_ready(object); }

/// The message for a call, None if no argument can be named. `found`: the message so far, if an overload was found.
nb::object explanation(nb::handle function, PyObject* const* args, std::size_t count, PyObject* names,
                       nb::handle found) {
    nb::list positional, unmade;
    nb::dict keywords;
    for (std::size_t i = 0; i < count; ++i) {
        positional.append(nb::handle(args[i]));
        if (is_unmade(args[i])) unmade.append(nb::handle(args[i]));
    }
    const std::size_t named = names == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(names));
    for (std::size_t i = 0; i < named; ++i) {
        const nb::handle value = args[count + i];
        keywords[nb::handle(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i)))] = value;
        if (is_unmade(value)) unmade.append(value);
    }
    return nb::module_::import_("amrex._explain").attr("explain")(function, positional, keywords, unmade, found);
}

/// Write the message of the pending exception anew if it is ours to write; whatever goes wrong here leaves it as it
/// was.
PyObject* explain(PyObject* function, PyObject* const* args, std::size_t nargsf, PyObject* names) noexcept {
    thread_local bool busy = false;  // calls of ours that fail in here
    if (busy || PyErr_ExceptionMatches(PyExc_TypeError) == 0) return nullptr;
    nb::python_error error;
    busy = true;
    try {
        const Cause cause = cause_of(error, function);
        if (cause != Cause::other) {
            const nb::object found = cause == Cause::conversion ? nb::str(error.value()) : nb::object(nb::str(""));
            const nb::object text = explanation(function, args, count_of(nargsf), names, found);
            if (!text.is_none()) {
                PyErr_SetObject(PyExc_TypeError, text.ptr());
                busy = false;
                return nullptr;
            }
        }
    } catch (nb::python_error& other) {
        if (!other.matches(PyExc_Exception)) {  // KeyboardInterrupt
            busy = false;
            other.restore();
            return nullptr;
        }
    } catch (const std::exception&) {  // the first error is the one to report
    }
    busy = false;
    error.restore();
    return nullptr;
}

// nanobind has a handful of entries for calls; each gets one of ours in front that knows it by its slot here.
constexpr std::size_t most = 12;
std::array<vectorcallfunc, most> originals{};

template <std::size_t Slot>
PyObject* call(PyObject* function, PyObject* const* args, std::size_t nargsf, PyObject* names) noexcept {
    PyObject* result = originals[Slot](function, args, nargsf, names);
    if (result != nullptr) [[likely]] {
        return result;
    }
    return explain(function, args, nargsf, names);
}

template <std::size_t... Slot>
constexpr std::array<vectorcallfunc, most> make_entries(std::index_sequence<Slot...>) {
    return {call<Slot>...};
}
constexpr std::array<vectorcallfunc, most> entries = make_entries(std::make_index_sequence<most>());

void explain_function(nb::handle function) {
    auto* slot = reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(function.ptr()) +
                                                   Py_TYPE(function.ptr())->tp_vectorcall_offset);
    for (std::size_t i = 0; i < most; ++i) {
        if (*slot == entries[i]) return;
        if (originals[i] == nullptr) originals[i] = *slot;
        if (originals[i] == *slot) {
            *slot = entries[i];
            return;
        }
    }
    throw StateError("nanobind has more entries for calls than call_errors.cpp has places");
}

bool is_function(nb::handle object) {
    const std::string_view type = Py_TYPE(object.ptr())->tp_name;
    return type == "nanobind.nb_func" || type == "nanobind.nb_method" || type == "nb_func" || type == "nb_method";
}

bool is_own_module(nb::handle object) {
    if (PyModule_Check(object.ptr()) == 0) return false;
    const nb::object name = nb::getattr(object, "__name__", nb::none());
    return nb::isinstance<nb::str>(name) && std::string_view(nb::str(name).c_str()).substr(0, 12) == "amrex._core.";
}

void explain_member(nb::handle member, std::set<PyObject*>& seen);

void explain_members(nb::handle scope, std::set<PyObject*>& seen) {
    for (const nb::handle member : nb::borrow<nb::object>(scope.attr("__dict__").attr("values")())) {
        explain_member(member, seen);
    }
}

void explain_member(nb::handle member, std::set<PyObject*>& seen) {
    if (is_function(member)) {
        explain_function(member);
    } else if (PyObject_TypeCheck(member.ptr(), &PyProperty_Type) != 0) {
        for (const char* part : {"fget", "fset"}) {
            const nb::object function = member.attr(part);
            if (is_function(function)) explain_function(function);
        }
    } else if (Py_TYPE(member.ptr()) == &PyClassMethod_Type || Py_TYPE(member.ptr()) == &PyStaticMethod_Type) {
        const nb::object function = member.attr("__func__");
        if (is_function(function)) explain_function(function);
    } else if ((nb::type_check(member) || is_own_module(member)) && seen.insert(member.ptr()).second) {
        explain_members(member, seen);
    }
}

}  // namespace

void explain_calls(const nb::module_& scope) {
    std::set<PyObject*> seen{scope.ptr()};
    explain_members(scope, seen);
}

}  // namespace zerofab::python
