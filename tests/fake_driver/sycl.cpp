// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A libDPCTLSyclInterface of the tests' own: one GPU, its memory and queues, no kernels.
//
// A failure that is ordered as 1 gives back null, as dpctl does for most errors of SYCL; as 2 it throws.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "core.hpp"

namespace {

constexpr int usm_device = 1, usm_shared = 2, usm_host = 3;
constexpr int running = 2, complete = 3;

/// A copy of a queue is another share of the same stream.
struct Queue {
    std::shared_ptr<fake::Stream> stream;
    bool in_order;
};

int the_device, the_platform, the_context, the_list;

/// Whether the call is to give back null.
bool fails(const char* name) {
    const int result = fake::called(name);
    if (result == 2) throw std::runtime_error("ordered by the test");
    return result != 0;
}

char* text(const char* words) { return strdup(words); }

fake::Event* submit(const char* name, const Queue* queue, const std::vector<fake::Event*>& after,
                    std::function<void()> work) {
    const std::lock_guard guard(fake::lock());
    if (fails(name)) return nullptr;
    for (const fake::Event* event : after) {
        if (!fake::is_event(event)) throw std::runtime_error("an event that was deleted");
        fake::wait(queue->stream.get(), 0, event);
    }
    fake::enqueue(queue->stream.get(), 0, std::move(work));
    fake::Event* const event = fake::create_event(0);
    fake::record(event, queue->stream.get());
    return event;
}

void* allocate(const char* name, std::size_t bytes, fake::Kind kind) {
    const std::lock_guard guard(fake::lock());
    return fails(name) ? nullptr : fake::allocate(kind, bytes, 0);
}

}  // namespace

extern "C" {

const char* DPCTLService_GetDPCPPVersion() { return text("0 (fake driver of the tests)"); }
void DPCTLCString_Delete(const char* words) { std::free(const_cast<char*>(words)); }

void* DPCTLDeviceMgr_GetDevices(int) { return &the_list; }
std::size_t DPCTLDeviceVector_Size(void*) { return 1; }
void* DPCTLDeviceVector_GetAt(void*, std::size_t) { return &the_device; }
void DPCTLDeviceVector_Delete(void*) {}

const char* DPCTLDevice_GetName(void*) { return text("fake driver of the tests"); }
const char* DPCTLDevice_GetDriverVersion(void*) { return text("0"); }
int DPCTLDevice_GetBackend(void*) { return 1 << 17; }
int DPCTLDevice_GetDeviceType(void*) { return 1 << 4; }
std::size_t DPCTLDevice_GetGlobalMemSize(void*) { return std::size_t{1} << 30U; }
bool DPCTLDevice_HasAspect(void*, int) { return true; }
bool DPCTLDevice_AreEq(void* one, void* two) { return one == two; }
int DPCTLDeviceMgr_GetPositionInDevices(void*, int) { return 0; }
void DPCTLDevice_Delete(void*) {}
void* DPCTLDevice_GetPlatform(void*) { return &the_platform; }
void* DPCTLPlatform_GetDefaultContext(void*) { return &the_context; }
void DPCTLPlatform_Delete(void*) {}
bool DPCTLContext_AreEq(void* one, void* two) { return one == two; }
void DPCTLContext_Delete(void*) {}

void* DPCTLaligned_alloc_device(std::size_t, std::size_t bytes, void*) {
    return allocate("DPCTLaligned_alloc_device", bytes, fake::Kind::device);
}
void* DPCTLaligned_alloc_shared(std::size_t, std::size_t bytes, void*) {
    return allocate("DPCTLaligned_alloc_shared", bytes, fake::Kind::managed);
}
void* DPCTLaligned_alloc_host(std::size_t, std::size_t bytes, void*) {
    return allocate("DPCTLaligned_alloc_host", bytes, fake::Kind::pinned);
}
void DPCTLfree_with_context(void* data, void*) {
    const std::lock_guard guard(fake::lock());
    fake::release(data);
}
int DPCTLUSM_GetPointerType(const void* data, void*) {
    const std::lock_guard guard(fake::lock());
    const fake::Block* block = fake::block_of(data);
    if (block == nullptr) return 0;
    return block->kind == fake::Kind::device ? usm_device : block->kind == fake::Kind::managed ? usm_shared : usm_host;
}

Queue* DPCTLQueue_Create(void*, void*, void (*)(int), int properties) {
    return new Queue{{fake::create_stream(0, false), [](fake::Stream* stream) { fake::destroy_stream(stream); }},
                     (properties & 2) != 0};
}
Queue* DPCTLQueue_Copy(Queue* queue) { return fails("DPCTLQueue_Copy") ? nullptr : new Queue(*queue); }
void DPCTLQueue_Delete(Queue* queue) { delete queue; }
bool DPCTLQueue_AreEq(Queue* one, Queue* two) { return one->stream == two->stream; }
bool DPCTLQueue_IsInOrder(Queue* queue) { return queue->in_order; }
void* DPCTLQueue_GetContext(Queue*) { return &the_context; }
void* DPCTLQueue_GetDevice(Queue*) { return &the_device; }
fake::Event* DPCTLQueue_MemcpyWithEvents(Queue* queue, void* to, const void* from, std::size_t bytes,
                                         fake::Event* const* after, std::size_t count) {
    return submit("DPCTLQueue_MemcpyWithEvents", queue, {after, after + count}, [=] { std::memmove(to, from, bytes); });
}
fake::Event* DPCTLQueue_Memset(Queue* queue, void* to, std::uint8_t byte, std::size_t bytes) {
    return submit("DPCTLQueue_Memset", queue, {}, [=] { std::memset(to, byte, bytes); });
}
fake::Event* DPCTLQueue_SubmitBarrier(Queue* queue) { return submit("DPCTLQueue_SubmitBarrier", queue, {}, nullptr); }
fake::Event* DPCTLQueue_SubmitBarrierForEvents(Queue* queue, fake::Event* const* after, std::size_t count) {
    return submit("DPCTLQueue_SubmitBarrierForEvents", queue, {after, after + count}, nullptr);
}
fake::Event* DPCTLQueue_SubmitNDRange(void*, Queue*, void**, const int*, std::size_t, const std::size_t*,
                                      const std::size_t*, std::size_t, fake::Event* const*, std::size_t) {
    return nullptr;
}

int DPCTLEvent_GetCommandExecutionStatus(fake::Event* event) {
    const std::lock_guard guard(fake::lock());
    if (fails("DPCTLEvent_GetCommandExecutionStatus")) return -1;
    return fake::reached(event) ? complete : running;
}
/// What throws has deleted the event all the same.
void DPCTLEvent_Delete(fake::Event* event) {
    const std::lock_guard guard(fake::lock());
    if (!fake::is_event(event)) std::abort();
    fake::destroy_event(event);
    static_cast<void>(fails("DPCTLEvent_Delete"));
}

void* DPCTLKernelBundle_CreateFromSpirv(void*, void*, const void*, std::size_t, const char*) { return nullptr; }
void* DPCTLKernelBundle_CreateFromOCLSource(void*, void*, const char*, const char*) { return nullptr; }
bool DPCTLKernelBundle_HasKernel(void*, const char*) { return false; }
void* DPCTLKernelBundle_GetKernel(void*, const char*) { return nullptr; }
std::size_t DPCTLKernel_GetNumArgs(void*) { return 0; }
std::size_t DPCTLKernel_GetWorkGroupSize(void*) { return 0; }

}  // extern "C"
