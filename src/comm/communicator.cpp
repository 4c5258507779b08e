// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The serial communicator, and which communicator the run uses.
#include "zerofab/comm/communicator.hpp"

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {
namespace {

class Done final : public PendingExchange {
public:
    void wait() override {}
};

void copy_bytes(void* to, const void* from, std::size_t bytes) {
    if (bytes != 0 && to != from) {
        std::memcpy(to, from, bytes);
    }
}

void check_peer(int peer) {
    if (peer != 0) {
        throw ValueError(concat("rank ", peer, " does not exist: this run has one rank"));
    }
}

class SerialCommunicator final : public Communicator {
public:
    int rank() const noexcept override { return 0; }
    int size() const noexcept override { return 1; }
    void barrier() override {}

    void all_gather(const void* mine, std::size_t bytes, void* all) override { copy_bytes(all, mine, bytes); }

    void broadcast(void*, std::size_t, int root) override { check_peer(root); }

    std::unique_ptr<PendingExchange> start_exchange(std::span<const Message> sends,
                                                    std::span<const Message> receives) override {
        std::vector<bool> taken(sends.size(), false);
        for (const Message& receive : receives) {
            check_peer(receive.peer);
            copy_bytes(receive.data, match(sends, taken, receive).data, receive.bytes);
        }
        return std::make_unique<Done>();
    }

private:
    static const Message& match(std::span<const Message> sends, std::vector<bool>& taken, const Message& receive) {
        for (std::size_t s = 0; s < sends.size(); ++s) {
            if (taken[s] || sends[s].tag != receive.tag) {
                continue;
            }
            check_peer(sends[s].peer);
            if (sends[s].bytes != receive.bytes) {
                throw ValueError(concat("message ", receive.tag, " has ", sends[s].bytes, " bytes, the receiver wants ",
                                        receive.bytes));
            }
            taken[s] = true;
            return sends[s];
        }
        throw ValueError(concat("no message with tag ", receive.tag, " was sent to this rank"));
    }
};

struct Current {
    std::mutex mutex;
    std::shared_ptr<Communicator> owner = make_serial_communicator();
    std::atomic<Communicator*> raw{owner.get()};
    // Communicators that were replaced stay: a reference to one may still be in use.
    std::vector<std::shared_ptr<Communicator>> earlier;
};

Current& current() {
    static Current* const state = new Current;  // never destroyed: views may outlive every static object
    return *state;
}

}  // namespace

std::shared_ptr<Communicator> make_serial_communicator() { return std::make_shared<SerialCommunicator>(); }

Communicator& communicator() noexcept { return *current().raw.load(std::memory_order_acquire); }

void set_communicator(std::shared_ptr<Communicator> next) {
    if (!next) {
        next = make_serial_communicator();
    }
    Current& state = current();
    const std::lock_guard lock(state.mutex);
    state.earlier.push_back(state.owner);
    state.owner = std::move(next);
    state.raw.store(state.owner.get(), std::memory_order_release);
}

}  // namespace zerofab
