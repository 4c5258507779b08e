// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Particles in files: a folder of a plotfile or checkpoint.
#pragma once

#include <string>
#include <vector>

#include "zerofab/particles/particle_container.hpp"
#include "zerofab/particles/rows.hpp"

namespace zerofab {

/// What NAME/FOLDER/Header says about the particles of one species.
///
///     NAME/FOLDER/Header                 components, counts, and where each box's particles are
///     NAME/FOLDER/Level_0/Particle_H     boxes
///     NAME/FOLDER/Level_0/DATA_00000     numbers: per box the integers of all particles, then their reals
struct ZEROFAB_API ParticleHeader {
    /// The particles of one box: file number, how many, and the byte where they begin.
    struct Grid {
        int which = 0;
        Long count = 0;
        Long where = 0;
    };

    std::string path;  ///< of the file
    std::string version;
    std::string how;           ///< "double" or "single"
    bool convert_ids = false;  ///< whether id and rank are the two halves of one 64-bit word
    int dim = 0;
    std::vector<std::string> real_comp_names;  ///< without the position
    std::vector<std::string> int_comp_names;   ///< without id and rank
    bool is_checkpoint = false;
    Long num_particles = 0;
    Long next_id = 1;
    int finest_level = 0;
    std::vector<std::vector<Grid>> grids;  ///< by level

    /// IoError if it is not there, damaged or cut short.
    static ParticleHeader read(const std::string& dir, const std::string& file);
};

/// Which component of a file goes into which component of a tile.
struct ZEROFAB_API ParticleMatch {
    /// For each component of the tile but the position, those of records first, the number of that of the file.
    std::vector<int> real, integer;
    /// Components that the tile lacks; the last ones of `real` and `integer` are theirs.
    std::vector<std::string> new_real, new_integer;

    /// Match the components of a file with those of a tile by name. Names like real_comp0 or rdata_0, which nobody
    /// gave, are none: what they stand for is matched by position. ValueError that names the components without a
    /// counterpart; with `add`, those that only the file has are new ones.
    [[nodiscard]] static ParticleMatch of(const ParticleHeader& header, const ParticleTile& tile, bool add = false);
};

/// The folders of a plotfile that hold particles, sorted.
[[nodiscard]] ZEROFAB_API std::vector<std::string> list_particle_species(const std::string& plotfile);

/// Writes the valid particles that a container had when this was made; the container may change meanwhile.
///
///     ParticleWriter<3>(pc).write("plt00000", "particles", false);
template <int D>
class ZEROFAB_API ParticleWriter {
public:
    /// Names of all components but the position, or none: the container's own. ValueError if they do not fit.
    explicit ParticleWriter(const ParticleContainer<D>& particles, std::vector<std::string> real_names = {},
                            std::vector<std::string> int_names = {});

    /// The folder grows under another name and gets its own when it is whole; an older one is renamed. A checkpoint
    /// keeps all 64 bits of the id words, a plotfile 32 of the id. Where `dir` is a plotfile without a file job_info,
    /// one is written: by it yt knows that there are particles. IoError with path and reason.
    void write(const std::string& dir, const std::string& file, bool checkpoint) const;

private:
    struct Level {
        std::shared_ptr<const FabLayout<D>> layout;
        std::vector<std::vector<TileView>> boxes;  ///< the tiles of each box
    };
    std::string write_level(const Level& level, const std::string& folder, bool words, Long& total) const;

    ParticleLayout layout_;
    std::vector<std::string> real_names_, int_names_;
    std::vector<Level> levels_;
};

/// Read the particles of a file into a tile, all levels and boxes one after the other, in the order of the file.
/// `tile`: empty, with components that match those of the file (ParticleMatch), else ValueError. Later particles get
/// ids that the file does not use. IoError if the file is damaged or cut short; the tile is empty then. What all boxes
/// claim is checked against the size of the files before memory is taken.
ZEROFAB_API void read_particles(const std::string& dir, const std::string& file, ParticleTile& tile);

extern template class ParticleWriter<1>;
extern template class ParticleWriter<2>;
extern template class ParticleWriter<3>;

}  // namespace zerofab
