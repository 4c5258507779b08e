// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The errors of the library, one class per Python exception that they become.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

#include "zerofab/base/export.hpp"

namespace zerofab {

/// A wrong state: not initialized, already cleared, views alive. Becomes RuntimeError.
class ZEROFAB_API StateError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A value that is not allowed. Becomes ValueError.
class ZEROFAB_API ValueError : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

/// An index, component or box outside what exists. Becomes IndexError.
class ZEROFAB_API IndexError : public std::out_of_range {
public:
    using std::out_of_range::out_of_range;
};

/// An argument of the wrong kind. Becomes TypeError.
class ZEROFAB_API TypeError : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

/// Memory that cannot be exported or imported as asked. Becomes BufferError.
class ZEROFAB_API BufferError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A file that cannot be read, written or believed. Becomes OSError.
class ZEROFAB_API IoError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Out of memory on a device or the host, with a message. Becomes MemoryError.
class ZEROFAB_API MemoryError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A device that is not there, or what its driver or compiler refused, with its message. Becomes RuntimeError.
class ZEROFAB_API DeviceError : public StateError {
public:
    using StateError::StateError;
};

/// Throw std::logic_error, with the source location, if something that this library guarantees does not hold.
ZEROFAB_API void ensure(bool holds, std::string_view what,
                        std::source_location where = std::source_location::current());

}  // namespace zerofab
