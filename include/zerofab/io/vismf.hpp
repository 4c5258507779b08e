// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// VisMF: a MultiFab in files, NAME_H with the boxes and NAME_D_00000 ... with the numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zerofab/io/fab_io.hpp"
#include "zerofab/mesh/fab_array.hpp"

namespace zerofab {

/// How a MultiFab is written.
struct VisMFOptions {
    RealFormat format = RealFormat::native_double();
    int nfiles = 1;      ///< data files; with several ranks there is one per rank
    bool ghosts = true;  ///< with ghost cells
};

/// What NAME_H says: a MultiFab without its numbers.
template <int D>
struct VisMFHeader {
    /// Where the numbers of a box are.
    struct FabOnDisk {
        std::string file;      ///< name of a file beside NAME_H
        std::uint64_t offset;  ///< of the fab's first byte in it
    };

    std::string name;  ///< NAME
    int version = 1;   ///< 1: every fab has a line of its own before its numbers; 2, 3, 4: it has not
    int ncomp = 0;
    IntVect<D> ngrow;
    BoxArray<D> boxes;
    std::vector<FabOnDisk> fabs;
    RealFormat format;  ///< of all numbers, where version > 1
};

/// What write_vismf() does, for the body of a MultiFab or fMultiFab. Numbers of single precision are exact in all
/// formats.
template <int D>
ZEROFAB_API std::uint64_t write_body(const Lease<D>& body, const std::string& name, const VisMFOptions& options = {});

/// Write a MultiFab to NAME_H, NAME_D_00000, ...; returns the bytes written. Collective.
///
/// The numbers of a box are one block, x fastest, after a line that describes them. Existing files are replaced
/// only when all is written. IoError with path and reason, then the older files are still there.
template <int D>
std::uint64_t write_vismf(const MultiFab<D>& mf, const std::string& name, const VisMFOptions& options = {}) {
    return write_body<D>(mf.lease(), name, options);
}

/// Read and check NAME_H. IoError if it is not there, damaged, cut short or of another dimension.
template <int D>
ZEROFAB_API VisMFHeader<D> read_vismf_header(const std::string& name);

/// Read components [first, first + ncomp) of all boxes that this rank owns, ghosts included (ncomp -1: all that
/// follow).
///
/// The files are checked against what the header claims before any memory is allocated. IoError; IndexError for
/// components that are not there.
template <int D>
ZEROFAB_API MultiFab<D> read_vismf(const VisMFHeader<D>& header, const DistributionMapping& owners, int first = 0,
                                   int ncomp = -1);

/// Read a whole MultiFab; owners as DistributionMapping(boxes) gives them.
template <int D>
ZEROFAB_API MultiFab<D> read_vismf(const std::string& name);

/// Read into the memory of a MultiFab with the same boxes and components: its valid cells, and as many ghosts as both
/// have. An empty one is defined first. ValueError if they do not fit; after an error it is as it was.
template <int D>
ZEROFAB_API void read_vismf(const std::string& name, MultiFab<D>& mf);

}  // namespace zerofab
