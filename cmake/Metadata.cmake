# SPDX-License-Identifier: Apache-2.0
# importlib.metadata.version("mindspore") is asked by libraries, and the wheel has another name. An .egg-info
# folder answers: installers allow one .dist-info folder per wheel, and this one belongs to them.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS python/mindspore/version.py)
if(MYCEL_INPLACE)
  set(metadata_folder ${PROJECT_SOURCE_DIR}/python/mindspore.egg-info)
else()
  set(metadata_folder ${PROJECT_BINARY_DIR}/mindspore.egg-info)
  install(DIRECTORY ${metadata_folder} DESTINATION .)
endif()
file(
  CONFIGURE
  OUTPUT ${metadata_folder}/PKG-INFO
  CONTENT "Metadata-Version: 2.1\nName: mindspore\nVersion: @mycel_full_version@\nSummary: MindSpore's API, provided by mycel\n"
  @ONLY)
