/* SPDX-FileCopyrightText: 2026 The zerofab developers
 * SPDX-License-Identifier: BSD-3-Clause
 * A hostile producer and a hostile consumer of DLPack tensors, for tests/python/test_hostile.py. */
#include <dlpack/dlpack.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- producer: a tensor with any contents, whose deleter counts */

typedef struct {
    void* data;
    int32_t device_type, device_id, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset, flags;
    uint32_t major, minor;
    int32_t versioned, has_deleter;
} Spec;

typedef struct {
    union {
        DLManagedTensor legacy;
        DLManagedTensorVersioned versioned;
    } managed;
    int* count;
    int64_t extents[256];
} Made;

static void count_and_free(Made* made) {
    __atomic_add_fetch(made->count, 1, __ATOMIC_SEQ_CST);
    memset(made, 0xA5, sizeof *made); /* who reads on reads garbage */
    free(made);
}
static void delete_legacy(DLManagedTensor* self) { count_and_free(self->manager_ctx); }
static void delete_versioned(DLManagedTensorVersioned* self) { count_and_free(self->manager_ctx); }

void* hostile_make(const Spec* spec, int* count) {
    Made* made = calloc(1, sizeof *made);
    made->count = count;
    DLTensor* tensor;
    if (spec->versioned) {
        made->managed.versioned.version.major = spec->major;
        made->managed.versioned.version.minor = spec->minor;
        made->managed.versioned.flags = spec->flags;
        made->managed.versioned.manager_ctx = made;
        made->managed.versioned.deleter = spec->has_deleter ? delete_versioned : NULL;
        tensor = &made->managed.versioned.dl_tensor;
    } else {
        made->managed.legacy.manager_ctx = made;
        made->managed.legacy.deleter = spec->has_deleter ? delete_legacy : NULL;
        tensor = &made->managed.legacy.dl_tensor;
    }
    const int axes = spec->ndim < 0 ? 0 : spec->ndim > 128 ? 128 : spec->ndim;
    if (spec->shape != NULL) memcpy(made->extents, spec->shape, (size_t)axes * sizeof(int64_t));
    if (spec->strides != NULL) memcpy(made->extents + 128, spec->strides, (size_t)axes * sizeof(int64_t));
    tensor->data = spec->data;
    tensor->device.device_type = (DLDeviceType)spec->device_type;
    tensor->device.device_id = spec->device_id;
    tensor->ndim = spec->ndim;
    tensor->dtype.code = spec->code;
    tensor->dtype.bits = spec->bits;
    tensor->dtype.lanes = spec->lanes;
    tensor->shape = spec->shape != NULL ? made->extents : NULL;
    tensor->strides = spec->strides != NULL ? made->extents + 128 : NULL;
    tensor->byte_offset = spec->byte_offset;
    return made;
}

/* ---- consumer: deleters from anywhere */

void hostile_delete(void* managed, int versioned) {
    if (versioned) {
        ((DLManagedTensorVersioned*)managed)->deleter(managed);
    } else {
        ((DLManagedTensor*)managed)->deleter(managed);
    }
}

typedef struct {
    void** managed;
    int count, versioned;
} Part;

static void* delete_part(void* argument) {
    const Part* part = argument;
    for (int n = 0; n < part->count; ++n) hostile_delete(part->managed[n], part->versioned);
    return NULL;
}

/* All of them, on `threads` threads that Python does not know; returns when they have ended. */
int hostile_delete_on_threads(void** managed, int count, int versioned, int threads) {
    pthread_t thread[64];
    Part part[64];
    const int each = (count + threads - 1) / threads;
    int started = 0;
    for (int first = 0; first < count; first += each, ++started) {
        part[started] = (Part){managed + first, first + each < count ? each : count - first, versioned};
        if (pthread_create(&thread[started], NULL, delete_part, &part[started]) != 0) return -1;
    }
    for (int n = 0; n < started; ++n) pthread_join(thread[n], NULL);
    return 0;
}

/* ---- consumer: tensors in statics, let go after the interpreter */

