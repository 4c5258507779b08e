// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// initialize and finalize, the handle AMReX, Print, and what is asked about the run.
#include "zerofab/device/runtime.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <iterator>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "base/binding.hpp"
#include "base/copies.hpp"
#include "base/text.hpp"
#include "base/without_gil.hpp"
#include "exchange/device_exchange.hpp"
#include "exchange/exporter.hpp"
#include "exchange/trace.hpp"
#include "io/inputs.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/base/version.hpp"
#include "zerofab/comm/local_rank.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/recorded.hpp"
#include "zerofab/exchange/dlpack.hpp"
#include "zerofab/exchange/ledger.hpp"
#include "zerofab/index/geometry.hpp"
#include "zerofab/io/parm_parse.hpp"
#include "zerofab/memory/arena.hpp"

namespace zerofab::python {
namespace {

/// The handle of one run, as pyAMReX's initialize returns it.
struct Handle {
    long cycle = 0;

    friend bool operator==(Handle, Handle) = default;
};

/// Strings from the argument of initialize; TypeError for anything else than a sequence of str.
std::vector<std::string> read_arguments(nb::handle arguments) {
    if (PyUnicode_Check(arguments.ptr()) || PyBytes_Check(arguments.ptr())) {
        throw TypeError("initialize() takes a list of strings such as [\"amrex.verbose=1\"], not one string");
    }
    std::vector<std::string> texts;
    for (nb::handle item : nb::iter(arguments)) {
        if (!PyUnicode_Check(item.ptr())) {
            throw TypeError(std::string("arguments of initialize() must be strings, not ") +
                            Py_TYPE(item.ptr())->tp_name);
        }
        texts.emplace_back(text_of(item));
    }
    return texts;
}

std::optional<std::string> device_name(nb::handle device) {
    if (device.is_none()) {
        return std::nullopt;
    }
    if (!PyUnicode_Check(device.ptr())) {
        throw TypeError("device must be a string such as \"cpu\"");
    }
    return text_of(device);
}

/// Objects behind the streams that threads work on, or that memory was taken for: it may be freed at any time, and then
/// its stream is asked.
///
/// One stream is reached through many objects: its owner, and any number that only show its address, such as every
/// `torch.cuda.current_stream()`.  Which is which nobody says, so of each type the first and the last object are kept.
class HeldStreams {
public:
    void add(Stream stream, nb::handle object) {
        if (PyLong_CheckExact(object.ptr())) {
            return;  // an address keeps nothing alive
        }
        auto& ends = held_[stream.handle][Py_TYPE(object.ptr())];
        (ends.first.is_valid() ? ends.second : ends.first) = nb::borrow(object);
    }
    /// Release what is behind streams that nothing uses any more.
    void sweep() {
        std::vector<Objects> gone;  // objects go last: they may run code that comes back here
        for (auto at = held_.begin(); at != held_.end();) {
            const auto next = std::next(at);
            if (!is_in_use({at->first})) {
                gone.push_back(std::move(at->second));
                held_.erase(at);
            }
            at = next;
        }
    }

private:
    using Objects = std::map<PyTypeObject*, std::pair<nb::object, nb::object>>;  // an object keeps its type alive

