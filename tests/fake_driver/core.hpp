// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the fake drivers of the tests share: memory that the host cannot touch, and work that is done as late as can be.
//
// No GPU is behind them and no vendor's code is in them.  They show whether this library's own logic is right:
//   * Memory of a device lies in pages without access; only while the fake runs its own copies and kernels can they be
//     read.  An instruction of the host that touches such memory is a segmentation fault.
//   * Nothing that is put on a stream is done before somebody waits for it (or asks for its event a third time).  Of
//     the work on all streams only what is waited for is done, in the order of its submission.  So an order that was
//     not asked for is an order that is not there, and shows as wrong data every time.
//   * Fresh memory holds a pattern.
//
// Settings are environment variables, read when they matter, so that a test can set them while it runs:
//   ZEROFAB_FAKE_DEVICES   how many devices there are (2)
//   ZEROFAB_FAKE_MEMORY    bytes of memory of each kind and device (1 GiB)
//   ZEROFAB_FAKE_VERSION   the version that the driver says it has
//   ZEROFAB_FAKE_ARCH      architecture of the devices ("sm_90", "gfx90a")
//   ZEROFAB_FAKE_ISAS      those that hipRTC compiles for ("gfx906 gfx90a gfx942 gfx1030")
//   ZEROFAB_FAKE_FAIL      "cuMemAlloc_v2=2": that function fails with that result; "cuMemAlloc_v2=2@3": its third
//                          call fails, counted since this was set
//   ZEROFAB_FAKE_COMPILE_ERROR=1   the text of kernels/ does not compile
//   ZEROFAB_FAKE_LOG       a file to which the names of all functions that are called are appended
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fake {

/// Number or text of a setting.
long setting(const char* name, long otherwise);
std::string text_setting(const char* name, const char* otherwise);

/// At the start of every function of a driver: the result that the settings ask of it, or 0.
int called(const char* function);

/// Whom each library tells the names of the functions that are called, before they do anything: the argument of its
/// fake_watch.
using Watcher = void (*)(const char* function);

/// Whether this is the process in which the driver was started.  A driver's functions fail in a forked child.
bool same_process();

enum class Kind { device, managed, pinned };

/// A piece of memory that the driver gave.
struct Block {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    Kind kind = Kind::device;
    int device = 0;
};

/// Null if the device has no such memory left.
void* allocate(Kind kind, std::size_t bytes, int device);
/// Do all work first, as a driver does; false if it is the beginning of no block.
bool release(void* data);
/// The block that holds this address, or null.
const Block* block_of(const void* data);
/// Whether [data, data + bytes) is the host's own or lies in one block.
bool is_whole(const void* data, std::size_t bytes);

/// A piece of work, and what must be done before it.
struct Task {
    std::uint64_t number = 0;
    std::function<void()> work;
    std::vector<std::shared_ptr<Task>> after;
    bool done = false;
};

/// A queue of work.  Null is a device's legacy default stream, which waits for all blocking streams, and they for it.
struct Stream {
    int device = 0;
    bool blocking = true;
    bool captured = false;  ///< its work would go into a graph: it must not be waited for
    std::shared_ptr<Task> last;
};

Stream* create_stream(int device, bool blocking);
/// The calling thread's own default stream, which every other thread has another of; as blocking as those created so.
Stream* per_thread_stream(int device);
/// Whether it is null or a stream that was created and not destroyed.
bool is_stream(const Stream* stream);
/// Its work stays to be done.
void destroy_stream(Stream* stream);
void enqueue(Stream* stream, int device, std::function<void()> work);
void synchronize(Stream* stream, int device);
/// All work of all streams, those that are gone included; false, and nothing is done, while a stream is captured.
bool synchronize_all(int device);

struct Event {
    int device = 0;
    std::shared_ptr<Task> task;
    int asked = 0;
};

Event* create_event(int device);
bool is_event(const Event* event);
/// How many were created and not destroyed; each library also exports it as fake_events.
int events();
void destroy_event(Event* event);
void record(Event* event, Stream* stream);
void wait(Stream* stream, int device, const Event* event);
/// False at the first two calls while the work is not done; the third does it.
bool reached(Event* event);

/// The stream behind a handle of CUDA's or HIP's: 1 is the legacy stream too, 2 the calling thread's own.
inline Stream* stream_of(void* handle, int device) {
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    return number == 1 ? nullptr : number == 2 ? per_thread_stream(device) : static_cast<Stream*>(handle);
}

/// A program that was loaded: the options that it was compiled with.
struct Program {
    std::string options;
};

/// A kernel of a program.
struct Kernel {
    std::string name;
    const Program* program = nullptr;
};

/// "Compile" the text of kernels/: empty, and a log, if it is another text, or a failure was ordered.
std::string compile(const std::string& text, const std::vector<std::string>& options, std::string& log);
/// Take a program in; false if it is none.
bool read_program(const void* image, Program& program);
bool has_kernel(const Program& program, const std::string& name);
/// Put the host's build of the kernel on the stream; false if there is none.
bool launch(const Kernel& kernel, unsigned groups_x, unsigned groups_y, void** arguments, Stream* stream, int device);

/// One lock for everything.
std::recursive_mutex& lock();

}  // namespace fake
