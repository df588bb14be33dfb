// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "serving/repository/repository.h"

namespace mycel::serving {

// The state of the repository as Prometheus reads it.
std::string metrics_text(const Repository& repository);
// The same for the status page, as JSON.
std::string status_json(const Repository& repository);

}  // namespace mycel::serving