    std::map<void*, Objects> held_;
};

HeldStreams& held_streams() {
    static auto& held = *new HeldStreams;
    return held;
}

void use_stream(nb::handle stream) {
    const Device device = Runtime::run_device();
    if (device.backend == BackendKind::host) {
        if (!stream.is_none()) {
            throw ValueError("the host has no streams: stream must be None");
        }
        return;
    }
    const Stream chosen = stream.is_none() ? Stream{} : stream_of(device, stream);
    Runtime::use_stream(chosen);
    if (chosen.handle != nullptr && !backend(device.backend).facts().owns_streams) {
        held_streams().add(chosen, stream);
    }
    held_streams().sweep();
}

void synchronize() {
    know_consumers(Runtime::run_device());
    Runtime::synchronize();
}

/// What amrex.the_arena_release_threshold says, if it is there; ValueError for a negative number.
std::optional<std::size_t> release_threshold(const ParmParse& parameters) {
    Long bytes = 0;
    if (!parameters.query("the_arena_release_threshold", bytes)) return std::nullopt;
    if (bytes < 0) {
        throw ValueError(concat("amrex.the_arena_release_threshold is a number of bytes, at least 0, not ", bytes));
    }
    return static_cast<std::size_t>(bytes);
}

/// `dim` are the dimensions of the space that is asked, for conditions in inputs files; 0 if none is.
Handle initialize_for(int dim, nb::handle arguments, nb::handle device, nb::handle stream) {
    std::vector<std::string> texts = read_arguments(arguments);
    const std::optional<std::string> named = device_name(device);
    if (Runtime::initialized()) {
        throw StateError("initialize() was called already; call finalize() before a new initialize()");
    }
    const std::vector<ParmEntry> before = ParmParse().entries();
    ParmParse::initialize(texts, dim);
    try {
        const ParmParse parameters("amrex");
        std::string chosen = named.value_or("");
        int trace = 0;
        int managed = 0;
        Long kept = 0;
        std::string device_of_inputs;
        parameters.query("device", device_of_inputs);
        if (chosen.empty()) {
            chosen = device_of_inputs;
        }
        parameters.query("trace_exports", trace);
        parameters.query("the_arena_is_managed", managed);
        parameters.query("the_arena_init_size", kept);
        const std::optional<std::size_t> threshold = release_threshold(parameters);
        bool aborts = false;
        parameters.query("abort_on_unused_inputs", aborts);  // refused now if it is no bool
        say_unknown_options();
        Runtime::initialize(chosen, local_rank(communicator()));
        use_managed_memory(managed != 0);
        set_release_threshold(threshold);
        use_stream(stream);
        if (kept > 0) {
            static_cast<void>(The_Arena().allocate(static_cast<std::size_t>(kept)));  // freed at once, and kept
        }
        nb::module_::import_("amrex._xp").attr("drop_stale")();
        trace_exports(trace != 0);
    } catch (...) {
        if (Runtime::initialized()) {
            Runtime::finalize();
        }
        ParmParse::restore(before);
        throw;
    }
    return Handle{Runtime::cycle()};
}

template <int D>
Handle initialize(nb::handle arguments, nb::handle device, nb::handle stream) {
    return initialize_for(D == 0 ? only_space() : D, arguments, device, stream);
}

/// Give consumers a moment that free a tensor in threads of their own, once a kernel that reads it is done (dpnp, JAX).
void wait_for_consumers() {
    try {
        Runtime::synchronize();
    } catch (const DeviceError&) {
        return;  // a lost device, or a forked child
    }
    const WithoutGil other_threads_run;
    for (int n = 0; n < 100 && live_export_count() > 0; ++n) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

/// RuntimeError that says what is alive, unless nothing is.
void require_no_exports() {
    if (live_export_count() == 0) {
        return;
    }
    nb::module_::import_("gc").attr("collect")();
    if (live_export_count() > 0) {
        wait_for_consumers();
    }
    const std::vector<LiveExport> alive = live_exports();
    if (alive.empty()) {
        return;
    }
    std::string text = concat(
        "finalize() is not possible while DLPack tensors of this library are alive: ", alive.size(), " of them.");
    constexpr std::size_t shown = 10;
    for (std::size_t n = 0; n < std::min(shown, alive.size()); ++n) {
        const LiveExport& one = alive[n];
        text += concat("\n  ", one.what, " ", one.tensor, one.copied ? ", a copy" : "", ", export number ", one.serial,
                       one.where.empty() ? "" : ", made at " + one.where);
    }
    if (alive.size() > shown) {
        text += concat("\n  and ", alive.size() - shown, " more");
    }
    text += "\nDelete the arrays and capsules that hold them, then call finalize() again.";
    if (!tracing_exports()) {
        text += " initialize([\"amrex.trace_exports=1\"]) makes this message say where each was made.";
    }
    throw StateError(text);
}

void finalize() {
    if (!Runtime::initialized()) {
        throw StateError("finalize() without initialize(): nothing is running");
    }
    nb::module_::import_("gc").attr("collect")();
    require_no_exports();
    require_inputs_used();
    Runtime::finalize();
    {
        const WithoutGil other_threads_run;
        set_release_threshold(0);  // nor does what views let go later stay here
    }
    held_streams().sweep();
    ParmParse::finalize();
    Geometry<1>::clear_defaults();
    Geometry<2>::clear_defaults();
    Geometry<3>::clear_defaults();
}

void finalize_handle(const Handle& handle) {
    if (!Runtime::initialized() || handle.cycle != Runtime::cycle()) {
        throw StateError("this handle is not of the run that is going on: it was finalized already");
    }
    finalize();
}

nb::list exports_as_tuples() {
    nb::list result;
    for (const LiveExport& one : live_exports()) {
        nb::dict entry;
        entry["what"] = one.what;
        entry["tensor"] = one.tensor;
        entry["copied"] = one.copied;
        entry["serial"] = one.serial;
        entry["where"] = one.where.empty() ? nb::object(nb::none()) : nb::object(nb::str(one.where.c_str()));
        result.append(entry);
    }
    return result;
}

/// Print as Python does, so that redirection and notebooks see it.
void print(const nb::args& parts, const nb::kwargs& options) {
    nb::module_::import_("builtins").attr("print")(*parts, **options);
}

void register_device_types(nb::module_& m) {
    // The numbers of DLPack 1.x: https://dmlc.github.io/dlpack/latest/c_api.html
    constexpr std::pair<const char*, int> members[] = {
        {"kDLCPU", 1},       {"kDLCUDA", 2},     {"kDLCUDAHost", 3},     {"kDLOpenCL", 4},
        {"kDLVulkan", 7},    {"kDLMetal", 8},    {"kDLVPI", 9},          {"kDLROCM", 10},
        {"kDLROCMHost", 11}, {"kDLExtDev", 12},  {"kDLCUDAManaged", 13}, {"kDLOneAPI", 14},
        {"kDLWebGPU", 15},   {"kDLHexagon", 16}, {"kDLMAIA", 17},        {"kDLTrn", 18}};
    enum class DeviceType : int {};
    nb::enum_<DeviceType> kinds(m, "DLDeviceType", nb::is_arithmetic(),
                                "Kinds of devices, with the numbers of DLPack.");
    for (const auto& [name, value] : members) {
        kinds.value(name, static_cast<DeviceType>(value));
    }
    kinds.export_values();
}

template <int D>
void def_initialize(nb::module_& m) {
    m.def(
        "initialize", &initialize<D>, nb::arg("args") = nb::list(), nb::kw_only(), nb::arg("device") = nb::none(),
        nb::arg("stream") = nb::none(),
        nb::sig("def initialize(args: collections.abc.Sequence[str] = [], *, device: str | None = None, "
                "stream: object = None) -> AMReX"),
        "Start the library, for all spaces.\n\n"
        "args: `key=value` strings for ParmParse, or an inputs file first, whose lines `#if (AMREX_SPACEDIM == 2)` "
        "are\n"
        "read for this space. A RuntimeWarning says which `amrex.*` are no options of this library.\n"
        "device: where containers live, \"cpu\", \"cuda\", \"rocm\" or \"sycl\", with its number after a colon; by "
        "default\n"
        "`amrex.device=...` in args, else ZEROFAB_DEVICE, else cpu. stream: what use_stream() takes.\n"
        "RuntimeError if it is running already, TypeError or ValueError for bad arguments; then nothing has started.");
}

}  // namespace

void register_runtime(nb::module_& m) {
    register_device_types(m);
    nb::class_<Handle> handle_cls(m, "AMReX", "A run, from initialize() to finalize().");
    refuse_copies(handle_cls, "it belongs to this process");
    handle_cls.def_static(
                  "empty", [] { return !Runtime::initialized(); }, "Whether nothing is running.")
        .def_static(
            "size", [] { return Runtime::initialized() ? 1 : 0; }, "How many runs there are: 0 or 1.")
        .def_static(
            "top",
            [] {
                require_initialized("AMReX.top()");
                return Handle{Runtime::cycle()};
            },
            "The run that is going on; RuntimeError if there is none.")
        .def_static("erase", &finalize_handle, nb::arg("handle"), "As finalize(handle).")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](const Handle& handle) { return handle.cycle; });

