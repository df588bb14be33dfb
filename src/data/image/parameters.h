// SPDX-License-Identifier: Apache-2.0
// Parameters that several image transforms take: declared once, so that their names, bounds and
// descriptions agree. Functions, because transforms are registered before any order of
// initialisation holds.
#pragma once

#include "data/transform/schema.h"

namespace mycel::data {

inline ParameterSchema mean_parameter() {
  return {.name = "mean",
          .kind = ParameterKind::Reals,
          .doc = "One mean for all channels or one per channel.",
          .low = 0,
          .high = 255};
}

inline ParameterSchema deviation_parameter() {
  return {.name = "std",
          .kind = ParameterKind::Reals,
          .doc = "One deviation for all channels or one per channel.",
          .low = 0,
          .high = 255,
          .low_is_open = true};
}

inline ParameterSchema channels_last_parameter() {
  return {.name = "is_hwc",
          .kind = ParameterKind::Flag,
          .doc = "Whether the channels are the last axis, else the first of three.",
          .fallback = true};
}

inline ParameterSchema probability_parameter() {
  return {.name = "prob",
          .kind = ParameterKind::Real,
          .doc = "How likely a row is changed.",
          .fallback = 0.5,
          .low = 0,
          .high = 1};
}

}  // namespace mycel::data
