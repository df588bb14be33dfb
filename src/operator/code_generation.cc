// SPDX-License-Identifier: Apache-2.0
#include "operator/code_generation.h"

namespace mycel::op {
namespace {
CodeGeneration none;
CodeGeneration* current = &none;  // set while libraries load
}  // namespace

void set_code_generation(CodeGeneration& service) { current = &service; }
CodeGeneration& code_generation() { return *current; }

}  // namespace mycel::op