    def_initialize<0>(m);
    m.def("initialized", &Runtime::initialized, "Whether the library is running: after initialize, before finalize.");
    m.def("finalize", &finalize,
          "End the run. Collects garbage, then raises RuntimeError, saying what is alive, if a DLPack tensor of this\n"
          "library still is; the library stays usable, and finalize() can be tried again. NumPy views made by "
          "to_numpy(),\n"
          "np.asarray() or memoryview() do not count: they stay valid. With amrex.abort_on_unused_inputs=1, parameters "
          "from\n"
          "files and command lines that nobody has read are a RuntimeError too.");
    m.def("finalize", &finalize_handle, nb::arg("handle"), "The same, by the handle that initialize() gave.");
    m.def("live_exports", &exports_as_tuples, nb::sig("def live_exports() -> list[dict[str, typing.Any]]"),
          "The DLPack tensors of this library that are alive, oldest first: what, tensor, copied, serial, where.");
    m.def("synchronize", &synchronize,
          "Wait for the device of the run, with what array libraries have queued on it where that is known; on the\n"
          "host nothing is ever pending.");
    m.def("use_stream", &use_stream, nb::arg("stream").none(), nb::sig("def use_stream(stream: object) -> None"),
          "Order this thread's work of the library on a stream of the device from now on.\n\n"
          "CUDA, ROCm: an address, or an object with `ptr`, `cuda_stream` or `__cuda_stream__`; SYCL: a\n"
          "dpctl.SyclQueue; None is the default again, and all that the host has. What is under way comes first.");
    m.def("Print", &print, nb::sig("def Print(*args: object, **kwargs: typing.Any) -> None"),
          "Print, on one rank of a parallel run only.");
    m.attr("__version__") = version;
}

template <int D>
void register_runtime_space(nb::module_& space) {
    note_space(D);
    def_initialize<D>(space);
}

#define ZEROFAB_INSTANTIATE(D) template void register_runtime_space<D>(nb::module_ & space);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
