// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_MODEL_GROUP_H_
#define MINDSPORE_INCLUDE_API_MODEL_GROUP_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "include/api/context.h"
#include "include/api/model.h"
#include "include/api/status.h"
#include "include/api/types.h"

namespace mindspore {

class ModelGroupImpl;

enum class ModelGroupFlag : int {
  kShareWeight = 1,
  kShareWorkspace = 2,
};

// Models that share memory. They do so without being told; a group has no further effect.
class MS_API ModelGroup {
 public:
  explicit ModelGroup(ModelGroupFlag flags = ModelGroupFlag::kShareWorkspace);
  ~ModelGroup() = default;
  inline Status AddModel(const std::vector<std::string>& model_path_list);
  Status AddModel(const std::vector<std::pair<const void*, size_t>>& model_buff_list);
  Status AddModel(const std::vector<Model>& model_list);
  Status CalMaxSizeOfWorkspace(ModelType model_type, const std::shared_ptr<Context>& ms_context);

 private:
  Status AddModel(const std::vector<std::vector<char>>& model_path_list);
  std::shared_ptr<ModelGroupImpl> impl_;
};

Status ModelGroup::AddModel(const std::vector<std::string>& model_path_list) {
  return AddModel(VectorStringToChar(model_path_list));
}

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_MODEL_GROUP_H_
