// SPDX-License-Identifier: Apache-2.0
// What guards a value: something outside a captured function that it relied on, and how to see that
// it is still so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tensor/tensor.h"

namespace mycel::capture {

// Opaque here: whoever runs the user's program knows what it is about. Never changes once it has
// been handed over, as far as anybody can tell; several threads may ask it at a time. The last
// reference may be dropped on any thread.
class Guard {
 public:
  virtual ~Guard() = default;
  // May run code of the user's, and throw what that throws.
  virtual bool holds() const = 0;
  // What it is about: two guards with the same subject that both hold are one.
  virtual std::size_t subject() const = 0;  // equal for guards about the same
  virtual bool is_about_same(const Guard& other) const = 0;
};

using Guards = std::vector<std::shared_ptr<const Guard>>;

// `known` and those of `further` that are about something else, or about something that has changed
// since: another way through a function relies on further things, and those of the ways before
// still hold.
Guards united(Guards known, const Guards& further);

// Whether a gradient that is being recorded goes to a tensor.
std::shared_ptr<const Guard> tracking_guard(const tensor::Tensor& tensor, bool is_tracked);

// Counts changes of what is too much to compare in every call, like the fields of a network:
// whoever changes such a thing notes it. While the count stands still, none of it can have changed.
std::uint64_t change_count();
void note_change();

}  // namespace mycel::capture
