// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What PODVector_* and Vector_* have in common: a vector of numbers whose element type is known at run time.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "exchange/exporter.hpp"
#include "zerofab/memory/pod_vector.hpp"

namespace zerofab::python {

/// A PODVector behind one interface for all element types.  Elements pass as pointers to `dtype().size` bytes.
class AnyVector : public Exporter {
public:
    [[nodiscard]] virtual const DType& dtype() const noexcept = 0;
    [[nodiscard]] virtual const char* what() const noexcept = 0;  ///< the Python class, a static string
    [[nodiscard]] virtual std::size_t size() const noexcept = 0;
    [[nodiscard]] virtual std::size_t capacity() const noexcept = 0;
    [[nodiscard]] virtual void* data() const noexcept = 0;
    [[nodiscard]] virtual const AllocationPtr& share() const noexcept = 0;
    [[nodiscard]] virtual Arena& arena() const noexcept = 0;
    virtual void set_arena(Arena& arena) = 0;
    virtual void resize(std::size_t size, const void* value, GrowthStrategy growth) = 0;  ///< null value: zero
    virtual void reserve(std::size_t capacity, GrowthStrategy growth) = 0;
    virtual void shrink_to_fit() = 0;
    virtual void clear() noexcept = 0;
    virtual void push_back(const void* value) = 0;
    virtual void pop_back() = 0;
    virtual void fill(const void* value) = 0;
    virtual void splice(std::size_t first, std::size_t last, const void* from, std::size_t count) = 0;
    /// Show this memory in place, instead of what the vector held.
    virtual void adopt(AllocationPtr memory, void* data, std::size_t size) = 0;
    /// Where the elements are.
    [[nodiscard]] MemorySpace space() const noexcept { return share() ? share()->space() : arena().space(); }

    [[nodiscard]] void* element(std::size_t index) const noexcept {
        return static_cast<char*>(data()) + index * dtype().size;
    }
    void describe(TensorView& view) const override {
        const std::size_t count = size();
        view.own(share());
        if (!share()) {
            view.device = arena().device();
            view.kind = arena().kind();
        }
        view.data = count > 0 ? data() : nullptr;
        view.dtype = &dtype();
        view.axes = 1;
        view.what = what();
        view.shape[0] = static_cast<std::int64_t>(count);
        view.strides[0] = 1;
    }
};

/// A vector with elements of type T, which this object owns or shares with a container (a column of particles).
template <class T, class Base>
class AnyVectorOf : public Base {
public:
    explicit AnyVectorOf(std::shared_ptr<PODVector<T>> vector) noexcept : vector_(std::move(vector)) {}
    explicit AnyVectorOf(Arena& arena) : vector_(std::make_shared<PODVector<T>>(arena)) {}

    [[nodiscard]] PODVector<T>& vector() const noexcept { return *vector_; }

    const DType& dtype() const noexcept final { return dtype_of<T>; }
    std::size_t size() const noexcept final { return vector_->size(); }
    std::size_t capacity() const noexcept final { return vector_->capacity(); }
    void* data() const noexcept final { return vector_->data(); }
    const AllocationPtr& share() const noexcept final { return vector_->share(); }
    Arena& arena() const noexcept final { return vector_->arena(); }
    void set_arena(Arena& arena) final { vector_->set_arena(arena); }
    void resize(std::size_t size, const void* value, GrowthStrategy growth) final {
        vector_->resize(size, value != nullptr ? *static_cast<const T*>(value) : T{}, growth);
    }
    void reserve(std::size_t capacity, GrowthStrategy growth) final { vector_->reserve(capacity, growth); }
    void shrink_to_fit() final { vector_->shrink_to_fit(); }
    void clear() noexcept final { vector_->clear(); }
    void push_back(const void* value) final { vector_->push_back(*static_cast<const T*>(value)); }
    void pop_back() final { vector_->pop_back(); }
    void fill(const void* value) final { vector_->assign(*static_cast<const T*>(value)); }
    void splice(std::size_t first, std::size_t last, const void* from, std::size_t count) final {
        vector_->splice(first, last, static_cast<const T*>(from), count);
    }
    void adopt(AllocationPtr memory, void* data, std::size_t size) final {
        *vector_ = PODVector<T>::adopt(std::move(memory), static_cast<T*>(data), size, vector_->arena());
    }

private:
    std::shared_ptr<PODVector<T>> vector_;
};

/// One element from a Python number; throws Python's TypeError or OverflowError.
class ElementValue {
public:
    ElementValue(const DType& dtype, nb::handle number);
    operator const void*() const noexcept { return bytes_; }

private:
    alignas(16) unsigned char bytes_[16];
};

/// Whether the host may touch the elements, after waiting for the device's work; else false with BufferError set.
bool elements_ready(const AnyVector& vector) noexcept;

/// A count from a Python integer; ValueError, with `name`, if it is negative.
std::size_t checked_count(nb::handle number, const char* name);

/// A view of one axis of any producer, or a converted copy.  TypeError for None and for what is no array of numbers,
/// ValueError unless there is one axis.
TensorView import_vector(nb::handle source, const DType& dtype);

/// Write the elements of `from` at `offset`; IndexError before anything is written.
void copy_into(AnyVector& vector, const TensorView& from, Py_ssize_t offset);

/// The vector in this object; null, with an exception set, if it was made without __init__.  For raw slots.
AnyVector* vector_of(PyObject* self) noexcept;

// Raw slots: len(v), iteration, v[i] and v[i] = x with an integer that may count from the end.
Py_ssize_t vector_length(PyObject* self) noexcept;
PyObject* vector_item(PyObject* self, Py_ssize_t index) noexcept;
PyObject* vector_subscript(PyObject* self, PyObject* index) noexcept;
int vector_assign(PyObject* self, PyObject* index, PyObject* value) noexcept;

/// "PODVector_real_std([1, 2, 3])", shortened in the middle.
std::string vector_repr(const AnyVector& vector);

}  // namespace zerofab::python
