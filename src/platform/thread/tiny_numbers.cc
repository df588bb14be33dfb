// SPDX-License-Identifier: Apache-2.0
#include "platform/thread/tiny_numbers.h"

#include <immintrin.h>

#include "platform/thread/parallel_for.h"

namespace mycel::platform {

TinyNumbersAreZero::TinyNumbersAreZero(int threads) : threads_(threads), before_(_mm_getcsr()) {
  on_each_thread(threads_, [] { _mm_setcsr(_mm_getcsr() | _MM_FLUSH_ZERO_ON); });
}

TinyNumbersAreZero::~TinyNumbersAreZero() {
  if ((before_ & _MM_FLUSH_ZERO_ON) != 0) return;  // inside of another one
  on_each_thread(threads_, [] { _mm_setcsr(_mm_getcsr() & ~unsigned{_MM_FLUSH_ZERO_ON}); });
}

}  // namespace mycel::platform
