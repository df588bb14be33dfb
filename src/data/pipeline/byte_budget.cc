// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/byte_budget.h"

namespace mycel::data {

Charge::Charge(ByteBudget& budget, std::size_t bytes) : budget_(&budget), bytes_(bytes) {
  budget.charged_.fetch_add(bytes, std::memory_order_relaxed);
}

Charge::Charge(const Charge& other) : budget_(other.budget_), bytes_(other.bytes_) {
  if (budget_ != nullptr) budget_->charged_.fetch_add(bytes_, std::memory_order_relaxed);
}

void Charge::set(std::size_t bytes) {
  if (budget_ == nullptr || bytes == bytes_) return;
  // Unsigned numbers wrap round: a smaller size is added as well.
  budget_->charged_.fetch_add(bytes - bytes_, std::memory_order_relaxed);
  bytes_ = bytes;
}

void Charge::add(Charge other) {
  if (budget_ == nullptr) {
    *this = std::move(other);
    return;
  }
  bytes_ += std::exchange(other.bytes_, 0);
  other.budget_ = nullptr;
}

void Charge::release() {
  if (budget_ == nullptr) return;
  budget_->charged_.fetch_sub(bytes_, std::memory_order_relaxed);
  budget_ = nullptr;
  bytes_ = 0;
}

}  // namespace mycel::data
