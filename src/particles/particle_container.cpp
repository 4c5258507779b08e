// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/particles/particle_container.hpp"

#include <random>
#include <type_traits>
#include <utility>

#include "particles/cells.hpp"
#include "particles/device_deposit.hpp"
#include "particles/installation.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/comm/communicator.hpp"
#include "zerofab/index/format.hpp"
#include "zerofab/particles/redistribution.hpp"

namespace zerofab {
namespace {

/// Fill all particles of a tile with start values and new ids.
void start(ParticleTile& tile, const ParticleInit& init) {
    const ParticleLayout& layout = tile.layout();
    const std::size_t size = tile.size();
    const Long id = take_particle_ids(static_cast<Long>(size));
    const int rank = communicator().rank();
    const auto word = [&](std::size_t i) { return pack_cpu(pack_id(0, id + static_cast<Long>(i)), rank); };
    StructOfArrays& soa = tile.soa();
    for (int i = 0; i < layout.array_real; ++i) soa.real(i).assign(init.array_real[static_cast<std::size_t>(i)]);
    for (int i = 0; i < layout.array_int; ++i) soa.integer(i).assign(init.array_int[static_cast<std::size_t>(i)]);
    if (layout.pure_soa) {
        IdCpu* const words = soa.idcpu().data();
        for (std::size_t i = 0; i < size; ++i) words[i] = word(i);
        return;
    }
    Particle record(layout.dim, layout.struct_real, layout.struct_int);
    record.rdata = init.struct_real;
    record.idata = init.struct_int;
    for (std::size_t i = 0; i < size; ++i) {
        record.idcpu = word(i);
        tile.aos().set(static_cast<Long>(i), record);
    }
}

void set_position(ParticleTile& tile, std::size_t place, int d, Real x) {
    if (tile.layout().pure_soa) {
        tile.soa().real(d)[place] = x;
    } else {
        std::byte* record = tile.aos().bytes().data() + place * tile.layout().record_size();
        std::memcpy(record + static_cast<std::size_t>(d) * sizeof(Real), &x, sizeof x);
    }
}

/// A number in [0, 1): the same everywhere for the same generator.
Real uniform(std::mt19937_64& random) { return static_cast<Real>(random() >> 11) * 0x1.0p-53; }

/// The tiles of a level, and where their particles are: valid whatever becomes of the container while this thread
/// waits for a device.
template <int D>
struct Places {
    explicit Places(const ParticleLevel<D>& level) : geom(level.geom), layout(level.layout) {
        for (const auto& [key, tile] : level.tiles) {
            keys.push_back(key);
            tiles.emplace_back(*tile);
        }
    }
    void to_host() {
        for (TileView& view : tiles) view.places_to_host();
    }
    Geometry<D> geom;
    std::shared_ptr<const FabLayout<D>> layout;
    std::vector<TileKey> keys;
    std::vector<TileView> tiles;
};

std::size_t checked_count(Long count) {
    if (count < 0) throw ValueError("there cannot be " + std::to_string(count) + " particles");
    return static_cast<std::size_t>(count);
}

}  // namespace

template <int D>
ParticleContainer<D>::ParticleContainer(const ParticleLayout& layout, Arena& arena)
    : layout_(layout), pattern_(layout, arena) {
    if (layout.dim != D) {
        throw ValueError("a layout of " + std::to_string(layout.dim) + " dimensions does not fit a container of " +
                         std::to_string(D));
    }
}

template <int D>
ParticleContainer<D>::ParticleContainer(const ParticleLayout& layout, const Geometry<D>& geom,
                                        const DistributionMapping& owners, const BoxArray<D>& boxes, Arena& arena)
    : ParticleContainer(layout, arena) {
    define(geom, owners, boxes);
}

template <int D>
void ParticleContainer<D>::define(const Geometry<D>& geom, const DistributionMapping& owners,
                                  const BoxArray<D>& boxes) {
    define(std::vector{geom}, std::vector{owners}, std::vector{boxes});
}

template <int D>
void ParticleContainer<D>::define(const std::vector<Geometry<D>>& geom, const std::vector<DistributionMapping>& owners,
                                  const std::vector<BoxArray<D>>& boxes) {
    if (geom.empty() || geom.size() != owners.size() || geom.size() != boxes.size()) {
        throw ValueError("each level needs a geometry, owners and boxes: there are " + std::to_string(geom.size()) +
                         ", " + std::to_string(owners.size()) + " and " + std::to_string(boxes.size()));
    }
    std::vector<ParticleLevel<D>> levels;
    for (std::size_t i = 0; i < geom.size(); ++i) {
        if (geom[i].domain().is_empty() || !(geom[i].prob_domain().volume() > 0)) {
            throw ValueError("the geometry of level " + std::to_string(i) + " is not defined");
        }
        levels.push_back({geom[i], FabLayout<D>::of(boxes[i], owners[i]), {}});
    }
    levels_.swap(levels);
}

template <int D>
void ParticleContainer<D>::define_like(const ParticleContainer& other) {
    if (this == &other) return clear();
    ParticleTile pattern = other.fresh_tile();
    std::vector<ParticleLevel<D>> levels;
    for (const ParticleLevel<D>& level : other.levels_) levels.push_back({level.geom, level.layout, {}});
    layout_ = other.layout_;
    pattern_ = std::move(pattern);
    levels_.swap(levels);
}

template <int D>
std::size_t ParticleContainer<D>::checked_level(int number) const {
    if (levels_.empty()) throw StateError("this container has no levels: define() it");
    if (number < 0 || number >= num_levels()) {
        throw IndexError("level " + std::to_string(number) + " does not exist: the finest is " +
                         std::to_string(finest_level()));
    }
    return static_cast<std::size_t>(number);
}

template <int D>
ParticleTile ParticleContainer<D>::fresh_tile(Arena& arena) const {
    ParticleTile tile(layout_, arena);
    tile.define(num_real() - layout_.array_real, num_int() - layout_.array_int, real_names(), int_names(), arena);
    return tile;
}

template <int D>
Arena& ParticleContainer<D>::host_arena() const {
    return arena().place().is_plain() ? arena() : The_Cpu_Arena();
}

template <int D>
void ParticleContainer<D>::check_tile(int lev, int grid, int tile) const {
    const ParticleLevel<D>& here = level(lev);
    if (grid < 0 || grid >= here.layout->size() || here.layout->local_index(grid) < 0 || tile < 0) {
        throw IndexError("tile " + std::to_string(tile) + " of box " + std::to_string(grid) +
                         " does not exist on this rank: level " + std::to_string(lev) + " has " +
                         std::to_string(here.layout->size()) + " boxes");
    }
}

template <int D>
const std::shared_ptr<ParticleTile>& ParticleContainer<D>::share_tile(int lev, int grid, int tile) {
    check_tile(lev, grid, tile);
    ParticleLevel<D>& here = level(lev);
    std::shared_ptr<ParticleTile>& found = here.tiles[{grid, tile}];
    if (!found) {
        try {
            found = std::make_shared<ParticleTile>(fresh_tile());
        } catch (...) {
            here.tiles.erase({grid, tile});
            throw;
        }
    }
    return found;
}

template <int D>
void ParticleContainer<D>::check_tiles() const {
    for (const ParticleLevel<D>& level : levels_) {
        for (const auto& [key, tile] : level.tiles) {
            if (tile->layout() != layout_ || tile->soa().real_names() != real_names() ||
                tile->soa().int_names() != int_names()) {
                throw StateError("the tile of box " + std::to_string(key.first) +
                                 " was given other components than its container has");
            }
        }
    }
}

template <int D>
std::vector<std::shared_ptr<ParticleTile>> ParticleContainer<D>::tiles() const {
    std::vector<std::shared_ptr<ParticleTile>> all;
    for (const ParticleLevel<D>& level : levels_) {
        for (const auto& [key, tile] : level.tiles) all.push_back(tile);
    }
    return all;
}

/// All memory first: after an error nothing has changed, and no other thread sees half of it.
template <int D>
template <class Vector>
void ParticleContainer<D>::add_component(void (StructOfArrays::*install)(std::string, std::shared_ptr<Vector>),
                                         const std::string& name) {
    const auto held = tiles();
    std::vector<std::shared_ptr<Vector>> fresh;
    for (const auto& tile : held) fresh.push_back(std::make_shared<Vector>(tile->size(), tile->soa().arena()));
    bool same = held == tiles();
    for (std::size_t i = 0; same && i < held.size(); ++i) same = held[i]->size() == fresh[i]->size();
    if (!same) throw StateError("the particles changed while a component was being added");
    check_tiles();
    check_component_name(name, real_names(), int_names());
    for (std::size_t i = 0; i < held.size(); ++i) (held[i]->soa().*install)(name, std::move(fresh[i]));
    (pattern_.soa().*install)(name, std::make_shared<Vector>(0, pattern_.soa().arena()));
}

template <int D>
void ParticleContainer<D>::add_real_comp(const std::string& name) {
    const std::string chosen = name.empty() ? layout_.real_name(num_real()) : name;
    check_component_name(chosen, real_names(), int_names());
    check_tiles();
    add_component(&StructOfArrays::install_real, chosen);
}

template <int D>
void ParticleContainer<D>::add_int_comp(const std::string& name) {
    const std::string chosen = name.empty() ? layout_.int_name(num_int()) : name;
    check_component_name(chosen, real_names(), int_names());
    check_tiles();
    add_component(&StructOfArrays::install_int, chosen);
}

template <int D>
void ParticleContainer<D>::set_names(std::vector<std::string> reals, std::vector<std::string> ints) {
    if (static_cast<int>(reals.size()) != layout_.array_real || static_cast<int>(ints.size()) != layout_.array_int) {
        throw ValueError("names are needed for " + std::to_string(layout_.array_real) + " real and " +
                         std::to_string(layout_.array_int) + " int components, not for " +
                         std::to_string(reals.size()) + " and " + std::to_string(ints.size()));
    }
    reals.insert(reals.end(), real_names().begin() + layout_.array_real, real_names().end());
    ints.insert(ints.end(), int_names().begin() + layout_.array_int, int_names().end());
    pattern_.soa().define(num_real() - layout_.array_real, num_int() - layout_.array_int, reals, ints);
    for (ParticleLevel<D>& level : levels_) {
        for (auto& [key, tile] : level.tiles) {
            tile->soa().define(num_real() - layout_.array_real, num_int() - layout_.array_int, reals, ints);
        }
    }
}

template <int D>
void ParticleContainer<D>::set_arena(Arena& arena) {
    pattern_.set_arena(arena);
    for (const auto& tile : tiles()) tile->set_arena(arena);
}

template <int D>
void ParticleContainer<D>::check_init(const ParticleInit& init) const {
    if (!(init.layout == layout_)) {
        throw ValueError("start values for particles " + init.layout.name() + " in " + std::to_string(init.layout.dim) +
                         " dimensions do not fit particles " + layout_.name());
    }
    const auto size = [](int n) { return static_cast<std::size_t>(n); };
    if (init.array_real.size() != size(layout_.array_real) || init.array_int.size() != size(layout_.array_int) ||
        init.struct_real.size() != size(layout_.struct_real) || init.struct_int.size() != size(layout_.struct_int)) {
        throw ValueError("there must be one start value for each component of particles " + layout_.name());
    }
}

template <int D>
void ParticleContainer<D>::absorb(const std::vector<const ParticleTile*>& tiles, int lev, const OnLost& on_lost) {
    std::vector<TileView> views;
    for (const ParticleTile* tile : tiles) views.emplace_back(*tile);
    Redistribution<D> move(*this, std::move(views), lev);
    move.run();
    if (on_lost && move.lost().count() > 0) on_lost(move.lost());
    move.install(*this);
}

template <int D>
void ParticleContainer<D>::init_random(Long count, unsigned seed, const ParticleInit& init, const RealBox<D>& region,
                                       const OnLost& on_lost) {
    check_init(init);
    const std::size_t rows = checked_count(count);
    const RealBox<D>& domain = level(0).geom.prob_domain();
    if (!region.ok() || !domain.contains(region)) {
        throw ValueError("the region " + to_string(region) + " is not in the physical domain " + to_string(domain));
    }
    ParticleTile made = fresh_tile(host_arena());
    made.resize(rows);
    start(made, init);
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < rows; ++i) {
        for (int d = 0; d < D; ++d) {
            const Real x = region.lo(d) + uniform(random) * region.length(d);
            // The domain does not hold its high end.
            set_position(made, i, d, x < domain.hi(d) ? x : std::nextafter(domain.hi(d), domain.lo(d)));
        }
    }
    absorb({&made}, finest_level(), on_lost);
}

