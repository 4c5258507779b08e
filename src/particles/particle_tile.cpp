// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/particles/particle_tile.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <type_traits>

#include "particles/growth.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {
namespace {

/// The index of an element in memory of any kind; while a thread waits for a device, another may make vectors shorter.
template <class T>
void check_element(const PODVector<T>& vector, std::size_t at) {
    if (at >= vector.size()) throw IndexError(concat("particle ", at, " does not exist any more"));
}

template <class T>
T element(const PODVector<T>& vector, std::size_t at) {
    check_element(vector, at);
    if (vector.space().is_plain()) return vector[at];
    const AllocationPtr share = vector.share();
    T value{};
    copy_bytes(&value, {}, vector.data() + at, vector.space(), sizeof value);
    return value;
}

template <class T>
void set_element(PODVector<T>& vector, std::size_t at, T value) {
    check_element(vector, at);
    if (vector.space().is_plain()) {
        vector[at] = value;
        return;
    }
    const AllocationPtr share = vector.share();
    copy_bytes(vector.data() + at, vector.space(), &value, {}, sizeof value);
}

}  // namespace

ParticleTile::ParticleTile(const ParticleLayout& layout, Arena& arena)
    : soa_(std::make_shared<StructOfArrays>(layout, arena)) {
    if (!layout.pure_soa) aos_ = std::make_shared<ArrayOfStructs>(layout, arena);
}

const std::shared_ptr<ArrayOfStructs>& ParticleTile::share_aos() const {
    if (!aos_) throw StateError("struct-of-arrays particles have no array of structs: use the struct of arrays");
    return aos_;
}

void ParticleTile::define(int runtime_real, int runtime_int, std::vector<std::string> real_names,
                          std::vector<std::string> int_names, Arena& arena) {
    soa_->define(runtime_real, runtime_int, std::move(real_names), std::move(int_names));
    set_arena(arena);
}

void ParticleTile::resize(std::size_t size, GrowthStrategy growth) {
    resize_to(size, nullptr, growth);
    if (aos_) aos_->mark_neighbors(std::min(aos_->num_neighbors(), size));
}

void ParticleTile::set_num_neighbors(std::size_t count) {
    std::size_t total = 0;
    if (__builtin_add_overflow(num_particles(), count, &total)) total = PTRDIFF_MAX;
    resize_to(total, nullptr, GrowthStrategy::Poisson);
    if (aos_) aos_->mark_neighbors(count);
    soa_->mark_neighbors(count);
}

void ParticleTile::forget_neighbors() noexcept {
    soa_->forget_neighbors();
    if (aos_) aos_->forget_neighbors();
}

void ParticleTile::shrink_to_fit() {
    soa_->shrink_to_fit();
    if (aos_) aos_->shrink_to_fit();
}

void ParticleTile::set_arena(Arena& arena) {
    soa_->set_arena(arena);
    if (aos_) aos_->set_arena(arena);
}

bool ParticleTile::is_plain() const noexcept { return soa_->is_plain() && (!aos_ || aos_->bytes().space().is_plain()); }

void ParticleTile::swap(ParticleTile& other) noexcept {
    soa_->swap(*other.soa_);
    if (aos_ && other.aos_)
        aos_->swap(*other.aos_);
    else
        aos_.swap(other.aos_);
}

std::size_t ParticleTile::capacity() const noexcept { return soa_->capacity() + (aos_ ? aos_->bytes().capacity() : 0); }

bool ParticleTile::is_record(const Particle& particle) const noexcept {
    return aos_ && particle.dim == layout().dim && static_cast<int>(particle.rdata.size()) == layout().struct_real &&
           static_cast<int>(particle.idata.size()) == layout().struct_int;
}

void ParticleTile::check_super(const Particle& particle) const {
    if (particle.dim != layout().dim || static_cast<int>(particle.rdata.size()) != super_real() ||
        static_cast<int>(particle.idata.size()) != super_int()) {
        throw ValueError(concat("a particle with ", particle.rdata.size(), " real and ", particle.idata.size(),
                                " int components in ", particle.dim, " dimensions does not fit a tile with ",
                                super_real(), " and ", super_int(), " in ", layout().dim));
    }
}

void ParticleTile::check_index(Long index) const {
    // Components may still be shorter than others.
    std::size_t rows = size();
    for (int i = 0; i < layout().array_real; ++i) rows = std::min(rows, soa_->real(i).size());
    for (int i = 0; i < layout().array_int; ++i) rows = std::min(rows, soa_->integer(i).size());
    if (index < 0 || index >= static_cast<Long>(rows)) {
        throw IndexError(concat("particle ", index, " does not exist: there are ", rows, " with all components"));
    }
}

