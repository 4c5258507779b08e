// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Single particles, start values, and the words of ids.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <tuple>

#include "base/copies.hpp"
#include "particles/particles.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/particles/particle_container.hpp"

namespace zerofab::python {
namespace {

nb::module_ python_side() { return nb::module_::import_("amrex._particles"); }

/// The component named by a keyword such as rdata_3; -1 if it is none of `count`.
int numbered(const std::string& keyword, const std::string& front, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        if (keyword == concat(front, i)) return static_cast<int>(i);
    }
    return -1;
}

void set_by_name(Particle& particle, const std::string& name, nb::handle value) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(particle.dim); ++d) {
        if (name == std::string(1, "xyz"[d])) {
            particle.pos[d] = nb::cast<Real>(value);
            return;
        }
    }
    if (const int i = numbered(name, "rdata_", particle.rdata.size()); i >= 0) {
        particle.rdata[static_cast<std::size_t>(i)] = nb::cast<Real>(value);
    } else if (const int j = numbered(name, "idata_", particle.idata.size()); j >= 0) {
        particle.idata[static_cast<std::size_t>(j)] = nb::cast<int>(value);
    } else {
        throw ValueError(concat("a particle with ", particle.rdata.size(), " real and ", particle.idata.size(),
                                " int components has no '", name, "'"));
    }
}

/// Whole numbers only, as Python converts them.
int int_of(nb::handle value) {
    if (PyFloat_Check(value.ptr())) {
        const double number = nb::cast<double>(value);
        if (std::abs(number) <= std::numeric_limits<int>::max() && number == std::trunc(number)) {
            return static_cast<int>(number);
        }
    }
    return nb::cast<int>(value);
}

Particle make_particle(nb::handle type, const nb::args& args, const nb::kwargs& kwargs) {
    const ParticleLayout layout = particle_kind_of(type).layout;
    Particle particle(layout.dim, layout.struct_real, layout.struct_int);
    const auto dim = static_cast<std::size_t>(layout.dim);
    const std::size_t reals = particle.rdata.size(), all = dim + reals + particle.idata.size();
    if (args.size() != 0 && args.size() != dim && args.size() != all) {
        throw ValueError(
            concat("a particle takes ", dim, " numbers (its position), or all ", all, ", not ", args.size()));
    }
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (i < dim)
            particle.pos[i] = nb::cast<Real>(args[i]);
        else if (i < dim + reals)
            particle.rdata[i - dim] = nb::cast<Real>(args[i]);
        else
            particle.idata[i - dim - reals] = int_of(args[i]);
    }
    for (const auto& [name, value] : kwargs) set_by_name(particle, nb::cast<std::string>(name), value);
    return particle;
}

std::string number_text(Real x) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", x);
    return text;
}

std::string text_of(const Particle& particle) {
    std::string text = concat(unpack_id(particle.idcpu), " ", unpack_cpu(particle.idcpu));
    for (int d = 0; d < particle.dim; ++d) text += " " + number_text(particle.pos[static_cast<std::size_t>(d)]);
    for (const Real x : particle.rdata) text += " " + number_text(x);
    for (const int i : particle.idata) text += concat(" ", i);
    return text;
}

// Upstream raises ValueError, not IndexError, for a component that does not exist.
template <class T>
T& component_of(std::vector<T>& all, Long index, const char* kind) {
    if (index < 0 || index >= static_cast<Long>(all.size())) {
        throw ValueError(concat(kind, " component ", index, " does not exist: there are ", all.size()));
    }
    return all[static_cast<std::size_t>(index)];
}

Real& position_of(Particle& particle, Long dir) {
    if (dir < 0 || dir >= particle.dim) {
        throw ValueError(concat("direction ", dir, " does not exist in ", particle.dim, " dimensions"));
    }
    return particle.pos[static_cast<std::size_t>(dir)];
}

template <class T>
void set_all(std::vector<T>& all, std::vector<T> values, const char* kind) {
    if (values.size() != all.size()) {
        throw ValueError(concat("there are ", all.size(), " ", kind, " components, not ", values.size()));
    }
    all = std::move(values);
}

void set_position(Particle& particle, nb::handle pos) {
    const nb::list values(pos);
    if (values.size() != static_cast<std::size_t>(particle.dim)) {
        throw ValueError(concat("a position in ", particle.dim, " dimensions is not ", values.size(), " numbers"));
    }
    std::array<Real, 3> fresh{};
    for (std::size_t d = 0; d < values.size(); ++d) fresh[d] = nb::cast<Real>(values[d]);
    particle.pos = fresh;
}

nb::object position_vector(const Particle& particle) {
    const auto& x = particle.pos;
    switch (particle.dim) {
        case 1:
            return nb::cast(RealVect<1>(x[0]));
        case 2:
            return nb::cast(RealVect<2>(x[0], x[1]));
        default:
            return nb::cast(RealVect<3>(x[0], x[1], x[2]));
    }
}

