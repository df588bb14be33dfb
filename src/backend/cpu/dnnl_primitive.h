// SPDX-License-Identifier: Apache-2.0
// What every use of oneDNN here shares: one engine, a stream and a plan cache per thread, scratch
// memory from our pool. Included inside this folder only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "device/pool.h"
#include "tensor/tensor.h"

namespace mycel::backend {

// The layout of a dense tensor; five axes are (N, C / block, H, W, block).
dnnl::memory::desc activation_layout(const tensor::Tensor& tensor);

const dnnl::engine& dnnl_engine();
dnnl::stream& dnnl_stream();  // of the calling thread

dnnl::memory::data_type dnnl_type(tensor::DType dtype);  // Internal error when oneDNN has none

// Memory that lives as long as the call.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* data() const { return block_.data; }

 private:
  device::Block block_;
};

// Threads a problem of this many multiplications deserves: below a million the work is done before
// a second thread has woken up.
int threads_for(std::int64_t multiplications);

// A problem as numbers; equal keys mean the same plan.
class PlanKey {
 public:
  PlanKey(std::initializer_list<std::int64_t> words) {
    add(std::span(words.begin(), words.size()));
  }
  void add(std::span<const std::int64_t> words);
  bool operator==(const PlanKey& other) const {
    return size_ == other.size_ &&
           std::equal(words_.begin(), words_.begin() + size_, other.words_.begin());
  }
  std::size_t hash() const;

 private:
  static constexpr std::size_t kMaxWords = 48;
  std::array<std::int64_t, kMaxWords> words_;
  std::size_t size_ = 0;
};

// A primitive with memory objects whose addresses are filled in anew for every run. Making these
// objects costs more than many small problems, so they are kept. One thread at a time.
class DnnlStep {
 public:
  DnnlStep() = default;
  // `arguments` are (DNNL_ARG_..., layout); scratch memory is taken from the pool during run().
  DnnlStep(dnnl::primitive primitive, std::vector<std::pair<int, dnnl::memory::desc>> arguments,
           const dnnl::memory::desc& scratch = {});
  void run(std::span<void* const> addresses);
  void run(std::initializer_list<void*> addresses) {
    run(std::span<void* const>(addresses.begin(), addresses.size()));
  }

 private:
  dnnl::primitive primitive_;
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
  std::size_t scratch_bytes_ = 0;
};

dnnl::primitive_attr dnnl_attributes();  // scratch memory is the caller's

// Plans of one kind made by this thread. When the bound is reached the cache starts over; oneDNN
// keeps compiled code by itself, so that only the wrapping is made again.
template <class Plan>
class PlanCache {
 public:
  template <class Make>
  Plan& get(const PlanKey& key, const Make& make) {
    if (const auto found = plans_.find(key); found != plans_.end()) return *found->second;
    if (plans_.size() >= kMaxPlans) plans_.clear();
    return *(plans_[key] = std::make_unique<Plan>(make()));
  }

 private:
  static constexpr std::size_t kMaxPlans = 512;
  struct Hash {
    std::size_t operator()(const PlanKey& key) const { return key.hash(); }
  };
  std::unordered_map<PlanKey, std::unique_ptr<Plan>, Hash> plans_;
};

}  // namespace mycel::backend
