// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The C interface of dpctl, opened at run time: SYCL without a SYCL compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "device/library_finder.hpp"
#include "device/symbol_table.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::sycl {

// What dpctl's references point to: objects of the SYCL runtime.  Every reference that a call returns is the caller's,
// to be deleted by the call of that name.
using DeviceRef = struct OpaqueDevice*;
using DevicesRef = struct OpaqueDevices*;
using PlatformRef = struct OpaquePlatform*;
using ContextRef = struct OpaqueContext*;
using QueueRef = struct OpaqueQueue*;
using EventRef = struct OpaqueEvent*;
using BundleRef = struct OpaqueBundle*;
using KernelRef = struct OpaqueKernel*;

// dpctl's enumerations, the values that are used here.
inline constexpr int every_device = 0x1f003f;  // DPCTL_ALL_BACKENDS | DPCTL_ALL
inline constexpr int backend_cuda = 1 << 16, backend_level_zero = 1 << 17, backend_opencl = 1 << 18,
                     backend_hip = 1 << 19;
inline constexpr int type_accelerator = 1 << 0, type_cpu = 1 << 2, type_gpu = 1 << 4;
inline constexpr int aspect_fp64 = 6, aspect_usm_device = 12, aspect_usm_host = 13, aspect_usm_shared = 14;
inline constexpr int usm_device = 1, usm_shared = 2, usm_host = 3;
inline constexpr int arg_int32 = 4, arg_int64 = 6, arg_float32 = 8, arg_float64 = 9, arg_pointer = 10;
inline constexpr int in_order = 2;
inline constexpr int status_submitted = 1, status_running = 2, status_complete = 3;

template <class>
class Call;

/// A function of dpctl.  Most catch what the SYCL runtime throws and give back null; the rest let it through.
template <class R, class... A>
class Call<R(A...)> {
public:
    Call(SymbolTable* table, const char* name) : function_(table, name), name_(name) {}

    R operator()(A... arguments) const {
        try {
            return function_(arguments...);
        } catch (const std::exception& error) {
            throw DeviceError(concat("sycl: ", name_, ": ", error.what()));
        }
    }

private:
    Symbol<R(A...)> function_;
    const char* name_;
};

/// The functions of libDPCTLSyclInterface that are used, dpctl 0.18 or newer.
struct Dpctl : SymbolTable {
    FoundLibrary library;
    std::string missing;  ///< what the library lacks: nothing may be called

    Call<const char*()> runtime_version{this, "DPCTLService_GetDPCPPVersion"};
    Call<void(const char*)> string_delete{this, "DPCTLCString_Delete"};

    Call<DevicesRef(int)> devices{this, "DPCTLDeviceMgr_GetDevices"};
    Call<std::size_t(DevicesRef)> devices_size{this, "DPCTLDeviceVector_Size"};
    Call<DeviceRef(DevicesRef, std::size_t)> devices_at{this, "DPCTLDeviceVector_GetAt"};
    Call<void(DevicesRef)> devices_delete{this, "DPCTLDeviceVector_Delete"};

    Call<const char*(DeviceRef)> device_name{this, "DPCTLDevice_GetName"};
    Call<const char*(DeviceRef)> device_driver{this, "DPCTLDevice_GetDriverVersion"};
    Call<int(DeviceRef)> device_backend{this, "DPCTLDevice_GetBackend"};
    Call<int(DeviceRef)> device_type{this, "DPCTLDevice_GetDeviceType"};
    Call<std::size_t(DeviceRef)> device_bytes{this, "DPCTLDevice_GetGlobalMemSize"};
    Call<bool(DeviceRef, int)> device_has{this, "DPCTLDevice_HasAspect"};
    Call<bool(DeviceRef, DeviceRef)> device_equal{this, "DPCTLDevice_AreEq"};
    Call<int(DeviceRef, int)> device_position{this, "DPCTLDeviceMgr_GetPositionInDevices"};
    Call<void(DeviceRef)> device_delete{this, "DPCTLDevice_Delete"};
    Call<PlatformRef(DeviceRef)> device_platform{this, "DPCTLDevice_GetPlatform"};
    Call<ContextRef(PlatformRef)> platform_context{this, "DPCTLPlatform_GetDefaultContext"};
    Call<void(PlatformRef)> platform_delete{this, "DPCTLPlatform_Delete"};
    Call<bool(ContextRef, ContextRef)> context_equal{this, "DPCTLContext_AreEq"};
    Call<void(ContextRef)> context_delete{this, "DPCTLContext_Delete"};

