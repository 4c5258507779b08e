// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A library that could be a driver by its name and lacks most of its functions.
extern "C" {

int cuInit(unsigned) { return 0; }
int hipInit(unsigned) { return 0; }
int nvrtcVersion(int*, int*) { return 0; }

}  // extern "C"
