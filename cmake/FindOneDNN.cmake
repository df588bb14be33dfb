# SPDX-License-Identifier: Apache-2.0
# Finds oneDNN as PyPI delivers it: headers in onednn-devel-cpu-gomp, the library in
# onednn-cpu-gomp, both installed for the Python that builds. Provides OneDNN::dnnl and
# OneDNN_LIBRARY.
#
# pip's build isolation installs them under a temporary prefix. Both are therefore copied into the
# build tree: paths stay the same, and nothing is compiled again because a folder was renamed.

execute_process(
  COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/locate_onednn.py
  OUTPUT_VARIABLE onednn_origin
  OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE onednn_status)
if(onednn_status EQUAL 0)
  list(GET onednn_origin 0 onednn_include)
  list(GET onednn_origin 1 onednn_library)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  OneDNN
  REQUIRED_VARS onednn_include onednn_library
  REASON_FAILURE_MESSAGE
    "${Python_EXECUTABLE} -m pip install onednn-devel-cpu-gomp==2023.2.0 brings it")

if(OneDNN_FOUND AND NOT TARGET OneDNN::dnnl)
  set(onednn_copy ${PROJECT_BINARY_DIR}/onednn)
  file(GLOB_RECURSE onednn_headers RELATIVE ${onednn_include} ${onednn_include}/dnnl*
       ${onednn_include}/oneapi/dnnl/*)
  foreach(header IN LISTS onednn_headers)
    get_filename_component(folder ${onednn_copy}/include/${header} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    file(COPY_FILE ${onednn_include}/${header} ${onednn_copy}/include/${header} ONLY_IF_DIFFERENT)
  endforeach()

  # Beside libmindspore.so, where $ORIGIN/lib looks for it.
  set(OneDNN_LIBRARY ${MYCEL_PACKAGE_DIR}/lib/libdnnl.so.3)
  file(MAKE_DIRECTORY ${MYCEL_PACKAGE_DIR}/lib)
  file(COPY_FILE ${onednn_library} ${OneDNN_LIBRARY} ONLY_IF_DIFFERENT)

  add_library(OneDNN::dnnl SHARED IMPORTED GLOBAL)
  set_target_properties(
    OneDNN::dnnl PROPERTIES IMPORTED_LOCATION ${OneDNN_LIBRARY} IMPORTED_SONAME libdnnl.so.3
                            INTERFACE_INCLUDE_DIRECTORIES ${onednn_copy}/include)
endif()
