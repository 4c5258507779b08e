// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "device/kernel_text.hpp"
#include "device/sycl/device.hpp"
#include "device/sycl/spirv.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab::sycl {
namespace {

constexpr std::size_t most_args = 32;

constexpr int type_of(KernelArg::Kind kind) {
    switch (kind) {
        case KernelArg::Kind::i32:
            return arg_int32;
        case KernelArg::Kind::i64:
            return arg_int64;
        case KernelArg::Kind::f32:
            return arg_float32;
        case KernelArg::Kind::f64:
            return arg_float64;
        default:
            return arg_pointer;
    }
}

}  // namespace

BundleRef SyclDevice::program(KernelType type, const std::string& name) {
    if (type == KernelType::f64 && !info_.has_f64) {
        throw DeviceError("sycl: " + info_.name + " has no double precision: use fields of float, or another device");
    }
    if (const auto spirv = kernel_spirv(type, items_); !spirv.empty()) {
        const auto words = only_kernel(spirv, name);
        if (words.empty()) return nullptr;
        const BundleRef made =
            dpctl().bundle_from_spirv(context_, device_, words.data(), words.size() * sizeof(words[0]), "");
        require(made, "compiling the kernel '" + name + "' for " + info_.name + " (" + info_.architecture + ")");
        return made;
    }
    if (!opencl_) {
        throw DeviceError("sycl: " + info_.name + " (" + info_.architecture +
                          ") takes kernels as SPIR-V only, and this library was built without: build it where "
                          "clang-15 and llvm-spirv-15 are installed");
    }
    BundleRef& all = from_text_[static_cast<std::size_t>(type)];
    if (all == nullptr) {
        all =
            dpctl().bundle_from_source(context_, device_, kernel_source().data(), kernel_options(type, items_).c_str());
        require(all, "compiling the kernels for " + info_.name + " from their text");
    }
    return dpctl().bundle_has(all, name.c_str()) ? all : nullptr;
}

const SyclDevice::Kernel& SyclDevice::kernel(KernelType type, std::string_view name) {
    const std::lock_guard lock(kernels_mutex_);
    const auto known = kernels_.find({type, name});
    if (known != kernels_.end()) return known->second;
    const std::string text(name);
    const BundleRef bundle = program(type, text);
    if (bundle == nullptr) throw DeviceError("sycl: there is no kernel '" + text + "'");
    Kernel made;
    made.handle = dpctl().bundle_kernel(bundle, text.c_str());
    require(made.handle, "opening the kernel '" + text + "'");
    guard_process_again();
    made.args = dpctl().kernel_args(made.handle);
    const std::size_t limit = dpctl().kernel_group_limit(made.handle);
    made.group = items_ == KernelItems::one ? 1
                 : limit == 0               ? kernel_group
                                            : std::min<std::size_t>(kernel_group, limit);
    return kernels_.emplace(std::pair{type, name}, made).first->second;  // stays where it is: a map
}

void SyclDevice::launch(const KernelCall& call, Stream stream) {
    open();
    const Kernel& wanted = kernel(call.type, call.kernel);
    if (call.count != wanted.args || call.count > most_args) {
        throw DeviceError(
            concat("sycl: the kernel '", call.kernel, "' takes ", wanted.args, " arguments, not ", call.count));
    }
    if (call.groups_x <= 0 || call.groups_y <= 0) return;
    std::array<void*, most_args> values;
    std::array<int, most_args> types;
    for (std::size_t i = 0; i < call.count; ++i) {
        const KernelArg& arg = call.args[i];
        types[i] = type_of(arg.kind);
        values[i] = const_cast<void*>(arg.kind == KernelArg::Kind::pointer ? arg.pointer : arg.address());
    }
    // SYCL counts dimensions from the slowest, kernels from the fastest.
    const std::size_t lanes = std::min<std::size_t>(kernel_lanes, wanted.group);
    const std::size_t group[3] = {wanted.group / lanes, lanes, 1};
    const std::size_t items[3] = {static_cast<std::size_t>(call.groups_y) * group[0],
                                  static_cast<std::size_t>(call.groups_x) * group[1], 1};
    Command command(*this, stream);
    const EventRef event = dpctl().queue_submit(wanted.handle, command.queue(), values.data(), types.data(), call.count,
                                                items, group, 2, command.after(), command.count());
    command.submitted(event, concat("starting the kernel '", call.kernel, "'"));
}

}  // namespace zerofab::sycl
