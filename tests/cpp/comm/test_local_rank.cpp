// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cstring>
#include <set>

#include "zerofab/comm/local_rank.hpp"

using namespace zerofab;

namespace {

/// One rank of several, of which some are told to be on another machine.
class OneOfMany final : public Communicator {
public:
    OneOfMany(int rank, int size, std::set<int> elsewhere)
        : rank_(rank), size_(size), elsewhere_(std::move(elsewhere)) {}
    int rank() const noexcept override { return rank_; }
    int size() const noexcept override { return size_; }
    void barrier() override {}
    void broadcast(void*, std::size_t, int) override {}
    void all_gather(const void* mine, std::size_t bytes, void* all) override {
        for (int rank = 0; rank < size_; ++rank) {
            auto* place = static_cast<char*>(all) + static_cast<std::size_t>(rank) * bytes;
            std::memcpy(place, mine, bytes);
            if (elsewhere_.contains(rank)) place[0] = static_cast<char>(place[0] + 1);
        }
    }
    std::unique_ptr<PendingExchange> start_exchange(std::span<const Message>, std::span<const Message>) override {
        return nullptr;
    }

private:
    int rank_, size_;
    std::set<int> elsewhere_;
};

}  // namespace

TEST_CASE("the local rank counts the lower ranks of the same machine") {
    CHECK(local_rank(communicator()) == 0);
    for (int rank = 0; rank < 6; ++rank) {
        OneOfMany together(rank, 6, {});
        CHECK(local_rank(together) == rank);
    }
    OneOfMany last(5, 6, {0, 2});
    CHECK(local_rank(last) == 3);
}
