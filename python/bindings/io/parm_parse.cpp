// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// ParmParse in Python.
#include "zerofab/io/parm_parse.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <charconv>
#include <optional>

#include "base/copies.hpp"
#include "base/without_gil.hpp"
#include "io/inputs.hpp"
#include "memory/string_vector.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/index/box.hpp"
#include "zerofab/io/plotfile.hpp"

namespace zerofab::python {
namespace {

using namespace nb::literals;

// A file may hold any bytes; those that are no UTF-8 come back by os.fsencode().
nb::object text_object(const std::string& text) {
    PyObject* object = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
    if (object == nullptr) throw nb::python_error();
    return nb::steal(object);
}

template <int D>
std::string point_text(const IntVect<D>& point) {
    std::string text;
    for (const int x : point) text += concat(text.empty() ? "(" : ",", x);
    return text + ")";
}

template <int D>
bool add_index_text(nb::handle value, std::string& text, ParmKind& kind) {
    if (IntVect<D> point; nb::isinstance<IntVect<D>>(value) && nb::try_cast(value, point)) {
        text = point_text(point);
        kind = ParmKind::int_vect;
        return true;
    }
    if (Box<D> box; nb::isinstance<Box<D>>(value) && nb::try_cast(value, box)) {
        text = "(" + point_text(box.small_end()) + " " + point_text(box.big_end()) + " " +
               point_text(box.ix_type().to_int_vect()) + ")";
        kind = ParmKind::box;
        return true;
    }
    return false;
}

// One Python value as text, and what it is.
std::string value_text(nb::handle value, ParmKind& kind) {
    std::array<char, 40> buffer;
    const auto written = [&](auto number) {
        return std::string(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr);
    };
    std::string text;
    if (PyBool_Check(value.ptr())) {
        kind = ParmKind::boolean;
        return value.is(nb::borrow(Py_True)) ? "true" : "false";
    }
    if (nb::try_cast(value, text)) {
        kind = ParmKind::text;
        return text;
    }
    if (PyIndex_Check(value.ptr())) {
        const nb::object integer = nb::steal(PyNumber_Index(value.ptr()));
        if (!integer.is_valid()) throw nb::python_error();
        Long number = 0;
        if (!nb::try_cast(integer, number)) {
            throw ValueError(concat("ParmParse: the integer ", nb::str(integer).c_str(), " needs more than 64 bits"));
        }
        kind = ParmKind::integer;
        return written(number);
    }
    if (add_index_text<1>(value, text, kind) || add_index_text<2>(value, text, kind) ||
        add_index_text<3>(value, text, kind)) {
        return text;
    }
    if (PyFloat_Check(value.ptr()) || nb::hasattr(value, "__float__")) {
        const nb::object real = nb::steal(PyNumber_Float(value.ptr()));
        if (!real.is_valid()) throw nb::python_error();
        kind = ParmKind::real;
        return written(PyFloat_AS_DOUBLE(real.ptr()));
    }
    throw TypeError("ParmParse: a parameter is a bool, int, float, str, IntVect or Box, not " +
                    std::string(nb::type_name(value.type()).c_str()));
}

std::vector<int> integers_in(const std::string& text) {
    std::vector<int> found;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at < end;) {
        int value = 0;
        const auto [stop, error] = std::from_chars(at, end, value);
        if (error == std::errc{}) found.push_back(value);
        at = error == std::errc{} ? stop : at + 1;
    }
    return found;
}

template <int D>
IntVect<D> point_from(const std::vector<int>& values, std::size_t first) {
    IntVect<D> point;
    for (int d = 0; d < D; ++d) point[d] = values[first + static_cast<std::size_t>(d)];
    return point;
}

template <int D>
nb::object index_object(const std::vector<int>& values, ParmKind kind) {
    if (kind == ParmKind::int_vect) return nb::cast(point_from<D>(values, 0));
    return nb::cast(
        Box<D>(point_from<D>(values, 0), point_from<D>(values, D), IndexType<D>(point_from<D>(values, 2 * D))));
}

nb::object value_object(const ParmEntry& entry, int i) {
    const std::string& text = entry.values[static_cast<std::size_t>(i)];
    const ParmParse root;
    switch (entry.kind) {
        case ParmKind::text:
            break;
        case ParmKind::boolean:
            return nb::bool_(root.get<bool>(entry.key, i));
        case ParmKind::integer:
            return nb::int_(root.get<Long>(entry.key, i));
        case ParmKind::real:
            return nb::float_(root.get<Real>(entry.key, i));
        case ParmKind::int_vect:
        case ParmKind::box: {
            const std::vector<int> values = integers_in(text);
            switch (values.size() / (entry.kind == ParmKind::box ? 3 : 1)) {
                case 1:
                    return index_object<1>(values, entry.kind);
                case 2:
                    return index_object<2>(values, entry.kind);
                case 3:
                    return index_object<3>(values, entry.kind);
                default:
                    break;
            }
        }
    }
    return text_object(text);
}

nb::object values_object(const ParmEntry& entry) {
    const auto all = [&](bool typed, const auto& convert) -> nb::object {
        const int size = static_cast<int>(entry.values.size());
        const bool number =
            entry.kind == ParmKind::boolean || entry.kind == ParmKind::integer || entry.kind == ParmKind::real;
        if (size == 1 || (typed && number && entry.is_one_number())) return convert(0);
        nb::list list;
        for (int i = 0; i < size; ++i) list.append(convert(i));
        return list;
    };
    try {
        return all(true, [&](int i) { return value_object(entry, i); });
    } catch (
        const std::logic_error&) {  // some value is not of the kind that another was read as, or was changed meanwhile
    } catch (const StateError&) {
    } catch (const std::bad_cast&) {
    }
    return all(false, [&](int i) { return text_object(entry.values[static_cast<std::size_t>(i)]); });
}

nb::dict to_dict(const ParmParse& pp) {
    nb::dict result;
    const std::size_t skip = pp.prefix().empty() ? 0 : pp.prefix().size() + 1;
    for (const ParmEntry& entry : pp.entries()) {
        std::string key = entry.key.substr(skip);
        nb::dict node = result;
        for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.')) {
            const nb::object part = text_object(key.substr(0, dot));
            if (!node.contains(part)) {
                node[part] = nb::dict();
            } else if (!nb::isinstance<nb::dict>(node[part])) {  // "u = 1" beside "u.v = 2"
                nb::dict both;
                both[""] = node[part];
                node[part] = both;
            }
            node = nb::cast<nb::dict>(node[part]);
            key.erase(0, dot + 1);
        }
        node[text_object(key)] = values_object(entry);
    }
    return result;
}

