// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Order between streams: points in their work that are forgotten whatever happens, and streams that are in use.
#pragma once

#include <compare>
#include <cstdint>
#include <utility>

#include "zerofab/base/export.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/device.hpp"

namespace zerofab {

/// A point after all work that was in a stream when this was made.  Owns the backend's event: it is forgotten with
/// this.
class ZEROFAB_API Recorded {
public:
    /// DeviceError as Backend::record.
    Recorded(Device device, Stream stream);
    ~Recorded();
    Recorded(Recorded&& other) noexcept : device_(other.device_), event_(std::exchange(other.event_, {})) {}
    Recorded& operator=(Recorded&& other) noexcept {
        std::swap(device_, other.device_);
        std::swap(event_, other.event_);
        return *this;
    }

    /// What comes into the stream from now on starts after this point; the host does not wait.
    void hold_back(Stream later) const;
    /// Whether the work has come to this point.
    [[nodiscard]] bool reached() const;

private:
    Device device_;
    Event event_;
};

/// What comes into `later` from now on starts after all work that is now in `first`; nothing if they are the same. Both
/// as the calling thread names them (Backend::is_per_thread).
ZEROFAB_API void order_streams(Device device, Stream first, Stream later);

/// Which stream a handle means.  CUDA's and ROCm's handle of the per-thread default stream names another stream on
/// every thread: two of them are the same only if the threads are.
class ZEROFAB_API StreamId {
public:
    /// The default stream.
    StreamId() = default;
    /// What the handle means on the calling thread.
    StreamId(Device device, Stream stream);

    [[nodiscard]] Stream get() const noexcept { return {handle_}; }
    /// Whether the handle means this stream on the calling thread too; else nothing can be asked of it from here.
    [[nodiscard]] bool is_here() const noexcept;
    /// A number that no other stream has while this one exists.
    [[nodiscard]] std::int64_t key() const noexcept {
        return thread_ == 0 ? reinterpret_cast<std::intptr_t>(handle_) : -thread_;
    }

    friend auto operator<=>(const StreamId&, const StreamId&) = default;

private:
    void* handle_ = nullptr;
    std::int64_t thread_ = 0;  ///< whose it is, 0 if all threads mean the same
};

/// A stream that must exist while this does: a thread works on it, or memory was taken for it.
class ZEROFAB_API StreamUse {
public:
    StreamUse() = default;
    StreamUse(Device device, Stream stream);
    ~StreamUse();
    StreamUse(StreamUse&& other) noexcept : id_(std::exchange(other.id_, {})) {}
    StreamUse& operator=(StreamUse&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }

    [[nodiscard]] Stream get() const noexcept { return id_.get(); }
    [[nodiscard]] StreamId id() const noexcept { return id_; }

private:
    StreamId id_;
};

/// Whether there is a StreamUse of this stream.
[[nodiscard]] ZEROFAB_API bool is_in_use(Stream stream) noexcept;

}  // namespace zerofab