template <int D>
void ParticleContainer<D>::init_random_per_box(Long count, unsigned seed, const ParticleInit& init,
                                               const OnLost& on_lost) {
    check_init(init);
    const std::size_t rows = checked_count(count);
    const ParticleLevel<D>& coarse = level(0);
    const auto boxes = static_cast<std::size_t>(coarse.layout->num_local());
    ParticleTile made = fresh_tile(host_arena());
    std::size_t total = 0;
    if (__builtin_mul_overflow(rows, boxes, &total)) throw MemoryError("so many particles do not fit any memory");
    made.resize(total);
    start(made, init);
    std::size_t place = 0;
    for (std::size_t b = 0; b < boxes; ++b) {
        const auto grid = static_cast<std::size_t>(coarse.layout->local_boxes()[b]);
        const Box<D> box = coarse.layout->boxes().cells()[grid];
        std::seed_seq seeds{seed, static_cast<unsigned>(grid)};
        std::mt19937_64 random(seeds);
        for (std::size_t i = 0; i < rows; ++i, ++place) {
            for (int d = 0; d < D; ++d) {
                // Half a cell of rounding away from the rim would be too much; a thousandth keeps it in its box.
                const Real cells = 1e-3 + uniform(random) * (static_cast<Real>(box.length(d)) - 2e-3);
                const Real first = static_cast<Real>(box.small_end(d) - coarse.geom.domain().small_end(d));
                set_position(made, place, d, coarse.geom.prob_lo(d) + (first + cells) * coarse.geom.cell_size(d));
            }
        }
    }
    absorb({&made}, finest_level(), on_lost);
}

