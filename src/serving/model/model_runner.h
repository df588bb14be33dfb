// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "include/api/model.h"
#include "serving/repository/signature.h"
#include "serving/worker/frame.h"

namespace mycel::serving {

// Where a version's model files are, and how to open them.
struct ModelPlace {
  std::string servable_folder;
  std::string version_folder;
  std::string key;  // empty: not encrypted
  std::string key_mode = "AES-GCM";
};

// The models of one version of a servable, loaded. One thread uses it.
class ModelRunner {
 public:
  // RuntimeError "Load model failed, ..." with file and reason.
  ModelRunner(const std::vector<ModelSpec>& models, const ModelPlace& place);

  const Signatures& signatures() const { return signatures_; }
  // An outcome per instance. Instances were checked with `refusal` and are at most as many as the
  // model takes.
  std::vector<Outcome> run(std::size_t model, std::size_t subgraph,
                           std::span<const Instance> instances);

 private:
  using Tensors = std::vector<mindspore::MSTensor>;
  std::vector<Outcome> run_one_by_one(std::size_t model, std::size_t subgraph,
                                      std::span<const Instance> instances);
  std::vector<Outcome> run_groups(std::size_t model, std::size_t subgraph,
                                  std::span<const Instance> instances);
  std::vector<Outcome> run_batch(std::size_t model, std::size_t subgraph,
                                 std::span<const Instance> instances);
  std::vector<Outcome> run_apart(std::size_t model, std::size_t subgraph,
                                 std::span<const Instance> instances);

  std::vector<ModelSpec> specs_;
  std::vector<std::vector<mindspore::Model>> models_;
  Signatures signatures_;
};

}  // namespace mycel::serving
