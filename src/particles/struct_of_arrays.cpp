// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/particles/struct_of_arrays.hpp"

#include <algorithm>

#include "particles/growth.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {
namespace {

template <class T>
const std::shared_ptr<PODVector<T>>& component_of(const std::vector<std::shared_ptr<PODVector<T>>>& all, Long component,
                                                  const char* kind) {
    if (component < 0 || component >= static_cast<Long>(all.size())) {
        throw IndexError(concat(kind, " component ", component, " does not exist: there are ", all.size()));
    }
    return all[static_cast<std::size_t>(component)];
}

void check_names(const std::vector<std::string>& names, std::size_t wanted, const char* kind) {
    if (!names.empty() && names.size() != wanted) {
        throw ValueError(concat(wanted, " ", kind, " components need as many names, not ", names.size()));
    }
}

void check_all_names(const std::vector<std::string>& reals, const std::vector<std::string>& ints) {
    std::vector<std::string> all = reals;
    all.insert(all.end(), ints.begin(), ints.end());
    std::sort(all.begin(), all.end());
    const auto twice = std::adjacent_find(all.begin(), all.end());
    if (twice != all.end()) throw ValueError("two components have the name '" + *twice + "'");
    if (!all.empty() && all.front().empty()) throw ValueError("a component cannot have an empty name");
}

}  // namespace

void check_component_name(const std::string& name, const std::vector<std::string>& real_names,
                          const std::vector<std::string>& int_names) {
    if (name.empty()) throw ValueError("a component cannot have an empty name");
    for (const auto* names : {&real_names, &int_names}) {
        if (std::find(names->begin(), names->end(), name) != names->end()) {
            throw ValueError("there is a component '" + name + "' already");
        }
    }
}

StructOfArrays::StructOfArrays(const ParticleLayout& layout, Arena& arena) : layout_(layout), arena_(&arena) {
    layout.check();
    if (layout.pure_soa) idcpu_ = std::make_shared<IdVector>(arena);
    define(0, 0, {}, {});
}

void StructOfArrays::define(int runtime_real, int runtime_int, std::vector<std::string> real_names,
                            std::vector<std::string> int_names) {
    if (runtime_real < 0 || runtime_int < 0) throw ValueError("there cannot be a negative number of components");
    const int reals = layout_.array_real + runtime_real, ints = layout_.array_int + runtime_int;
    check_names(real_names, static_cast<std::size_t>(reals), "real");
    check_names(int_names, static_cast<std::size_t>(ints), "int");
    for (int i = static_cast<int>(real_names.size()); i < reals; ++i) real_names.push_back(layout_.real_name(i));
    for (int i = static_cast<int>(int_names.size()); i < ints; ++i) int_names.push_back(layout_.int_name(i));
    check_all_names(real_names, int_names);
    const std::size_t rows = size();
    auto real = real_;
    auto integer = int_;
    real.resize(static_cast<std::size_t>(reals));
    integer.resize(static_cast<std::size_t>(ints));
    for (auto& vector : real) {
        if (!vector) vector = std::make_shared<RealVector>(rows, *arena_);
    }
    for (auto& vector : integer) {
        if (!vector) vector = std::make_shared<IntVector>(rows, *arena_);
    }
    real_.swap(real);
    int_.swap(integer);
    real_names_.swap(real_names);
    int_names_.swap(int_names);
}

void StructOfArrays::add_real(std::string name) {
    if (name.empty()) name = layout_.real_name(num_real());
    check_component_name(name, real_names_, int_names_);
    install_real(std::move(name), std::make_shared<RealVector>(size(), *arena_));
}

void StructOfArrays::add_int(std::string name) {
    if (name.empty()) name = layout_.int_name(num_int());
    check_component_name(name, real_names_, int_names_);
    install_int(std::move(name), std::make_shared<IntVector>(size(), *arena_));
}

void StructOfArrays::install_real(std::string name, std::shared_ptr<RealVector> values) {
    check_component_name(name, real_names_, int_names_);
    real_.reserve(real_.size() + 1);
    real_names_.push_back(std::move(name));
    real_.push_back(std::move(values));
}

