// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Fuzzing of plotfiles: any files are read, or refused with IoError; what is read has memory for all its cells.
#include <algorithm>
#include <cstdint>
#include <string>

#include "folder.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/io/plotfile.hpp"

namespace {

using namespace zerofab;

template <int D>
void use(const MultiFab<D>& mf) {
    double sum = 0;
    const Lease<D> lease = mf.lease();
    for (const FabMemory<D>& fab : lease->fabs) {
        const auto count = fab.box.num_pts() * lease->ncomp;
        fuzz::check(count >= 0 && (count == 0 || fab.data != nullptr));
        for (Long n = 0; n < count; ++n) {
            sum += static_cast<const Real*>(fab.data)[n];
        }
    }
    static volatile double sink = 0;
    sink = sum;
}

template <int D>
void read(const std::string& name) {
    try {
        PlotFileData<D> plot(name);
        for (int level = 0; level <= std::min(plot.finest_level(), 3); ++level) {
            fuzz::check(plot.box_array(level).size() == plot.distribution_map(level).size());
            if (plot.n_comp() > 0) {
                use(plot.get(level));
                use(plot.get(level, plot.var_names().back()));
            }
        }
    } catch (const IoError&) {
    }
    try {
        use(read_vismf<D>(name + "/Level_0/Cell"));
    } catch (const IoError&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::Folder folder(
        {"Header", "Level_0/Cell_H", "Level_0/Cell_D_00000", "Level_1/Cell_H", "Level_1/Cell_D_00000"});
    if (!Runtime::initialized()) {
        Runtime::initialize("cpu");
    }
    folder.fill(data, size);
    read<1>(folder.path());
    read<2>(folder.path());
    read<3>(folder.path());
    return 0;
}
