// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/blocked_layout.h"

#include "backend/cpu/dnnl_primitive.h"
#include "backend/cpu/loops/blocked_loops.h"
#include "operator/channel_block.h"
#include "platform/thread/parallel_for.h"

namespace mycel::backend {
namespace {

using tensor::Tensor;

const bool registered = (op::set_channel_block(device::kHostBackend, blocked_lanes()), true);

DnnlStep make_step(const Tensor& from, const Tensor& to) {
  const dnnl::memory::desc source = activation_layout(from), target = activation_layout(to);
  const dnnl::reorder::primitive_desc reorder(dnnl_engine(), source, dnnl_engine(), target,
                                              dnnl_attributes());
  return {dnnl::reorder(reorder),
          {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, target}},
          reorder.scratchpad_desc()};
}

void change_floats(const Tensor& from, const Tensor& to) {
  static thread_local PlanCache<DnnlStep> cache;
  const int threads = threads_for(from.size() * 8);
  const platform::TeamLimit team(threads);
  PlanKey key{static_cast<std::int64_t>(from.shape().size()), threads};
  key.add(from.shape());
  key.add(to.shape());
  cache.get(key, [&] { return make_step(from, to); }).run({from.raw(), to.raw()});
}

}  // namespace

void change_layout(const Tensor& from, const Tensor& to) {
  if (from.dtype() == tensor::DType::Float32) return change_floats(from, to);
  const bool blocks = to.shape().size() == 5;
  const tensor::Shape& shape = blocks ? to.shape() : from.shape();
  const std::int64_t pixels = shape[2] * shape[3], lanes = shape[4];
  tensor::with_bits_type(from.dtype(), [&]<class T>() {
    const T* source = from.data<T>();
    T* target = to.data<T>();
    platform::parallel_for(
        shape[0] * shape[1], pixels * lanes, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin * pixels * lanes; i < end * pixels * lanes; ++i) {
            const std::int64_t block = i / (pixels * lanes), within = i % (pixels * lanes);
            const std::int64_t plain = (block * lanes + within % lanes) * pixels + within / lanes;
            target[blocks ? i : plain] = source[blocks ? plain : i];
          }
        });
  });
}

}  // namespace mycel::backend
