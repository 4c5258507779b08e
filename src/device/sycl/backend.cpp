// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// SYCL by dpctl's C interface: GPUs of Intel, and CPUs.
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "device/backends.hpp"
#include "device/sycl/device.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/device/sycl.hpp"

namespace zerofab::sycl {
namespace {

constexpr const char* backend_word(int backend) {
    switch (backend) {
        case backend_cuda:
            return "cuda";
        case backend_level_zero:
            return "level_zero";
        case backend_opencl:
            return "opencl";
        case backend_hip:
            return "hip";
        default:
            return "other";
    }
}

constexpr const char* type_word(int type) {
    return type == type_gpu ? "gpu" : type == type_cpu ? "cpu" : type == type_accelerator ? "accelerator" : "device";
}

}  // namespace

SyclDevice::SyclDevice(DeviceRef device) : device_(device) {
    const Dpctl& call = dpctl();
    const int backend = call.device_backend(device);
    const int type = call.device_type(device);
    info_.name = take(call.device_name(device));
    info_.architecture = concat(backend_word(backend), ":", type_word(type));
    info_.bytes = call.device_bytes(device);
    info_.has_f64 = call.device_has(device, aspect_fp64);
    driver_ = take(call.device_driver(device));
    dlpack_id_ = call.device_position(device, every_device);
    info_.dlpack_id = dlpack_id_;
    opencl_ = backend == backend_opencl;
    // The tests run the kernels of GPUs here too.
    const char* wanted = std::getenv("ZEROFAB_SYCL_ITEMS");
    const bool as_gpu = wanted != nullptr && std::string_view(wanted) == "many";
    items_ = type == type_cpu && !as_gpu ? KernelItems::one : KernelItems::many;
    usable_ = call.device_has(device, aspect_usm_device) && call.device_has(device, aspect_usm_shared) &&
              call.device_has(device, aspect_usm_host);
    rank_ = (type == type_gpu ? 0 : 2) + (opencl_ ? 1 : 0);
}

namespace {

class SyclBackend final : public Backend {
public:
    BackendKind kind() const noexcept override { return BackendKind::sycl; }
    std::string_view name() const noexcept override { return "sycl"; }
    const BackendFacts& facts() const noexcept override { return facts_; }

    const BackendReport& report() override {
        std::call_once(searched_, [this] {
            try {
                search();
            } catch (const std::exception& error) {
                devices_.clear();
                report_.devices.clear();
                report_.why_not = error.what();
            }
        });
        return report_;
    }

    /// A device for the length of one expression.
    class DeviceInUse {
    public:
        explicit DeviceInUse(SyclDevice& device) : device_(device) {}
        SyclDevice* operator->() const noexcept { return &device_; }

    private:
        const Blocking
            submitting_;  // taken first, given back last: who sleeps at the end of Python is no call under way
        InUse use_;
        SyclDevice& device_;
    };

    DeviceInUse device(int id) {
        report();
        if (devices_.empty()) throw DeviceError("sycl: no device: " + report_.why_not);
        if (id < 0 || static_cast<std::size_t>(id) >= devices_.size()) {
            throw DeviceError(concat("sycl: there is no device ", id, ", only ", devices_.size(), ", counted from 0"));
        }
        return DeviceInUse(*devices_[static_cast<std::size_t>(id)]);
    }

    void finish() noexcept {
        for (const auto& each : devices_) each->finish();
    }

    void* allocate(MemoryKind kind, std::size_t bytes, int id) override { return device(id)->allocate(kind, bytes); }
    void deallocate(MemoryKind kind, void* data, std::size_t bytes, int id) noexcept override {
        if (kind == MemoryKind::host) return host_backend().deallocate(kind, data, bytes, 0);
        const InUse use(std::nothrow);
        if (use.there) devices_[static_cast<std::size_t>(id)]->deallocate(data);
    }

    MemoryKind kind_of(int id, const void* data, MemoryKind) override { return device(id)->kind_of(data); }

    Stream default_stream(int id) override { return {device(id)->queue()}; }
    Stream named_stream(int id, std::intptr_t queue, bool) override {
        return sycl_stream(id, reinterpret_cast<void*>(queue));  // NOLINT: a handle of the vendor's
    }
    void add_consumer(int id, void* queue) override { sycl_consumer_queue(id, queue); }
    void synchronize(int id, Stream stream) override { device(id)->synchronize(stream); }
    void synchronize_all(int id) override { device(id)->synchronize_all(); }
    bool capturing(int, Stream) override { return false; }
    Event record(int id, Stream stream) override { return {device(id)->record(stream)}; }
    void wait(int id, Stream stream, Event event) override {
        const DeviceInUse own = device(id);
        if (event.handle != nullptr) own->wait(stream, static_cast<EventRef>(event.handle));
    }
    bool reached(int, Event event) override {
        if (event.handle == nullptr) return true;
        const InUse use;
        return dpctl().event_status(static_cast<EventRef>(event.handle)) == status_complete;
    }
    void forget(int, Event event) noexcept override {
        const InUse use(std::nothrow);
        if (event.handle == nullptr || !use.there) return;
        const Owned deleted(static_cast<EventRef>(event.handle), dpctl().event_delete);
    }

