// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_METRICS_METRICS_H_
#define MINDSPORE_INCLUDE_API_METRICS_METRICS_H_

#include <vector>

#include "include/api/model.h"

namespace mindspore {

class MetricsImpl;

// Measures of training on small devices; nobody calls them.
class MS_API Metrics {
 public:
  virtual ~Metrics() = default;
  virtual void Clear() {}
  virtual float Eval() { return 0.0f; }
  virtual void Update(std::vector<MSTensor*> /*inputs*/, std::vector<MSTensor*> /*outputs*/) {}

 protected:
  friend class Model;
  friend class ModelImpl;
  MetricsImpl* metrics_impl_ = nullptr;
};

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_METRICS_METRICS_H_
