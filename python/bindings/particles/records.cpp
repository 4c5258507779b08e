// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// ArrayOfStructs: records as a structured array, and each of their fields as a strided vector.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <map>

#include "particles/particles.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::python {
namespace {

/// How the records of a layout are called in each protocol; made once, kept for good.
struct RecordType {
    struct Field {
        std::string name;
        const DType* dtype;
        std::size_t offset;
    };

    explicit RecordType(const ParticleLayout& layout) : size(layout.record_size()) {
        std::size_t used = 0;
        const auto add = [&](const std::string& name, const char* code, const DType& type) {
            format += concat(code, ":", name, ":");
            fields.push_back({name, &type, used});
            used += type.size;
        };
        for (int d = 0; d < layout.dim; ++d) add(std::string(1, "xyz"[d]), "d", dtype_of<Real>);
        for (int i = 0; i < layout.struct_real; ++i) add(concat("rdata_", i), "d", dtype_of<Real>);
        add("idcpu", "Q", dtype_of<IdCpu>);
        for (int i = 0; i < layout.struct_int; ++i) add(concat("idata_", i), "i", dtype_of<int>);
        padding = size - used;
        if (padding > 0) format += concat(padding, "x");
        format = "T{" + format + "}";
        typestr = concat("|V", size);
        dtype = {DTypeCode::record, 0, size, format.c_str(), typestr.c_str(), "particle record", false};
    }
    RecordType(const RecordType&) = delete;

    std::size_t size, padding = 0;
    std::string format, typestr;
    std::vector<Field> fields;
    DType dtype{};
};

const RecordType& record_type(const ParticleLayout& layout) {
    static auto& known = *new std::map<ParticleLayout, std::unique_ptr<RecordType>>;
    std::unique_ptr<RecordType>& found = known[layout];
    if (!found) found = std::make_unique<RecordType>(layout);
    return *found;
}

void own_memory(TensorView& view, const PODVector<std::byte>& bytes) {
    view.own(bytes.share());
    if (!bytes.share()) {
        view.device = bytes.arena().device();
        view.kind = bytes.arena().kind();
    }
}

/// A component of all records, which DLPack can describe as it cannot the records.
class PyRecordField : public Exporter {
public:
    PyRecordField(std::shared_ptr<ArrayOfStructs> aos, const RecordType::Field& field)
        : aos_(std::move(aos)), field_(field) {}

