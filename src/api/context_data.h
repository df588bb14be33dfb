// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "include/api/context.h"

namespace mindspore {

struct Context::Data {
  std::vector<std::shared_ptr<DeviceInfoContext>> devices;
  std::int32_t threads = 0;
  int affinity_mode = 2;
  std::vector<int> cores;
  bool is_parallel = false;
  std::string group_info_file;
  std::int32_t parallel_operators = 0;
  DelegateMode delegate_mode = kNoDelegate;
  std::shared_ptr<AbstractDelegate> abstract_delegate;
  std::shared_ptr<Delegate> delegate;
  bool multi_modal_hardware = false;
};

// Options of all kinds of devices; each kind has names for some of them.
struct DeviceInfoContext::Data {
  std::string provider, provider_device;
  std::shared_ptr<Allocator> allocator;
  bool is_fp16 = false;
  std::uint32_t device_id = 0;
  std::uint32_t rank_id = 0;
  int frequency = 0;
  bool is_gl_texture = false;
  void* gl_context = nullptr;
  void* gl_display = nullptr;
  std::string precision_mode, insert_op_config_path, input_format, input_shape, batch_sizes,
      image_size, op_select_impl_mode, fusion_switch_config_path, buffer_optimize_mode;
  std::map<int, std::vector<int>> input_shapes;
  DataType output_type = DataType::kTypeUnknown;
};

}  // namespace mindspore
