// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/device/blocking.hpp"

namespace zerofab {
namespace {

constinit BlockingHooks hooks_in_use;

}  // namespace

void set_blocking_hooks(BlockingHooks hooks) noexcept { hooks_in_use = hooks; }

Blocking::Blocking() noexcept : held_(hooks_in_use.enter != nullptr ? hooks_in_use.enter() : nullptr) {}

Blocking::~Blocking() {
    if (hooks_in_use.leave != nullptr) {
        hooks_in_use.leave(held_);
    }
}

}  // namespace zerofab
