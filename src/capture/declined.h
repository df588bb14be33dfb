// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace mycel::capture {

// A branch or loop cannot be written down as a region of a graph: why. Whoever opened the region
// drops it and makes its turns one by one.
class Declined final : public std::exception {
 public:
  explicit Declined(std::string reason) : reason_(std::move(reason)) {}
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  std::string reason_;
};

}  // namespace mycel::capture
