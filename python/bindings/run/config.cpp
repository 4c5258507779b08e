// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Config: what this installation and this run can do, per space.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "base/binding.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/runtime.hpp"

namespace zerofab::python {
namespace {

template <int D>
struct Config {};

/// The word of pyAMReX for the device of the run: none on the host.
std::optional<std::string> gpu_backend() {
    const std::string device = Runtime::device();
    const Backend* found = find_backend(std::string_view(device).substr(0, device.find(':')));
    const std::string name(found == nullptr ? std::string_view{} : found->facts().amrex_name);
    return name.empty() ? std::nullopt : std::optional(name);
}

constexpr int simd_doubles = 4;  // what every x86-64 of the last decade has (AVX2); wider units are used where found

constinit int verbosity = 0;

template <int D>
nb::dict as_dict() {
    nb::dict result;
    result["gpu_backend"] = gpu_backend();
    result["have_eb"] = false;
    result["have_gpu"] = gpu_backend().has_value();
    result["have_mpi"] = false;
    result["have_omp"] = false;
    result["have_simd"] = true;
    result["precision"] = "DOUBLE";
    result["precision_particles"] = "DOUBLE";
    result["simd_size"] = simd_doubles;
    result["spacedim"] = D;
    return result;
}

}  // namespace

template <int D>
void register_config_space(nb::module_& space) {
    using Class = Config<D>;
    nb::class_<Class>(space, "Config", "What this installation and this run can do; class attributes.")
        .def_prop_ro_static(
            "spacedim", [](nb::handle) { return D; }, "Dimensions of this space.")
        .def_prop_ro_static(
            "have_gpu", [](nb::handle) { return gpu_backend().has_value(); },
            "Whether the device of the run, or that of ZEROFAB_DEVICE before it, is a GPU's backend.")
        .def_prop_ro_static(
            "gpu_backend", [](nb::handle) { return gpu_backend(); },
            "\"CUDA\", \"HIP\", \"SYCL\", or None on the host.")
        .def_prop_ro_static(
            "have_mpi", [](nb::handle) { return false; }, "Whether the run has several ranks.")
        .def_prop_ro_static(
            "have_omp", [](nb::handle) { return false; },
            "Whether OpenMP is used: no, the library has threads of its own (OMP_NUM_THREADS counts).")
        .def_prop_ro_static(
            "have_eb", [](nb::handle) { return false; }, "Whether embedded boundaries are there.")
        .def_prop_ro_static(
            "have_simd", [](nb::handle) { return true; }, "Whether loops use vector units.")
        .def_prop_ro_static(
            "simd_size", [](nb::handle) { return simd_doubles; }, "Doubles per vector, at least.")
        .def_prop_ro_static(
            "precision", [](nb::handle) { return "DOUBLE"; }, "Precision of Real.")
        .def_prop_ro_static(
            "precision_particles", [](nb::handle) { return "DOUBLE"; }, "Precision of particle data.")
        .def_prop_rw_static(
            "verbose", [](nb::handle) { return verbosity; }, [](nb::handle, int level) { verbosity = level; },
            "How much is printed about the run.")
        .def_static("to_dict", &as_dict<D>, nb::sig("def to_dict() -> dict[str, typing.Any]"), "All of it.");
}

#define ZEROFAB_INSTANTIATE(D) template void register_config_space<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