template <class T>
nb::object python_value(const T& value) {
    if constexpr (std::is_same_v<T, std::string>)
        return text_object(value);
    else
        return nb::cast(value);
}

template <class T>
nb::object python_list(const std::vector<T>& values) {
    nb::list list;
    for (const T& value : values) list.append(python_value(value));
    return list;
}

// query_X, get_X and, except for bool, their array forms.
template <class T>
void bind_type(nb::class_<ParmParse>& cls, const std::string& word, const std::string& type) {
    // signatures and docstrings are copied by nanobind
    const auto def = [&](const std::string& name, const std::string& rest, auto function, const std::string& doc,
                         auto... args) {
        cls.def(name.c_str(), function, args..., nb::sig(("def " + name + rest).c_str()), doc.c_str());
    };
    const std::string one = "(self, name: str, ival: int = 0) -> ";
    def(
        "query_" + word, one + "tuple[bool, " + type + "]",
        [](const ParmParse& pp, const std::string& name, int ival) {
            T value{};
            const bool found = pp.query(name, value, ival);
            return nb::make_tuple(found, python_value(value));
        },
        "Whether the parameter is there, and its value number `ival` as " + type + ".", "name"_a, "ival"_a = 0);
    def(
        "get_" + word, one + type,
        [](const ParmParse& pp, const std::string& name, int ival) { return python_value(pp.get<T>(name, ival)); },
        "Value number `ival` of the parameter as " + type + "; RuntimeError if there is no such parameter.", "name"_a,
        "ival"_a = 0);
    if constexpr (!std::is_same_v<T, bool>) {
        const std::string many = "(self, name: str, start_ix: int = 0, num_val: int = -1) -> ";
        def(
            "query_" + word + "_array", many + "tuple[bool, list[" + type + "]]",
            [](const ParmParse& pp, const std::string& name, int start, int num) {
                std::vector<T> values;
                const bool found = pp.queryarr(name, values, start, num);
                return nb::make_tuple(found, python_list(values));
            },
            "Whether the parameter is there, and `num_val` values from number `start_ix` on (-1: all that follow).",
            "name"_a, "start_ix"_a = 0, "num_val"_a = -1);
        def(
            "get_" + word + "_array", many + "list[" + type + "]",
            [](const ParmParse& pp, const std::string& name, int start, int num) {
                return python_list(pp.getarr<T>(name, start, num));
            },
            "`num_val` values from number `start_ix` on (-1: all that follow); RuntimeError if there is no such "
            "parameter.",
            "name"_a, "start_ix"_a = 0, "num_val"_a = -1);
    }
}

}  // namespace

