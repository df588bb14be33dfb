// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/dnnl_matmul.h"

#include <optional>

#include "backend/cpu/dnnl_primitive.h"
#include "platform/thread/parallel_for.h"

namespace mycel::backend {
namespace {

using dnnl::memory;

struct Plan {
  std::optional<DnnlStep> step;  // empty: declined
};

memory::desc layout_of(const tensor::Shape& shape, const tensor::Strides& strides,
                       memory::data_type type) {
  return {memory::dims(shape.begin(), shape.end()), type,
          memory::dims(strides.begin(), strides.end())};
}

Plan make_plan(const DnnlMatmul& problem) {
  const memory::data_type type = dnnl_type(problem.dtype);
  const memory::desc a = layout_of(problem.a_shape, problem.a_strides, type);
  const memory::desc b = layout_of(problem.b_shape, problem.b_strides, type);
  const memory::desc c = layout_of(problem.c_shape, problem.c_strides, type);
  memory::desc bias;
  if (problem.bias != nullptr) {
    memory::dims shape(problem.c_shape.size(), 1);
    shape.back() = problem.c_shape.back();
    bias = memory::desc(shape, type, memory::dims(shape.size(), 1));
  }
  const auto made =
      problem.bias != nullptr
          ? dnnl::matmul::primitive_desc(dnnl_engine(), a, b, bias, c, dnnl_attributes(), true)
          : dnnl::matmul::primitive_desc(dnnl_engine(), a, b, c, dnnl_attributes(), true);
  if (!made) return {};
  std::vector<std::pair<int, memory::desc>> arguments = {
      {DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}};
  if (problem.bias != nullptr) arguments.emplace_back(DNNL_ARG_BIAS, bias);
  return {DnnlStep(dnnl::matmul(made), std::move(arguments), made.scratchpad_desc())};
}

}  // namespace

bool dnnl_matmul(const DnnlMatmul& problem) {
  static thread_local PlanCache<Plan> cache;
  std::int64_t work = problem.a_shape.back();
  for (const std::int64_t length : problem.c_shape) work *= length;
  const int threads = threads_for(work);
  const platform::TeamLimit team(threads);
  PlanKey key{static_cast<std::int64_t>(problem.dtype), problem.bias != nullptr, threads};
  for (const auto* words : {&problem.a_shape, &problem.b_shape, &problem.c_shape,
                            &problem.a_strides, &problem.b_strides}) {
    key.add(*words);
  }
  Plan& plan = cache.get(key, [&] { return make_plan(problem); });
  if (!plan.step) return false;
  void* a = const_cast<void*>(problem.a);
  void* b = const_cast<void*>(problem.b);
  if (problem.bias != nullptr) {
    plan.step->run({a, b, problem.c, const_cast<void*>(problem.bias)});
  } else {
    plan.step->run({a, b, problem.c});
  }
  return true;
}

}  // namespace mycel::backend
