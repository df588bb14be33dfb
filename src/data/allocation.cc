// SPDX-License-Identifier: Apache-2.0
// How long the process keeps memory that rows gave back. Rows of some 100 KB come and go thousands
// of times a second; by default the C library returns the top of its heap to the system every time,
// and getting it again page by page costs five times as much as filling it: 1.0 instead of 5.9 GB/s
// for MindRecord rows of 100 KB, on one thread.
#include <malloc.h>

namespace mycel::data {
namespace {

const bool memory_is_kept = [] {
  // Setting one of the two ends the C library's own adjustment of both; 32 MiB is where that ends.
  return mallopt(M_MMAP_THRESHOLD, 32 << 20) == 1 && mallopt(M_TRIM_THRESHOLD, 256 << 20) == 1;
}();

}  // namespace
}  // namespace mycel::data
