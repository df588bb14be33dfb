// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator/mindir_call.h"
#include "operator/onnx_call.h"

// What an operator is in files of both formats:
//   MYCEL_WRITES(rad2deg) { return call.typed() * (180 / std::numbers::pi); }
#define MYCEL_WRITES(op_name)                                                   \
  template <class Call>                                                         \
  static typename Call::Written writes_##op_name(const Call& call);             \
  MYCEL_WRITES_MINDIR_BY(op_name, writes_##op_name<::mycel::op::mindir::Call>); \
  MYCEL_WRITES_ONNX_BY(op_name, writes_##op_name<::mycel::op::onnx::Call>);     \
  template <class Call>                                                         \
  static typename Call::Written writes_##op_name([[maybe_unused]] const Call& call)
