// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/dnnl_primitive.h"

#include <algorithm>

#include "backend/cpu/dnnl_instruction_set.h"
#include "platform/error/error.h"
#include "platform/thread/parallel_for.h"
#include "platform/thread/team.h"

namespace mycel::backend {

using platform::ErrorKind;

const dnnl::engine& dnnl_engine() {
  static const dnnl::engine engine = [] {
    limit_dnnl();
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return engine;
}

dnnl::stream& dnnl_stream() {
  static thread_local dnnl::stream stream(dnnl_engine());
  platform::note_team();
  return stream;
}

int threads_for(std::int64_t multiplications) {
  constexpr std::int64_t kWorthATeam = 1'000'000;
  return multiplications < kWorthATeam ? 1 : platform::compute_threads();
}

dnnl::memory::data_type dnnl_type(tensor::DType dtype) {
  using Type = dnnl::memory::data_type;
  switch (dtype) {
    case tensor::DType::Float32: return Type::f32;
    case tensor::DType::BFloat16: return Type::bf16;
    default: platform::fail(ErrorKind::Internal, "oneDNN is not used for ", dtype);
  }
}

dnnl::memory::desc activation_layout(const tensor::Tensor& tensor) {
  using Tag = dnnl::memory::format_tag;
  const tensor::Shape& shape = tensor.shape();
  dnnl::memory::dims dims(shape.begin(), shape.begin() + 4);
  if (shape.size() == 4) return {dims, dnnl_type(tensor.dtype()), Tag::abcd};
  dims[1] *= shape[4];
  return {dims, dnnl_type(tensor.dtype()), shape[4] == 16 ? Tag::aBcd16b : Tag::aBcd8b};
}

Scratch::Scratch(std::size_t bytes) {
  if (bytes > 0) block_ = device::allocate({}, bytes);
}

Scratch::~Scratch() {
  if (block_.data != nullptr) device::release({}, block_);
}

void PlanKey::add(std::span<const std::int64_t> words) {
  platform::require(size_ + words.size() <= kMaxWords, ErrorKind::Internal, "plan key too long");
  std::copy(words.begin(), words.end(), words_.begin() + static_cast<std::ptrdiff_t>(size_));
  size_ += words.size();
}

std::size_t PlanKey::hash() const {
  std::uint64_t state = size_;
  for (std::size_t i = 0; i < size_; ++i) {
    state = (state ^ static_cast<std::uint64_t>(words_[i])) * 0x9e3779b97f4a7c15ULL;
    state ^= state >> 29;
  }
  return state;
}

dnnl::primitive_attr dnnl_attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

DnnlStep::DnnlStep(dnnl::primitive primitive,
                   std::vector<std::pair<int, dnnl::memory::desc>> arguments,
                   const dnnl::memory::desc& scratch)
    : primitive_(std::move(primitive)) {
  if (scratch) scratch_bytes_ = scratch.get_size();
  if (scratch_bytes_ > 0) arguments.emplace_back(DNNL_ARG_SCRATCHPAD, scratch);
  for (const auto& [index, layout] : arguments) {
    memories_.push_back(dnnl::memory(layout, dnnl_engine(), DNNL_MEMORY_NONE));
    arguments_.push_back({index, memories_.back().get()});
  }
}

void DnnlStep::run(std::span<void* const> addresses) {
  std::size_t i = 0;
  for (void* address : addresses) memories_[i++].set_data_handle(address);
  const Scratch scratch(scratch_bytes_);
  if (scratch_bytes_ > 0) memories_[i].set_data_handle(scratch.data());
  const dnnl_status_t status =
      dnnl_primitive_execute(primitive_.get(), dnnl_stream().get(),
                             static_cast<int>(arguments_.size()), arguments_.data());
  platform::require(status == dnnl_success, ErrorKind::Runtime,
                    "oneDNN could not run a primitive, status ", static_cast<int>(status));
}

}  // namespace mycel::backend
