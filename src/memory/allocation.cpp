// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/memory/allocation.hpp"

namespace zerofab {
namespace {

class Adopted final : public Allocation {
public:
    Adopted(void* data, std::size_t bytes, Device device, MemoryKind kind, void* context,
            void (*release)(void*) noexcept) noexcept
        : Allocation(data, bytes, device, kind, &Adopted::let_go), context_(context), foreign_(release) {}

private:
    static void let_go(Allocation* self) noexcept {
        auto* adopted = static_cast<Adopted*>(self);
        if (adopted->foreign_ != nullptr) {
            adopted->foreign_(adopted->context_);
        }
        delete adopted;
    }

    void* context_;
    void (*foreign_)(void*) noexcept;
};

}  // namespace

AllocationPtr Allocation::adopt(void* data, std::size_t bytes, Device device, MemoryKind kind, void* context,
                                void (*release)(void*) noexcept) {
    return AllocationPtr::take(new Adopted(data, bytes, device, kind, context, release));
}

}  // namespace zerofab
