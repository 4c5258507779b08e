// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The ledger of exported tensors: what is alive, in any order of release, on any thread.
#include <dlpack/dlpack.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "zerofab/exchange/dlpack.hpp"
#include "zerofab/exchange/ledger.hpp"
#include "zerofab/memory/arena.hpp"

namespace {

using namespace zerofab;

TensorView new_view(std::int64_t length) {
    TensorView view;
    view.own(The_Cpu_Arena().allocate(static_cast<std::size_t>(length) * sizeof(double)));
    view.data = view.owner->data();
    view.dtype = &dtype_of<double>;
    view.axes = 1;
    view.what = "a test";
    view.shape[0] = length;
    view.strides[0] = 1;
    return view;
}

/// One exported tensor of either form.
struct Export {
    DLManagedTensor* legacy = nullptr;
    DLManagedTensorVersioned* versioned = nullptr;
    std::int64_t length = 0;

    const DLTensor& tensor() const { return legacy != nullptr ? legacy->dl_tensor : versioned->dl_tensor; }
    void release() const { legacy != nullptr ? legacy->deleter(legacy) : versioned->deleter(versioned); }
};

Export new_export(std::int64_t length, bool versioned) {
    TensorView view = new_view(length);
    if (versioned) {
        return {nullptr, export_versioned(view, false), length};
    }
    return {export_legacy(view, false), nullptr, length};
}

std::size_t blocks_in_use() { return The_Cpu_Arena().statistics().blocks; }

}  // namespace

TEST_CASE("The ledger lists what is alive, oldest first, after any order of release") {
    std::mt19937 random(7);
    const std::size_t blocks = blocks_in_use();
    std::vector<Export> alive;
    std::int64_t length = 0;
    for (int step = 0; step < 2000; ++step) {
        // Now and then few, now and then many: blocks of both kinds come and go.
        const bool grow = alive.size() < (step % 400 < 200 ? 3U : 30U);
        if (alive.empty() || (grow && random() % 2 == 0)) {
            alive.push_back(new_export(++length, random() % 2 == 0));
        } else {
            const auto victim = alive.begin() + static_cast<std::ptrdiff_t>(random() % alive.size());
            victim->release();
            alive.erase(victim);
        }
        REQUIRE(live_export_count() == alive.size());
        REQUIRE(blocks_in_use() == blocks + alive.size());
        const std::vector<LiveExport> listed = live_exports();
        REQUIRE(listed.size() == alive.size());
        for (std::size_t n = 0; n < alive.size(); ++n) {
            REQUIRE(listed[n].tensor == "double (" + std::to_string(alive[n].length) + ",)");
            REQUIRE(alive[n].tensor().shape[0] == alive[n].length);
        }
    }
    for (const Export& one : alive) {
        one.release();
    }
    CHECK(live_export_count() == 0);
    CHECK(blocks_in_use() == blocks);
}

TEST_CASE("A place is noted for one export and forgotten with it") {
    for (int round = 0; round < 10; ++round) {
        const Export first = new_export(1, false);
        const Export second = new_export(2, true);
        note_export_origin(second.versioned, "file.py:" + std::to_string(round));
        CHECK(live_exports()[0].where.empty());
        CHECK(live_exports()[1].where == "file.py:" + std::to_string(round));
        second.release();
        const Export third = new_export(3, true);
        CHECK(live_exports()[1].where.empty());
        first.release();
        third.release();
    }
}

TEST_CASE("Tensors are made, listed and released by several threads at once") {
    const std::size_t blocks = blocks_in_use();
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 4; ++seed) {
        threads.emplace_back([seed] {
            std::mt19937 random(seed);
            std::vector<Export> mine;
            for (int step = 0; step < 5000; ++step) {
                if (mine.size() < 6 && random() % 2 == 0) {
                    mine.push_back(new_export(1 + static_cast<std::int64_t>(random() % 9), random() % 2 == 0));
                } else if (!mine.empty()) {
                    mine.back().release();
                    mine.pop_back();
                }
                if (step % 500 == 0) {
                    (void)live_exports();
                }
                for (const Export& one : mine) {
                    if (one.tensor().shape[0] != one.length) {
                        FAIL("a tensor was overwritten");
                    }
                }
            }
            for (const Export& one : mine) {
                one.release();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(live_export_count() == 0);
    CHECK(blocks_in_use() == blocks);
}
