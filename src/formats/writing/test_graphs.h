// SPDX-License-Identifier: Apache-2.0
// Recorded networks that tests of writers write.
#pragma once

namespace mycel::formats::testing {

// Results are marked twice: by the way that gives them, and by the function.
inline constexpr char kStraight[] = R"(graph @straight(%1: Float32() x0) {
  %2 = constant [1] : Bool()
  %3 = exp2(%1) : Float32()
  %4 = add(%3, %1) : Float32()
  %5 = where(%2, %4, %4) : Float32()
  %6 = where(%2, %5, %5) : Float32()
  return %6
}
)";

inline constexpr char kLoop[] = R"(graph @doubling(%1: Float32() x0) {
  %2 = constant [1] : Bool()
  %3 = constant [10.0] : Float32()
  %4 = while(%1) : Float32() {(%5: Float32())
    %6 = less(%5, %3) : Bool()
    return %6
  } {(%7: Float32())
    %8 = add(%7, %7) : Float32()
    return %8
  }
  %9 = where(%2, %4, %4) : Float32()
  %10 = where(%2, %9, %9) : Float32()
  return %10
}
)";

inline constexpr char kBranch[] = R"(graph @choosing(%1: Float32() x0) {
  %2 = constant [1] : Bool()
  %3 = constant [0.0] : Float32()
  %4 = add(%1, %1) : Float32()
  %5 = greater(%1, %3) : Bool()
  %6 = if(%5) : Float32() {()
    %7 = add(%4, %1) : Float32()
    %8 = where(%2, %7, %7) : Float32()
    return %8
  } {()
    %9 = where(%2, %4, %4) : Float32()
    return %9
  }
  %10 = where(%2, %6, %6) : Float32()
  return %10
}
)";

inline constexpr char kUnknown[] = R"(graph @unknown(%1: Float32() x0) {
  %2 = constant [1] : Bool()
  %3 = fourier(%1) : Float32()
  %4 = where(%2, %3, %3) : Float32()
  %5 = where(%2, %4, %4) : Float32()
  return %5
}
)";

}  // namespace mycel::formats::testing
