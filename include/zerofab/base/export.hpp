// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The only macro of the library: what leaves the shared library.
#pragma once

/// Marks what the shared library exports; everything else is hidden.
#define ZEROFAB_API __attribute__((visibility("default")))
