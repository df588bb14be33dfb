// SPDX-License-Identifier: Apache-2.0
#include "operator/memory_overlap.h"

#include <algorithm>

#include "operator/written_input.h"
#include "tensor/overlap.h"

namespace mycel::op {
namespace {

using tensor::Tensor;

struct Stretch {
  const char* begin;
  const char* end;
};

Stretch stretch_of(const Tensor& tensor) {
  const tensor::ElementRange reach = tensor::reach_of(tensor);
  const auto size = static_cast<std::int64_t>(tensor::size_of(tensor.dtype()));
  const auto* data = static_cast<const char*>(tensor.storage().data_unwatched());
  return {data + reach.begin * size, data + reach.end * size};
}

// Memory that is written, as stretches in rising order without gaps between those that touch.
class WrittenMemory {
 public:
  void add(const Tensor& tensor) {
    const Stretch stretch = stretch_of(tensor);
    if (stretch.begin != stretch.end) stretches_.push_back(stretch);
  }
  void settle() {
    std::ranges::sort(stretches_, {}, &Stretch::begin);
    std::vector<Stretch> joined;
    for (const Stretch& each : stretches_) {
      if (joined.empty() || each.begin > joined.back().end)
        joined.push_back(each);
      else
        joined.back().end = std::max(joined.back().end, each.end);
    }
    stretches_ = std::move(joined);
  }
  bool meets(const Tensor& tensor) const {
    const Stretch stretch = stretch_of(tensor);
    if (stretch.begin == stretch.end) return false;
    const auto after = std::ranges::upper_bound(stretches_, stretch.begin, {}, &Stretch::begin);
    if (after != stretches_.end() && after->begin < stretch.end) return true;
    return after != stretches_.begin() && std::prev(after)->end > stretch.begin;
  }

 private:
  std::vector<Stretch> stretches_;
};

}  // namespace

std::optional<std::vector<Tensor>> apart_from_written(const OpDef& definition,
                                                      std::span<const Tensor> inputs,
                                                      std::size_t outputs) {
  WrittenMemory memory;
  std::vector<bool> is_written(inputs.size(), false);
  for (std::size_t i = 0; i < outputs; ++i) {
    const int written = written_input(definition, i);
    if (written < 0) continue;
    const auto place = static_cast<std::size_t>(written);
    is_written[place] = true;
    memory.add(inputs[place]);
  }
  memory.settle();
  std::optional<std::vector<Tensor>> apart;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (is_written[i] || !inputs[i].defined() || !memory.meets(inputs[i])) continue;
    if (!apart) apart.emplace(inputs.begin(), inputs.end());
    Tensor copy = Tensor::empty(inputs[i].shape(), inputs[i].dtype(), inputs[i].device());
    tensor::copy_elements(inputs[i], copy);
    copy.body().is_number = inputs[i].body().is_number;
    (*apart)[i] = std::move(copy);
  }
  return apart;
}

}  // namespace mycel::op
