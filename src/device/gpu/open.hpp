// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// GpuBackend: what is found, and which device is meant.
#pragma once

#include <exception>

#include "device/fork_count.hpp"
#include "device/gpu/backend.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab::gpu {

template <class Api>
const BackendReport& GpuBackend<Api>::report() {
    if (!opened_.load(std::memory_order_acquire)) {
        const Blocking starting;  // a driver takes its time, and nobody may wait for it with Python's lock
        std::call_once(once_, [this] {
            try {
                open();
            } catch (const std::exception& error) {
                gpus_.clear();
                report_.devices.clear();
                report_.why_not = error.what();
            }
            opened_.store(true, std::memory_order_release);
        });
    }
    return fork_count() == forks_ ? report_ : report_of_child_;
}

template <class Api>
void GpuBackend<Api>::open() {
    forks_ = fork_count();
    report_of_child_.why_not = std::string(Api::name) +
                               ": this process was forked after the driver was started, and the driver does not work "
                               "in the child: start processes with 'spawn', or fork before the first use of the GPU";
    const Opened driver = Api::open(driver_, version_);
    report_.library = driver.path;
    report_.why_not = driver.why_not;
    if (driver.handle == nullptr) return;
    int count = 0;
    require(driver_.device_count(&count), "counting the devices");
    for (int number = 0; number < count; ++number) {
        auto made = std::make_unique<Gpu>();
        DeviceInfo info = Api::describe(driver_, number, made->own);
        made->architecture = info.architecture;
        gpus_.push_back(std::move(made));
        report_.devices.push_back(std::move(info));
    }
    if (count == 0) report_.why_not = driver.path + " sees no device";
    compiler_.open(driver, version_);
    report_.version = Api::version_text(version_) + ", " +
                      (compiler_.why_not().empty() ? compiler_.description() : compiler_.why_not());
}

template <class Api>
typename GpuBackend<Api>::Gpu& GpuBackend<Api>::gpu(int device) {
    const BackendReport& found = report();
    if (&found == &report_of_child_) throw DeviceError(found.why_not);
    if (device < 0 || static_cast<std::size_t>(device) >= gpus_.size()) {
        throw DeviceError(concat(Api::name, ": there is no device ", device,
                                 report_.why_not.empty() ? concat(", only ", gpus_.size()) : ": " + report_.why_not));
    }
    return *gpus_[static_cast<std::size_t>(device)];
}

}  // namespace zerofab::gpu
