// SPDX-License-Identifier: Apache-2.0
// What a transform is: a pure function of a row's items and of random numbers that belong to the
// row.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/item.h"
#include "platform/random/philox.h"

namespace mycel::data {

// The random numbers of one row in one step of the pipeline: a function of (seed, epoch, step,
// row), so that any number of threads gives the same pictures.
class RowRandom {
 public:
  RowRandom(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}
  std::uint64_t bits() {
    if (left_ == 0) {
      block_ = platform::random_block(seed_, offset_++, stream_);
      left_ = 2;
    }
    return block_.pair(2 - left_--);
  }
  double uniform() { return platform::uniform_double(bits()); }  // [0, 1)
  double uniform(double low, double high) { return low + uniform() * (high - low); }
  double normal() {
    const double first = uniform();
    return platform::normal_pair(first, uniform()).first;
  }
  // A whole number in [low, high], both included.
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(
                     platform::uniform_below(bits(), static_cast<std::uint64_t>(high - low) + 1));
  }
  bool happens(double probability) { return uniform() < probability; }
  std::uint64_t row() const { return stream_; }

 private:
  friend class RowStreams;
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t offset_ = 0;
  int left_ = 0;
  platform::RandomBlock block_{};
};

// The random numbers of one row for a list of transforms: each has a stream of its own, by its
// place in the list as the user gave it. Whatever is joined or put between them later, they draw
// the same.
class RowStreams {
 public:
  RowStreams(std::uint64_t seed, std::uint64_t row) : seed_(seed), row_(row) {}
  // Of a list inside a transform.
  explicit RowStreams(const RowRandom& outer);
  RowRandom at(std::uint64_t place) const {
    return RowRandom(seed_ + place * 0x9E3779B97F4A7C15U, row_);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t row_;
};

// Lends memory for a result. The pipeline passes one that knows the row's place in its batch, so
// that the last transform of a chain writes there and nothing is copied.
class OutputMemory {
 public:
  virtual ~OutputMemory() = default;
  virtual Tensor allocate(DType dtype, const Shape& shape) = 0;
};

struct TransformContext {
  RowRandom& random;
  OutputMemory* memory = nullptr;  // null: the result goes to another transform
  std::string_view file = {};      // what the row was read from, for messages
  const RowStreams* list =
      nullptr;  // of the list this transform is in, for one that stands for several
  RowStreams streams() const { return list != nullptr ? *list : RowStreams(random); }
  // For results that are complete, contiguous arrays and are written once.
  Tensor output(DType dtype, const Shape& shape) const {
    return memory != nullptr ? memory->allocate(dtype, shape) : Tensor::empty(shape, dtype);
  }
};

// One configured transform. Immutable: threads use it at the same time.
class Transform {
 public:
  virtual ~Transform() = default;
  virtual std::string name() const = 0;  // "Resize", as messages say it
  // Replaces the items of the chosen columns. A failure is an Error whose text says what was
  // expected and what was got; the caller adds the transform's name, the row and the file.
  virtual void apply(Items& items, TransformContext& context) const = 0;
  virtual bool is_random() const { return false; }
  // The transform a failure of `apply` is about: one that stands for several names the right one.
  virtual std::string failing_name(const std::string& /*message*/) const { return name(); }
  virtual bool uses_python() const { return false; }
  // Held around the calls for many rows: a lock that each call would take again.
  virtual std::shared_ptr<void> hold() const { return nullptr; }
};

using TransformPtr = std::shared_ptr<const Transform>;

// A transform and its place in the list of the user, which names its random numbers.
struct ListedTransform {
  TransformPtr transform;
  std::uint64_t place = 0;
};
using ListedTransforms = std::vector<ListedTransform>;

// The list with places 0, 1, 2 ...
ListedTransforms listed(const std::vector<TransformPtr>& list);
// Neighbours that one pass can do better (decode and crop; crop, resize, flip and normalise) are
// joined. Every row stays as it was.
ListedTransforms join_neighbours(ListedTransforms list);
// One after the other. Only the last one may write to the place of the result.
void run_list(const ListedTransforms& list, const RowStreams& streams, Items& items,
              TransformContext& context);

}  // namespace mycel::data
