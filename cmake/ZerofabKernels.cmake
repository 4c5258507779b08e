# The text of kernels/ becomes part of the library: as it is, for compilers at run time, and as SPIR-V for each element
# type if clang and llvm-spirv of one version are found.  Sets ZEROFAB_KERNEL_SOURCE, the C++ source of both.
set(_kernels "${CMAKE_CURRENT_SOURCE_DIR}/kernels")
set(_made "${CMAKE_CURRENT_BINARY_DIR}/kernels")
set(_scripts "${CMAKE_CURRENT_SOURCE_DIR}/cmake/kernels")
file(MAKE_DIRECTORY "${_made}")
file(GLOB _headers CONFIGURE_DEPENDS "${_kernels}/*.h")
set(ZEROFAB_SPIRV_OPTIONS -triple spir64-unknown-unknown -cl-std=CL2.0 -finclude-default-header -O2 -disable-llvm-passes
                          -emit-llvm-bc -x cl)

# The first pair of tools that makes SPIR-V of a small kernel; versions before 17 need typed pointers.
function(zerofab_find_spirv_tools)
  file(WRITE "${_made}/try.cl" "__kernel void k(__global double* x) { x[get_global_id(0)] = 1; }\n")
  foreach(version IN ITEMS 15 16 14 17 18 19 20 21 22)
    unset(clang CACHE)
    unset(translator CACHE)
    find_program(clang clang-${version} PATHS "/usr/lib/llvm-${version}/bin")
    find_program(translator llvm-spirv-${version} PATHS "/usr/lib/llvm-${version}/bin")
    if(NOT clang OR NOT translator)
      continue()
    endif()
    set(typed "")
    if(version EQUAL 15 OR version EQUAL 16)
      set(typed -no-opaque-pointers)
    endif()
    execute_process(COMMAND "${clang}" -cc1 ${typed} ${ZEROFAB_SPIRV_OPTIONS} "${_made}/try.cl" -o "${_made}/try.bc"
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      execute_process(COMMAND "${translator}" --spirv-fp-contract=off "${_made}/try.bc" -o "${_made}/try.spv"
                      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    endif()
    if(NOT failed)
      set(ZEROFAB_SPIRV_CLANG "${clang};-cc1;${typed}" CACHE INTERNAL "clang that compiles kernels to LLVM's code")
      set(ZEROFAB_SPIRV_TRANSLATOR "${translator}" CACHE INTERNAL "llvm-spirv of the same version")
      break()
    endif()
  endforeach()
  unset(clang CACHE)
  unset(translator CACHE)
endfunction()

add_custom_command(
  OUTPUT "${_made}/kernels.cl"
  COMMAND "${CMAKE_COMMAND}" -D "IN=${_kernels}/kernels.h" -D "OUT=${_made}/kernels.cl" -P "${_scripts}/flatten.cmake"
  DEPENDS ${_headers} "${_scripts}/flatten.cmake"
  COMMENT "One text of kernels/")

if(NOT ZEROFAB_SPIRV_TRANSLATOR)
  zerofab_find_spirv_tools()
endif()
set(_spirv "")
if(ZEROFAB_SPIRV_TRANSLATOR)
  foreach(type IN ITEMS f64 f32 i32 i64)
    string(TOUPPER "${type}" upper)
    foreach(items IN ITEMS many one)
      set(name "${_made}/${type}_${items}")
      add_custom_command(
        OUTPUT "${name}.spv"
        COMMAND ${ZEROFAB_SPIRV_CLANG} ${ZEROFAB_SPIRV_OPTIONS} -DK_${upper} $<$<STREQUAL:${items},one>:-DK_ONE_ITEM>
                "${_made}/kernels.cl" -o "${name}.bc"
        COMMAND "${ZEROFAB_SPIRV_TRANSLATOR}" --spirv-fp-contract=off "${name}.bc" -o "${name}.spv"
        DEPENDS "${_made}/kernels.cl"
        COMMAND_EXPAND_LISTS
        COMMENT "SPIR-V of the kernels for ${type}, ${items} item(s) to a group")
      list(APPEND _spirv "${name}.spv")
    endforeach()
  endforeach()
  message(STATUS "Kernels: SPIR-V by ${ZEROFAB_SPIRV_TRANSLATOR}")
else()
  message(STATUS "Kernels: no SPIR-V (clang-15 and llvm-spirv-15 are not installed); Intel's GPUs will need a build with it")
endif()

set(ZEROFAB_KERNEL_SOURCE "${_made}/kernel_source.cpp")
add_custom_command(
  OUTPUT "${ZEROFAB_KERNEL_SOURCE}"
  COMMAND "${CMAKE_COMMAND}" -D "TEXT=${_made}/kernels.cl" -D "SPIRV=$<$<BOOL:${_spirv}>:${_made}>" -D
          "OUT=${ZEROFAB_KERNEL_SOURCE}" -P "${_scripts}/embed.cmake"
  DEPENDS "${_made}/kernels.cl" ${_spirv} "${_scripts}/embed.cmake"
  COMMENT "The kernels as a C++ source")
