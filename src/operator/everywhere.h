// SPDX-License-Identifier: Apache-2.0
// Kernels that are the same on every device, because all they do with elements is to have them
// copied.
#pragma once

#include <string_view>

#include "operator/op_def.h"

namespace mycel::op {

// Goes before whatever a device offers for the operator.
void add_kernel_everywhere(std::string_view op, void (*run)(KernelContext& kernel));

struct KernelEverywhere {
  KernelEverywhere(std::string_view op, void (*run)(KernelContext& kernel)) {
    add_kernel_everywhere(op, run);
  }
};

}  // namespace mycel::op

#define MYCEL_KERNEL_EVERYWHERE(op_name)                                           \
  static void kernel_everywhere_##op_name(::mycel::op::KernelContext& kernel);     \
  static const ::mycel::op::KernelEverywhere register_kernel_everywhere_##op_name( \
      #op_name, kernel_everywhere_##op_name);                                      \
  static void kernel_everywhere_##op_name([[maybe_unused]] ::mycel::op::KernelContext& kernel)
