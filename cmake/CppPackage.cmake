# SPDX-License-Identifier: Apache-2.0
# What programs in C++ need of the package: headers in include/, and files by which CMake and pkg-config find
# headers and libraries. All paths in them are relative, so the package may be moved.
if(MYCEL_INPLACE)
  file(MAKE_DIRECTORY ${MYCEL_PACKAGE_DIR})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include ${MYCEL_PACKAGE_DIR}/include SYMBOLIC)
else()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION mindspore/include FILES_MATCHING
          PATTERN "*.h")
endif()

include(CMakePackageConfigHelpers)
set(cpp_package ${MYCEL_PACKAGE_DIR}/lib/cmake/mindspore)
configure_file(${PROJECT_SOURCE_DIR}/cmake/package/mindsporeConfig.cmake
               ${cpp_package}/mindsporeConfig.cmake COPYONLY)
write_basic_package_version_file(${cpp_package}/mindsporeConfigVersion.cmake
                                 VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/package/mindspore.pc.in
               ${MYCEL_PACKAGE_DIR}/lib/pkgconfig/mindspore.pc @ONLY)
if(NOT MYCEL_INPLACE)
  install(DIRECTORY ${cpp_package} DESTINATION mindspore/lib/cmake)
  install(FILES ${MYCEL_PACKAGE_DIR}/lib/pkgconfig/mindspore.pc DESTINATION mindspore/lib/pkgconfig)
endif()
