// SPDX-License-Identifier: Apache-2.0
// Stages around a map that tell an observer where its rows are.
#pragma once

#include <cstdint>
#include <functional>

#include "data/pipeline/stage.h"

namespace mycel::data {

enum class WatchEvent : std::uint8_t { Begin, EpochBegin, StepBegin, StepEnd, EpochEnd };
// As the callbacks of users name it.
constexpr const char* name_of(WatchEvent event) {
  switch (event) {
    case WatchEvent::Begin: return "ds_begin";
    case WatchEvent::EpochBegin: return "ds_epoch_begin";
    case WatchEvent::StepBegin: return "ds_step_begin";
    case WatchEvent::StepEnd: return "ds_step_end";
    case WatchEvent::EpochEnd: return "ds_epoch_end";
  }
  return "?";
}

// Numbers count from 1, and are 0 before the first.
struct WatchPosition {
  std::int64_t epoch = 0;
  std::int64_t step_in_epoch = 0;
  std::int64_t step = 0;  // over all epochs
};

struct Watcher {
  std::function<void(WatchEvent event, const WatchPosition& position)> tell;
  bool steps = true;     // also about single rows
  bool in_turn = false;  // it may wait for the reader, who must have all rows in front by then
};

// Tells of the begin of everything: put in front of the map.
StagePtr watch_begins(StagePtr child, Watcher watcher);
// Tells of the ends: put behind the map. Epochs end when the reader's do, however often the map was
// repeated in them.
StagePtr watch_ends(StagePtr child, Watcher watcher);

}  // namespace mycel::data
