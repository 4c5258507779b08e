# Library, headers and CMake package, all below one folder (inside the Python package for a wheel).
include(CMakePackageConfigHelpers)
set(_root "${ZEROFAB_PACKAGE_DIR}")
install(TARGETS zerofab EXPORT zerofabTargets LIBRARY DESTINATION "${_root}/lib" NAMELINK_SKIP COMPONENT zerofab)
install(DIRECTORY include/zerofab DESTINATION "${_root}/include" COMPONENT zerofab)
install(EXPORT zerofabTargets NAMESPACE zerofab:: DESTINATION "${_root}/lib/cmake/zerofab" COMPONENT zerofab)
configure_package_config_file(cmake/zerofabConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/zerofabConfig.cmake"
                              INSTALL_DESTINATION "${_root}/lib/cmake/zerofab")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/zerofabConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/zerofabConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/zerofabConfigVersion.cmake"
        DESTINATION "${_root}/lib/cmake/zerofab" COMPONENT zerofab)