void StructOfArrays::install_int(std::string name, std::shared_ptr<IntVector> values) {
    check_component_name(name, real_names_, int_names_);
    int_.reserve(int_.size() + 1);
    int_names_.push_back(std::move(name));
    int_.push_back(std::move(values));
}

const std::shared_ptr<StructOfArrays::IdVector>& StructOfArrays::share_idcpu() const {
    if (!idcpu_) throw StateError("the ids of these particles are in their array of structs");
    return idcpu_;
}
const std::shared_ptr<StructOfArrays::RealVector>& StructOfArrays::share_real(Long component) const {
    return component_of(real_, component, "real");
}
const std::shared_ptr<StructOfArrays::IntVector>& StructOfArrays::share_int(Long component) const {
    return component_of(int_, component, "int");
}

std::size_t StructOfArrays::size() const noexcept {
    if (idcpu_) return idcpu_->size();
    if (!real_.empty()) return real_.front()->size();
    return int_.empty() ? 0 : int_.front()->size();
}

void StructOfArrays::resize(std::size_t size, GrowthStrategy growth) {
    const auto each = [&](auto see) {
        each_vector([&]<class T>(PODVector<T>& vector) { see(vector, size, static_cast<const T*>(nullptr), 0); });
    };
    detail::resize_together(each, is_plain(), growth);
}

template <class T>
void StructOfArrays::push_back(const std::vector<std::shared_ptr<PODVector<T>>>& all, const std::vector<T>& values) {
    if (values.size() > all.size()) {
        throw IndexError(concat("there are ", all.size(), " components, not ", values.size()));
    }
    const std::vector vectors(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(values.size()));  // held
    std::vector<std::size_t> sizes;
    for (const auto& vector : vectors) sizes.push_back(vector->size());
    const auto each = [&](auto see) {
        for (std::size_t i = 0; i < vectors.size(); ++i) {
            see(*vectors[i], sizes[i] + 1, &values[i], std::size_t{1});
        }
    };
    detail::resize_together(each, is_plain(), GrowthStrategy::Geometric);
}

void StructOfArrays::push_back_real(const std::vector<Real>& values) { push_back(real_, values); }
void StructOfArrays::push_back_int(const std::vector<int>& values) { push_back(int_, values); }

void StructOfArrays::set_num_neighbors(std::size_t count) {
    resize(num_particles() + count);
    neighbors_ = count;
}

void StructOfArrays::shrink_to_fit() {
    each_vector([](auto& vector) { vector.shrink_to_fit(); });
}

void StructOfArrays::set_arena(Arena& arena) {
    arena_ = &arena;
    each_vector([&](auto& vector) { vector.set_arena(arena); });
}

bool StructOfArrays::is_plain() const noexcept {
    bool plain = arena_->space().is_plain();
    const auto look = [&](const auto& vector) { plain = plain && vector.space().is_plain(); };
    if (idcpu_) look(*idcpu_);
    for (const auto& vector : real_) look(*vector);
    for (const auto& vector : int_) look(*vector);
    return plain;
}

template <class Do>
void StructOfArrays::each_vector(Do act) {
    // While this thread waits for a device, another may add components.
    const auto words = idcpu_;
    const auto real = real_;
    const auto integer = int_;
    if (words) act(*words);
    for (const auto& vector : real) act(*vector);
    for (const auto& vector : integer) act(*vector);
}

std::size_t StructOfArrays::capacity() const noexcept {
    std::size_t bytes = idcpu_ ? idcpu_->capacity() * sizeof(IdCpu) : 0;
    for (const auto& vector : real_) bytes += vector->capacity() * sizeof(Real);
    for (const auto& vector : int_) bytes += vector->capacity() * sizeof(int);
    return bytes;
}

void StructOfArrays::swap(StructOfArrays& other) noexcept {
    std::swap(layout_, other.layout_);
    std::swap(arena_, other.arena_);
    idcpu_.swap(other.idcpu_);
    real_.swap(other.real_);
    int_.swap(other.int_);
    real_names_.swap(other.real_names_);
    int_names_.swap(other.int_names_);
    std::swap(neighbors_, other.neighbors_);
}

}  // namespace zerofab
