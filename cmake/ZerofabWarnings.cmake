# Warnings and sanitizers, as one interface target each user links privately.
add_library(zerofab_warnings INTERFACE)
target_compile_options(zerofab_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang) # as GCC: its -Wconversion leaves signs out, it has pragmas of its own, and says
                                        # nothing of a loop that stays as it is
  target_compile_options(zerofab_warnings INTERFACE -Wno-sign-conversion -Wno-unknown-pragmas -Wno-pass-failed)
endif()
if(ZEROFAB_WERROR)
  target_compile_options(zerofab_warnings INTERFACE -Werror)
endif()
if(ZEROFAB_SANITIZE)
  add_compile_options(-fsanitize=${ZEROFAB_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ZEROFAB_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    add_compile_options(-fno-sanitize=function) # a driver's functions are called with types of our own
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
  add_compile_options(-include "${CMAKE_CURRENT_SOURCE_DIR}/cmake/old_clang.hpp")
endif()
if(ZEROFAB_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "ZEROFAB_FUZZ needs clang: -DCMAKE_CXX_COMPILER=clang++")
endif()
