# The host loops are compiled for three instruction sets; a table filled once from cpuid chooses (src/device/host).
# No contraction to fused multiply-add: results have the same bits on every CPU.
file(GLOB ZEROFAB_AVX2 "${CMAKE_CURRENT_SOURCE_DIR}/src/device/host/*_avx2.cpp")
file(GLOB ZEROFAB_AVX512 "${CMAKE_CURRENT_SOURCE_DIR}/src/device/host/*_avx512.cpp")
set_property(SOURCE ${ZEROFAB_AVX2} APPEND PROPERTY COMPILE_OPTIONS -mavx2 -mfma -mbmi2 -ffp-contract=off)
set_property(
  SOURCE ${ZEROFAB_AVX512}
  APPEND
  PROPERTY COMPILE_OPTIONS
           -mavx512f
           -mavx512dq
           -mavx512vl
           -mavx512bw
           -mavx2
           -mfma
           -mbmi2
           -mprefer-vector-width=512
           -ffp-contract=off)
