// SPDX-License-Identifier: Apache-2.0
// Orders that users know from MindSpore depend on two algorithms its C++ library happened to use:
// how a whole number below a bound is made from a generator, and how a list is shuffled. They are
// written out here, so that orders depend on no library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mycel::data {

// A whole number in [0, bound), bound > 0, by division of the generator's range.
template <class Generator>
std::uint64_t number_below(Generator& generator, std::uint64_t bound) {
  constexpr std::uint64_t range = Generator::max() - Generator::min();
  if (bound - 1 >= range) {  // two numbers are needed: the higher digit first
    if (bound - 1 == range) return generator() - Generator::min();
    const std::uint64_t base = range + 1;
    std::uint64_t value = 0;
    do {
      const std::uint64_t high = number_below(generator, (bound - 1) / base + 1);
      value = high * base + (generator() - Generator::min());
    } while (value >= bound);
    return value;
  }
  const std::uint64_t scale = range / bound;
  std::uint64_t value = 0;
  do {
    value = generator() - Generator::min();
  } while (value >= bound * scale);
  return value / scale;
}

// While the range of the generator allows, two places are drawn with one number.
template <class T, class Generator>
void shuffle_list(std::vector<T>& list, Generator& generator) {
  if (list.empty()) return;
  constexpr std::uint64_t range = Generator::max() - Generator::min();
  const std::uint64_t size = list.size();
  std::size_t i = 1;
  if (range / size < size) {
    for (; i < list.size(); ++i) std::swap(list[i], list[number_below(generator, i + 1)]);
    return;
  }
  if (size % 2 == 0) {
    std::swap(list[1], list[number_below(generator, 2)]);
    i = 2;
  }
  for (; i < list.size(); i += 2) {
    const std::uint64_t first_bound = i + 1;
    const std::uint64_t both = number_below(generator, first_bound * (first_bound + 1));
    std::swap(list[i], list[both / (first_bound + 1)]);
    std::swap(list[i + 1], list[both % (first_bound + 1)]);
  }
}

}  // namespace mycel::data
