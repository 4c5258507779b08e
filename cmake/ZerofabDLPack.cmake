# The DLPack header comes from the package apache-tvm-ffi (DLPack 1.3); only its include folder is used.
if(NOT ZEROFAB_DLPACK_INCLUDE_DIR)
  find_program(ZEROFAB_TVM_FFI_CONFIG tvm-ffi-config)
  if(ZEROFAB_TVM_FFI_CONFIG)
    execute_process(COMMAND "${ZEROFAB_TVM_FFI_CONFIG}" --dlpack-includedir OUTPUT_VARIABLE ZEROFAB_DLPACK_FOUND
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  find_path(ZEROFAB_DLPACK_INCLUDE_DIR dlpack/dlpack.h HINTS "${ZEROFAB_DLPACK_FOUND}")
endif()
if(NOT ZEROFAB_DLPACK_INCLUDE_DIR)
  message(FATAL_ERROR "dlpack/dlpack.h was not found: pip install apache-tvm-ffi, or set ZEROFAB_DLPACK_INCLUDE_DIR")
endif()
add_library(zerofab_dlpack INTERFACE)
target_include_directories(zerofab_dlpack SYSTEM INTERFACE "${ZEROFAB_DLPACK_INCLUDE_DIR}")
