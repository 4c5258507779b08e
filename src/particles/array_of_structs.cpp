// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/particles/array_of_structs.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "particles/growth.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {
namespace {

// Of no bytes the pointers may be null.
void copy_some(void* to, const void* from, std::size_t bytes) noexcept {
    if (bytes > 0) std::memcpy(to, from, bytes);
}

void check(const Particle& particle, const ParticleLayout& layout) {
    if (particle.dim != layout.dim || static_cast<int>(particle.rdata.size()) != layout.struct_real ||
        static_cast<int>(particle.idata.size()) != layout.struct_int) {
        throw ValueError(concat("a particle with ", particle.rdata.size(), " real and ", particle.idata.size(),
                                " int components does not fit records with ", layout.struct_real, " and ",
                                layout.struct_int));
    }
}

}  // namespace

ArrayOfStructs::ArrayOfStructs(const ParticleLayout& layout, Arena& arena) : layout_(layout), bytes_(arena) {
    layout.check();
    if (layout.pure_soa) throw ValueError("struct-of-arrays particles have no array of structs");
}

std::byte* ArrayOfStructs::record(Long index) const {
    if (index < 0 || index >= static_cast<Long>(size())) {
        throw IndexError(concat("particle ", index, " does not exist: there are ", size()));
    }
    return const_cast<std::byte*>(bytes_.data()) + static_cast<std::size_t>(index) * layout_.record_size();
}

Particle ArrayOfStructs::get(Long index) const {
    const std::byte* from = record(index);
    std::vector<std::byte> copy;
    if (!bytes_.space().is_plain()) {
        const AllocationPtr share = bytes_.share();  // while this thread waits, another may resize
        copy.resize(layout_.record_size());
        copy_bytes(copy.data(), {}, from, bytes_.space(), copy.size());
        from = copy.data();
    }
    Particle particle(layout_.dim, layout_.struct_real, layout_.struct_int);
    const std::size_t position = static_cast<std::size_t>(layout_.dim) * sizeof(Real);
    copy_some(particle.pos.data(), from, position);
    copy_some(particle.rdata.data(), from + position, particle.rdata.size() * sizeof(Real));
    copy_some(&particle.idcpu, from + layout_.id_offset(), sizeof(IdCpu));
    copy_some(particle.idata.data(), from + layout_.int_offset(), particle.idata.size() * sizeof(int));
    return particle;
}

void ArrayOfStructs::write(std::byte* to, const Particle& particle) const noexcept {
    const std::size_t position = static_cast<std::size_t>(layout_.dim) * sizeof(Real);
    copy_some(to, particle.pos.data(), position);
    copy_some(to + position, particle.rdata.data(), particle.rdata.size() * sizeof(Real));
    copy_some(to + layout_.id_offset(), &particle.idcpu, sizeof(IdCpu));
    copy_some(to + layout_.int_offset(), particle.idata.data(), particle.idata.size() * sizeof(int));
}

std::vector<std::byte> ArrayOfStructs::record_of(const Particle& particle) const {
    check(particle, layout_);
    std::vector<std::byte> bytes(layout_.record_size());
    write(bytes.data(), particle);
    return bytes;
}

void ArrayOfStructs::set(Long index, const Particle& particle) {
    check(particle, layout_);
    std::byte* const to = record(index);
    ++writes_;
    if (bytes_.space().is_plain()) return write(to, particle);
    const std::vector<std::byte> bytes = record_of(particle);
    const AllocationPtr share = bytes_.share();  // while this thread waits, another may resize
    copy_bytes(to, bytes_.space(), bytes.data(), {}, bytes.size());
}

void ArrayOfStructs::push_back(const Particle& particle) {
    check(particle, layout_);
    const std::size_t wanted = bytes_of(size() + 1);
    if (bytes_.space().is_plain()) {
        detail::make_room(bytes_, wanted, GrowthStrategy::Geometric);
        std::byte* const to = bytes_.data() + bytes_.size();
        std::memset(to, 0, layout_.record_size());
        write(to, particle);
        bytes_.resize_for_overwrite(wanted);
        return;
    }
    const std::vector<std::byte> bytes = record_of(particle);
    const auto each = [&](auto see) { see(bytes_, wanted, bytes.data(), bytes.size()); };
    detail::resize_together(each, bytes_.space().is_plain(), GrowthStrategy::Geometric);
}

void ArrayOfStructs::pop_back() {
    if (size() == 0) throw IndexError("pop_back from an empty array of structs");
    bytes_.resize(bytes_of(size() - 1));
    neighbors_ = std::min(neighbors_, size());
}

std::size_t ArrayOfStructs::bytes_of(std::size_t size) const {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(size, layout_.record_size(), &bytes) || bytes > PTRDIFF_MAX) {
        throw MemoryError(concat("an array of ", size, " particles does not fit any memory"));
    }
    return bytes;
}

void ArrayOfStructs::resize(std::size_t size, GrowthStrategy growth) {
    bytes_.resize(bytes_of(size), growth);
    neighbors_ = std::min(neighbors_, size);
}

void ArrayOfStructs::reserve(std::size_t size, GrowthStrategy growth) { bytes_.reserve(bytes_of(size), growth); }

void ArrayOfStructs::set_num_neighbors(std::size_t count) {
    const std::size_t real = num_particles();
    std::size_t total = 0;
    if (__builtin_add_overflow(real, count, &total)) total = PTRDIFF_MAX;
    resize(total);
    neighbors_ = count;
}

void ArrayOfStructs::swap(ArrayOfStructs& other) noexcept {
    std::swap(layout_, other.layout_);
    bytes_.swap(other.bytes_);
    std::swap(neighbors_, other.neighbors_);
}

}  // namespace zerofab
