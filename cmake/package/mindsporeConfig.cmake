# SPDX-License-Identifier: Apache-2.0
# find_package(mindspore CONFIG): the targets mindspore::mindspore, models, and mindspore::dataset, transforms of
# images. This file lies in lib/cmake/mindspore of the package.
get_filename_component(mindspore_root "${CMAKE_CURRENT_LIST_DIR}/../../.." REALPATH)

function(mindspore_import name library)
  if(TARGET mindspore::${name})
    return()
  endif()
  if(NOT EXISTS "${library}")
    set(mindspore_FOUND FALSE PARENT_SCOPE)
    set(mindspore_NOT_FOUND_MESSAGE "${library} is missing" PARENT_SCOPE)
    return()
  endif()
  add_library(mindspore::${name} SHARED IMPORTED)
  get_filename_component(soname "${library}" NAME)
  set_target_properties(
    mindspore::${name}
    PROPERTIES IMPORTED_LOCATION "${library}" IMPORTED_SONAME "${soname}"
               INTERFACE_INCLUDE_DIRECTORIES "${mindspore_root};${mindspore_root}/include"
               INTERFACE_COMPILE_FEATURES cxx_std_17
               # What the library itself needs it finds beside it.
               INTERFACE_LINK_OPTIONS "LINKER:--allow-shlib-undefined")
endfunction()

mindspore_import(mindspore "${mindspore_root}/lib/libmindspore.so")
mindspore_import(dataset "${mindspore_root}/_c_dataengine.so")
