// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_ALLOCATOR_H_
#define MINDSPORE_INCLUDE_API_ALLOCATOR_H_

#include <cstddef>
#include <memory>

#include "include/api/types.h"

namespace mindspore {

// Memory as programs for small devices provide it. It can be set and read back; we allocate by
// ourselves.
class MS_API Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void* Malloc(size_t size) = 0;
  virtual void* Malloc(size_t /*weight*/, size_t /*height*/, DataType /*type*/) { return nullptr; }
  virtual void Free(void* ptr) = 0;
  virtual int RefCount(void* ptr) = 0;
  virtual int SetRefCount(void* ptr, int ref_count) = 0;
  virtual int DecRefCount(void* ptr, int ref_count) = 0;
  virtual int IncRefCount(void* ptr, int ref_count) = 0;
  static std::shared_ptr<Allocator> Create();  // null: there is none of ours
  virtual void* Prepare(void* ptr) { return ptr; }

 protected:
  size_t aligned_size_ = 32;
};

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_ALLOCATOR_H_
