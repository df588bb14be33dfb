// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mycel::platform {

// While one lives, results that are too small for full precision (below 1.2e-38 for float) become
// zero. A processor needs some hundred cycles for each of these. Only for work that passes its
// results on from step to step, as a gradient through time does: there such numbers are on their
// way to zero, and stay for dozens of steps. Everywhere else they are kept.
class TinyNumbersAreZero {
 public:
  // On this thread, and on the others of its team if `threads` of them take part.
  explicit TinyNumbersAreZero(int threads = 1);
  ~TinyNumbersAreZero();
  TinyNumbersAreZero(const TinyNumbersAreZero&) = delete;
  TinyNumbersAreZero& operator=(const TinyNumbersAreZero&) = delete;

 private:
  int threads_;
  unsigned before_;
};

}  // namespace mycel::platform
