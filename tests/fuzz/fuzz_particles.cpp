// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Fuzzing of particle files: any files are read into both layouts, or refused with IoError and the tile left empty.
#include <cstdint>
#include <string>
#include <vector>

#include "folder.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/io/particle_file.hpp"

namespace {

using namespace zerofab;

double use(const ParticleTile& tile) {
    double sum = 0;
    const StructOfArrays& soa = tile.soa();
    for (std::size_t place = 0; place < tile.size(); ++place) {
        sum += static_cast<double>(tile.get(static_cast<Long>(place)).idcpu);
        for (int i = 0; i < soa.num_real(); ++i) {
            sum += soa.real(i)[place];
        }
        for (int i = 0; i < soa.num_int(); ++i) {
            sum += soa.integer(i)[place];
        }
    }
    return sum;
}

void read_into(const ParticleLayout& layout, const ParticleHeader& header, const std::string& path) {
    ParticleTile tile(layout);
    try {
        read_particles(path, "particles", tile);
        fuzz::check(static_cast<Long>(tile.size()) == header.num_particles);
    } catch (const IoError&) {
        fuzz::check(tile.size() == 0);
    }
    static volatile double sink = 0;
    sink = use(tile);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::Folder folder({"particles/Header", "particles/Level_0/DATA_00000",
                                      "particles/Level_0/DATA_00001", "particles/Level_1/DATA_00000"});
    if (!Runtime::initialized()) {
        Runtime::initialize("cpu");
    }
    folder.fill(data, size);
    fuzz::check(list_particle_species(folder.path()).size() <= 1);
    try {
        const ParticleHeader header = ParticleHeader::read(folder.path(), "particles");
        const auto reals = static_cast<int>(header.real_comp_names.size());
        const auto ints = static_cast<int>(header.int_comp_names.size());
        read_into({header.dim, true, 0, 0, header.dim + reals, ints}, header, folder.path());
        read_into({header.dim, false, reals / 2, ints / 2, reals - reals / 2, ints - ints / 2}, header, folder.path());
    } catch (const IoError&) {
    }
    return 0;
}