    void copy(int id, void* to, const void* from, std::size_t bytes, Stream stream) override {
        device(id)->copy(to, from, bytes, stream);
    }
    void fill(int id, void* to, unsigned char byte, std::size_t bytes, Stream stream) override {
        device(id)->fill(to, byte, bytes, stream);
    }
    void launch(int id, const KernelCall& call, Stream stream) override { device(id)->launch(call, stream); }

private:
    static constexpr BackendFacts facts_{
        .names = {"sycl"},
        .amrex_name = "SYCL",
        .array_module = "dpnp",
        .array_package = "dpnp",
        .array_converter = "to_dpnp",
        .dlpack_device = 14,  // kDLOneAPI, for memory of each kind
        .dlpack_managed = 14,
        .dlpack_pinned = 14,
        .dlpack_lowest_address = true,
        .stream_attributes = {"addressof_ref"},
        .stream_forms = "None or a dpctl.SyclQueue",
        .owns_streams = true,         // of each queue a share
        .unnamed_is_default = false,  // dpnp names no queue, and starts at once
        .consumer_module = "amrex._sycl",
    };

    void search();

    std::once_flag searched_;
    BackendReport report_;
    std::vector<std::unique_ptr<SyclDevice>> devices_;
};

SyclBackend& own_backend() {
    static auto& made = *new SyclBackend;  // never destroyed: memory is freed after static destructors have run
    return made;
}

void SyclBackend::search() {
    const Dpctl& call = dpctl();
    if (!call.library) {
        report_.why_not = "dpctl's library was not found (searched " + call.library.searched +
                          "); pip install dpctl, and intel-opencl-rt for the CPU, or set ZEROFAB_SYCL_LIBRARY to the "
                          "path of libDPCTLSyclInterface.so";
        return;
    }
    report_.library = call.library.path;
    if (!call.missing.empty()) {
        report_.why_not = report_.library + " lacks " + call.missing + ": pip install --upgrade dpctl";
        return;
    }
    report_.version = take(call.runtime_version());
    const Owned listed(call.devices(every_device), call.devices_delete);
    require(listed.get(), "listing devices");
    std::string refused;
    for (std::size_t i = 0, n = call.devices_size(listed.get()); i < n; ++i) {
        auto each = std::make_unique<SyclDevice>(call.devices_at(listed.get(), i));
        if (each->usable()) {
            devices_.push_back(std::move(each));
        } else {
            refused += (refused.empty() ? "" : ", ") + each->info().name + " (" + each->driver() + ")";
        }
    }
    std::stable_sort(devices_.begin(), devices_.end(),
                     [](const auto& left, const auto& right) { return left->rank() < right->rank(); });
    for (const auto& each : devices_) report_.devices.push_back(each->info());
    guard_process([]() noexcept { own_backend().finish(); });
    if (devices_.empty()) {
        const char* runtimes = std::getenv("OCL_ICD_FILENAMES");
        report_.why_not =
            report_.library + (refused.empty() ? " lists no device" : " lists only devices without USM: " + refused) +
            "; install a driver: pip install intel-opencl-rt for the CPU, Intel's compute runtime for its GPUs "
            "(OCL_ICD_FILENAMES=" +
            (runtimes == nullptr ? "" : runtimes) + " names OpenCL runtimes, and is read when SYCL is first used)";
    }
}

QueueRef queue_of(void* address) {
    if (address == nullptr) throw ValueError("a null pointer is no queue of SYCL's");
    return static_cast<QueueRef>(address);
}

}  // namespace
}  // namespace zerofab::sycl

namespace zerofab {

Backend& sycl_backend() { return sycl::own_backend(); }

int sycl_dlpack_id(int device) { return sycl::own_backend().device(device)->dlpack_id(); }

int sycl_device_of(int dlpack_id) {
    for (int id = 0; id < sycl::own_backend().device_count(); ++id) {
        if (sycl_dlpack_id(id) == dlpack_id) return id;
    }
    return -1;
}

MemoryKind sycl_memory_kind(int device, const void* data) { return sycl::own_backend().device(device)->kind_of(data); }

void* sycl_queue(int device) { return sycl::own_backend().device(device)->queue(); }

Stream sycl_stream(int device, void* queue) {
    const auto own = sycl::own_backend().device(device);
    const Stream stream = own->adopt(sycl::queue_of(queue));
    return stream.handle != nullptr ? stream : Stream{own->queue()};
}

void sycl_consumer_queue(int device, void* queue) {
    sycl::own_backend().device(device)->add_consumer(sycl::queue_of(queue));
}

}  // namespace zerofab
