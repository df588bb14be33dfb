// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/codegen/generated_call.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "backend/cpu/codegen/background_compiler.h"
#include "backend/cpu/codegen/generated_code.h"
#include "backend/cpu/scalar_executor.h"
#include "backend/cpu/strided_walk.h"
#include "platform/file/file.h"
#include "platform/options/options.h"
#include "platform/thread/parallel_for.h"

namespace mycel::cpu::codegen {
namespace {

using tensor::DType;
using tensor::Tensor;

constexpr std::int64_t kShortestRow = 12;  // below, a call for each row costs too much
constexpr std::size_t kMaxAttributes = 16;

thread_local bool at_once = false;

struct Call {
  Call(const BoundProgram& bound, char* result) : program(bound), output(result) {}

  const BoundProgram& program;
  std::array<const void*, kMaxOperands> inputs;  // by number of the operator's input
  char* output;
  alignas(16) char attributes[16 * kMaxAttributes];
  alignas(16) char singles[16 * kMaxOperands];  // those that came in another type
};

DType type_of(const BoundProgram& program, const BoundInput& input) {
  return input.is_mask ? DType::Bool : program.stored;
}

bool fits(const BoundProgram& program, std::span<const Tensor> inputs, const Tensor& output) {
  if (output.dtype() != program.result_dtype || inputs.size() > kMaxOperands) return false;
  for (const BoundInput& input : program.inputs) {
    const Tensor& tensor = inputs[static_cast<std::size_t>(input.input)];
    // A Python number has a type of its own; it is converted once.
    if (tensor.dtype() != type_of(program, input) && (tensor.size() != 1 || output.size() == 1))
      return false;
    if (overlaps_badly(tensor, output)) return false;
  }
  return true;
}

void set_input(Call& call, const BoundInput& input, std::span<const Tensor> inputs) {
  const auto place = static_cast<std::size_t>(input.input);
  const Tensor& tensor = inputs[place];
  call.inputs[place] = tensor.raw();
  const DType wanted = type_of(call.program, input);
  if (tensor.dtype() == wanted) return;
  char* const single = call.singles + 16 * place;
  conversion(tensor.dtype(), wanted)(tensor.raw(), 1, single, 1, 1);
  call.inputs[place] = single;
}

Kernel find_kernel(const BoundProgram& program, std::uint32_t singles, std::int64_t elements) {
  if (at_once) return program.code->kernel_now(singles);
  if (program.steps.size() == 1 && (singles & kStreams) == 0) return nullptr;
  return program.code->kernel(singles, elements);
}

// Bytes of the cache that processors share. The C library's answer is that of the whole chip, which
// a guest of it does not see.
std::int64_t largest_cache() {
  static const std::int64_t bytes = [] {
    constexpr std::int64_t kUsual = std::int64_t{32} << 20;
    const auto text = platform::read_text("/sys/devices/system/cpu/cpu0/cache/index3/size");
    if (!text) return kUsual;
    const auto kilobytes = platform::parse_integer(text.value().substr(0, text.value().find('K')));
    return std::max(kilobytes.value_or(0) << 10U, std::int64_t{8} << 20);
  }();
  return bytes;
}

// A result that no cache can hold until it is read is written past them all: its old content need
// not be fetched, and the operands stay. Not where it takes the place of an operand, which is
// fetched anyhow.
bool wants_streaming(const Call& call, const Tensor& output, std::int64_t row) {
  const std::int64_t bytes = call.program.element_bytes;
  if (call.program.result_dtype == DType::Bool || output.size() * bytes < largest_cache() ||
      reinterpret_cast<std::uintptr_t>(call.output) % 64 != 0 || row * bytes % 64 != 0 ||
      !output.is_contiguous())
    return false;
  return std::ranges::none_of(call.program.inputs, [&](const BoundInput& input) {
    return call.inputs[static_cast<std::size_t>(input.input)] == call.output;
  });
}

// Bit per single input, when all others are dense; nothing when they are not.
std::optional<std::uint32_t> flat_singles(const BoundProgram& program,
                                          std::span<const Tensor> inputs, const Tensor& output) {
  if (!output.is_contiguous()) return std::nullopt;
  std::uint32_t singles = 0;
  for (const BoundInput& input : program.inputs) {
    const Tensor& tensor = inputs[static_cast<std::size_t>(input.input)];
    if (tensor.size() == 1 && output.size() > 1) {
      singles |= 1U << static_cast<unsigned>(input.input);
    } else if (!(tensor.shape() == output.shape()) || !tensor.is_contiguous()) {
      return std::nullopt;
    }
  }
  return singles;
}

bool run_flat(const Call& call, Kernel kernel, std::int64_t count) {
  // Whole pieces, so that no two threads write the same cache line.
  constexpr std::int64_t kPiece = 1024;
  const std::int64_t pieces = (count + kPiece - 1) / kPiece;
  platform::parallel_for(pieces, kPiece * call.program.cost,
                         [&](std::int64_t begin, std::int64_t end) {
                           kernel(call.inputs.data(), call.attributes, call.output, begin * kPiece,
                                  std::min(end * kPiece, count));
                         });
  return true;
}

void run_row_range(const Call& call, const StridedWalk& walk, Kernel kernel, std::int64_t begin,
                   std::int64_t end) {
  const std::size_t used = call.program.inputs.size();
  const std::int64_t output_bytes =
      call.program.result_dtype == DType::Bool ? 1 : call.program.element_bytes;
  std::array<const void*, kMaxOperands> places = call.inputs;
  RowCursor cursor(walk, begin);
  for (std::int64_t row = begin; row < end; ++row, cursor.advance()) {
    for (std::size_t k = 0; k < used; ++k) {
      const BoundInput& input = call.program.inputs[k];
      const auto place = static_cast<std::size_t>(input.input);
      const std::int64_t bytes = input.is_mask ? 1 : call.program.element_bytes;
      places[place] = static_cast<const char*>(call.inputs[place]) + cursor.offset(k) * bytes;
    }
    kernel(places.data(), call.attributes, call.output + cursor.offset(used) * output_bytes, 0,
           walk.inner_length());
  }
}

// Operands stretched along outer axes, or along the inner one: a call for every row.
bool run_rows(const Call& call, std::span<const Tensor> inputs, const Tensor& output) {
  const std::size_t used = call.program.inputs.size();
  std::array<const Tensor*, kMaxOperands> operands;
  if (used + 1 > kMaxOperands) return false;
  for (std::size_t k = 0; k < used; ++k)
    operands[k] = &inputs[static_cast<std::size_t>(call.program.inputs[k].input)];
  operands[used] = &output;
  const StridedWalk walk(output.shape(), std::span(operands).first(used + 1));
  const std::int64_t length = walk.inner_length();
  if (length < kShortestRow || walk.inner_stride(used) != 1) return false;
  std::uint32_t singles = 0;
  for (std::size_t k = 0; k < used; ++k) {
    const std::int64_t stride = walk.inner_stride(k);
    if (stride != 0 && stride != 1) return false;
    if (stride == 0) singles |= 1U << static_cast<unsigned>(call.program.inputs[k].input);
  }
  if (wants_streaming(call, output, length)) singles |= kStreams;
  const Kernel kernel = find_kernel(call.program, singles, output.size());
  if (kernel == nullptr) return false;
  platform::parallel_for(
      output.size() / length, length * call.program.cost,
      [&](std::int64_t begin, std::int64_t end) { run_row_range(call, walk, kernel, begin, end); });
  return true;
}

}  // namespace

void compile_at_once(bool on) { at_once = on; }

bool run_generated(const BoundProgram& program, std::span<const Tensor> inputs,
                   std::span<const op::AttributeValue> attributes, const Tensor& output) {
  const std::int64_t count = output.size();
  if (!at_once &&
      (count < GeneratedCode::kLeastElements || !BackgroundCompiler::instance().enabled())) {
    return false;
  }
  if (!fits(program, inputs, output) || program.attributes.size() > kMaxAttributes) return false;
  Call call(program, static_cast<char*>(output.raw()));
  for (const BoundInput& input : program.inputs) set_input(call, input, inputs);
  store_attributes(program, attributes, call.attributes);
  std::optional<std::uint32_t> singles = flat_singles(program, inputs, output);
  if (!singles) return run_rows(call, inputs, output);
  if (wants_streaming(call, output, 64)) *singles |= kStreams;
  const Kernel kernel = find_kernel(program, *singles, count);
  return kernel != nullptr && run_flat(call, kernel, count);
}

}  // namespace mycel::cpu::codegen