template <int D>
void ParticleContainer<D>::init_one_per_cell(const RealVect<D>& offset, const ParticleInit& init,
                                             const OnLost& on_lost) {
    check_init(init);
    const ParticleLevel<D>& coarse = level(0);
    for (int d = 0; d < D; ++d) {
        if (!(offset[d] >= 0 && offset[d] < 1)) throw ValueError("an offset must be in [0, 1), in cells");
    }
    ParticleTile made = fresh_tile(host_arena());
    std::size_t total = 0;
    for (const int grid : coarse.layout->local_boxes()) {
        total += static_cast<std::size_t>(coarse.layout->boxes().cells()[static_cast<std::size_t>(grid)].num_pts());
    }
    made.resize(total);
    start(made, init);
    std::size_t place = 0;
    for (const int grid : coarse.layout->local_boxes()) {
        const Box<D> box = coarse.layout->boxes().cells()[static_cast<std::size_t>(grid)];
        IntVect<D> cell = box.small_end();
        for (Long n = box.num_pts(); n > 0; --n, ++place) {
            for (int d = 0; d < D; ++d) {
                const Real cells = static_cast<Real>(cell[d] - coarse.geom.domain().small_end(d)) + offset[d];
                set_position(made, place, d, coarse.geom.prob_lo(d) + cells * coarse.geom.cell_size(d));
            }
            for (int d = 0; d < D && ++cell[d] > box.big_end(d); ++d) cell[d] = box.small_end(d);
        }
    }
    absorb({&made}, finest_level(), on_lost);
}

