// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_FORMAT_H_
#define MINDSPORE_INCLUDE_API_FORMAT_H_

// The include path may hold the package, its folder `include`, or both.
#if __has_include("include/mindapi/base/format.h")
#include "include/mindapi/base/format.h"
#else
#include "mindapi/base/format.h"
#endif

#endif  // MINDSPORE_INCLUDE_API_FORMAT_H_
