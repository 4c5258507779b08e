// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A libcuda.so.1 with one device whose memory is the host's: enough for exports and their order, no kernels.
//
// It counts its streams and events, and can be told which call fails, or waits.  Work is done at once.  For one thread.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int Result;
typedef unsigned long long Address;

enum { most = 4096, fails = 1, invalid_handle = 400 };

static int context, live_events, live_streams, calls_left;
static const char *failing = "", *waiting = "";
static const volatile int *gate;
static void *streams[most], *events[most];

// The call of that name so many calls from now fails: 1 is the next.
void small_fail(const char *name, int call) {
    failing = name;
    calls_left = call;
}
// Calls of that name wait from now on until the number there is not 0; after five seconds they fail.
void small_gate(const char *name, const int *open) {
    waiting = name;
    gate = open;
}
int small_events(void) { return live_events; }
int small_streams(void) { return live_streams; }

static int fail(const char *name) { return strcmp(name, failing) == 0 && --calls_left == 0; }
static int stays_closed(const char *name) {
    if (strcmp(name, waiting) != 0) return 0;
    for (int n = 0; n < 5000 && !*gate; ++n) usleep(1000);
    return !*gate;
}
#define CALL \
    if (fail(__func__) || stays_closed(__func__)) return fails

static int is_in(void **all, const void *one) {
    for (int n = 0; n < most; ++n)
        if (all[n] == one && one != NULL) return 1;
    return 0;
}
static int put(void **all, void **made) {
    for (int n = 0; n < most; ++n) {
        if (all[n] != NULL) continue;
        *made = all[n] = malloc(16);
        return 1;
    }
    return 0;
}
static int drop(void **all, void *one) {
    for (int n = 0; n < most; ++n) {
        if (all[n] != one || one == NULL) continue;
        free(one);
        all[n] = NULL;
        return 1;
    }
    return 0;
}
static int is_stream(const void *stream) { return (size_t)stream <= 2 || is_in(streams, stream); }

Result cuInit(unsigned flags) { return (Result)flags; }
Result cuDriverGetVersion(int *version) { return *version = 12040, 0; }
Result cuGetErrorName(Result result, const char **name) { return *name = result ? "ORDERED" : "SUCCESS", 0; }
Result cuGetErrorString(Result result, const char **text) { return *text = result ? "by the test" : "", 0; }
Result cuDeviceGetCount(int *count) { return *count = 1, 0; }
Result cuDeviceGet(int *device, int number) { return *device = number, 0; }
Result cuDeviceGetName(char *name, int size, int device) {
    (void)device;
    strncpy(name, "small driver of the tests", (size_t)size);
    return 0;
}
Result cuDeviceGetAttribute(int *value, int attribute, int device) { return (void)device, *value = attribute == 75 ? 9 : 0, 0; }
Result cuDeviceTotalMem_v2(size_t *bytes, int device) { return (void)device, *bytes = (size_t)1 << 30, 0; }
Result cuDevicePrimaryCtxRetain(void **made, int device) { return (void)device, *made = &context, 0; }
Result cuCtxPushCurrent_v2(void *one) { return one == &context ? 0 : fails; }
Result cuCtxPopCurrent_v2(void **one) { return *one = &context, 0; }
Result cuCtxGetDevice(int *device) { return *device = 0, 0; }

static Result take(void **data, size_t bytes) { return (*data = aligned_alloc(64, (bytes + 63) / 64 * 64)) == NULL ? 2 : 0; }
Result cuMemAlloc_v2(Address *data, size_t bytes) {
    CALL;
    return take((void **)data, bytes);
}
Result cuMemAllocManaged(Address *data, size_t bytes, unsigned flags) { return (void)flags, take((void **)data, bytes); }
Result cuMemHostAlloc(void **data, size_t bytes, unsigned flags) { return (void)flags, take(data, bytes); }
Result cuMemFree_v2(Address data) {
    CALL;
    return free((void *)data), 0;
}
Result cuMemFreeHost(void *data) { return free(data), 0; }
Result cuPointerGetAttribute(void *value, int attribute, Address data) { return (void)attribute, (void)data, *(int *)value = 0, 1; }

Result cuMemcpyAsync(Address to, Address from, size_t bytes, void *stream) {
    CALL;
    return memmove((void *)to, (void *)from, bytes), is_stream(stream) ? 0 : invalid_handle;
}
Result cuMemsetD8Async(Address to, unsigned char byte, size_t bytes, void *stream) {
    CALL;
    return memset((void *)to, byte, bytes), is_stream(stream) ? 0 : invalid_handle;
}
Result cuStreamSynchronize(void *stream) {
    CALL;
    return is_stream(stream) ? 0 : invalid_handle;
}
Result cuCtxSynchronize(void) { return 0; }
Result cuStreamCreate(void **stream, unsigned flags) { return (void)flags, put(streams, stream) ? ++live_streams, 0 : fails; }
Result cuStreamDestroy_v2(void *stream) { return drop(streams, stream) ? --live_streams, 0 : invalid_handle; }
Result cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
    (void)flags;
    CALL;
    return is_stream(stream) && is_in(events, event) ? 0 : invalid_handle;
}
Result cuEventCreate(void **event, unsigned flags) {
    (void)flags;
    CALL;
    return put(events, event) ? ++live_events, 0 : fails;
}
Result cuEventRecord(void *event, void *stream) {
    CALL;
    return is_stream(stream) && is_in(events, event) ? 0 : invalid_handle;
}
Result cuEventQuery(void *event) { return is_in(events, event) ? 0 : invalid_handle; }
Result cuEventDestroy_v2(void *event) {
    if (drop(events, event)) return --live_events, 0;
    abort();
}

Result cuModuleLoadData(void **module, const void *image) { return (void)image, *module = NULL, fails; }
Result cuModuleGetFunction(void **function, void *module, const char *name) {
    return (void)module, (void)name, *function = NULL, fails;
}
Result cuLaunchKernel(void *f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned h, void *s,
                      void **x, void **y) {
    return (void)f, (void)a, (void)b, (void)c, (void)d, (void)e, (void)g, (void)h, (void)s, (void)x, (void)y, fails;
}
