// SPDX-License-Identifier: Apache-2.0
// Numbers of the fields in a checkpoint, and the trailer with the checksum.
#pragma once

#include <cstdint>
#include <string_view>

namespace mycel::formats {

// Checkpoint { repeated Value value }
constexpr std::uint32_t kCheckpointValue = 1;
// Value { string tag; TensorProto tensor or MapTensorProto maptensor }
constexpr std::uint32_t kValueTag = 1;
constexpr std::uint32_t kValueTensor = 2;
constexpr std::uint32_t kValueMap = 3;
// TensorProto { repeated int64 dims; string tensor_type; bytes tensor_content }
constexpr std::uint32_t kTensorDims = 1;
constexpr std::uint32_t kTensorType = 2;
constexpr std::uint32_t kTensorContent = 3;
// MapTensorProto { repeated TensorProto tensor }: keys, values, status
constexpr std::uint32_t kMapTensor = 1;
constexpr std::size_t kMapArrays = 3;

// After the messages: the mark, then the checksum as a number of ten bytes, the highest first.
constexpr std::string_view kChecksumMark = "crc_num";
constexpr int kChecksumDigits = 10;

}  // namespace mycel::formats
