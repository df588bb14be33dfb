// SPDX-License-Identifier: Apache-2.0
// The statistics extension of the Open Inference Protocol, in Triton's words. Counted from the
// load of a version on; requests that were refused because too many were on their way are not
// among them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "serving/repository/repository.h"

namespace mycel::serving {

struct ModelStatistics {
  std::string name, version;
  std::shared_ptr<const MethodStatistics> counts;
  std::uint64_t runs = 0;  // of the model, each with one or more instances
};

// Of all that is loaded.
std::vector<ModelStatistics> model_statistics(const Repository& repository);
// Of one model, which `route` leads to: of this version, or for version 0 of all it has.
std::vector<ModelStatistics> model_statistics(const Repository& repository,
                                              const std::string& model, std::uint64_t version,
                                              const Route& route);
std::string write_statistics(const std::vector<ModelStatistics>& all);

}  // namespace mycel::serving
