// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "api/program_source.h"
#include "capture/trace.h"
#include "operator/value.h"

namespace mycel::api {

// A program compiled for the shapes it is called with, each when it is first needed. Any number of
// threads may run it.
//
// A walk over the program is recorded once per set of shapes, and from then on the compiled graph
// is run. A program that decides by values that nobody can know beforehand has several ways; each
// is recorded when a call takes it. What cannot be recorded at all is walked in every call.
class PreparedProgram {
 public:
  using Shapes = std::vector<tensor::Shape>;

  explicit PreparedProgram(std::shared_ptr<const ProgramSource> source);
  ~PreparedProgram();

  // Compiles for these shapes; nothing is computed. Nothing: that needs values, so it happens with
  // the first call. Otherwise the types of the results.
  std::optional<std::vector<op::TensorSpec>> prepare(const Shapes& shapes);
  // Results are dense and have memory of their own.
  std::vector<Tensor> run(std::span<const Tensor> inputs);

  const ProgramSource& source() const { return *source_; }
  std::size_t compiled_count() const;

 private:
  struct Variant;
  std::shared_ptr<Variant> variant(const Shapes& shapes);
  // A run over what is known of the variant; nothing: it came to something new.
  static std::optional<std::vector<Tensor>> replay(capture::Run& run);
  std::vector<Tensor> record(Variant& variant, capture::Run run, std::span<const Tensor> inputs);
  void plan(Variant& variant, const Shapes& shapes);
  std::vector<Tensor> walk(std::span<const Tensor> inputs) const;

  std::shared_ptr<const ProgramSource> source_;
  mutable std::mutex mutex_;                      // guards variants_
  std::list<std::shared_ptr<Variant>> variants_;  // those used last come first
};

}  // namespace mycel::api
