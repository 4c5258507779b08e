# Loops and kernels of the host are compiled once per instruction set; the library chooses at run time.
# No contraction to fused multiply-add: results have the same bits on every CPU. Flags of floating-point exceptions
# are nobody's business: without them a choice between two numbers becomes vector code.
set(ZEROFAB_ISA_baseline -ffp-contract=off -fno-trapping-math)
set(ZEROFAB_ISA_avx2 ${ZEROFAB_ISA_baseline})
set(ZEROFAB_ISA_avx512 ${ZEROFAB_ISA_baseline})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND ZEROFAB_ISA_avx2 -mavx2 -mfma -mbmi2)
  list(APPEND ZEROFAB_ISA_avx512 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx2 -mfma -mbmi2
       -mprefer-vector-width=512)
endif()

foreach(isa IN ITEMS baseline avx2 avx512)
  file(GLOB _sources "${CMAKE_CURRENT_SOURCE_DIR}/src/device/host/*_${isa}.cpp")
  # The text of kernels/, for each element type.
  foreach(type IN ITEMS f64 f32 i32 i64)
    string(TOUPPER "K_${type}" _element)
    set(_source "${CMAKE_CURRENT_BINARY_DIR}/kernels/kernels_${type}_${isa}.cpp")
    file(CONFIGURE OUTPUT "${_source}" CONTENT "// Made by ZerofabIsa.cmake
#define @_element@
#define K_SERIAL
#include \"device/host/kernels_text.hpp\"
namespace zerofab {
extern const HostKernels kernels_@type@_@isa@;
constinit const HostKernels kernels_@type@_@isa@{table, sizeof table / sizeof *table};
}  // namespace zerofab
" @ONLY)
    list(APPEND _sources "${_source}")
    target_sources(zerofab PRIVATE "${_source}")
  endforeach()
  set_property(SOURCE ${_sources} APPEND PROPERTY COMPILE_OPTIONS ${ZEROFAB_ISA_${isa}})
  set_property(SOURCE ${_sources} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  if(ZEROFAB_SANITIZE)
    set_property(SOURCE ${_sources} APPEND PROPERTY COMPILE_OPTIONS -O1)
  endif()
endforeach()
