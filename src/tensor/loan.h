// SPDX-License-Identifier: Apache-2.0
// Memory that others lend, a NumPy array, and that stays as it is when a tensor is written.
#pragma once

#include <cstddef>
#include <memory>

#include "tensor/tensor.h"

namespace mycel::tensor {

// A storage of the host that lies in memory of somebody else's; `owner` keeps that memory, and is
// let go with the storage.
Ref<Storage> lend(void* data, std::size_t bytes, std::shared_ptr<void> owner);

// Before elements are assigned: a storage that lies in lent memory gets memory of its own, with the
// same content. The lender's is kept as long as the storage is, for others may look at it.
void end_loan(Storage& storage);

}  // namespace mycel::tensor