    Call<void*(std::size_t, std::size_t, QueueRef)> alloc_device{this, "DPCTLaligned_alloc_device"};
    Call<void*(std::size_t, std::size_t, QueueRef)> alloc_shared{this, "DPCTLaligned_alloc_shared"};
    Call<void*(std::size_t, std::size_t, QueueRef)> alloc_host{this, "DPCTLaligned_alloc_host"};
    Call<void(void*, ContextRef)> free_memory{this, "DPCTLfree_with_context"};
    Call<int(const void*, ContextRef)> memory_type{this, "DPCTLUSM_GetPointerType"};

    Call<QueueRef(ContextRef, DeviceRef, void (*)(int), int)> queue_create{this, "DPCTLQueue_Create"};
    Call<QueueRef(QueueRef)> queue_copy{this, "DPCTLQueue_Copy"};
    Call<void(QueueRef)> queue_delete{this, "DPCTLQueue_Delete"};
    Call<bool(QueueRef, QueueRef)> queue_equal{this, "DPCTLQueue_AreEq"};
    Call<bool(QueueRef)> queue_in_order{this, "DPCTLQueue_IsInOrder"};
    Call<ContextRef(QueueRef)> queue_context{this, "DPCTLQueue_GetContext"};
    Call<DeviceRef(QueueRef)> queue_device{this, "DPCTLQueue_GetDevice"};
    Call<EventRef(QueueRef, void*, const void*, std::size_t, const EventRef*, std::size_t)> queue_memcpy{
        this, "DPCTLQueue_MemcpyWithEvents"};
    Call<EventRef(QueueRef, void*, std::uint8_t, std::size_t)> queue_memset{this, "DPCTLQueue_Memset"};
    Call<EventRef(QueueRef)> queue_barrier{this, "DPCTLQueue_SubmitBarrier"};
    Call<EventRef(QueueRef, const EventRef*, std::size_t)> queue_barrier_for{this, "DPCTLQueue_SubmitBarrierForEvents"};
    Call<EventRef(KernelRef, QueueRef, void**, const int*, std::size_t, const std::size_t*, const std::size_t*,
                  std::size_t, const EventRef*, std::size_t)>
        queue_submit{this, "DPCTLQueue_SubmitNDRange"};

    Call<int(EventRef)> event_status{this, "DPCTLEvent_GetCommandExecutionStatus"};
    Call<void(EventRef)> event_delete{this, "DPCTLEvent_Delete"};

    Call<BundleRef(ContextRef, DeviceRef, const void*, std::size_t, const char*)> bundle_from_spirv{
        this, "DPCTLKernelBundle_CreateFromSpirv"};
    Call<BundleRef(ContextRef, DeviceRef, const char*, const char*)> bundle_from_source{
        this, "DPCTLKernelBundle_CreateFromOCLSource"};
    Call<bool(BundleRef, const char*)> bundle_has{this, "DPCTLKernelBundle_HasKernel"};
    Call<KernelRef(BundleRef, const char*)> bundle_kernel{this, "DPCTLKernelBundle_GetKernel"};
    Call<std::size_t(KernelRef)> kernel_args{this, "DPCTLKernel_GetNumArgs"};
    Call<std::size_t(KernelRef)> kernel_group_limit{this, "DPCTLKernel_GetWorkGroupSize"};
};

/// A reference of dpctl's that is ours, deleted when this ends; null is none.
///
///     const Owned event(call.queue_barrier(queue), call.event_delete);
template <class Ref>
class Owned {
public:
    Owned(Ref reference, const Call<void(Ref)>& remove) noexcept : reference_(reference), remove_(remove) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() {
        if (reference_ == nullptr) return;
        try {
            remove_(reference_);
        } catch (const std::exception&) {  // the runtime has lost what it was about
            return;
        }
    }

    [[nodiscard]] Ref get() const noexcept { return reference_; }

private:
    Ref reference_;
    const Call<void(Ref)>& remove_;
};

/// Open dpctl's library and what it needs, once; a table without a library if there is none.
[[nodiscard]] const Dpctl& dpctl();

/// A string of dpctl's as ours.
[[nodiscard]] std::string take(const char* text);

/// What dpctl gave back, or DeviceError where that is null: "sycl: `what` failed", and where its reason is printed.
void require(const void* reference, std::string_view what);

/// From now on calls in a forked child are errors; at the process's exit calls are errors too, and `finish` is called
/// once those under way have ended.  Made once, when the driver has been loaded.
void guard_process(void (*finish)() noexcept);

/// After the first kernel was compiled: functions for the exit run in the opposite order, and the compiler that was
/// loaded for it has registered its own.
void guard_process_again();

/// One call under way: the driver is there until it ends.
class InUse {
public:
    /// DeviceError in a child that was forked since the driver was used, and during exit.
    InUse();
    /// The same without an error: `there` says it.
    explicit InUse(std::nothrow_t) noexcept;
    InUse(const InUse&) = delete;
    ~InUse();

    const bool there;
};

}  // namespace zerofab::sycl
