# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Which `amrex.*` parameters are options of this library, and which parameters nobody has read."""

import difflib
import warnings

from amrex._core import ParmParse

OPTIONS = (
    "abort_on_unused_inputs",
    "device",
    "the_arena_init_size",
    "the_arena_is_managed",
    "the_arena_release_threshold",
    "trace_exports",
)
"""What the library reads: all but the first are read by initialize()."""

NO_EFFECT = {
    # Options of AMReX that change nothing here. Values for which there is nothing to say: those that ask for what this
    # library does anyway; None: any, as only messages or speed depend on it.
    "verbose": None,
    "v": None,
    "throw_exception": True,
    "signal_handling": False,
    **dict.fromkeys(("handle_sigabrt", "handle_sigfpe", "handle_sigill", "handle_sigint"), False),
    **dict.fromkeys(("handle_sigsegv", "handle_sigterm"), False),
    "call_addr2line": None,
    "abort_on_out_of_gpu_memory": True,
    "use_gpu_aware_mpi": False,
    **dict.fromkeys(("fpe_trap_invalid", "fpe_trap_zero", "fpe_trap_overflow", "init_snan", "async_out"), False),
    "async_out_nfiles": None,
    "use_profiler_syncs": None,
    "vector_growth_factor": None,
    "mf.alloc_single_chunk": None,
    "the_arena_defragmentation": None,
    **{
        f"the_{kind}_arena_{what}": None
        for kind in ("async", "comms", "device", "managed", "pinned")
        for what in ("defragmentation", "init_size", "release_threshold")
    },
}

OTHERS = ("BLProfiler.", "DistributionMapping.", "eb2.", "fab.", "fabarray.", "tiny_profiler.", "vismf.")
"""Parts of AMReX whose parameters do no harm here, though nobody reads them."""


def say_unknown() -> None:
    """Warn of parameters `amrex.*` that are no options, or have no effect; initialize and addfile call this."""
    table = ParmParse()
    for key in ParmParse("amrex").unused():
        name = key.partition(".")[2]
        text = " ".join(table.query_str_array(key)[1])
        if name in NO_EFFECT:
            table.query_str(key)  # it was read
            wanted = NO_EFFECT[name]
            try:
                if wanted is None or table.get_bool(key) == wanted:
                    continue
            except ValueError:
                pass
            why = "has no effect in this library"
        elif name in OPTIONS:
            if name == OPTIONS[0]:
                continue
            why = "comes too late: initialize() reads it"
        else:
            near = difflib.get_close_matches(name, [*OPTIONS, *NO_EFFECT], 1)
            why = f"is no option of this library, which has amrex.{', amrex.'.join(OPTIONS)}"
            if near:
                why += f"; did you mean amrex.{near[0]}?"
        warnings.warn(f"{key} = {text} {why}", RuntimeWarning, stacklevel=2)


def require_used() -> None:
    """RuntimeError if there are parameters from files and command lines that nobody has read; finalize calls this."""
    unused = [key for key in ParmParse().unused() if not key.startswith(OTHERS)]
    if not unused:
        return
    shown = ", ".join(unused[:20]) + (f" and {len(unused) - 20} more" if len(unused) > 20 else "")
    raise RuntimeError(
        f"finalize(): amrex.abort_on_unused_inputs is set, and nobody has read {shown}. If the names are right, read "
        "or remove these parameters, then call finalize() again"
    )
