// SPDX-License-Identifier: Apache-2.0
#include "include/dataset/execute.h"

#include "api/boundary.h"
#include "api/dataset/tensor_operation.h"
#include "api/tensor_impl.h"

namespace mindspore {
namespace dataset {

namespace {

using mycel::api::require;
using Operations = std::vector<std::shared_ptr<TensorOperation>>;

template <class Transforms, class Address>
Operations parsed(const Transforms& transforms, const Address& address) {
  Operations operations;
  for (const auto& transform : transforms)
    operations.push_back(TensorOperation::of(address(transform)));
  return operations;
}

MSTensor tensor_of(const std::string& name, const mycel::data::Item& item) {
  require(item.is_array(), kMDUnexpectedError, "the result is no array but ", item.type_name());
  const mycel::tensor::Tensor& result = item.array();
  const mycel::tensor::Tensor own = mycel::tensor::Tensor::empty(result.shape(), result.dtype());
  mycel::tensor::copy_elements(result, own);
  return mycel::api::as_ms_tensor(name, own);
}

}  // namespace

struct Execute::Data {
  Operations operations;
  mycel::data::ListedTransforms list;  // the same, made ready
  Status failure;
  MapTargetDevice device = MapTargetDevice::kCpu;

  Data(Operations all, MapTargetDevice target) : operations(std::move(all)), device(target) {
    std::vector<mycel::data::TransformPtr> transforms;
    for (const auto& operation : operations) {
      if (operation != nullptr && operation->transform()) {
        transforms.push_back(operation->transform());
      } else if (failure.IsOk()) {
        failure = operation ? operation->failure() : Status(kMDSyntaxError, "a transform is null");
      }
    }
    if (operations.empty()) failure = Status(kMDSyntaxError, "there are no transforms");
    if (failure.IsOk() && device != MapTargetDevice::kCpu)
      failure = Status(kMDNotImplementedYet, "transforms run on the CPU only");
    if (failure.IsOk()) list = mycel::data::join_neighbours(mycel::data::listed(transforms));
  }

  void run(mycel::data::Items& items) const {
    require(failure.IsOk(), failure.StatusCode(), failure.ToString());
    mycel::data::RowRandom random(0, 0);
    const mycel::data::RowStreams streams(0, 0);
    mycel::data::TransformContext context{random};
    mycel::data::run_list(list, streams, items, context);
  }
};

Execute::Execute(const std::shared_ptr<TensorOperation>& op, MapTargetDevice device_type,
                 uint32_t device_id)
    : Execute(Operations{op}, device_type, device_id) {}
Execute::Execute(const std::shared_ptr<TensorTransform>& op, MapTargetDevice device_type,
                 uint32_t device_id)
    : Execute(Operations{TensorOperation::of(op.get())}, device_type, device_id) {}
Execute::Execute(const std::reference_wrapper<TensorTransform>& op, MapTargetDevice device_type,
                 uint32_t device_id)
    : Execute(Operations{TensorOperation::of(&op.get())}, device_type, device_id) {}
Execute::Execute(TensorTransform* op, MapTargetDevice device_type, uint32_t device_id)
    : Execute(Operations{TensorOperation::of(op)}, device_type, device_id) {}
Execute::Execute(const std::vector<std::shared_ptr<TensorOperation>>& ops,
                 MapTargetDevice device_type, uint32_t /*device_id*/)
    : data_(std::make_shared<Data>(ops, device_type)) {}
Execute::Execute(const std::vector<std::shared_ptr<TensorTransform>>& ops,
                 MapTargetDevice device_type, uint32_t device_id)
    : Execute(parsed(ops, [](const auto& op) { return op.get(); }), device_type, device_id) {}
Execute::Execute(const std::vector<std::reference_wrapper<TensorTransform>>& ops,
                 MapTargetDevice device_type, uint32_t device_id)
    : Execute(parsed(ops, [](const auto& op) { return &op.get(); }), device_type, device_id) {}
Execute::Execute(const std::vector<TensorTransform*>& ops, MapTargetDevice device_type,
                 uint32_t device_id)
    : Execute(parsed(ops, [](TensorTransform* op) { return op; }), device_type, device_id) {}
Execute::~Execute() = default;

Status Execute::operator()(const MSTensor& input, MSTensor* output) {
  return mycel::api::guarded(kMDUnexpectedError, "Execute", [&] {
    require(output != nullptr, kMDUnexpectedError, "the tensor for the result is null");
    mycel::data::Items items = {mycel::api::as_tensor(input)};
    data_->run(items);
    require(items.size() == 1, kMDUnexpectedError, "the transforms give ", items.size(),
            " tensors; take a list for them");
    *output = tensor_of(input.Name(), items.front());
  });
}

Status Execute::operator()(const std::vector<MSTensor>& input_tensor_list,
                           std::vector<MSTensor>* out) {
  return mycel::api::guarded(kMDUnexpectedError, "Execute", [&] {
    require(out != nullptr, kMDUnexpectedError, "the list for the results is null");
    require(!input_tensor_list.empty(), kMDUnexpectedError, "there are no inputs");
    std::vector<MSTensor> results;
    for (const MSTensor& input : input_tensor_list) {
      mycel::data::Items items = {mycel::api::as_tensor(input)};
      data_->run(items);
      for (const mycel::data::Item& item : items) results.push_back(tensor_of(input.Name(), item));
    }
    *out = std::move(results);
  });
}

Status Execute::DeviceMemoryRelease() { return {}; }
std::vector<char> Execute::AippCfgGeneratorChar() { return {}; }

}  // namespace dataset
}  // namespace mindspore