    void describe(TensorView& view) const override {
        const std::size_t count = aos_->size();
        own_memory(view, aos_->bytes());
        view.data = count > 0 ? aos_->bytes().data() + field_.offset : nullptr;
        view.dtype = field_.dtype;
        view.axes = 1;
        view.what = "RecordField";
        view.shape[0] = static_cast<std::int64_t>(count);
        view.strides[0] = static_cast<std::int64_t>(aos_->layout().record_size() / field_.dtype->size);
    }
    const std::string& name() const noexcept { return field_.name; }
    std::size_t size() const noexcept { return aos_->size(); }

private:
    std::shared_ptr<ArrayOfStructs> aos_;
    const RecordType::Field& field_;  // kept for good
};

void register_field(nb::module_& m) {
    nb::class_<PyRecordField, Exporter>(
        m, "RecordField",
        "One component of all particles of an ArrayOfStructs: a strided vector for every protocol, DLPack too.\n\n"
        "    x = torch.from_dlpack(aos.field(\"x\"))    # the memory of the records")
        .def(
            "__len__", [](const PyRecordField& f) { return f.size(); }, "Number of particles, neighbors included.")
        .def("__repr__", [](const PyRecordField& f) {
            return concat("<amrex.RecordField ", f.name(), " of ", f.size(), " particles>");
        });
}

/// The same records in memory of this arena.
nb::object records_in(const ArrayOfStructs& from, Arena& arena, VectorMemory memory) {
    auto fresh = std::make_shared<ArrayOfStructs>(from.layout(), arena);
    fresh->bytes().assign(from.bytes());
    ParticleKind kind{from.layout(), memory};
    kind.layout.array_real = kind.layout.array_int = 0;  // the name does not say it
    return make_instance(particle_class("ArrayOfStructs", kind), PyAoS(std::move(fresh), memory));
}

/// Before the host sees the records.
void check_reach(const ArrayOfStructs& records) {
    const MemorySpace memory = records.bytes().space();
    if (!memory.host_reaches()) {
        throw BufferError(
            "these records are in memory of a device, which the host cannot reach, and arrays of devices have no "
            "records: use field(\"x\") for a component in place, or to_numpy(copy=True)");
    }
    ready_for_host(memory, "ArrayOfStructs");
}

nb::object record_array(nb::handle self, bool copy) {
    const ArrayOfStructs& records = *nb::cast<const PyAoS&>(self).aos;
    if (copy && !records.bytes().space().is_plain()) {
        return record_array(records_in(records, The_Cpu_Arena(), VectorMemory::std), false);
    }
    check_reach(records);
    const nb::module_ numpy = nb::module_::import_("numpy");
    return copy ? numpy.attr("array")(self) : numpy.attr("asarray")(self);
}

nb::dict record_interface(const PyAoS& self) {
    if (!self.aos->bytes().space().host_reaches()) {
        throw nb::attribute_error("__array_interface__: these records are in memory of a device");
    }
    TensorView view;
    self.describe(view);
    const nb::object memory = nb::steal(PyMemoryView_FromObject(nb::find(self).ptr()));
    nb::list fields;
    const RecordType& type = record_type(self.aos->layout());
    for (const auto& field : type.fields) fields.append(nb::make_tuple(field.name, field.dtype->typestr));
    if (type.padding > 0) fields.append(nb::make_tuple("", concat("|V", type.padding)));  // as NumPy has it
    nb::dict result;
    result["version"] = 3;
    result["typestr"] = view.dtype->typestr;
    result["descr"] = fields;
    result["shape"] = nb::make_tuple(view.shape[0]);
    result["strides"] = nb::make_tuple(view.dtype->size);
    result["data"] = memory;  // owns a share of the memory
    return result;
}

void register_aos(nb::module_& m) {
    nb::class_<PyAoS, Exporter> cls(
        m, "ArrayOfStructs",
        "Base of the classes ArrayOfStructs_*: particles as records, the legacy layout.\n\n"
        "np.asarray shows them, in place, as a structured array; DLPack has no records and refuses.\n\n"
        "    records = tile.get_array_of_structs().to_numpy()\n"
        "    records[\"x\"][:] += 0.1");
    cls.def(
           "__init__",
           [](nb::pointer_and_handle<PyAoS> self) {
               const ParticleKind kind = particle_kind_of(self.h.type());
               new (self.p) PyAoS(std::make_shared<ArrayOfStructs>(kind.layout, arena_of(kind)), kind.memory);
           },
           "No particles.")
        .def(
            "__len__", [](const PyAoS& a) { return a.aos->size(); }, "Number of particles, neighbors included.")
        .def(
            "__getitem__",
            [](const PyAoS& a, Long index) {
                return as_python(a.aos->get(index < 0 ? index + static_cast<Long>(a.aos->size()) : index));
            },
            nb::arg("index"), nb::sig("def __getitem__(self, index: int, /) -> Particle"), "A copy of a particle.")
        .def(
            "__setitem__",
            [](PyAoS& a, Long index, const Particle& value) {
                a.aos->set(index < 0 ? index + static_cast<Long>(a.aos->size()) : index, value);
            },
            nb::arg("index"), nb::arg("value"),
            nb::sig("def __setitem__(self, index: int, value: Particle, /) -> None"), "Overwrite a particle.")
        .def(
            "field",
            [](const PyAoS& a, const std::string& name) {
                std::string all;
                for (const auto& field : record_type(a.aos->layout()).fields) {
                    if (field.name == name) return PyRecordField(a.aos, field);
                    all += " " + field.name;
                }
                throw nb::key_error(("records have no component '" + name + "' but" + all).c_str());
            },
            nb::arg("name"), "A component of all records, such as \"x\" or \"rdata_0\"; KeyError if there is none.")
        .def(
            "size", [](const PyAoS& a) { return a.aos->size(); }, "Number of particles, neighbors included.")
        .def(
            "empty", [](const PyAoS& a) { return a.aos->size() == 0; }, "Whether there are none.")
        .def(
            "numParticles", [](const PyAoS& a) { return a.aos->num_particles(); }, "Without neighbors.")
        .def(
            "numRealParticles", [](const PyAoS& a) { return a.aos->num_particles(); }, "Without neighbors.")
        .def(
            "numNeighborParticles", [](const PyAoS& a) { return a.aos->num_neighbors(); }, "Number of neighbors.")
        .def(
            "numTotalParticles", [](const PyAoS& a) { return a.aos->size(); }, "With neighbors.")
        .def(
            "getNumNeighbors", [](const PyAoS& a) { return a.aos->num_neighbors(); }, "Number of neighbors.")
        .def(
            "setNumNeighbors",
            [](PyAoS& a, nb::handle n) { a.aos->set_num_neighbors(checked_count(n, "a number of neighbors")); },
            nb::arg("num_neighbors"), nb::sig("def setNumNeighbors(self, num_neighbors: int) -> None"),
            "Keep the particles, and make room for so many neighbors after them.")
        .def(
            "push_back", [](PyAoS& a, const Particle& particle) { a.aos->push_back(particle); }, nb::arg("particle"),
            "Append a particle; ValueError if it has other components.")
        .def(
            "pop_back", [](PyAoS& a) { a.aos->pop_back(); }, "Remove the last particle.")
        .def(
            "back", [](const PyAoS& a) { return as_python(a.aos->get(static_cast<Long>(a.aos->size()) - 1)); },
            nb::sig("def back(self) -> Particle"), "A copy of the last particle.")
        .def_static(
            "test_sizes", [] {}, "Nothing to test: records have one layout in memory, here and in NumPy.")
        .def(
            "to_host", [](const PyAoS& a) { return records_in(*a.aos, The_Pinned_Arena(), VectorMemory::pinned); },
            nb::sig("def to_host(self) -> ArrayOfStructs"), "A copy in page-locked memory of the host.");
    // def() does not replace the raw methods of Exporter.
    const auto replace = [&cls](const char* name, auto function, auto... extra) {
        cls.attr(name) = nb::cpp_function(function, nb::name(name), nb::is_method(), extra...);
    };
    replace(
        "to_numpy", [](nb::handle self, bool copy, const std::string&) { return record_array(self, copy); },
        nb::arg("copy") = false, nb::arg("order") = "F",
        nb::sig("def to_numpy(self, copy: bool = False, order: typing.Literal['F', 'C'] = 'F') -> "
                "numpy.typing.NDArray[typing.Any]"),
        "A structured NumPy array of this memory, or a copy.");
    replace(
        "to_xp", [](nb::handle self, bool copy, const std::string&) { return record_array(self, copy); },
        nb::arg("copy") = false, nb::arg("order") = "F",
        nb::sig("def to_xp(self, copy: bool = False, order: typing.Literal['F', 'C'] = 'F') -> typing.Any"),
        "The same.");
    cls.def(
           "__array__",
           [](nb::handle self, nb::handle dtype, nb::handle copy) {
               check_reach(*nb::cast<const PyAoS&>(self).aos);
               const nb::module_ numpy = nb::module_::import_("numpy");
               const nb::object memory = nb::steal(PyMemoryView_FromObject(self.ptr()));
               return numpy.attr("array")(memory, nb::arg("dtype") = dtype, nb::arg("copy") = copy);
           },
           nb::arg("dtype") = nb::none(), nb::kw_only(), nb::arg("copy") = nb::none(),
           nb::sig("def __array__(self, dtype: numpy.typing.DTypeLike | None = None, *, copy: bool | None = None) -> "
                   "numpy.typing.NDArray[typing.Any]"),
           "A structured NumPy array.")
        .def_prop_ro("__array_interface__", &record_interface,
                     nb::sig("def __array_interface__(self, /) -> dict[str, typing.Any]"),
                     "NumPy's array interface with the fields of the records.")
        .def("__repr__",
             [](const PyAoS& a) { return concat("<amrex.ArrayOfStructs with ", a.aos->size(), " particles>"); });
}

}  // namespace

void PyAoS::describe(TensorView& view) const {
    const std::size_t count = aos->size();
    own_memory(view, aos->bytes());
    view.data = count > 0 ? aos->bytes().data() : nullptr;
    view.dtype = &record_type(aos->layout()).dtype;
    view.axes = 1;
    view.what = "ArrayOfStructs";
    view.shape[0] = static_cast<std::int64_t>(count);
    view.strides[0] = 1;
}

nb::dict record_fields(const std::shared_ptr<ArrayOfStructs>& aos) {
    nb::dict all;
    for (const auto& field : record_type(aos->layout()).fields) {
        all[field.name.c_str()] = nb::cast(PyRecordField(aos, field));
    }
    return all;
}

nb::object wrap_aos(const ParticleTile& tile, VectorMemory memory) {
    ParticleLayout layout = tile.layout();
    const auto& shared = tile.share_aos();
    layout.array_real = layout.array_int = 0;
    return make_instance(particle_class("ArrayOfStructs", {layout, memory}), PyAoS(shared, memory));
}

void register_particle_records(nb::module_& m) {
    register_field(m);
    register_aos(m);
}

}  // namespace zerofab::python
