// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "core.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

namespace fake {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t reserve = std::size_t{1} << 36U;  // of addresses, for the device memory of all devices
constexpr unsigned char pattern = 0xCB;                 // as a double about -1e57

/// The addresses of device memory: without access but while work is done.
struct Reserve {
    std::uintptr_t begin = 0;
    std::size_t used = 0;                              ///< a multiple of the page: what was ever given out
    std::multimap<std::size_t, std::uintptr_t> freed;  ///< by size

    Reserve() {
        void* data = mmap(nullptr, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        begin = data == MAP_FAILED ? 0 : reinterpret_cast<std::uintptr_t>(data);
    }
    void protect(int how) const {
        if (used > 0 && mprotect(reinterpret_cast<void*>(begin), used, how) != 0) std::abort();
    }
};

struct World {
    std::recursive_mutex mutex;
    Reserve memory;
    std::map<std::uintptr_t, Block> blocks;
    std::map<std::pair<Kind, int>, std::size_t> in_use;
    std::set<Stream*> streams;
    std::map<int, Stream> legacy;  ///< one for each device
    std::set<Event*> events;
    std::vector<std::shared_ptr<Task>> pending;  ///< by number
    std::uint64_t submitted = 0;
    pid_t process = getpid();
};

World& world() {
    static auto& one = *new World;  // never destroyed: memory is freed after static destructors have run
    return one;
}

/// Memory of the devices can be touched while this lives.
struct Unprotected {
    Unprotected() { world().memory.protect(PROT_READ | PROT_WRITE); }
    ~Unprotected() { world().memory.protect(PROT_NONE); }
};

/// Do the tasks, and what they come after, in the order of submission.
void force(std::vector<std::shared_ptr<Task>> wanted) {
    std::set<std::shared_ptr<Task>, bool (*)(const std::shared_ptr<Task>&, const std::shared_ptr<Task>&)> needed(
        [](const auto& a, const auto& b) { return a->number < b->number; });
    while (!wanted.empty()) {
        const std::shared_ptr<Task> task = wanted.back();
        wanted.pop_back();
        if (task == nullptr || task->done || !needed.insert(task).second) continue;
        wanted.insert(wanted.end(), task->after.begin(), task->after.end());
    }
    if (needed.empty()) return;
    const Unprotected open;
    for (const std::shared_ptr<Task>& task : needed) {
        if (task->work) task->work();
        task->done = true;
        task->work = nullptr;
        task->after.clear();
    }
    std::erase_if(world().pending, [](const std::shared_ptr<Task>& task) { return task->done; });
}

Stream& legacy(int device) {
    Stream& stream = world().legacy[device];
    stream.device = device;
    return stream;
}

std::shared_ptr<Task> add(Stream* stream, int device, std::function<void()> work) {
    World& all = world();
    auto task = std::make_shared<Task>();
    task->number = ++all.submitted;
    task->work = std::move(work);
    Stream& own = stream == nullptr ? legacy(device) : *stream;
    task->after.push_back(own.last);
    if (stream == nullptr) {
        for (const Stream* other : all.streams) {
            if (other->blocking && other->device == device) task->after.push_back(other->last);
        }
    } else if (own.blocking) {
        task->after.push_back(legacy(own.device).last);
    }
    own.last = task;
    all.pending.push_back(task);
    return task;
}

}  // namespace

std::recursive_mutex& lock() { return world().mutex; }

long setting(const char* name, long otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr || *text == '\0' ? otherwise : std::strtol(text, nullptr, 10);
}

std::string text_setting(const char* name, const char* otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr || *text == '\0' ? otherwise : text;
}

namespace {

Watcher watcher = nullptr;

}  // namespace

int called(const char* function) {
    if (watcher != nullptr) watcher(function);
    if (const char* path = std::getenv("ZEROFAB_FAKE_LOG")) {
        if (std::FILE* file = std::fopen(path, "a")) {
            std::fprintf(file, "%s\n", function);
            std::fclose(file);
        }
    }
    const std::lock_guard guard(lock());
    static auto& order = *new std::string;
    static long calls = 0;
    const char* fail = std::getenv("ZEROFAB_FAKE_FAIL");
    if (order != (fail == nullptr ? "" : fail)) {
        order = fail == nullptr ? "" : fail;
        calls = 0;
    }
    const std::size_t length = std::strlen(function);
    if (order.compare(0, length, function) != 0 || order.size() <= length || order[length] != '=') return 0;
    char* end = nullptr;
    const auto result = static_cast<int>(std::strtol(order.c_str() + length + 1, &end, 10));
    return *end != '@' || ++calls == std::strtol(end + 1, nullptr, 10) ? result : 0;
}

bool same_process() { return world().process == getpid(); }

void* allocate(Kind kind, std::size_t bytes, int device) {
    World& all = world();
    const std::size_t size = (bytes + page - 1) / page * page;
    std::size_t& used = all.in_use[{kind, device}];
    const auto most = static_cast<std::size_t>(setting("ZEROFAB_FAKE_MEMORY", 1L << 30U));
    if (size < bytes || size > most || used > most - size) return nullptr;
    std::uintptr_t at = 0;
    if (kind == Kind::device) {
        Reserve& memory = all.memory;
        if (const auto found = memory.freed.find(size); found != memory.freed.end()) {
            at = found->second;
            memory.freed.erase(found);
        } else {
            if (memory.begin == 0 || memory.used + size > reserve) return nullptr;
            at = memory.begin + memory.used;
            memory.used += size;
        }
        const Unprotected open;
        std::memset(reinterpret_cast<void*>(at), pattern, size);
    } else {
        void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (data == MAP_FAILED) return nullptr;
        std::memset(data, pattern, size);
        at = reinterpret_cast<std::uintptr_t>(data);
    }
    used += size;
    all.blocks[at] = {at, size, kind, device};
    return reinterpret_cast<void*>(at);
}

bool release(void* data) {
    World& all = world();
    const auto found = all.blocks.find(reinterpret_cast<std::uintptr_t>(data));
    if (found == all.blocks.end()) return false;
    const Block block = found->second;
    force(all.pending);
    all.blocks.erase(found);
    all.in_use[{block.kind, block.device}] -= block.bytes;
    if (block.kind == Kind::device) {
        all.memory.freed.emplace(block.bytes, block.begin);
    } else {
        munmap(data, block.bytes);
    }
    return true;
}

const Block* block_of(const void* data) {
    const auto at = reinterpret_cast<std::uintptr_t>(data);
    auto next = world().blocks.upper_bound(at);
    if (next == world().blocks.begin()) return nullptr;
    const Block& block = (--next)->second;
    return at - block.begin < block.bytes ? &block : nullptr;
}

bool is_whole(const void* data, std::size_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(data);
    if (const Block* block = block_of(data)) return bytes <= block->bytes - (at - block->begin);
    return at - world().memory.begin >= reserve;  // of a device, but in no block
}

Stream* create_stream(int device, bool blocking) {
    auto* stream = new Stream{device, blocking, false, nullptr};
    world().streams.insert(stream);
    return stream;
}

Stream* per_thread_stream(int device) {
    static long threads = 0;
    static auto& all = *new std::map<std::pair<long, int>, Stream>;  // of threads that have ended too
    thread_local const long thread = ++threads;
    const auto [found, is_new] = all.try_emplace({thread, device});
    if (is_new) {
        found->second.device = device;
        world().streams.insert(&found->second);
    }
    return &found->second;
}

bool is_stream(const Stream* stream) {
    return stream == nullptr || world().streams.contains(const_cast<Stream*>(stream));
}

void destroy_stream(Stream* stream) {
    if (stream->blocking && stream->last != nullptr) {
        add(nullptr, stream->device, nullptr)->after.push_back(stream->last);
    }
    world().streams.erase(stream);
    delete stream;
}

void enqueue(Stream* stream, int device, std::function<void()> work) { add(stream, device, std::move(work)); }

void synchronize(Stream* stream, int device) { force({stream == nullptr ? legacy(device).last : stream->last}); }

bool synchronize_all(int device) {
    World& all = world();
    const auto captured = [device](const Stream* stream) { return stream->captured && stream->device == device; };
    if (std::any_of(all.streams.begin(), all.streams.end(), captured)) return false;
    force(all.pending);
    return true;
}

Event* create_event(int device) {
    auto* event = new Event{device, nullptr, 0};
    world().events.insert(event);
    return event;
}

bool is_event(const Event* event) { return world().events.contains(const_cast<Event*>(event)); }

int events() { return static_cast<int>(world().events.size()); }

void destroy_event(Event* event) {
    world().events.erase(event);
    delete event;
}

void record(Event* event, Stream* stream) {
    event->task = add(stream, event->device, nullptr);
    event->asked = 0;
}

void wait(Stream* stream, int device, const Event* event) {
    if (event->task == nullptr) return;
    add(stream, device, nullptr)->after.push_back(event->task);
}

bool reached(Event* event) {
    if (event->task == nullptr || event->task->done) return true;
    if (++event->asked < 3) return false;
    force({event->task});
    return true;
}

}  // namespace fake

extern "C" __attribute__((visibility("default"))) int fake_events() { return fake::events(); }
extern "C" __attribute__((visibility("default"))) void fake_watch(fake::Watcher told) {
    const std::lock_guard guard(fake::lock());
    fake::watcher = told;
}