template <int D>
void ParticleContainer<D>::add_particles_at_level(const ParticleTile& tile, int lev, const OnLost& on_lost) {
    absorb({&tile}, lev, on_lost);
}

template <int D>
void ParticleContainer<D>::add_particles(const ParticleContainer& other, bool local, const OnLost& on_lost) {
    if (!(other.layout_ == layout_) || other.num_real() != num_real() || other.num_int() != num_int()) {
        throw ValueError("particles " + other.layout_.name() + " with " + std::to_string(other.num_real()) +
                         " real and " + std::to_string(other.num_int()) + " int components cannot join particles " +
                         layout_.name() + " with " + std::to_string(num_real()) + " and " + std::to_string(num_int()));
    }
    if (!local) {
        std::vector<const ParticleTile*> tiles;
        for (const ParticleLevel<D>& from : other.levels_) {
            for (const auto& [key, tile] : from.tiles) tiles.push_back(tile.get());
        }
        if (!tiles.empty()) absorb(tiles, finest_level(), on_lost);
        return;
    }
    check_tiles();
    other.check_tiles();
    // Work everything out first: after an error nothing has changed.
    struct Join {
        int level;
        TileKey key;
        TileMark mark;  // of ours: the other's particles are copies
        std::vector<TileView> views;
        TileData data;
    };
    std::vector<Join> joined;
    const auto reals = static_cast<std::size_t>(num_real()), ints = static_cast<std::size_t>(num_int());
    for (int lev = 0; lev < other.num_levels(); ++lev) {
        for (const auto& [key, tile] : other.level(lev).tiles) {
            check_tile(lev, key.first, key.second);
            joined.push_back({lev, key, {}, {}, TileData(layout_, reals, ints, arena())});
            const auto& mine = level(lev).tiles;
            if (const auto found = mine.find(key); found != mine.end()) {
                joined.back().mark = TileMark(found->second);
                joined.back().views.emplace_back(*found->second);
            }
            joined.back().views.emplace_back(*tile);
        }
    }
    for (Join& join : joined) {
        std::vector<RowRef> rows;
        for (std::size_t source = 0; source < join.views.size(); ++source) {
            join.views[source].to_host();
            for (std::size_t row = 0; row < join.views[source].rows; ++row) rows.emplace_back(source, row);
        }
        for (std::size_t column = 0; column < join.data.columns(); ++column) {
            join.data.gather(column, join.views, rows);
        }
        join.data.settle();
    }
    if (static_cast<std::size_t>(num_real()) != reals || static_cast<std::size_t>(num_int()) != ints) {
        throw StateError("the components of the particles changed while they were being added");
    }
    check_tiles();
    detail::Installation<D> all(*this, "added");
    for (Join& join : joined) all.add(join.level, join.key, join.mark, join.data);
    all.install();
}

