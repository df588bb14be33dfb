// SPDX-License-Identifier: Apache-2.0
// What in the user's program a call of an operator belongs to: for dumps, profiles and messages.
// Nothing is computed from it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mycel::op {

enum class Phase : std::uint8_t {
  Forward,        // whatever is none of the others
  Backward,       // recorded while a tape is walked
  Update,         // by an optimizer
  Communication,  // with other processes (Traits::communicates)
};
std::string_view name_of(Phase phase);
std::optional<Phase> phase_named(std::string_view name);

// A line of the user's program.
struct Position {
  std::string file;
  int line = 0;
  bool operator==(const Position&) const = default;
};

struct Origin {
  Phase phase = Phase::Forward;
  std::shared_ptr<const std::string> cell;   // path of the Cell that was running; null: none
  std::shared_ptr<const Position> position;  // null: nobody has asked where the interpreter is
};

// Of one node that does the work of two: what it gives is what `last` gave, and its cell is the
// innermost one around both.
Origin joined(const Origin& first, const Origin& last);

// Of what this thread calls.
const Origin& current_origin();
// Inside of what goes on; gives how many there were. Whoever leaves takes those with it that were
// entered later and not left.
std::size_t enter_origin(Origin origin);
void leave_origin(std::size_t depth);

class OriginScope {
 public:
  explicit OriginScope(Origin origin) : depth_(enter_origin(std::move(origin))) {}
  ~OriginScope() { leave_origin(depth_); }
  OriginScope(const OriginScope&) = delete;
  OriginScope& operator=(const OriginScope&) = delete;

 private:
  std::size_t depth_;
};

// While a Cell runs, and, if that is said, what it does is another phase.
std::size_t enter_cell(std::string path, std::optional<Phase> phase);

}  // namespace mycel::op
