// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The extension module amrex._core: a table of contents.
#include <set>
#include <string>

#include "base/call_errors.hpp"
#include "register.hpp"
#include "zerofab/base/error.hpp"

namespace nb = nanobind;

namespace zerofab::python {
namespace {

// What the first import made.  It stays for the life of the process: its classes exist once.
PyObject* first_core = nullptr;
PyObject* first_package = nullptr;
bool import_began = false;

/// Put the modules of the first import back where they are missing, in place of any that were made since.
void restore_modules() {
    const nb::dict modules = nb::module_::import_("sys").attr("modules");
    modules["amrex"] = nb::borrow(first_package);
    modules["amrex._core"] = nb::borrow(first_core);
    for (const auto& [key, value] : nb::borrow<nb::dict>(nb::handle(first_package).attr("__dict__"))) {
        const std::string name = "amrex." + nb::cast<std::string>(key);
        if (PyModule_Check(value.ptr()) != 0 && nb::str(name.c_str()).equal(value.attr("__name__"))) {
            modules[name.c_str()] = value;
        }
    }
}

/// Give another module object the contents of the first one.
void fill_again(nb::handle module) {
    const nb::object names = module.attr("__dict__");
    for (const auto& [key, value] : nb::borrow<nb::dict>(nb::handle(first_core).attr("__dict__"))) {
        if (!nb::cast<bool>(key.attr("startswith")("__")) || nb::str("__version__").equal(key)) {
            names[key] = value;
        }
    }
}

/// ImportError with this text.
int refuse_import(const char* why) noexcept {
    PyErr_SetString(PyExc_ImportError, why);
    return -1;
}

int refuse_subinterpreter() noexcept {
    return PyInterpreterState_Get() == PyInterpreterState_Main()
               ? 0
               : refuse_import(
                     "amrex._core can be imported in the main interpreter only, not in a subinterpreter: its memory "
                     "and classes belong to the process; use processes or threads");
}

template <int D>
void register_space(nb::module_& space) {
    register_runtime_space<D>(space);
    register_config_space<D>(space);
    register_index_space<D>(space);
    register_layout_space<D>(space);
    register_array4_space(space);
    register_vectors_space<D>(space);
    register_mesh_space<D>(space);
    register_io_space<D>(space);
    register_particles_space<D>(space);
    explain_calls(space);
}

}  // namespace
}  // namespace zerofab::python

// nanobind's own entry, called by PyInit__core below once the guards have let an import through.
NB_MODULE(_core_types, m) {
    using namespace zerofab::python;
    m.doc() = "Compiled core of amrex: types without a dimension, and the registration of each dimension.";
    nb::set_leak_warnings(false);

    register_errors(m);
    register_runtime(m);
    register_report(m);
    register_index(m);
    register_exchange(m);
    register_array4(m);
    register_arena(m);
    register_pod_vector(m);
    register_layout(m);
    register_vector(m);
    register_small_matrix(m);
    register_mesh(m);
    register_io(m);
    register_particles(m);

    m.def(
        "register_space",
        [](int dim, nb::module_ space) {
            static std::set<int> registered;
            if (dim >= 1 && dim <= 3 && !registered.insert(dim).second) {
                throw nb::import_error("the types of this dimension were registered before: start a new process");
            }
            switch (dim) {
                case 1:
                    return register_space<1>(space);
                case 2:
                    return register_space<2>(space);
                case 3:
                    return register_space<3>(space);
                default:
                    throw nb::value_error("a space has 1, 2 or 3 dimensions");
            }
        },
        nb::arg("dim"), nb::arg("space"), "Put the types of one dimension into the module object `space`.");
    m.def("_restore_modules", &restore_modules,
          "Put the modules of the first import of amrex back into sys.modules, where they were removed.");
    m.attr("_spaces") = nb::dict();  // of amrex._space: the modules by dimension

    explain_calls(m);
}

namespace {

/// The module's contents: at the second import those of the first, whose classes exist once in a process.
int execute(PyObject* m) noexcept {
    using namespace zerofab::python;
    if (refuse_subinterpreter() < 0) {
        return -1;
    }
    if (first_core == m) {  // importlib.reload
        return 0;
    }
    try {
        if (first_core != nullptr) {
            fill_again(m);
            restore_modules();
            return 0;
        }
        if (import_began) {
            return refuse_import("the first import of amrex._core failed: start a new process");
        }
        import_began = true;
        const nb::object package = nb::module_::import_("amrex");
        if (nanobind__core_types_exec(m) < 0) {
            return -1;
        }
        first_package = package.inc_ref().ptr();
        first_core = Py_NewRef(m);
        return 0;
    } catch (nb::python_error& error) {
        error.restore();
    } catch (const std::exception& error) {
        refuse_import(error.what());
    }
    return -1;
}

}  // namespace

extern "C" NB_EXPORT PyObject* PyInit__core();

extern "C" PyObject* PyInit__core() {
    if (zerofab::python::refuse_subinterpreter() < 0) {  // before nanobind takes anything of that interpreter's
        return nullptr;
    }
    PyObject* definition = PyInit__core_types();
    if (definition != nullptr) {
        for (PyModuleDef_Slot* slot = reinterpret_cast<PyModuleDef*>(definition)->m_slots; slot->slot != 0; ++slot) {
            if (slot->slot == Py_mod_exec) {
                slot->value = reinterpret_cast<void*>(&execute);
            }
        }
    }
    return definition;
}