template <int D>
void ParticleContainer<D>::clear() {
    for (int lev = 0; lev < num_levels(); ++lev) clear_level(lev);
}

template <int D>
void ParticleContainer<D>::clear_level(int lev) {
    const auto old = std::exchange(level(lev).tiles, {});  // freeing memory of a device may let other threads run
}

template <int D>
void ParticleContainer<D>::shrink_to_fit() {
    const auto held = tiles();  // freed last
    for (ParticleLevel<D>& level : levels_) {
        // A tile that somebody else holds stays: they may be about to fill it.
        std::erase_if(level.tiles,
                      [](const auto& item) { return item.second->size() == 0 && item.second.use_count() <= 2; });
    }
    for (const auto& tile : tiles()) tile->shrink_to_fit();
}

template <int D>
void ParticleContainer<D>::redistribute(const RedistributeOptions& options) {
    Redistribution<D> move(*this, options);
    move.run();
    move.install(*this);
}

template <int D>
void ParticleContainer<D>::sort_by_bin(const IntVect<D>& bin) {
    BinSort<D> sort(*this, bin);
    sort.run();
    sort.install(*this);
}

template <int D>
bool ParticleContainer<D>::ok(int lev_min, int lev_max, const IntVect<D>& ngrow) const {
    if (levels_.empty()) return true;
    if (lev_max < 0) lev_max = finest_level();
    static_cast<void>(checked_level(lev_min));
    static_cast<void>(checked_level(lev_max));
    for (int lev = lev_min; lev <= lev_max; ++lev) {
        Places<D> here(level(lev));
        here.to_host();
        const detail::CellFinder<D> cells(here.geom);
        for (std::size_t t = 0; t < here.tiles.size(); ++t) {
            const TileView& view = here.tiles[t];
            Box<D> box = here.layout->boxes().cells()[static_cast<std::size_t>(here.keys[t].first)];
            box.grow(ngrow);
            for (std::size_t row = 0; row < view.rows; ++row) {
                if (!is_valid(view.id_word(row))) continue;
                IntVect<D> cell;
                for (int d = 0; d < D; ++d) {
                    if (!cells.cell(view.position(row, d), d, cell[d])) return false;
                }
                if (!box.contains(cell)) return false;
            }
        }
    }
    return true;
}

