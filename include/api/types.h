// SPDX-License-Identifier: Apache-2.0
#ifndef MINDSPORE_INCLUDE_API_TYPES_H_
#define MINDSPORE_INCLUDE_API_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "include/api/data_type.h"
#include "include/api/dual_abi_helper.h"
#include "include/api/format.h"
#include "include/api/visible.h"

namespace mindspore {

enum ModelType : uint32_t {
  kMindIR = 0,
  kAIR = 1,
  kOM = 2,
  kONNX = 3,
  kMindIR_Lite = 4,
  kDataFlow = 5,
  kUnknownType = 0xFFFFFFFF,
};

enum QuantizationType : uint32_t {
  kNoQuant = 0,
  kWeightQuant = 1,
  kFullQuant = 2,
  kUnknownQuantType = 0xFFFFFFFF,
};

enum OptimizationLevel : uint32_t {
  kO0 = 0,
  kO2 = 2,
  kO3 = 3,
  kAuto = 4,
  kOptimizationType = 0xFFFFFFFF,
};

struct QuantParam {
  int bit_num;
  double scale;
  int32_t zero_point;
  double min;
  double max;
};

class Allocator;

// A named array. A handle: copies share the array. Reading one array from several threads is safe,
// writing it is not.
class MS_API MSTensor {
 public:
  class Impl;

  // ---- making one; what comes as a pointer goes to DestroyTensorPtr. Null: it could not be made.

  // Copies `data_len` bytes; null data gives zeros. The device is chosen by the model, not here.
  static inline MSTensor* CreateTensor(const std::string& name, mindspore::DataType type,
                                       const std::vector<int64_t>& shape, const void* data,
                                       size_t data_len, const std::string& device = "",
                                       int device_id = -1) noexcept;
  // A copy of the tensor and of its bytes.
  static inline MSTensor* CreateTensor(const std::string& name, const MSTensor& tensor,
                                       const std::string& device = "", int device_id = -1) noexcept;
  // Refers to the caller's memory, which has to outlive the tensor. It is never freed here,
  // whatever `own_data` says: callers pass memory of their vectors.
  static inline MSTensor* CreateRefTensor(const std::string& name, mindspore::DataType type,
                                          const std::vector<int64_t>& shape, const void* data,
                                          size_t data_len, bool own_data = true) noexcept;
  // Refers to memory of a device.
  static inline MSTensor CreateDeviceTensor(const std::string& name, mindspore::DataType type,
                                            const std::vector<int64_t>& shape, void* data,
                                            size_t data_len) noexcept;
  // The bytes of a file. Without a shape there is one axis, as long as the file.
  static inline MSTensor* CreateTensorFromFile(
      const std::string& file, mindspore::DataType type = mindspore::DataType::kNumberTypeUInt8,
      const std::vector<int64_t>& shape = {}) noexcept;
  // Strings in one array of bytes: their number, where each begins (both int32), then the bytes.
  static inline MSTensor* StringsToTensor(const std::string& name,
                                          const std::vector<std::string>& str);
  static inline std::vector<std::string> TensorToStrings(const MSTensor& tensor);
  static void DestroyTensorPtr(MSTensor* tensor) noexcept;

  MSTensor();  // empty: no name, no type, no elements
  explicit MSTensor(const std::shared_ptr<Impl>& impl);
  inline MSTensor(const std::string& name, mindspore::DataType type,
                  const std::vector<int64_t>& shape, const void* data, size_t data_len);
  explicit MSTensor(std::nullptr_t);  // no tensor at all: equal to nullptr
  ~MSTensor();

  // ---- reading

  inline std::string Name() const;
  enum DataType DataType() const;
  const std::vector<int64_t>& Shape() const;
  int64_t ElementNum() const;  // product of the shape
  // The bytes, readable by the host; they live as long as the pointer.
  std::shared_ptr<const void> Data() const;
  void* MutableData();  // what is written there all copies of the handle see
  size_t DataSize() const;
  int GetDeviceId() const;  // -1: host
  inline std::string GetDevice() const;
  bool IsConst() const;
  bool IsDevice() const;
  MSTensor* Clone() const;  // with bytes of its own

  bool operator==(std::nullptr_t) const;
  bool operator!=(std::nullptr_t) const;
  bool operator==(const MSTensor& tensor) const;  // the same tensor, not equal content
  bool operator!=(const MSTensor& tensor) const;

  // ---- changing

  void SetShape(const std::vector<int64_t>& shape);
  void SetDataType(enum DataType data_type);
  inline void SetTensorName(const std::string& name);
  void SetFormat(mindspore::Format format);
  mindspore::Format format() const;
  // Takes other memory, as many bytes as shape and type need. Memory that is handed over comes from
  // malloc and is released with free.
  void SetData(void* data, bool own_data = true);

  // Of programs for small devices: kept as they are, or ignored.
  void SetAllocator(std::shared_ptr<Allocator> allocator);
  std::shared_ptr<Allocator> allocator() const;
  void SetDeviceData(void* data);
  void* GetDeviceData();
  std::vector<QuantParam> QuantParams() const;
  void SetQuantParams(std::vector<QuantParam> quant_params);

  const std::shared_ptr<Impl> impl() const { return impl_; }

