// SPDX-License-Identifier: Apache-2.0
#include "operator/origin.h"

#include <algorithm>
#include <array>
#include <vector>

namespace mycel::op {

namespace {

constexpr std::array<std::string_view, 4> kPhases = {"forward", "backward", "update",
                                                     "communication"};

thread_local std::vector<Origin> entered;

// As far as both go the same way.
std::shared_ptr<const std::string> common_cell(const std::shared_ptr<const std::string>& a,
                                               const std::shared_ptr<const std::string>& b) {
  if (!a || !b) return {};
  if (a == b || *a == *b) return b;
  const auto [end, ignored] = std::mismatch(a->begin(), a->end(), b->begin(), b->end());
  auto length = static_cast<std::size_t>(end - a->begin());
  const auto ends_here = [&](const std::string& path) {
    return length == path.size() || path[length] == '/';
  };
  if (!ends_here(*a) || !ends_here(*b)) length = std::string_view(*a).substr(0, length).rfind('/');
  if (length == std::string::npos) return {};
  return std::make_shared<const std::string>(a->substr(0, length));
}

}  // namespace

std::string_view name_of(Phase phase) { return kPhases[static_cast<std::size_t>(phase)]; }

std::optional<Phase> phase_named(std::string_view name) {
  const auto found = std::find(kPhases.begin(), kPhases.end(), name);
  if (found == kPhases.end()) return std::nullopt;
  return static_cast<Phase>(found - kPhases.begin());
}

Origin joined(const Origin& first, const Origin& last) {
  return {last.phase, common_cell(first.cell, last.cell), last.position};
}

const Origin& current_origin() {
  static const Origin none;
  return entered.empty() ? none : entered.back();
}

std::size_t enter_origin(Origin origin) {
  entered.push_back(std::move(origin));
  return entered.size() - 1;
}

void leave_origin(std::size_t depth) {
  if (depth < entered.size()) entered.resize(depth);
}

std::size_t enter_cell(std::string path, std::optional<Phase> phase) {
  // The line is another one than that around the cell: whoever records asks for it.
  return enter_origin({phase.value_or(current_origin().phase),
                       std::make_shared<const std::string>(std::move(path)), nullptr});
}

}  // namespace mycel::op
