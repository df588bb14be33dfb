# SPDX-License-Identifier: Apache-2.0
# How a folder of src/ becomes an object library. Object libraries, not static ones, because the
# linker keeps all their objects and with them the registrations of operators and kernels.

# Lists in `result` the sources under `folder`, without the tests, benchmarks and fuzz targets beside them.
function(mycel_sources result folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# Adds the object library `name` and puts its objects into libmindspore.so, in the order of calls.
# A folder without sources yet adds nothing.
function(mycel_object_library name)
  if(NOT ARGN)
    return()
  endif()
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PRIVATE mycel_settings)
  set_property(GLOBAL APPEND PROPERTY mycel_object_libraries ${name})
endfunction()

# The usual folder: everything below it is one object library, mycel_<folder>.
macro(mycel_folder)
  get_filename_component(folder_name ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  mycel_sources(folder_sources ${CMAKE_CURRENT_SOURCE_DIR})
  mycel_object_library(mycel_${folder_name} ${folder_sources})
endmacro()

# Places a library of the package, in the build tree and in the wheel: programs in C++ expect them in lib/.
function(mycel_package_library name)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${MYCEL_PACKAGE_DIR}/lib INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${name} LIBRARY DESTINATION mindspore/lib)
endfunction()

# Places a library that stands beside the Python modules: an extension, or one that programs look for there.
function(mycel_package_module name)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${MYCEL_PACKAGE_DIR}
                                           INSTALL_RPATH "$ORIGIN/lib")
  install(TARGETS ${name} LIBRARY DESTINATION mindspore)
endfunction()

# The same for an extension of the package mindspore_serving.
function(mycel_serving_package_module name)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${MYCEL_PACKAGE_DIR}_serving)
  install(TARGETS ${name} LIBRARY DESTINATION mindspore_serving)
endfunction()

# Places a program of the package, in the build tree and in the wheel.
function(mycel_package_program name)
  target_link_options(${name} PRIVATE -Wl,--as-needed)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${MYCEL_PACKAGE_DIR}/bin
                                           INSTALL_RPATH "$ORIGIN/../lib")
  install(TARGETS ${name} RUNTIME DESTINATION mindspore/bin)
endfunction()
