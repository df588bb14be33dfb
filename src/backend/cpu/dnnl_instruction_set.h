// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <oneapi/dnnl/dnnl.hpp>

#include "platform/processor/processor.h"

namespace mycel::backend {

// The most that oneDNN may use on a processor. It looks at what is announced; what may be used can
// be less. `wished` is the user's own limit, in oneDNN's words; empty or unknown: none.
dnnl::cpu_isa dnnl_limit(const platform::Processor& processor, std::string_view wished = {});

// Holds oneDNN to that, once, before its first primitive. Says in one INFO line what this machine
// offers.
void limit_dnnl();

}  // namespace mycel::backend