template <int d>
void def_coordinate(nb::class_<Particle>& cls, const char* name) {
    const auto check = [name](const Particle& p) {
        if (d >= p.dim) {
            PyErr_Format(PyExc_AttributeError, "a particle in %d dimensions has no %s", p.dim, name);
            throw nb::python_error();
        }
    };
    cls.def_prop_rw(
        name,
        [check](const Particle& p) {
            check(p);
            return p.pos[d];
        },
        [check](Particle& p, Real value) {
            check(p);
            p.pos[d] = value;
        },
        "A coordinate of the position.");
}

void register_particle(nb::module_& m) {
    nb::class_<Particle> cls(m, "Particle",
                             "Base of the classes Particle_REALS_INTS: one particle, not in a container.\n\n"
                             "    p = amr.Particle_2_1(x=0.5, rdata_0=1.0, idata_0=7)");
    cls.def(
           "__init__",
           [](nb::pointer_and_handle<Particle> self, const nb::args& args, const nb::kwargs& kwargs) {
               new (self.p) Particle(make_particle(self.h.type(), args, kwargs));
           },
           nb::sig("def __init__(self, *args: float, **kwargs: float) -> None"),
           "Nothing, the position, or all components in order; and components by name: x, rdata_0, idata_0.")
        .def("__str__", &text_of)
        .def("__repr__",
             [](const Particle& p) { return "<amrex.Particle with id, cpu, pos, rdata, idata: " + text_of(p) + ">"; })
        .def(
            "id", [](const Particle& p) { return unpack_id(p.idcpu); }, "The id; negative if it is invalid.")
        .def(
            "cpu", [](const Particle& p) { return unpack_cpu(p.idcpu); }, "The rank that made it.")
        .def_rw("idcpu", &Particle::idcpu, "Id and rank in one word.")
        .def(
            "pos", [](const Particle& p) { return position_vector(p); }, nb::sig("def pos(self) -> typing.Any"),
            "The position, a RealVect.")
        .def(
            "pos", [](Particle& p, Long index) { return position_of(p, index); }, nb::arg("index"), "A coordinate.")
        .def(
            "setPos", [](Particle& p, Long index, Real pos) { position_of(p, index) = pos; }, nb::arg("index"),
            nb::arg("pos"), "Set a coordinate.")
        .def("setPos", &set_position, nb::arg("pos"),
             nb::sig("def setPos(self, pos: collections.abc.Iterable[float]) -> None"),
             "Set the position from a RealVect or a sequence.")
        .def(
            "get_rdata", [](const Particle& p) { return p.rdata; }, "All real components.")
        .def(
            "get_rdata", [](Particle& p, Long index) { return component_of(p.rdata, index, "real"); }, nb::arg("index"),
            "A real component; ValueError if there is none.")
        .def(
            "get_idata", [](const Particle& p) { return p.idata; }, "All int components.")
        .def(
            "get_idata", [](Particle& p, Long index) { return component_of(p.idata, index, "int"); }, nb::arg("index"),
            "An int component; ValueError if there is none.")
        .def(
            "set_rdata", [](Particle& p, Long index, Real value) { component_of(p.rdata, index, "real") = value; },
            nb::arg("index"), nb::arg("value"), "Set a real component.")
        .def(
            "set_rdata", [](Particle& p, std::vector<Real> values) { set_all(p.rdata, std::move(values), "real"); },
            nb::arg("values"), "Set all real components.")
        .def(
            "set_idata", [](Particle& p, Long index, int value) { component_of(p.idata, index, "int") = value; },
            nb::arg("index"), nb::arg("value"), "Set an int component.")
        .def(
            "set_idata", [](Particle& p, std::vector<int> values) { set_all(p.idata, std::move(values), "int"); },
            nb::arg("values"), "Set all int components.")
        .def_static(
            "NextID", [] { return take_particle_ids(1); }, "An id that no other particle gets.")
        .def_static("NextID", &set_next_particle_id, nb::arg("next_id"), "Set the id that comes next.");
    def_reduce_by(cls, "particle", [](nb::handle self) {
        const Particle& p = nb::cast<const Particle&>(self);
        const nb::list position = nb::cast<nb::list>(nb::cast(std::vector<Real>(p.pos.begin(), p.pos.begin() + p.dim)));
        return nb::make_tuple(self.type(), p.idcpu, position, p.rdata, p.idata);
    });
    def_coordinate<0>(cls, "x");
    def_coordinate<1>(cls, "y");
    def_coordinate<2>(cls, "z");
}

template <class T>
void def_values(nb::class_<ParticleInit>& cls, const char* name, std::vector<T> ParticleInit::* member,
                const char* doc) {
    cls.def_prop_rw(
        name, [member](const ParticleInit& init) { return init.*member; },
        [member, name](ParticleInit& init, std::vector<T> values) { set_all(init.*member, std::move(values), name); },
        doc);
}

