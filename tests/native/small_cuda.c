// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A libcuda.so.1 with one device whose memory is the host's: enough for exports and their order, no kernels.
//
// It counts its streams and events, and can be told which call fails, or waits.  Work on a stream is done when somebody
// waits for it, after what the stream was told to wait for, and not before: an order that nobody asked for is wrong
// data.  Streams do not order with each other.  For one thread at a time.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int Result;
typedef unsigned long long Address;

enum { most = 4096, fails = 1, invalid_handle = 400 };

enum { most_tasks = 1 << 16 };

static int context, live_events, live_streams, calls_left, waits_for_all;
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
int small_waits_for_all(void) { return waits_for_all; }

// All work, in the order in which it came; a task with `until` waits for the tasks before that of its stream `other`.
static struct Task {
    void *stream, *other, *to, *copy_of;
    int until, byte, done;
    size_t bytes;
} tasks[most_tasks];
static int task_count;
static struct { void *event, *stream; int until; } recorded[most];

static void force(void *stream, int until) {
    for (int n = 0; n < until; ++n) {
        struct Task *task = &tasks[n];
        if (task->stream != stream || task->done) continue;
        task->done = 1;
        if (task->until > 0) force(task->other, task->until);
        if (task->copy_of != NULL) memmove(task->to, task->copy_of, task->bytes);
        else if (task->bytes > 0) memset(task->to, task->byte, task->bytes);
    }
}
static void force_all(void) {
    for (int n = 0; n < task_count; ++n) force(tasks[n].stream, n + 1);
    task_count = 0;
    memset(recorded, 0, sizeof recorded);  // what they stood for is done
}
static void add(struct Task task) {
    if (task_count == most_tasks) force_all();
    tasks[task_count++] = task;
}

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
    return force_all(), free((void *)data), 0;
}
Result cuMemFreeHost(void *data) { return force_all(), free(data), 0; }
Result cuPointerGetAttribute(void *value, int attribute, Address data) { return (void)attribute, (void)data, *(int *)value = 0, 1; }

Result cuMemcpyAsync(Address to, Address from, size_t bytes, void *stream) {
    CALL;
    if (!is_stream(stream)) return invalid_handle;
    add((struct Task){.stream = stream, .to = (void *)to, .copy_of = (void *)from, .bytes = bytes});
    return 0;
}
Result cuMemsetD8Async(Address to, unsigned char byte, size_t bytes, void *stream) {
    CALL;
    if (!is_stream(stream)) return invalid_handle;
    add((struct Task){.stream = stream, .to = (void *)to, .byte = byte, .bytes = bytes});
    return 0;
}
Result cuStreamSynchronize(void *stream) {
    CALL;
    return is_stream(stream) ? force(stream, task_count), 0 : invalid_handle;
}
Result cuCtxSynchronize(void) { return ++waits_for_all, force_all(), 0; }
Result cuStreamCreate(void **stream, unsigned flags) { return (void)flags, put(streams, stream) ? ++live_streams, 0 : fails; }
Result cuStreamDestroy_v2(void *stream) { return drop(streams, stream) ? --live_streams, 0 : invalid_handle; }
Result cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
    (void)flags;
    CALL;
    if (!is_stream(stream) || !is_in(events, event)) return invalid_handle;
    for (int n = 0; n < most; ++n)
        if (recorded[n].event == event)
            add((struct Task){.stream = stream, .other = recorded[n].stream, .until = recorded[n].until});
    return 0;
}
Result cuEventCreate(void **event, unsigned flags) {
    (void)flags;
    CALL;
    return put(events, event) ? ++live_events, 0 : fails;
}
Result cuEventRecord(void *event, void *stream) {
    CALL;
    if (!is_stream(stream) || !is_in(events, event)) return invalid_handle;
    for (int n = 0; n < most; ++n) {
        if (recorded[n].event != NULL && recorded[n].event != event) continue;
        recorded[n].event = event, recorded[n].stream = stream, recorded[n].until = task_count;
        break;
    }
    return 0;
}
Result cuEventQuery(void *event) { return is_in(events, event) ? 0 : invalid_handle; }
Result cuEventDestroy_v2(void *event) {
    for (int n = 0; n < most; ++n)
        if (recorded[n].event == event) recorded[n].event = NULL;
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
