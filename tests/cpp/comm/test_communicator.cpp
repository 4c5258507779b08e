// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The serial communicator, and the typed calls over a communicator of several ranks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "zerofab/base/error.hpp"
#include "zerofab/comm/communicator.hpp"

using namespace zerofab;

namespace {

/// Three ranks that all hold what this one gives, times 1, 2 and 3.
class Echo final : public Communicator {
public:
    int rank() const noexcept override { return 0; }
    int size() const noexcept override { return 3; }
    void barrier() override {}
    void all_gather(const void* mine, std::size_t bytes, void* all) override {
        for (int r = 0; r < 3; ++r) {
            for (std::size_t at = 0; at + sizeof(long) <= bytes; at += sizeof(long)) {
                long value = 0;
                std::memcpy(&value, static_cast<const char*>(mine) + at, sizeof value);
                value *= r + 1;
                std::memcpy(static_cast<char*>(all) + static_cast<std::size_t>(r) * bytes + at, &value, sizeof value);
            }
        }
    }
    void broadcast(void*, std::size_t, int) override {}
    std::unique_ptr<PendingExchange> start_exchange(std::span<const Message>, std::span<const Message>) override {
        return nullptr;
    }
};

}  // namespace

TEST_CASE("one rank") {
    Communicator& serial = communicator();
    CHECK(serial.rank() == 0);
    CHECK(serial.size() == 1);
    CHECK(serial.is_io_rank());
    serial.barrier();
    CHECK(serial.all_reduce(3.5, ReduceOp::sum) == 3.5);
    CHECK(serial.all_gather(7) == std::vector<int>{7});
    const std::vector<int> mine{1, 2, 3};
    CHECK(serial.all_gather_varying(std::span<const int>(mine)) == mine);
    int value = 4;
    serial.broadcast(&value, sizeof value, 0);
    CHECK(value == 4);
    CHECK_THROWS_AS(serial.broadcast(&value, sizeof value, 1), ValueError);
}

TEST_CASE("messages to the same rank match by tag, in order") {
    int a = 1, b = 2, c = 3, x = 0, y = 0, z = 0;
    const Message sends[] = {{0, 5, &a, sizeof a}, {0, 6, &b, sizeof b}, {0, 5, &c, sizeof c}};
    const Message receives[] = {{0, 6, &x, sizeof x}, {0, 5, &y, sizeof y}, {0, 5, &z, sizeof z}};
    communicator().exchange(sends, receives);
    CHECK(x == 2);
    CHECK(y == 1);
    CHECK(z == 3);
    const Message unknown[] = {{0, 9, &x, sizeof x}}, other_rank[] = {{1, 5, &x, sizeof x}},
                  too_short[] = {{0, 5, &x, 2}};
    CHECK_THROWS_AS(communicator().exchange(sends, unknown), ValueError);
    CHECK_THROWS_AS(communicator().exchange(sends, other_rank), ValueError);
    CHECK_THROWS_AS(communicator().exchange(sends, too_short), ValueError);
}

TEST_CASE("reductions join the ranks' values; the communicator can be replaced") {
    set_communicator(std::make_shared<Echo>());
    CHECK(communicator().size() == 3);
    long values[] = {1, -2};
    communicator().all_reduce(std::span<long>(values), ReduceOp::sum);
    CHECK(values[0] == 6);
    CHECK(values[1] == -12);
    CHECK(communicator().all_reduce(5L, ReduceOp::max) == 15);
    CHECK(communicator().all_reduce(5L, ReduceOp::min) == 5);
    CHECK(communicator().all_reduce(0L, ReduceOp::logical_or) == 0);
    CHECK(communicator().all_reduce(5L, ReduceOp::logical_and) == 1);
    CHECK(communicator().all_gather(2L) == std::vector<long>{2, 4, 6});
    set_communicator(nullptr);
    CHECK(communicator().size() == 1);
}
