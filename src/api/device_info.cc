// SPDX-License-Identifier: Apache-2.0
#include "api/context_data.h"
#include "include/api/allocator.h"
#include "include/api/context.h"

namespace mindspore {

DeviceInfoContext::DeviceInfoContext() : data_(std::make_shared<Data>()) {}
DeviceInfoContext::~DeviceInfoContext() = default;

std::vector<char> DeviceInfoContext::GetProviderChar() const {
  return StringToChar(data_->provider);
}
void DeviceInfoContext::SetProvider(const std::vector<char>& provider) {
  data_->provider = CharToString(provider);
}
std::vector<char> DeviceInfoContext::GetProviderDeviceChar() const {
  return StringToChar(data_->provider_device);
}
void DeviceInfoContext::SetProviderDevice(const std::vector<char>& device) {
  data_->provider_device = CharToString(device);
}
void DeviceInfoContext::SetAllocator(const std::shared_ptr<Allocator>& allocator) {
  data_->allocator = allocator;
}
std::shared_ptr<Allocator> DeviceInfoContext::GetAllocator() const { return data_->allocator; }

void CPUDeviceInfo::SetEnableFP16(bool is_fp16) { data_->is_fp16 = is_fp16; }
bool CPUDeviceInfo::GetEnableFP16() const { return data_->is_fp16; }

void KirinNPUDeviceInfo::SetEnableFP16(bool is_fp16) { data_->is_fp16 = is_fp16; }
bool KirinNPUDeviceInfo::GetEnableFP16() const { return data_->is_fp16; }
void KirinNPUDeviceInfo::SetFrequency(int frequency) { data_->frequency = frequency; }
int KirinNPUDeviceInfo::GetFrequency() const { return data_->frequency; }

void GPUDeviceInfo::SetDeviceID(uint32_t device_id) { data_->device_id = device_id; }
uint32_t GPUDeviceInfo::GetDeviceID() const { return data_->device_id; }
int GPUDeviceInfo::GetRankID() const { return 0; }
int GPUDeviceInfo::GetGroupSize() const { return 0; }
void GPUDeviceInfo::SetPrecisionMode(const std::vector<char>& precision_mode) {
  data_->precision_mode = CharToString(precision_mode);
}
std::vector<char> GPUDeviceInfo::GetPrecisionModeChar() const {
  return StringToChar(data_->precision_mode);
}
void GPUDeviceInfo::SetEnableFP16(bool is_fp16) { data_->is_fp16 = is_fp16; }
bool GPUDeviceInfo::GetEnableFP16() const { return data_->is_fp16; }
void GPUDeviceInfo::SetEnableGLTexture(bool is_enable_gl_texture) {
  data_->is_gl_texture = is_enable_gl_texture;
}
bool GPUDeviceInfo::GetEnableGLTexture() const { return data_->is_gl_texture; }
void GPUDeviceInfo::SetGLContext(void* gl_context) { data_->gl_context = gl_context; }
void* GPUDeviceInfo::GetGLContext() const { return data_->gl_context; }
void GPUDeviceInfo::SetGLDisplay(void* gl_display) { data_->gl_display = gl_display; }
void* GPUDeviceInfo::GetGLDisplay() const { return data_->gl_display; }

void AscendDeviceInfo::SetDeviceID(uint32_t device_id) { data_->device_id = device_id; }
uint32_t AscendDeviceInfo::GetDeviceID() const { return data_->device_id; }
void AscendDeviceInfo::SetRankID(uint32_t rank_id) { data_->rank_id = rank_id; }
uint32_t AscendDeviceInfo::GetRankID() const { return data_->rank_id; }
void AscendDeviceInfo::SetInputShapeMap(const std::map<int, std::vector<int>>& shape) {
  data_->input_shapes = shape;
}
std::map<int, std::vector<int>> AscendDeviceInfo::GetInputShapeMap() const {
  return data_->input_shapes;
}
void AscendDeviceInfo::SetOutputType(enum DataType output_type) {
  data_->output_type = output_type;
}
enum DataType AscendDeviceInfo::GetOutputType() const { return data_->output_type; }
void AscendDeviceInfo::SetDynamicBatchSize(const std::vector<size_t>& dynamic_batch_size) {
  std::string text;
  for (const size_t size : dynamic_batch_size)
    text += (text.empty() ? "" : ",") + std::to_string(size);
  data_->batch_sizes = text;
}
std::vector<char> AscendDeviceInfo::GetDynamicBatchSizeChar() const {
  return StringToChar(data_->batch_sizes);
}
void AscendDeviceInfo::SetInsertOpConfigPath(const std::vector<char>& cfg_path) {
  data_->insert_op_config_path = CharToString(cfg_path);
}
std::vector<char> AscendDeviceInfo::GetInsertOpConfigPathChar() const {
  return StringToChar(data_->insert_op_config_path);
}
void AscendDeviceInfo::SetInputFormat(const std::vector<char>& format) {
  data_->input_format = CharToString(format);
}
std::vector<char> AscendDeviceInfo::GetInputFormatChar() const {
  return StringToChar(data_->input_format);
}
void AscendDeviceInfo::SetInputShape(const std::vector<char>& shape) {
  data_->input_shape = CharToString(shape);
}
std::vector<char> AscendDeviceInfo::GetInputShapeChar() const {
  return StringToChar(data_->input_shape);
}
void AscendDeviceInfo::SetDynamicImageSize(const std::vector<char>& dynamic_image_size) {
  data_->image_size = CharToString(dynamic_image_size);
}
std::vector<char> AscendDeviceInfo::GetDynamicImageSizeChar() const {
  return StringToChar(data_->image_size);
}
void AscendDeviceInfo::SetPrecisionMode(const std::vector<char>& precision_mode) {
  data_->precision_mode = CharToString(precision_mode);
}
std::vector<char> AscendDeviceInfo::GetPrecisionModeChar() const {
  return StringToChar(data_->precision_mode);
}
void AscendDeviceInfo::SetOpSelectImplMode(const std::vector<char>& op_select_impl_mode) {
  data_->op_select_impl_mode = CharToString(op_select_impl_mode);
}
std::vector<char> AscendDeviceInfo::GetOpSelectImplModeChar() const {
  return StringToChar(data_->op_select_impl_mode);
}
void AscendDeviceInfo::SetFusionSwitchConfigPath(const std::vector<char>& cfg_path) {
  data_->fusion_switch_config_path = CharToString(cfg_path);
}
std::vector<char> AscendDeviceInfo::GetFusionSwitchConfigPathChar() const {
  return StringToChar(data_->fusion_switch_config_path);
}
void AscendDeviceInfo::SetBufferOptimizeMode(const std::vector<char>& buffer_optimize_mode) {
  data_->buffer_optimize_mode = CharToString(buffer_optimize_mode);
}
std::vector<char> AscendDeviceInfo::GetBufferOptimizeModeChar() const {
  return StringToChar(data_->buffer_optimize_mode);
}

}  // namespace mindspore