 private:
  static MSTensor* CreateTensor(const std::vector<char>& name, mindspore::DataType type,
                                const std::vector<int64_t>& shape, const void* data,
                                size_t data_len, const std::vector<char>& device,
                                int device_id) noexcept;
  static MSTensor* CreateTensor(const std::vector<char>& name, const MSTensor& tensor,
                                const std::vector<char>& device, int device_id) noexcept;
  static MSTensor* CreateRefTensor(const std::vector<char>& name, mindspore::DataType type,
                                   const std::vector<int64_t>& shape, const void* data,
                                   size_t data_len, bool own_data) noexcept;
  static MSTensor CreateDeviceTensor(const std::vector<char>& name, mindspore::DataType type,
                                     const std::vector<int64_t>& shape, void* data,
                                     size_t data_len) noexcept;
  static MSTensor* CreateTensorFromFile(const std::vector<char>& file, mindspore::DataType type,
                                        const std::vector<int64_t>& shape) noexcept;
  static MSTensor* CharStringsToTensor(const std::vector<char>& name,
                                       const std::vector<std::vector<char>>& str);
  static std::vector<std::vector<char>> TensorToStringChars(const MSTensor& tensor);
  MSTensor(const std::vector<char>& name, mindspore::DataType type,
           const std::vector<int64_t>& shape, const void* data, size_t data_len);
  std::vector<char> CharName() const;
  std::vector<char> CharDevice() const;
  void SetTensorName(const std::vector<char>& name);

  std::shared_ptr<Impl> impl_;
};

// Bytes. A handle: copies share them.
class MS_API Buffer {
 public:
  Buffer();
  Buffer(const void* data, size_t data_len);  // copies; null data gives zeros
  ~Buffer();

  const void* Data() const;
  void* MutableData();
  size_t DataSize() const;
  bool ResizeData(size_t data_len);
  // False, and nothing changes: null for some bytes, or none although there is data.
  bool SetData(const void* data, size_t data_len);
  Buffer Clone() const;  // with bytes of its own

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

// A key that a file was encrypted with: 16, 24 or 32 bytes. Wipe it after use.
struct MS_API Key {
  const size_t max_key_len = 32;
  size_t len = 0;
  unsigned char key[32] = {0};
  Key() : len(0) {}
  explicit Key(const char* dec_key, size_t key_len);  // a length beyond 32 leaves it empty
};

constexpr char kDecModeAesGcm[] = "AES-GCM";

struct MSCallBackParam {
  std::string node_name;
  std::string node_type;
  double execute_time;
};
using MSKernelCallBack =
    std::function<bool(const std::vector<MSTensor>& inputs, const std::vector<MSTensor>& outputs,
                       const MSCallBackParam& info)>;

MS_API std::vector<char> CharVersion();
inline std::string Version() { return CharToString(CharVersion()); }

MSTensor* MSTensor::CreateTensor(const std::string& name, mindspore::DataType type,
                                 const std::vector<int64_t>& shape, const void* data,
                                 size_t data_len, const std::string& device,
                                 int device_id) noexcept {
  return CreateTensor(StringToChar(name), type, shape, data, data_len, StringToChar(device),
                      device_id);
}
MSTensor* MSTensor::CreateTensor(const std::string& name, const MSTensor& tensor,
                                 const std::string& device, int device_id) noexcept {
  return CreateTensor(StringToChar(name), tensor, StringToChar(device), device_id);
}
MSTensor* MSTensor::CreateRefTensor(const std::string& name, mindspore::DataType type,
                                    const std::vector<int64_t>& shape, const void* data,
                                    size_t data_len, bool own_data) noexcept {
  return CreateRefTensor(StringToChar(name), type, shape, data, data_len, own_data);
}
MSTensor MSTensor::CreateDeviceTensor(const std::string& name, mindspore::DataType type,
                                      const std::vector<int64_t>& shape, void* data,
                                      size_t data_len) noexcept {
  return CreateDeviceTensor(StringToChar(name), type, shape, data, data_len);
}
MSTensor* MSTensor::CreateTensorFromFile(const std::string& file, mindspore::DataType type,
                                         const std::vector<int64_t>& shape) noexcept {
  return CreateTensorFromFile(StringToChar(file), type, shape);
}
MSTensor* MSTensor::StringsToTensor(const std::string& name, const std::vector<std::string>& str) {
  return CharStringsToTensor(StringToChar(name), VectorStringToChar(str));
}
std::vector<std::string> MSTensor::TensorToStrings(const MSTensor& tensor) {
  return VectorCharToString(TensorToStringChars(tensor));
}
MSTensor::MSTensor(const std::string& name, mindspore::DataType type,
                   const std::vector<int64_t>& shape, const void* data, size_t data_len)
    : MSTensor(StringToChar(name), type, shape, data, data_len) {}
std::string MSTensor::Name() const { return CharToString(CharName()); }
std::string MSTensor::GetDevice() const { return CharToString(CharDevice()); }
void MSTensor::SetTensorName(const std::string& name) { SetTensorName(StringToChar(name)); }

}  // namespace mindspore

#endif  // MINDSPORE_INCLUDE_API_TYPES_H_
