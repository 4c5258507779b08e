/* SPDX-FileCopyrightText: 2026 The zerofab developers
 * SPDX-License-Identifier: BSD-3-Clause
 * A C caller of DLPack's exchange table, in a loop: what an extension pays for a tensor without Python's calls.
 * The structures are those of DLPack 1.3, https://dmlc.github.io/dlpack/latest/c_api.html */
#include <stdint.h>

typedef struct {
    void *data;
    struct { int32_t type, id; } device;
    int32_t ndim;
    struct { uint8_t code, bits; uint16_t lanes; } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} Tensor;

typedef struct Managed {
    struct { uint32_t major, minor; } version;
    void *context;
    void (*deleter)(struct Managed *);
    uint64_t flags;
    Tensor tensor;
} Managed;

typedef struct {
    struct { struct { uint32_t major, minor; } version; void *previous; } header;
    void *allocate;
    int (*managed_from_object)(void *object, Managed **out);
    void *managed_to_object;
    int (*tensor_from_object)(void *object, Tensor *out);
    void *work_stream;
} Table;

/* Both return the sum of the tensors' axes, so that nothing is optimized away, or -1 with a Python exception set. */
long managed(const Table *table, void *object, long repeats) {
    long axes = 0;
    for (long n = 0; n < repeats; ++n) {
        Managed *made;
        if (table->managed_from_object(object, &made) != 0) return -1;
        axes += made->tensor.ndim;
        made->deleter(made);
    }
    return axes;
}

long borrowed(const Table *table, void *object, long repeats) {
    long axes = 0;
    for (long n = 0; n < repeats; ++n) {
        Tensor lent;
        if (table->tensor_from_object(object, &lent) != 0) return -1;
        axes += lent.ndim;
    }
    return axes;
}
