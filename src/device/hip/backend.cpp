// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hip/backend.hpp"

#include <cctype>
#include <cstring>

#include "device/backends.hpp"
#include "device/fork_count.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {
namespace hip {
namespace {

constexpr const char* after_fork =
    "hip: this process was forked after the driver was started, and the driver does not work in the child: start "
    "processes with 'spawn', or fork before the first use of the GPU";

/// "gfx90a" of "gfx90a:sramecc+:xnack-": code for the plain name runs with any setting of the features.
///
/// The record that the run time fills is another one in each major version, so the name is looked for: the only text
/// behind the device's name (256 bytes) that begins with "gfx" and a number.
std::string architecture(const Driver& driver, int device) {
    std::vector<char> record(16384);
    const auto& properties = driver.properties_of_6 ? driver.properties_of_6 : driver.properties;
    check(driver, properties(record.data(), device), "asking for the architecture");
    for (std::size_t at = 256; at + 16 < record.size(); ++at) {
        const char* text = record.data() + at;
        if (std::strncmp(text, "gfx", 3) != 0 || text[3] < '0' || text[3] > '9') continue;
        std::size_t length = 3;
        while (length < 16 && std::isalnum(static_cast<unsigned char>(text[length])) != 0) ++length;
        return {text, length};
    }
    return "unknown";
}

}  // namespace

const BackendReport& HipBackend::report() {
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

void HipBackend::open() {
    forks_ = fork_count();
    report_of_child_.why_not = after_fork;
    const Opened driver = open_driver(driver_, version_);
    report_.library = driver.path;
    report_.why_not = driver.why_not;
    if (driver.handle == nullptr) return;
    int count = 0;
    check(driver_, driver_.device_count(&count), "counting the devices");
    for (int number = 0; number < count; ++number) describe(number);
    if (count == 0) report_.why_not = driver.path + " sees no device";
    compiler_.open(driver, version_);
    report_.version = "HIP " + std::to_string(version_ / 10000000) + '.' + std::to_string(version_ / 100000 % 100);
    report_.version += compiler_.why_not().empty() ? ", hipRTC " + compiler_.version() : ", " + compiler_.why_not();
}

void HipBackend::describe(int number) {
    char name[256] = {};
    DeviceInfo info;
    check(driver_, driver_.device_name(name, static_cast<int>(sizeof name) - 1, number), "naming a device");
    check(driver_, driver_.device_memory(&info.bytes, number), "asking for the size of memory");
    info.name = name;
    info.architecture = architecture(driver_, number);
    auto gpu = std::make_unique<Gpu>();
    gpu->architecture = info.architecture;
    gpus_.push_back(std::move(gpu));
    report_.devices.push_back(std::move(info));
}

HipBackend::Gpu& HipBackend::gpu(int device) {
    const BackendReport& found = report();
    if (&found == &report_of_child_) throw DeviceError(after_fork);
    if (device < 0 || static_cast<std::size_t>(device) >= gpus_.size()) {
        throw DeviceError(
            "hip: there is no device " + std::to_string(device) +
            (report_.why_not.empty() ? ", only " + std::to_string(gpus_.size()) : ": " + report_.why_not));
    }
    return *gpus_[static_cast<std::size_t>(device)];
}

HipBackend::Here::Here(HipBackend& owner, int device) : owner_(owner) {
    static_cast<void>(owner.gpu(device));
    check(owner.driver_, owner.driver_.get_device(&before_), "asking for the current device");
    if (before_ == device) return;
    check(owner.driver_, owner.driver_.set_device(device), "making the device current");
    changed_ = true;
}

HipBackend::Here::~Here() {
    if (changed_) static_cast<void>(owner_.driver_.set_device(before_));
}

}  // namespace hip

Backend& hip_backend() {
    static auto& hip = *new hip::HipBackend;  // never destroyed: memory is freed after static destructors have run
    return hip;
}

}  // namespace zerofab
