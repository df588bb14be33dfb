# SPDX-License-Identifier: Apache-2.0
# Compiler settings shared by every target, carried by the interface library mycel_settings.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# -O3 is asked for where it pays, in the vector loops.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(mycel_settings INTERFACE)
target_include_directories(mycel_settings INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(
  mycel_settings
  # Loops compiled for a wider instruction set name it themselves, and the last one named wins.
  INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:mycel_names_instruction_set>>>:-march=x86-64-v3>
            -fno-math-errno
            -fno-trapping-math
            -fvisibility=default
            -fno-semantic-interposition
            -Wall
            -Wextra)

# Libraries of the package lie in one folder and find each other relative to it, in the build tree
# exactly as in the wheel.
if(MYCEL_INPLACE)
  set(MYCEL_PACKAGE_DIR ${PROJECT_SOURCE_DIR}/python/mindspore)
else()
  set(MYCEL_PACKAGE_DIR ${PROJECT_BINARY_DIR}/mindspore)
endif()
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)

# Clang calls a library for atomic values of sixteen bytes.
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  target_link_libraries(mycel_settings INTERFACE atomic)
endif()

set(sanitizer_asan -fsanitize=address)
set(sanitizer_tsan -fsanitize=thread)
set(sanitizer_ubsan -fsanitize=undefined -fno-sanitize-recover=undefined)
# Both at once, and what libFuzzer wants to know: for Clang, with the fuzz targets as programs.
set(sanitizer_fuzz -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
if(MYCEL_SANITIZE)
  if(NOT DEFINED sanitizer_${MYCEL_SANITIZE})
    message(FATAL_ERROR "MYCEL_SANITIZE must be asan, tsan, ubsan or fuzz, but got '${MYCEL_SANITIZE}'")
  endif()
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -g")
  target_compile_options(mycel_settings INTERFACE ${sanitizer_${MYCEL_SANITIZE}}
                                                  -fno-omit-frame-pointer)
  target_link_options(mycel_settings INTERFACE ${sanitizer_${MYCEL_SANITIZE}})
endif()
