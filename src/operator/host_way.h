// SPDX-License-Identifier: Apache-2.0
// What happens to an operator that a device has no kernel for.
#pragma once

#include "operator/contexts.h"

namespace mycel::op {

// Brings the inputs to the host, has its kernel run and brings the outputs back; waits for the
// device, so that nothing that goes this way can be recorded.
void run_through_host(KernelContext& kernel);

// Whether that is wanted and the host has a kernel. The first time an operator goes this way on a
// device, a warning says so.
bool may_run_through_host(const OpDef& definition, device::Device device);

}  // namespace mycel::op
