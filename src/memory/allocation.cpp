// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/memory/allocation.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "memory/address_index.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/recorded.hpp"

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

/// The same in memory of a device.  Its owner may give it out again at once, in an order that we do not know: so our
/// work on it comes to an end first, on every stream.
class AdoptedOfDevice final : public Allocation {
public:
    AdoptedOfDevice(void* data, std::size_t bytes, Device device, MemoryKind kind, void* context,
                    void (*release)(void*) noexcept)
        : Allocation(data, bytes, device, kind, &AdoptedOfDevice::let_go, &AdoptedOfDevice::note),
          context_(context),
          foreign_(release) {
        detail::adopted_addresses().add(*this);
    }

private:
    static void let_go(Allocation* self) noexcept {
        const std::unique_ptr<AdoptedOfDevice> adopted(static_cast<AdoptedOfDevice*>(self));
        detail::adopted_addresses().remove(*adopted);
        adopted->finish();
        if (adopted->foreign_ != nullptr) adopted->foreign_(adopted->context_);
    }

    static void note(Allocation* self, const Stream* stream) noexcept {
        auto* adopted = static_cast<AdoptedOfDevice*>(self);
        const std::lock_guard lock(adopted->mutex_);
        try {
            if (stream == nullptr) {
                adopted->elsewhere_ = true;
                return;
            }
            const StreamId id(adopted->device(), *stream);
            const auto is_it = [id](const StreamUse& use) { return use.id() == id; };
            if (std::none_of(adopted->uses_.begin(), adopted->uses_.end(), is_it)) {
                adopted->uses_.emplace_back(adopted->device(), *stream);
            }
        } catch (const std::exception&) {
            adopted->elsewhere_ = true;
        }
    }

    /// Wait for the streams that used it; for all of the device where one cannot be asked.
    void finish() noexcept {
        try {
            const bool all = elsewhere_ || !std::all_of(uses_.begin(), uses_.end(),
                                                        [this](const StreamUse& use) { return finished(use.id()); });
            if (all) backend(device().backend).synchronize_all(device().id);
        } catch (const std::exception&) {  // the driver is gone, and the work with it
        }
    }
    /// False if the stream cannot be asked: it is another thread's own, or is gone.
    bool finished(StreamId stream) const noexcept {
        if (!stream.is_here()) return false;
        try {
            Backend& vendor = backend(device().backend);
            if (vendor.capturing(device().id, stream.get())) {
                // What is recorded for a graph is not being done, and must not be waited for.
                const Recorded it_exists(device(), stream.get());
            } else {
                vendor.synchronize(device().id, stream.get());
            }
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }

    void* context_;
    void (*foreign_)(void*) noexcept;
    std::mutex mutex_;
    std::vector<StreamUse> uses_;
    bool elsewhere_ = false;
};

}  // namespace

AllocationPtr Allocation::adopt(void* data, std::size_t bytes, Device device, MemoryKind kind, void* context,
                                void (*release)(void*) noexcept) {
    if (MemorySpace{device, kind}.is_plain()) {
        return AllocationPtr::take(new Adopted(data, bytes, device, kind, context, release));
    }
    return AllocationPtr::take(new AdoptedOfDevice(data, bytes, device, kind, context, release));
}

}  // namespace zerofab