void register_init(nb::module_& m) {
    nb::class_<ParticleInit> cls(m, "ParticleInitType",
                                 "Base of the classes ParticleInitType_*: the values that new particles start with.\n\n"
                                 "Lists are copies: set a whole one.");
    cls.def(
        "__init__",
        [](nb::pointer_and_handle<ParticleInit> self) {
            new (self.p) ParticleInit(particle_kind_of(self.h.type()).layout);
        },
        "All zero.");
    def_values(cls, "real_struct_data", &ParticleInit::struct_real, "Real components of the records.");
    def_values(cls, "int_struct_data", &ParticleInit::struct_int, "Int components of the records.");
    def_values(cls, "real_array_data", &ParticleInit::array_real,
               "Real components of the arrays; positions are set from elsewhere.");
    def_values(cls, "int_array_data", &ParticleInit::array_int, "Int components of the arrays.");
    def_reduce_by(cls, "with_attributes", [](nb::handle self) {
        nb::dict values;
        for (const char* name : {"real_struct_data", "int_struct_data", "real_array_data", "int_array_data"}) {
            values[name] = self.attr(name);
        }
        return nb::make_tuple(self.type(), values);
    });
}

void register_words(nb::module_& m) {
    m.def("is_valid", &is_valid, nb::arg("idcpu"), "Whether a particle with this word counts.");
    m.def("make_valid", &make_valid, nb::arg("idcpu"), "The word of the same particle, valid.");
    m.def("make_invalid", &make_invalid, nb::arg("idcpu"),
          "The word of the same particle, invalid: it goes at the next redistribution.");
    const auto forward = [&m](const char* name, const char* signature, const char* doc, bool two) {
        if (two) {
            m.def(
                name, [name](nb::handle idcpus, nb::handle values) { return python_side().attr(name)(idcpus, values); },
                nb::arg("idcpus"), nb::arg("values"), nb::sig(signature), doc);
        } else {
            m.def(
                name, [name](nb::handle idcpus) { return python_side().attr(name)(idcpus); }, nb::arg("idcpus"),
                nb::sig(signature), doc);
        }
    };
    forward("unpack_ids", "def unpack_ids(idcpus: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.int64]",
            "The ids in an array of words; negative where invalid.", false);
    forward("unpack_cpus", "def unpack_cpus(idcpus: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.int32]",
            "The ranks in an array of words.", false);
    forward("pack_ids",
            "def pack_ids(idcpus: numpy.typing.NDArray[numpy.uint64], values: numpy.typing.ArrayLike) -> None",
            "Write ids into an array of words, in place; negative ones make a particle invalid.", true);
    forward("pack_cpus",
            "def pack_cpus(idcpus: numpy.typing.NDArray[numpy.uint64], values: numpy.typing.ArrayLike) -> None",
            "Write ranks into an array of words, in place.", true);
}

}  // namespace

ParticleKind particle_kind_of(nb::handle type) {
    const nb::object kind = nb::getattr(type, "_kind", nb::none());
    if (kind.is_none()) {
        throw TypeError(
            nb::cast<std::string>(type.attr("__name__")) +
            " is a base class: name one with numbers of components, such as ParticleTile_pureSoA_3_0_default");
    }
    const auto numbers = nb::cast<std::vector<int>>(kind);
    if (numbers.size() != 7 || numbers[6] < 0 || numbers[6] > static_cast<int>(VectorMemory::polymorphic)) {
        throw TypeError("_kind is not what amrex._particles gives its classes");
    }
    return {{numbers[0], numbers[1] != 0, numbers[2], numbers[3], numbers[4], numbers[5]},
            static_cast<VectorMemory>(numbers[6])};
}

nb::handle particle_class(const char* family, const ParticleKind& kind) {
    using Key = std::tuple<std::string, ParticleLayout, VectorMemory>;
    static std::map<Key, PyObject*>& known = *new std::map<Key, PyObject*>;  // classes live as long as the process
    PyObject*& found = known[{family, kind.layout, kind.memory}];
    if (found == nullptr) {
        const ParticleLayout& l = kind.layout;
        found = python_side()
                    .attr("class_of")(family, nb::make_tuple(l.dim, l.pure_soa ? 1 : 0, l.struct_real, l.struct_int,
                                                             l.array_real, l.array_int, static_cast<int>(kind.memory)))
                    .release()
                    .ptr();
    }
    return found;
}

nb::handle particle_record_class(int dim, int reals, int ints) {
    return particle_class("Particle", {{dim, false, reals, ints, 0, 0}, VectorMemory::std});
}

nb::object as_python(const Particle& particle) {
    return make_instance(particle_record_class(particle.dim, static_cast<int>(particle.rdata.size()),
                                               static_cast<int>(particle.idata.size())),
                         particle);
}

void register_particle_types(nb::module_& m) {
    register_particle(m);
    register_init(m);
    register_words(m);
}

}  // namespace zerofab::python
