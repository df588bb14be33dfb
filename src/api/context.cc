// SPDX-License-Identifier: Apache-2.0
#include "include/api/context.h"

#include "api/context_data.h"
#include "include/api/allocator.h"
#include "include/api/delegate_api.h"

namespace mindspore {

Context::Context() : data_(std::make_shared<Data>()) {}

std::vector<std::shared_ptr<DeviceInfoContext>>& Context::MutableDeviceInfo() {
  return data_->devices;
}

void Context::SetThreadNum(int32_t thread_num) { data_->threads = thread_num; }
int32_t Context::GetThreadNum() const { return data_->threads; }
void Context::SetThreadAffinity(int mode) { data_->affinity_mode = mode; }
int Context::GetThreadAffinityMode() const { return data_->affinity_mode; }
void Context::SetThreadAffinity(const std::vector<int>& core_list) { data_->cores = core_list; }
std::vector<int32_t> Context::GetThreadAffinityCoreList() const { return data_->cores; }
void Context::SetEnableParallel(bool is_parallel) { data_->is_parallel = is_parallel; }
bool Context::GetEnableParallel() const { return data_->is_parallel; }
void Context::SetGroupInfoFile(const std::vector<char>& group_info_file) {
  data_->group_info_file = CharToString(group_info_file);
}
std::vector<char> Context::GetGroupInfoFileChar() const {
  return StringToChar(data_->group_info_file);
}
void Context::SetInterOpParallelNum(int32_t parallel_num) {
  data_->parallel_operators = parallel_num;
}
int32_t Context::GetInterOpParallelNum() const { return data_->parallel_operators; }
void Context::SetBuiltInDelegate(DelegateMode mode) { data_->delegate_mode = mode; }
DelegateMode Context::GetBuiltInDelegate() const { return data_->delegate_mode; }
void Context::set_delegate(const std::shared_ptr<AbstractDelegate>& delegate) {
  data_->abstract_delegate = delegate;
}
std::shared_ptr<AbstractDelegate> Context::get_delegate() const { return data_->abstract_delegate; }
void Context::SetDelegate(const std::shared_ptr<Delegate>& delegate) { data_->delegate = delegate; }
std::shared_ptr<Delegate> Context::GetDelegate() const { return data_->delegate; }
void Context::SetMultiModalHW(bool float_mode) { data_->multi_modal_hardware = float_mode; }
bool Context::GetMultiModalHW() const { return data_->multi_modal_hardware; }

}  // namespace mindspore