template <int D>
std::vector<Long> ParticleContainer<D>::count_in_grids(int lev, bool only_valid) const {
    if (levels_.empty() && lev == 0) return {};
    const ParticleLevel<D>& here = level(lev);
    std::vector<Long> counts(static_cast<std::size_t>(here.layout->size()));
    if (!only_valid) {
        for (const auto& [key, tile] : here.tiles) {
            counts[static_cast<std::size_t>(key.first)] += static_cast<Long>(tile->num_particles());
        }
        return counts;
    }
    std::vector<std::pair<TileKey, TileView>> tiles;
    for (const auto& [key, tile] : here.tiles) tiles.emplace_back(key, TileView(*tile));
    for (auto& [key, view] : tiles) {  // the level itself may change while this thread waits for a device
        view.idcpu.to_host(TileData::element_size(layout_, 0, 0));
        Long& count = counts[static_cast<std::size_t>(key.first)];
        for (std::size_t row = 0; row < view.rows; ++row) count += is_valid(view.id_word(row)) ? 1 : 0;
    }
    return counts;
}

template <int D>
Long ParticleContainer<D>::count_at_level(int lev, bool only_valid) const {
    Long sum = 0;
    for (const Long count : count_in_grids(lev, only_valid)) sum += count;
    return sum;
}

template <int D>
Long ParticleContainer<D>::count(bool only_valid) const {
    Long sum = 0;
    for (int lev = 0; lev < num_levels(); ++lev) sum += count_at_level(lev, only_valid);
    return sum;
}

template <int D>
Long ParticleContainer<D>::bytes() const {
    const std::size_t row = (layout_.pure_soa ? sizeof(IdCpu) : layout_.record_size()) +
                            static_cast<std::size_t>(num_real()) * sizeof(Real) +
                            static_cast<std::size_t>(num_int()) * sizeof(int);
    return count(false) * static_cast<Long>(row);
}

template <int D>
Long ParticleContainer<D>::capacity() const {
    std::size_t bytes = 0;
    for (const ParticleLevel<D>& level : levels_) {
        for (const auto& [key, tile] : level.tiles) bytes += tile->capacity();
    }
    return static_cast<Long>(bytes);
}

template <int D>
void ParticleContainer<D>::increment(MultiFab<D>& counts, int lev) const {
    const ParticleLevel<D>& here = level(lev);
    const Lease<D> body = counts.lease();
    if (!same_layout(*body->layout, *here.layout) || body->layout->ix_type() != IndexType<D>::cell()) {
        throw ValueError("the MultiFab must have the boxes of level " + std::to_string(lev) + ", cell-centred");
    }
    if (body->ncomp < 1 || body->num_local() != body->layout->num_local()) {
        throw ValueError("the MultiFab has no component or no memory");
    }
    Places<D> places(here);
    std::vector<int> fabs;
    for (const TileKey& key : places.keys) fabs.push_back(places.layout->local_index(key.first));
    if (detail::deposit_on_device(*body, places.geom, places.tiles, fabs)) return;
    places.to_host();
    const detail::CellFinder<D> cells(places.geom);
    for (std::size_t t = 0; t < fabs.size(); ++t) {
        const TileView& view = places.tiles[t];
        const FabMemory<D>& fab = body->fabs[static_cast<std::size_t>(fabs[t])];
        const Place place = fab.memory ? fab.memory->place() : Place{};
        auto* data = static_cast<Real*>(fab.data);
        std::vector<Real> copy;
        if (!place.is_plain()) {
            copy.resize(static_cast<std::size_t>(fab.box.num_pts()));
            copy_bytes(copy.data(), {}, data, place, copy.size() * sizeof(Real));
            data = copy.data();
        }
        const Box<D> box = fab.box;
        std::array<Long, D> stride;
        stride[0] = 1;
        for (std::size_t d = 1; d < D; ++d) stride[d] = stride[d - 1] * box.length(static_cast<int>(d) - 1);
        for (std::size_t row = 0; row < view.rows; ++row) {
            if (!is_valid(view.id_word(row))) continue;
            bool found = true;
            Long at = 0;
            for (int d = 0; d < D; ++d) {
                int cell = 0;
                found = cells.cell(view.position(row, d), d, cell) && found && cell >= box.small_end(d) &&
                        cell <= box.big_end(d);
                at += (Long{cell} - box.small_end(d)) * stride[static_cast<std::size_t>(d)];
            }
            if (found) data[at] += 1;
        }
        if (!place.is_plain()) copy_bytes(fab.data, place, data, {}, copy.size() * sizeof(Real));
    }
}

template class ParticleContainer<1>;
template class ParticleContainer<2>;
template class ParticleContainer<3>;

}  // namespace zerofab