void register_io(nb::module_& m) {
    register_object_vector<std::string>(m, "Vector_string", "str", [](const std::string& text) { return text; });
    m.def("concatenate", &concatenate, "root"_a, "num"_a, "mindigits"_a = 5,
          "`root` followed by the number with at least `mindigits` digits: concatenate(\"plt\", 7) is \"plt00007\".");
    nb::class_<ParmParse> cls(
        m, "ParmParse",
        "The process-wide table of input parameters, seen through a prefix.\n\n"
        "Filled from the arguments of initialize(), from inputs files and by add(); works before\n"
        "initialize() and is emptied by finalize(). Numbers may be expressions: ``n = 2*nx``.\n\n"
        "    pp = ParmParse(\"geometry\")\n"
        "    pp.addarr(\"prob_lo\", [0.0, 0.0, -1.0])\n"
        "    z = pp.get_real(\"prob_lo\", 2)\n"
        "    found, n = pp.query_int(\"n_cell\")\n");
    def_reduce(cls, [](const ParmParse& pp) { return nb::make_tuple(pp.prefix()); });
    cls.def(nb::init<std::string>(), "prefix"_a = "", "The parameters whose names begin with `prefix` and a point.");
    cls.def(
        "__repr__",
        [](const ParmParse& pp) {
            return text_object(pp.prefix().empty() ? "<amrex.ParmParse>"
                                                   : "<amrex.ParmParse of '" + pp.prefix() + "'>");
        },
        nb::sig("def __repr__(self) -> str"));
    cls.def_prop_ro("prefix", &ParmParse::prefix, "What stands before every name, without the point.");
    cls.def_static(
        "addfile",
        [](const std::filesystem::path& path, std::optional<int> dim) {
            if (dim && (*dim < 1 || *dim > 3)) {
                throw ValueError(concat("ParmParse: dim is 1, 2 or 3, not ", *dim));
            }
            const int reader = dim.value_or(only_space());
            {
                const WithoutGil released;
                ParmParse::add_file(path.string(), reader);
            }
            if (Runtime::initialized()) say_unknown_options();
        },
        "filename"_a, "dim"_a = nb::none(),
        "Read an inputs file; OSError if it cannot be read, ValueError if it is no inputs file.\n\n"
        "dim: of which space its lines `#if (AMREX_SPACEDIM == 2)` take the branch; by default of the one space that "
        "is\n"
        "imported. Where several are, such a line without `dim` is a ValueError. After an error nothing was read.");
    cls.def(
        "add",
        [](ParmParse& pp, const std::string& name, nb::handle value) {
            ParmKind kind{};
            std::string text = value_text(value, kind);
            pp.add_values(name, {std::move(text)}, kind);
        },
        "name"_a, "value"_a, nb::sig("def add(self, name: str, value: object) -> None"),
        "Set a parameter to a bool, int, float, str, IntVect or Box.");
    cls.def(
        "addarr",
        [](ParmParse& pp, const std::string& name, nb::handle values) {
            if (PyUnicode_Check(values.ptr()) || !nb::hasattr(values, "__iter__")) {
                throw TypeError("ParmParse: addarr takes a sequence of values; use add for one");
            }
            std::vector<std::string> texts;
            std::optional<ParmKind> kind;
            for (const nb::handle value : nb::borrow<nb::iterable>(values)) {
                ParmKind this_kind{};
                texts.push_back(value_text(value, this_kind));
                const auto number = [](ParmKind k) { return k == ParmKind::integer || k == ParmKind::real; };
                if (kind && *kind != this_kind) {
                    this_kind = number(*kind) && number(this_kind) ? ParmKind::real : ParmKind::text;
                }
                kind = this_kind;
            }
            pp.add_values(name, std::move(texts), kind.value_or(ParmKind::text));
        },
        "name"_a, "values"_a, nb::sig("def addarr(self, name: str, values: collections.abc.Sequence[object]) -> None"),
        "Set a parameter to several values of one type.");
    bind_type<bool>(cls, "bool", "bool");
    bind_type<Long>(cls, "int", "int");
    bind_type<Real>(cls, "real", "float");
    bind_type<std::string>(cls, "str", "str");
    cls.def("contains", &ParmParse::contains, "name"_a, "Whether there is such a parameter.");
    cls.def("countval", &ParmParse::countval, "name"_a, "How many values the parameter has; 0 if there is none.");
    cls.def(
        "remove", [](ParmParse& pp, const std::string& name) { return pp.remove(name) ? 1 : 0; }, "name"_a,
        "Forget a parameter; 1 if it was there, else 0.");
    cls.def(
        "unused", [](const ParmParse& pp) { return python_list(pp.unused()); },
        nb::sig("def unused(self) -> list[str]"),
        "Full names of the parameters from files and command lines that nobody has read.");
    cls.def("to_dict", &to_dict, nb::sig("def to_dict(self) -> dict[str, typing.Any]"),
            "The parameters below the prefix as nested dicts, split at the points of the names.\n\n"
            "Values have the type that they were added or last read as, str before; several values are a list.\n"
            "Beside parameters below its name, a parameter's own value has the key \"\".");
    cls.def(
        "to_text", [](const ParmParse& pp) { return text_object(pp.to_text()); }, nb::sig("def to_text(self) -> str"),
        "The parameters below the prefix as the text of an inputs file; reading it gives the same again.\n\n"
        "ValueError if an inputs file cannot hold one: a value with blanks and three quotation marks in a row, say.");
    cls.def(
        "pretty_print_table",
        [](const ParmParse& pp) {
            nb::module_::import_("builtins").attr("print")(text_object(pp.to_text()), "end"_a = "");
        },
        "Print the parameters below the prefix, sorted by name.");
}

}  // namespace zerofab::python
