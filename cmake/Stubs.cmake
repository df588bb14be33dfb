# SPDX-License-Identifier: Apache-2.0
# Typed stubs (.pyi) of the package. They are made by looking at it, so its extension modules have to be there
# and to run on the machine that builds; libraries with a sanitizer do not run in a plain Python.

if(MYCEL_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(stubs_default OFF)
else()
  set(stubs_default ON)
endif()
option(MYCEL_STUBS "Write typed stubs of the package, for editors and type checkers" ${stubs_default})
if(NOT MYCEL_STUBS OR NOT TARGET _c_expression OR NOT TARGET _c_data)
  return()
endif()

file(GLOB_RECURSE stubs_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/mindspore/*.py
     ${PROJECT_SOURCE_DIR}/tools/generate/*.py)
get_filename_component(stubs_folder ${MYCEL_PACKAGE_DIR} DIRECTORY)
set(stubs_stamp ${PROJECT_BINARY_DIR}/stubs.stamp)
add_custom_command(
  OUTPUT ${stubs_stamp}
  COMMAND
    ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 ${Python_EXECUTABLE}
    ${PROJECT_SOURCE_DIR}/tools/generate/stubs.py --sources ${PROJECT_SOURCE_DIR}/python --libraries
    ${MYCEL_PACKAGE_DIR} --report ${PROJECT_BINARY_DIR}/stubs_report.txt ${stubs_folder}
  COMMAND ${CMAKE_COMMAND} -E touch ${stubs_stamp}
  DEPENDS ${stubs_sources} _c_expression _c_data
  COMMENT "Writing typed stubs"
  VERBATIM)
# A developer's build in place asks for them by name: `ninja stubs`.
if(MYCEL_INPLACE)
  add_custom_target(stubs DEPENDS ${stubs_stamp})
else()
  add_custom_target(stubs ALL DEPENDS ${stubs_stamp})
  install(DIRECTORY ${MYCEL_PACKAGE_DIR}/ DESTINATION mindspore FILES_MATCHING PATTERN "*.pyi")
endif()