static void* held[1024];
static int held_count = 0, held_versioned = 1, held_when = 0;

static void release_held(void) {
    if (held_when == 3) { /* from another thread */
        hostile_delete_on_threads(held, held_count, held_versioned, 4);
        return;
    }
    for (int n = 0; n < held_count; ++n) hostile_delete(held[n], held_versioned);
}
static void at_exit(void) {
    if (held_when == 1) release_held();
}
__attribute__((destructor)) static void at_unload(void) {
    if (held_when == 2 || held_when == 3) release_held();
}

/* when: 0 never, 1 at C's exit handlers, 2 at the library's end, 3 then, on other threads */
void hostile_hold(void* managed, int versioned, int when) {
    if (held_count == 0 && when == 1) atexit(at_exit);
    held[held_count++] = managed;
    held_versioned = versioned;
    held_when = when;
}

/* Threads that go on letting go while the interpreter ends. */
static void* delete_slowly(void* argument) {
    (void)argument;
    for (int n = 0; n < held_count; ++n) {
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
        hostile_delete(held[n], held_versioned);
    }
    return NULL;
}
int hostile_release_in_background(void) {
    pthread_t thread;
    held_when = 0;
    return pthread_create(&thread, NULL, delete_slowly, NULL) != 0 ? -1 : pthread_detach(thread);
}

/* ---- consumer: the exchange table */

static double sum_axis(const DLTensor* t, int axis, const double* at) {
    if (axis == t->ndim) return *at;
    double sum = 0;
    for (int64_t n = 0; n < t->shape[axis]; ++n) sum += sum_axis(t, axis + 1, at + n * t->strides[axis]);
    return sum;
}
static double sum_of(const DLTensor* t) {
    return sum_axis(t, 0, (const double*)((const char*)t->data + t->byte_offset));
}

int hostile_take(const DLPackExchangeAPI* api, void* object, void** out) {
    DLManagedTensorVersioned* tensor = NULL;
    const int failed = api->managed_tensor_from_py_object_no_sync(object, &tensor);
    *out = tensor;
    return failed;
}
double hostile_sum_managed(const DLManagedTensorVersioned* tensor) { return sum_of(&tensor->dl_tensor); }

/* The sum of the doubles of a borrowed tensor; `describe` gets ndim and shape. */
int hostile_borrow(const DLPackExchangeAPI* api, void* object, double* sum, int64_t* describe) {
    DLTensor tensor;
    if (api->dltensor_from_py_object_no_sync(object, &tensor) != 0) return -1;
    describe[0] = tensor.ndim;
    for (int n = 0; n < tensor.ndim; ++n) describe[1 + n] = tensor.shape[n];
    *sum = sum_of(&tensor);
    return 0;
}

void* hostile_give(const DLPackExchangeAPI* api, void* managed) {
    void* object = NULL;
    return api->managed_tensor_to_py_object_no_sync(managed, &object) == 0 ? object : NULL;
}

static void note(void* text, const char* kind, const char* message) {
    strncpy(text, kind, 63);
    strncpy((char*)text + 64, message, 191);
}

/* 1: made and let go again, 0: refused with `text` (kind, and 64 bytes on, message) set. */
int hostile_allocate(const DLPackExchangeAPI* api, const Spec* spec, char* text) {
    DLTensor prototype = {spec->data,    {(DLDeviceType)spec->device_type, spec->device_id},
                          spec->ndim,    {spec->code, spec->bits, spec->lanes},
                          spec->shape,   spec->strides,
                          spec->byte_offset};
    DLManagedTensorVersioned* tensor = NULL;
    if (api->managed_tensor_allocator(&prototype, &tensor, text, text != NULL ? note : NULL) != 0) return 0;
    int64_t count = 1;
    for (int n = 0; n < tensor->dl_tensor.ndim; ++n) count *= tensor->dl_tensor.shape[n];
    if (count > 0) memset(tensor->dl_tensor.data, 0, (size_t)(count * spec->bits / 8));
    tensor->deleter(tensor);
    return 1;
}
