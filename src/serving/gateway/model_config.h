// SPDX-License-Identifier: Apache-2.0
// The configuration extension of the Open Inference Protocol, in Triton's words.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serving/gateway/open_inference.h"
#include "serving/repository/repository.h"

namespace mycel::serving {

inline constexpr std::string_view kBackend = "mycel";

struct ConfiguredTensor {
  std::string name;
  std::string type;  // "TYPE_FP32"; "TYPE_INVALID" where only a run would tell
  Dims dims;         // without the batch
};

struct ModelConfig {
  std::string name, platform;
  std::uint32_t most_batch = 0;  // rows of one run; 0: there is no batch
  std::chrono::microseconds batch_delay{0};
  std::vector<ConfiguredTensor> inputs, outputs;
};

ModelConfig config_of(const std::string& model, const Route& route);
std::string write_config(const ModelConfig& config);

}  // namespace mycel::serving