Particle ParticleTile::record_of(const Particle& particle) const {
    Particle record = particle;
    record.rdata.resize(static_cast<std::size_t>(layout().struct_real));
    record.idata.resize(static_cast<std::size_t>(layout().struct_int));
    return record;
}

Particle ParticleTile::get(Long index) const {
    check_index(index);
    const auto at = static_cast<std::size_t>(index);
    Particle particle(layout().dim, 0, 0);
    if (aos_) {
        particle = aos_->get(index);
    } else {
        for (int d = 0; d < layout().dim; ++d) particle.pos[static_cast<std::size_t>(d)] = element(soa_->real(d), at);
        particle.idcpu = element(soa_->idcpu(), at);
    }
    for (int i = 0; i < layout().array_real; ++i) particle.rdata.push_back(element(soa_->real(i), at));
    for (int i = 0; i < layout().array_int; ++i) particle.idata.push_back(element(soa_->integer(i), at));
    return particle;
}

void ParticleTile::set(Long index, const Particle& particle) {
    check_super(particle);
    check_index(index);
    const auto at = static_cast<std::size_t>(index);
    ++writes_;
    if (aos_) {
        aos_->set(index, record_of(particle));
    } else {
        set_element(soa_->idcpu(), at, particle.idcpu);
    }
    auto real = particle.rdata.begin() + layout().struct_real;
    for (int i = 0; i < layout().array_real; ++i) set_element(soa_->real(i), at, *real++);
    auto integer = particle.idata.begin() + layout().struct_int;
    for (int i = 0; i < layout().array_int; ++i) set_element(soa_->integer(i), at, *integer++);
    if (!aos_) {
        for (int d = 0; d < layout().dim; ++d) {
            set_element(soa_->real(d), at, particle.pos[static_cast<std::size_t>(d)]);
        }
    }
}

void ParticleTile::push_back(const Particle& particle) {
    if (is_record(particle)) {
        const bool all = super_real() == layout().struct_real && super_int() == layout().struct_int;
        if (!all || soa_->num_real() + soa_->num_int() == 0) return aos_->push_back(particle);
    }
    check_super(particle);
    resize_to(size() + 1, &particle, GrowthStrategy::Geometric);
}

/// see(vector, number of its component) for all columns; held, as another thread may give the tile other ones.
template <class See>
void ParticleTile::each_column(See see) const {
    const auto soa = soa_;
    for (int i = 0; i < soa->num_real(); ++i) see(*std::shared_ptr(soa->share_real(i)), i);
    for (int i = 0; i < soa->num_int(); ++i) see(*std::shared_ptr(soa->share_int(i)), i);
}

/// So many particles, the last of which becomes `*last`, if that is not null and fits; after an error nothing has
/// changed.
void ParticleTile::resize_to(std::size_t size, const Particle* last, GrowthStrategy growth) {
    std::vector<std::byte> record;
    if (aos_ && last != nullptr) record = aos_->record_of(record_of(*last));
    const std::size_t bytes = aos_ ? aos_->bytes_of(size) : 0;
    const auto aos = aos_;
    const auto words = aos_ ? nullptr : soa_->share_idcpu();
    // The real components of a struct-of-arrays particle begin with its position.
    const auto value = [&]<class T>(int i, T*) -> const T* {
        if (last == nullptr) return nullptr;
        const auto at = static_cast<std::size_t>(i);
        if constexpr (std::is_same_v<T, Real>) {
            if (i >= layout().array_real) return nullptr;
            if (!aos && i < layout().dim) return &last->pos[at];
            return &last->rdata[at + static_cast<std::size_t>(layout().struct_real)];
        } else {
            return i >= layout().array_int ? nullptr : &last->idata[at + static_cast<std::size_t>(layout().struct_int)];
        }
    };
    const auto each = [&](auto see) {
        if (aos) see(aos->bytes(), bytes, record.data(), record.size());
        if (words) see(*words, size, last != nullptr ? &last->idcpu : nullptr, last != nullptr ? 1 : 0);
        each_column([&]<class T>(PODVector<T>& vector, int i) {
            const T* const element = value(i, static_cast<T*>(nullptr));
            see(vector, size, element, element != nullptr ? 1 : 0);
        });
    };
    detail::resize_together(each, is_plain(), growth);
}

}  // namespace zerofab
