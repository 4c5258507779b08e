// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Tests of VisMF and plotfiles: round trips, files of the peer, damaged and hostile files.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/io/plotfile.hpp"

using namespace zerofab;
namespace fs = std::filesystem;

namespace {

struct Running {
    Running() { Runtime::initialize(); }
    ~Running() { Runtime::finalize(); }
};

// A folder of its own, gone after the test.
struct Scratch {
    fs::path path;
    Scratch() {
        path = fs::temp_directory_path() / ("zerofab_plot_" + std::to_string(std::random_device{}()));
        fs::create_directories(path);
    }
    ~Scratch() { fs::remove_all(path); }
    std::string operator/(const std::string& name) const { return (path / name).string(); }
};

std::string slurp(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void spit(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

// Text with the first `from` replaced; it must be there.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

fs::path data_folder() {
    for (fs::path folder = fs::current_path();; folder = folder.parent_path()) {
        if (fs::exists(folder / "tests" / "data" / "peer_plt00000")) return folder / "tests" / "data";
        REQUIRE_MESSAGE(folder != folder.parent_path(), "run this test within the repository");
    }
}

using Value = Real (*)(int i, int j, int k, int n);
Real value(int i, int j, int k, int n) {
    return n == 0 ? i + 10 * j + 100 * k : i / 10.0 + j / 100.0 + k / 3.0 - (n - 1);
}

template <int D>
void fill(MultiFab<D>& mf, Value f = value) {
    for (int local = 0; local < mf.lease()->num_local(); ++local) {
        const Array4<Real> a = mf.array(local);
        for (int n = 0; n < a.ncomp; ++n) {
            for_each_point(mf.lease()->fabs[static_cast<std::size_t>(local)].box, [&](const IntVect<D>& p) {
                const int j = D > 1 ? p[D > 1 ? 1 : 0] : 0;
                const int k = D > 2 ? p[D > 2 ? 2 : 0] : 0;
                a(p[0], j, k, n) = f(p[0], j, k, n);
            });
        }
    }
}

// How many numbers differ from f(i, j, k, first + n), on the valid cells grown by ngrow.
template <int D>
int wrong_values(const MultiFab<D>& mf, int ngrow, int first = 0, Value f = value, Real tolerance = 0) {
    int wrong = 0;
    for (int local = 0; local < mf.lease()->num_local(); ++local) {
        const Array4<const Real> a = mf.const_array(local);
        for (int n = 0; n < a.ncomp; ++n) {
            for_each_point(grow(mf.lease()->valid_box(local), ngrow), [&](const IntVect<D>& p) {
                const int j = D > 1 ? p[D > 1 ? 1 : 0] : 0;
                const int k = D > 2 ? p[D > 2 ? 2 : 0] : 0;
                const Real expected = f(p[0], j, k, first + n);
                wrong += !(std::abs(a(p[0], j, k, n) - expected) <= tolerance * std::abs(expected));
            });
        }
    }
    return wrong;
}

template <int D>
MultiFab<D> make(int lo, int hi, int max_size, int ncomp, int ngrow, IndexType<D> type = {}) {
    BoxArray<D> boxes(Box<D>{IntVect<D>(lo), IntVect<D>(hi)});
    boxes.max_size(max_size);
    boxes.convert(type);
    MultiFab<D> mf(boxes, DistributionMapping(boxes), ncomp, IntVect<D>(ngrow));
    fill(mf);
    return mf;
}

template <int D>
Geometry<D> unit_geometry(int cells, CoordType coord = CoordType::cartesian) {
    return Geometry<D>(Box<D>(IntVect<D>(0), IntVect<D>(cells - 1)), RealBox<D>(RealVect<D>(-1.0), RealVect<D>(1.0)),
                       coord, {});
}

}  // namespace

TEST_CASE_TEMPLATE("VisMF round trip", Dim, std::integral_constant<int, 1>, std::integral_constant<int, 2>,
                   std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    const Running running;
    const Scratch scratch;
    for (const RealFormat format :
         {RealFormat{8, false}, RealFormat{8, true}, RealFormat{4, false}, RealFormat{4, true}}) {
        for (const int ngrow : {0, 2}) {
            for (const bool nodal : {false, true}) {
                const auto mf = make<D>(-3, 12, 5, 3, ngrow, nodal ? IndexType<D>::node() : IndexType<D>::cell());
                const Real tolerance = format.bytes == 4 ? 1e-7 : 0;
                const std::uint64_t bytes = write_vismf(mf, scratch / "all", {format, 3, true});
                std::uint64_t found = 0;
                for (const auto& entry : fs::directory_iterator(scratch.path)) found += entry.file_size();
                CHECK(bytes == found);
                const MultiFab<D> back = read_vismf<D>(scratch / "all");
                CHECK(back.n_comp() == 3);
                CHECK(back.n_grow_vect() == IntVect<D>(ngrow));
                CHECK(back.lease()->layout->boxes() == mf.lease()->layout->boxes());
                CHECK(wrong_values(back, ngrow, 0, value, tolerance) == 0);
                const auto header = read_vismf_header<D>(scratch / "all");
                const MultiFab<D> part = read_vismf(header, mf.lease()->layout->owners(), 1, 2);
                CHECK(part.n_comp() == 2);
                CHECK(wrong_values(part, ngrow, 1, value, tolerance) == 0);
                write_vismf(mf, scratch / "valid", {format, 1, false});
                const MultiFab<D> valid = read_vismf<D>(scratch / "valid");
                CHECK(valid.n_grow_vect() == IntVect<D>(0));
                CHECK(wrong_values(valid, 0, 0, value, tolerance) == 0);
                fs::remove_all(scratch.path);
                fs::create_directories(scratch.path);
            }
        }
    }
}

TEST_CASE("VisMF reads into memory that is there") {
    const Running running;
    const Scratch scratch;
    const auto mf = make<3>(0, 7, 4, 2, 2);
    write_vismf(mf, scratch / "x");
    MultiFab<3> target = make<3>(0, 7, 4, 2, 1);
    fill(target, [](int, int, int, int) { return -1.0; });
    const void* memory = target.lease()->fabs[0].data;
    read_vismf(scratch / "x", target);
    CHECK(target.lease()->fabs[0].data == memory);
    CHECK(wrong_values(target, 1) == 0);
    MultiFab<3> empty;
    read_vismf(scratch / "x", empty);
    CHECK(wrong_values(empty, 2) == 0);
    MultiFab<3> other = make<3>(0, 7, 8, 2, 1);
    CHECK_THROWS_AS(read_vismf(scratch / "x", other), ValueError);
    other = make<3>(0, 7, 4, 1, 1);
    CHECK_THROWS_AS(read_vismf(scratch / "x", other), ValueError);
    CHECK(wrong_values(other, 1) == 0);
    CHECK_THROWS_AS(read_vismf(read_vismf_header<3>(scratch / "x"), mf.lease()->layout->owners(), 1, 2), IndexError);
}

TEST_CASE("VisMF keeps older files when writing fails") {
    const Running running;
    const Scratch scratch;
    CHECK_THROWS_AS(write_vismf(make<3>(0, 3, 4, 1, 0), scratch / "no/such/folder"), IoError);
    CHECK_THROWS_AS(write_vismf(make<3>(0, 3, 4, 1, 0), scratch / "a b"), ValueError);
    CHECK_THROWS_AS(write_vismf(MultiFab<3>(), scratch / "a"), StateError);
    CHECK_THROWS_AS(write_vismf(make<3>(0, 3, 4, 1, 0), scratch / "a", {RealFormat{}, 0, true}), ValueError);
    CHECK(fs::is_empty(scratch.path));
    CHECK_THROWS_AS(read_vismf<3>(scratch / "absent"), IoError);
    CHECK_THROWS_AS(read_vismf<3>(scratch / std::string("a\0b", 3)), IoError);
}

TEST_CASE("VisMF header: extrema and special numbers") {
    const Running running;
    const Scratch scratch;
    auto mf = make<1>(0, 9, 5, 1, 1);
    fill(mf, [](int i, int, int, int) { return i == 3 ? std::nan("") : (i == 7 ? -HUGE_VAL : 0.5 * i); });
    write_vismf(mf, scratch / "x", {RealFormat{}, 1, false});
    const std::string header = slurp(scratch / "x_H");
    CHECK(header.find(
              "\n2,1\n0.00000000000000000e+00,\n-inf,\n\n2,1\n2.00000000000000000e+00,\n4.50000000000000000e+00,\n") !=
          std::string::npos);
    const MultiFab<1> back = read_vismf<1>(scratch / "x");
    CHECK(std::isnan(back.const_array(0)(3, 0, 0)));
    CHECK(back.const_array(1)(7, 0, 0) == -HUGE_VAL);
}

TEST_CASE_TEMPLATE("Plotfile round trip", Dim, std::integral_constant<int, 1>, std::integral_constant<int, 2>,
                   std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    const Running running;
    const Scratch scratch;
    const std::string name = scratch / "deep/er/plt00001";
    const auto coarse = make<D>(0, 15, 6, 2, 1);
    const auto fine = make<D>(8, 23, 8, 2, 0);
    PlotFileOptions options;
    options.nfiles = 2;
    options.extra_dirs = {"raw_fields"};
    write_multi_level_plotfile<D>(name, {coarse, fine}, {"a", "b c"}, {unit_geometry<D>(16), unit_geometry<D>(32)},
                                  1.0 / 3, {7, 14}, {IntVect<D>(2)}, options);
    CHECK(fs::is_directory(name + "/raw_fields/Level_1"));
    CHECK(fs::exists(name + "/Level_0/Cell_D_00001"));
    PlotFileData<D> plot(name);
    CHECK(plot.space_dim() == D);
    CHECK(plot.time() == 1.0 / 3);
    CHECK(plot.finest_level() == 1);
    CHECK(plot.n_comp() == 2);
    CHECK(plot.var_names() == std::vector<std::string>{"a", "b c"});
    CHECK(plot.ref_ratio(0) == 2);
    CHECK(plot.ref_ratio(1) == 0);
    CHECK(plot.level_step(0) == 7);
    CHECK(plot.level_step(1) == 14);
    CHECK(plot.coord_sys() == 0);
    CHECK(plot.prob_domain(1) == Box<D>(IntVect<D>(0), IntVect<D>(31)));
    CHECK(plot.cell_size(1)[0] == 2.0 / 32);
    CHECK(plot.prob_lo()[D - 1] == -1);
    CHECK(plot.prob_hi()[0] == 1);
    CHECK(plot.prob_size()[0] == 2);
    CHECK(plot.n_grow_vect(0) == IntVect<D>(0));
    CHECK(plot.box_array(1) == fine.lease()->layout->boxes());
    CHECK(wrong_values(plot.get(0), 0) == 0);
    CHECK(wrong_values(plot.get(1), 0) == 0);
    CHECK(plot.get(1, "b c").n_comp() == 1);
    CHECK(wrong_values(plot.get(1, "b c"), 0, 1) == 0);
    CHECK_THROWS_WITH_AS(plot.get(0, "zz"), doctest::Contains("'b c'"), ValueError);
    CHECK_THROWS_AS(plot.get(2), IndexError);
    CHECK_THROWS_AS(plot.level_step(-1), IndexError);
    // over an existing one
    write_single_level_plotfile<D>(name + "/", coarse, {"a", "b"}, unit_geometry<D>(16, CoordType::rz), 2.5, 8);
    PlotFileData<D> second(name);
    CHECK(second.time() == 2.5);
    CHECK(second.coord_sys() == 1);
    second.sync_distribution_map(plot);
    CHECK(second.distribution_map(0).same_data(plot.distribution_map(0)));
    int folders = 0;
    for (const auto& entry : fs::directory_iterator(scratch / "deep/er")) {
        ++folders;
        const std::string found = entry.path().filename().string();
        CHECK((found == "plt00001" || (found.starts_with("plt00001.old.") && found.size() == 20)));
    }
    CHECK(folders == 2);
}

TEST_CASE("Plotfile refuses arguments that do not fit and leaves nothing behind") {
    const Running running;
    const Scratch scratch;
    const std::string name = scratch / "plt";
    const auto mf = make<2>(0, 7, 4, 2, 0);
    const auto geom = unit_geometry<2>(8);
    const auto one = [&](std::vector<std::string> names, Real time, const PlotFileOptions& options = {}) {
        write_single_level_plotfile<2>(name, mf, names, geom, time, 0, options);
    };
    CHECK_THROWS_AS(one({"a"}, 0.0), ValueError);
    CHECK_THROWS_AS(one({"a", "b\nc"}, 0.0), ValueError);
    CHECK_THROWS_AS(one({"a", ""}, 0.0), ValueError);
    CHECK_THROWS_AS(one({"a", "b"}, std::nan("")), ValueError);
    PlotFileOptions options;
    options.mf_prefix = "../x";
    CHECK_THROWS_AS(one({"a", "b"}, 0.0, options), ValueError);
    options = {};
    options.extra_dirs = {"a/../../b"};
    CHECK_THROWS_AS(one({"a", "b"}, 0.0, options), ValueError);
    options = {};
    options.level_prefix = "/absolute/";
    CHECK_THROWS_AS(one({"a", "b"}, 0.0, options), ValueError);
    CHECK_THROWS_AS(write_multi_level_plotfile<2>(name, {}, {}, {}, 0.0, {}, {}), ValueError);
    CHECK_THROWS_AS(write_multi_level_plotfile<2>(name, {mf, mf}, {"a", "b"}, {geom, geom}, 0.0, {0, 0}, {}),
                    ValueError);
    CHECK_THROWS_AS(write_multi_level_plotfile<2>(name, {mf, mf}, {"a", "b"}, {geom}, 0.0, {0, 0}, {IntVect<2>(2)}),
                    ValueError);
    CHECK_THROWS_AS(write_single_level_plotfile<2>("", mf, {"a", "b"}, geom, 0.0, 0), ValueError);
    CHECK(fs::is_empty(scratch.path));
    spit(scratch / "file", "x");
    CHECK_THROWS_AS(write_single_level_plotfile<2>(scratch / "file/plt", mf, {"a", "b"}, geom, 0.0, 0), IoError);
    CHECK_THROWS_AS(PlotFileData<2>(scratch / "absent"), IoError);
    CHECK_THROWS_AS(PlotFileData<2>(scratch / "file"), IoError);
    CHECK(slurp(scratch / "file") == "x");
    one({"a", "b"}, 0.0);
    CHECK_THROWS_WITH_AS(PlotFileData<3>{name}, doctest::Contains("space2d"), IoError);
}

TEST_CASE("Files of the peer") {
    const Running running;
    const fs::path data = data_folder();
    PlotFileData<3> plot((data / "peer_plt00000").string());
    CHECK(plot.time() == 0.1);
    CHECK(plot.var_names() == std::vector<std::string>{"phi", "rest of it"});
    CHECK(plot.finest_level() == 1);
    CHECK(plot.level_step(1) == 6);
    CHECK(plot.box_array(0).size() == 2);
    CHECK(wrong_values(plot.get(0), 0) == 0);
    CHECK(wrong_values(plot.get(1), 0) == 0);
    CHECK(wrong_values(plot.get(1, "rest of it"), 0, 1) == 0);
    for (const char* name : {"ghosts", "v2", "v3", "v4", "NATIVE_32", "IEEE32"}) {
        CAPTURE(name);
        const MultiFab<3> mf = read_vismf<3>((data / "peer_vismf" / name).string());
        const Real tolerance = std::string_view(name).ends_with("32") ? 1e-7 : 0;
        CHECK(mf.size() == 2);
        CHECK(mf.n_grow_vect() == IntVect<3>(1));
        CHECK(wrong_values(mf, 0, 0, value, tolerance) == 0);
        CHECK(mf.const_array(0)(-3, 1, 1, 1) == -999);  // a ghost
    }
    // what we write is the same text and the same bytes
    const Scratch scratch;
    const auto ghosts = read_vismf<3>((data / "peer_vismf" / "ghosts").string());
    write_vismf(ghosts, scratch / "ghosts");
    CHECK(slurp(scratch / "ghosts_H") == slurp(data / "peer_vismf" / "ghosts_H"));
    CHECK(slurp(scratch / "ghosts_D_00000") == slurp(data / "peer_vismf" / "ghosts_D_00000"));
    const auto geom = [](int n) {
        return Geometry<3>(Box<3>(IntVect<3>(0), IntVect<3>(n - 1)),
                           RealBox<3>(RealVect<3>(-1., 0., 0.), RealVect<3>(1., 1., 3.)), CoordType::cartesian,
                           {1, 0, 0});
    };
    write_multi_level_plotfile<3>(scratch / "plt", {plot.get(0), plot.get(1)}, plot.var_names(), {geom(8), geom(16)},
                                  0.1, {3, 6}, {IntVect<3>(2)});
    for (const char* part :
         {"Header", "Level_0/Cell_H", "Level_0/Cell_D_00000", "Level_1/Cell_H", "Level_1/Cell_D_00000"}) {
        CAPTURE(part);
        CHECK(slurp(scratch / ("plt/" + std::string(part))) == slurp(data / "peer_plt00000" / part));
    }
}

TEST_CASE("Every cut of a file is refused") {
    const Running running;
    const Scratch scratch;
    fs::copy(data_folder() / "peer_plt00000", scratch / "plt", fs::copy_options::recursive);
    fs::copy(data_folder() / "peer_vismf", scratch / "vismf", fs::copy_options::recursive);
    const auto read_plot = [&] {
        PlotFileData<3> plot(scratch / "plt");
        static_cast<void>(plot.get(0));
        static_cast<void>(plot.get(1));
    };
    const auto cut_all = [&](const std::string& file, std::size_t step, const auto& read) {
        const std::string whole = slurp(file);
        const std::size_t end = whole.find_last_not_of('\n') + (file.ends_with("0000") ? 0 : 1);
        for (std::size_t n = 0; n < end; n += step) {
            CAPTURE(file);
            CAPTURE(n);
            spit(file, std::string_view(whole).substr(0, n));
            CHECK_THROWS_AS(read(), IoError);
        }
        spit(file, whole);
        CHECK_NOTHROW(read());
    };
    cut_all(scratch / "plt/Header", 1, read_plot);
    cut_all(scratch / "plt/Level_1/Cell_H", 1, read_plot);
    cut_all(scratch / "plt/Level_0/Cell_D_00000", 97, read_plot);
    for (const std::string name : {"ghosts", "v2", "v3", "v4"}) {
        const auto read = [&] { static_cast<void>(read_vismf<3>(scratch / ("vismf/" + name))); };
        cut_all(scratch / ("vismf/" + name + "_H"), 1, read);
        cut_all(scratch / ("vismf/" + name + "_D_00000"), 97, read);
    }
}

TEST_CASE("Hostile headers are refused with bounded memory") {
    const Running running;
    const Scratch scratch;
    fs::copy(data_folder() / "peer_plt00000", scratch / "plt", fs::copy_options::recursive);
    fs::copy(data_folder() / "peer_vismf", scratch / "v", fs::copy_options::recursive);
    const auto hostile = [&](const std::string& file, const std::string& from, const std::string& to) {
        const std::string whole = slurp(scratch / file);
        spit(scratch / file, replaced(whole, from, to));
        CAPTURE(file);
        CAPTURE(to);
        if (file.starts_with("plt")) {
            CHECK_THROWS_AS(PlotFileData<3>(scratch / "plt").get(0), IoError);
        } else {
            CHECK_THROWS_AS(read_vismf<3>(scratch / file.substr(0, file.find('_'))), IoError);
        }
        spit(scratch / file, whole);
    };
    const std::string h = "plt/Header";
    hostile(h, "\n2\nphi", "\n2000000000\nphi");
    hostile(h, "\n2\nphi", "\n-2\nphi");
    hostile(h, "\n2\nphi", "\n3\nphi");
    hostile(h, "\n3\n0.1", "\n2\n0.1");
    hostile(h, "\n3\n0.1", "\n3\nnan");
    hostile(h, "0.10000000000000001\n1\n", "0.1\n2147483647\n");
    hostile(h, "0.10000000000000001\n1\n", "0.1\n-1\n");
    hostile(h, "-1 0 0", "nan 0 0");
    hostile(h, "-1 0 0", "-1 inf 0");
    hostile(h, "-1 0 0", "-1 0 1e999");
    hostile(h, "(7,7,7)", "(7,7)");
    hostile(h, "(7,7,7)", "(7,7,7,7)");
    hostile(h, "(7,7,7)", "(7,7,-7)");
    hostile(h, "(7,7,7)", "(7,7,99999999999)");
    hostile(h, "0 2 0.1", "0 2147483647 0.1");
    hostile(h, "0 2 0.1", "0 1 0.1");
    hostile(h, "Level_0/Cell", "../Level_0/Cell");
    hostile(h, "Level_0/Cell", "/Level_0/Cell");
    hostile(h, "Level_0/Cell", "Level_0/../../Cell");
    hostile(h, "Level_0/Cell", "Level_9/Cell");
    const std::string v = "v/ghosts_H";
    for (const std::string version : {"0", "5", "-1", "x"}) hostile(v, "1\n1\n2\n", version + "\n1\n2\n");
    hostile(v, "1\n1\n2\n", "1\n1\n-2\n");
    hostile(v, "1\n1\n2\n", "1\n1\n0\n");
    hostile(v, "1\n1\n2\n", "1\n1\n16777216\n");
    hostile(v, "1\n1\n2\n", "1\n1\n3\n");
    hostile(v, "2\n1\n(2 0", "2\n0\n(2 0");
    hostile(v, "2\n1\n(2 0", "2\n-1\n(2 0");
    hostile(v, "2\n1\n(2 0", "2\n1048576\n(2 0");
    hostile(v, "2\n1\n(2 0", "2\n(1,1)\n(2 0");
    hostile(v, "(2 0", "(2147483647 0");
    hostile(v, "(2 0", "(-2 0");
    hostile(v, "(2 0", "(1 0");
    hostile(v, "(-1,2,2)", "(1000000000,1000000000,1000000000)");
    hostile(v, "(-1,2,2)", "(-9,2,2)");
    hostile(v, "(-1,2,2)", "(-1,2)");
    hostile(v, "(0,0,0))", "(1,0,0))");
    hostile(v, "(0,0,0))", "(2,0,0))");
    hostile(v, ")\n2\n", ")\n3\n");
    hostile(v, "ghosts_D_00000 0", "../ghosts_D_00000 0");
    hostile(v, "ghosts_D_00000 0", "/etc/passwd 0");
    hostile(v, "ghosts_D_00000 0", ".. 0");
    hostile(v, "ghosts_D_00000 0", "absent 0");
    hostile(v, "ghosts_D_00000 0", "ghosts_D_00000 -1");
    hostile(v, "ghosts_D_00000 0", "ghosts_D_00000 1");
    hostile(v, "ghosts_D_00000 0", "ghosts_D_00000 9223372036854775807");
    hostile(v, "ghosts_D_00000 0", "ghosts_D_00000 99999999999999999999");
    hostile("v/v2_H", "v2_D_00000 1280", "v2_D_00000 9223372036854775807");
    hostile("v/v2_H", "(64 11 52 0 1 12 0 1023)", "(64 11 52 0 1 12 0 1024)");
    hostile("v/v2_H", "(8 7 6 5 4 3 2 1)", "(8 7 6 5 4 3 1 2)");
    const std::string d = "v/ghosts_D_00000";
    hostile(d, "FAB ((8", "FAB ((9");
    hostile(d, "FAB ((8", "FAX ((8");
}

TEST_CASE("Random damage never crashes") {
    const Running running;
    const Scratch scratch;
    fs::copy(data_folder() / "peer_plt00000", scratch / "plt", fs::copy_options::recursive);
    std::mt19937 random(11);
    const std::string letters = "0123456789(),- \n.e/\xff";
    int refused = 0;
    for (const char* file : {"plt/Header", "plt/Level_0/Cell_H", "plt/Level_0/Cell_D_00000"}) {
        const std::string whole = slurp(scratch / file);
        for (int round = 0; round < 400; ++round) {
            std::string damaged = whole;
            for (std::size_t n = 1 + random() % 3; n > 0; --n) {
                damaged[random() % std::min<std::size_t>(damaged.size(), 300)] = letters[random() % letters.size()];
            }
            spit(scratch / file, damaged);
            try {
                PlotFileData<3> plot(scratch / "plt");
                static_cast<void>(plot.get(0));
            } catch (const IoError&) {
                ++refused;
            }
        }
        spit(scratch / file, whole);
    }
    CHECK(refused > 300);
}

TEST_CASE("concatenate") {
    CHECK(concatenate("plt", 5) == "plt00005");
    CHECK(concatenate("plt", 123456) == "plt123456");
    CHECK(concatenate("plt", 5, 0) == "plt5");
    CHECK(concatenate("", 5, 10) == "0000000005");
    CHECK(concatenate("plt", -5, 3) == "plt0-5");
    CHECK_THROWS_AS(concatenate("plt", 1, -1), ValueError);
}
