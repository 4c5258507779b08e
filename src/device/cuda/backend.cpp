// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/backend.hpp"

#include "device/backends.hpp"
#include "device/fork_count.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {
namespace cuda {
namespace {

constexpr const char* after_fork =
    "cuda: this process was forked after the driver was started, and the driver does not work in the child: start "
    "processes with 'spawn', or fork before the first use of the GPU";

}  // namespace

const BackendReport& CudaBackend::report() {
    std::call_once(opened_, [this] {
        try {
            open();
        } catch (const std::exception& error) {
            gpus_.clear();
            report_.devices.clear();
            report_.why_not = error.what();
        }
    });
    return fork_count() == forks_ ? report_ : report_of_child_;
}

void CudaBackend::open() {
    forks_ = fork_count();
    report_of_child_.why_not = after_fork;
    const Opened driver = open_driver(driver_, version_);
    report_.library = driver.path;
    report_.why_not = driver.why_not;
    if (driver.path.empty()) return;
    int count = 0;
    check(driver_, driver_.device_count(&count), "counting the devices");
    for (int number = 0; number < count; ++number) describe(number);
    if (count == 0) report_.why_not = driver.path + " sees no device";
    std::call_once(compiler_opened_, [this] { compiler_.open(version_); });
    report_.version = "driver for CUDA " + std::to_string(version_ / 1000) + "." + std::to_string(version_ % 1000 / 10);
    report_.version += compiler_.why_not().empty() ? ", NVRTC " + compiler_.version() : ", " + compiler_.why_not();
}

void CudaBackend::describe(int number) {
    constexpr int major_attribute = 75, minor_attribute = 76;
    char name[256] = {};
    int major = 0, minor = 0, device = 0;
    DeviceInfo info;
    check(driver_, driver_.device(&device, number), "naming a device");
    check(driver_, driver_.device_name(name, static_cast<int>(sizeof name) - 1, device), "naming a device");
    check(driver_, driver_.device_attribute(&major, major_attribute, device), "asking for the architecture");
    check(driver_, driver_.device_attribute(&minor, minor_attribute, device), "asking for the architecture");
    check(driver_, driver_.device_memory(&info.bytes, device), "asking for the size of memory");
    info.name = name;
    info.architecture = "sm_" + std::to_string(major * 10 + minor);
    auto gpu = std::make_unique<Gpu>();
    gpu->number = device;
    gpu->architecture = info.architecture;
    gpus_.push_back(std::move(gpu));
    report_.devices.push_back(std::move(info));
}

CudaBackend::Gpu& CudaBackend::gpu(int device) {
    const BackendReport& found = report();
    if (&found == &report_of_child_) throw DeviceError(after_fork);
    if (device < 0 || static_cast<std::size_t>(device) >= gpus_.size()) {
        throw DeviceError(
            "cuda: there is no device " + std::to_string(device) +
            (report_.why_not.empty() ? ", only " + std::to_string(gpus_.size()) : ": " + report_.why_not));
    }
    return *gpus_[static_cast<std::size_t>(device)];
}

CudaBackend::Here::Here(CudaBackend& owner, int device) : owner_(owner) {
    Gpu& gpu = owner.gpu(device);
    Context context = gpu.context.load(std::memory_order_acquire);
    if (context == nullptr) {
        // Threads that come together retain it more than once, which is harmless: it is never let go.
        check(owner.driver_, owner.driver_.retain_context(&context, gpu.number), "taking the primary context");
        gpu.context.store(context, std::memory_order_release);
    }
    check(owner.driver_, owner.driver_.push(context), "making the context current");
}

CudaBackend::Here::~Here() {
    Context gone = nullptr;
    owner_.driver_.pop(&gone);
}

}  // namespace cuda

Backend& cuda_backend() {
    static auto& cuda = *new cuda::CudaBackend;  // never destroyed: memory is freed after static destructors have run
    return cuda;
}

}  // namespace zerofab
