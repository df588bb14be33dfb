// SPDX-License-Identifier: Apache-2.0
// The description of a transform that everything else is made from: the Python class with its
// signature, argument checks and documentation, and the tests that run every sample.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/parameters.h"
#include "data/transform/transform.h"

namespace mycel::data {

// What a caller may pass and, after the arrow, what the factory gets.
enum class ParameterKind : std::uint8_t {
  Flag,              // bool
  Integer,           // int
  Real,              // number -> double
  Text,              // str
  Number,            // number or str -> the same
  DataType,          // numpy or mindspore type -> its name
  Size,              // int or (height, width) -> [height, width]
  Edge,              // int or (height, width) -> [shorter edge] or [height, width]
  Interpolation,     // Inter -> its number
  Border,            // Border -> its number in the order CONSTANT, EDGE, REFLECT, SYMMETRIC
  Padding,           // int, 2 or 4 ints -> [left, top, right, bottom]
  Fill,              // int or three ints -> three ints
  Interval,          // (low, high) -> [low, high]
  Spread,            // number v or (low, high) -> [max(0, 1 - v), 1 + v]
  HueSpread,         // number v or (low, high) -> [-v, v]
  Degrees,           // number v or (low, high) -> [-v, v]
  Threshold,         // number v or (low, high) -> [v, v]
  ShearRange,        // number v, (low, high) or both for x and y -> the numbers, [-v, v]
  ColourConversion,  // ConvertMode -> its number
  IntegerRange,      // int v or (low, high) -> [v, v]
  Integers,          // list of ints
  Reals,             // list of numbers
  Choice,            // a member of an enumeration -> its number
};

std::string_view name_of(ParameterKind kind);

struct ParameterSchema {
  std::string name;
  ParameterKind kind;
  std::string doc;
  std::optional<Parameters::Value> fallback = std::nullopt;  // none: has to be given
  double low = -std::numeric_limits<double>::infinity();     // of every number in it
  double high = std::numeric_limits<double>::infinity();
  bool low_is_open = false;
};

// Which arrays a transform takes.
enum class InputLayout : std::uint8_t {
  Any,            // whatever there is
  Encoded,        // one axis of bytes: a compressed picture
  Image,          // height and width, or height, width and channels
  Video,          // an image, or any number of axes before it
  LabelledBatch,  // two columns: a batch of images and their one-hot labels
};

std::string_view name_of(InputLayout layout);

// Arguments and an input for the tests.
struct TransformSample {
  std::map<std::string, Parameters::Value, std::less<>> arguments = {};
  DType dtype = DType::UInt8;
  Shape shape = {};
};

using TransformFactory = TransformPtr (*)(const Parameters& parameters);

struct TransformSchema {
  std::string name;
  std::string module;  // "vision" or "transforms"
  std::string doc;
  std::vector<ParameterSchema> parameters;
  InputLayout layout = InputLayout::Any;
  bool takes_columns = false;  // several columns at once
  bool is_random = false;
  std::vector<TransformSample> samples;
  TransformFactory make = nullptr;
};

}  // namespace mycel::data
