// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/particles/particle.hpp"

#include <atomic>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {
namespace {

std::atomic<Long> next_id{1};

}  // namespace

Long take_particle_ids(Long count) {
    Long first = next_id.load();
    do {
        if (count < 0 || first - 1 > max_particle_id - count) {
            throw StateError(concat("there are no ", count, " particle ids left: set the next one back"));
        }
    } while (!next_id.compare_exchange_weak(first, first + count));
    return first;
}

Long next_particle_id() noexcept { return next_id.load(); }

void set_next_particle_id(Long id) {
    if (id < 1 || id > max_particle_id) {
        throw ValueError(concat("a particle id is a number from 1 to ", max_particle_id, ", not ", id));
    }
    next_id.store(id);
}

void ParticleLayout::check() const {
    if (dim < 1 || dim > 3) throw ValueError(concat("particles have 1, 2 or 3 dimensions, not ", dim));
    if (struct_real < 0 || struct_int < 0 || array_real < 0 || array_int < 0) {
        throw ValueError("a particle cannot have a negative number of components");
    }
    if (pure_soa && (array_real < dim || struct_real != 0 || struct_int != 0)) {
        throw ValueError(
            concat("a struct-of-arrays particle has at least ", dim, " real components, its position, and no others"));
    }
}

std::string ParticleLayout::name() const {
    const std::string arrays = concat(array_real, "_", array_int);
    return pure_soa ? "pureSoA_" + arrays : concat(struct_real, "_", struct_int, "_", arrays);
}

std::string ParticleLayout::real_name(int component) const {
    if (pure_soa && component < dim) return std::string(1, "xyz"[component]);
    return concat("real_comp", pure_soa ? component - dim : component);
}

std::string ParticleLayout::int_name(int component) const { return concat("int_comp", component); }

}  // namespace zerofab
