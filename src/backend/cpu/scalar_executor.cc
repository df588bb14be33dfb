// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/scalar_executor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "backend/cpu/codegen/generated_call.h"
#include "backend/cpu/strided_walk.h"
#include "operator/registry.h"
#include "platform/thread/parallel_for.h"

namespace mycel::cpu {
namespace {

using platform::ErrorKind;
using tensor::DType;
using tensor::Tensor;

// Rows shorter than this are gathered, several at a time, into one block.
constexpr std::int64_t kShortRow = 128;
constexpr std::int64_t kTinyRow = 16;  // below this even a bare call per row costs too much
constexpr std::size_t kMaxAttributes = 16;

struct InputState {
  const char* data;
  std::int64_t bytes;       // of an element in memory
  ConvertFunction convert;  // null: memory already is what the loops read
};

struct ReadyStep {
  StepFunction run;
  bool single;  // every operand is one element, so the result is
  bool splat;   // an operand that must be dense is one element
};

// Everything about one call that does not change from block to block.
struct Call {
  explicit Call(const BoundProgram& bound) : program(bound) {}  // the arrays are filled as needed

  const BoundProgram& program;
  std::array<InputState, kMaxOperands> inputs;
  std::array<bool, kMaxSlots> single;
  std::array<ReadyStep, kMaxSlots> steps;
  alignas(16) char attributes[16 * kMaxAttributes];
  char* output = nullptr;
  std::int64_t output_bytes = 0;
  ConvertFunction store = nullptr;  // null: the last step writes the output itself
};

// Working memory of a thread, kept between calls.
char* block_memory(int buffers) {
  struct Memory {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };
  thread_local Memory memory;
  const std::size_t needed = static_cast<std::size_t>(buffers) * kBlockBytes + 64;
  if (memory.size < needed) {
    memory.bytes = std::make_unique_for_overwrite<char[]>(needed);
    memory.size = needed;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(memory.bytes.get());
  return memory.bytes.get() + (64 - address % 64);
}

void splat(const char* value, std::int64_t bytes, char* out, std::int64_t n) {
  if (bytes == 1) {
    std::memset(out, *value, static_cast<std::size_t>(n));
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    std::memcpy(out + i * bytes, value, static_cast<std::size_t>(bytes));
  }
}

double attribute_number(const op::AttributeValue& value) {
  if (value.is_none()) return 0;
  return value.is_bool() ? (value.flag() ? 1 : 0) : value.real();
}

// Which operands are single elements decides the variant of every step.
void resolve_steps(Call& call) {
  const BoundProgram& program = call.program;
  for (const BoundConstant& constant : program.constants) call.single[constant.slot] = true;
  for (const BoundAttribute& attribute : program.attributes) call.single[attribute.slot] = true;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const BoundStep& step = program.steps[i];
    ReadyStep& ready = call.steps[i];
    ready = {step.variants[0], true, false};
    for (int a = 0; a < step.arity; ++a) ready.single &= call.single[step.args[a]];
    call.single[step.result] = ready.single;
    if (ready.single) continue;
    ready.splat = step.first_choice > 0 && call.single[step.args[0]];
    if (step.arity - step.first_choice < 2) continue;
    const bool first = call.single[step.args[step.first_choice]];
    const bool second = call.single[step.args[step.first_choice + 1]];
    ready.run = step.variants[(first ? kFirstSingle : 0) | (second ? kSecondSingle : 0)];
  }
}

// The values of one block, by slot.
class Block {
 public:
  explicit Block(const Call& call) : call_(call), memory_(block_memory(call.program.buffer_count)) {
    const BoundProgram& program = call.program;
    for (const BoundConstant& constant : program.constants) value_[constant.slot] = constant.value;
    for (std::size_t i = 0; i < program.attributes.size(); ++i) {
      value_[program.attributes[i].slot] = call.attributes + 16 * i;
    }
  }

  void set(Slot slot, const char* value) { value_[slot] = value; }
  const char* get(Slot slot) const { return value_[slot]; }
  char* buffer(int index) const { return memory_ + static_cast<std::size_t>(index) * kBlockBytes; }

  // Input k from memory `data`, `stride` elements apart: n elements, or one for a single operand.
  void load(std::size_t k, const char* data, std::int64_t stride, std::int64_t n) {
    const BoundInput& input = call_.program.inputs[k];
    const InputState& state = call_.inputs[k];
    if (state.convert == nullptr && (stride == 1 || call_.single[input.slot])) {
      value_[input.slot] = data;
      return;
    }
    fill(k, 0, data, stride, call_.single[input.slot] ? 1 : n);
    value_[input.slot] = buffer(input.buffer);
  }

  // Part of a gathered block.
  void fill(std::size_t k, std::int64_t position, const char* data, std::int64_t stride,
            std::int64_t n) {
    const BoundInput& input = call_.program.inputs[k];
    const std::int64_t bytes = input.is_mask ? 1 : call_.program.element_bytes;
    char* target = buffer(input.buffer) + position * bytes;
    ConvertFunction convert = call_.inputs[k].convert;
    if (convert == nullptr) {
      const DType same = input.is_mask ? DType::Bool : call_.program.stored;
      convert = conversion(same, same);
    }
    convert(data, stride, target, 1, n);
    value_[input.slot] = buffer(input.buffer);
  }

  void run(char* out, std::int64_t out_stride, std::int64_t n) {
    const BoundProgram& program = call_.program;
    const bool single = call_.single[program.result];
    const bool direct =
        call_.store == nullptr && out_stride == 1 && !single && !program.steps.empty();
    const std::size_t count = program.steps.size();
    for (std::size_t i = 0; i < count; ++i) {
      const BoundStep& step = program.steps[i];
      const ReadyStep& ready = call_.steps[i];
      const char* first = value_[step.args[0]];
      if (ready.splat) {
        splat(first, step.mask_operand ? 1 : program.element_bytes, buffer(program.spare_buffer),
              n);
        first = buffer(program.spare_buffer);
      }
      char* result = direct && i + 1 == count ? out : buffer(step.buffer);
      ready.run(first, step.arity > 1 ? value_[step.args[1]] : nullptr,
                step.arity > 2 ? value_[step.args[2]] : nullptr,
                step.arity > 3 ? value_[step.args[3]] : nullptr, result, ready.single ? 1 : n);
      value_[step.result] = result;
    }
    if (!direct) store(out, out_stride, single, n);
  }

 private:
  void store(char* out, std::int64_t out_stride, bool single, std::int64_t n) const {
    const DType from = call_.program.result_dtype;
    const ConvertFunction convert = call_.store != nullptr ? call_.store : conversion(from, from);
    convert(value_[call_.program.result], single ? 0 : 1, out, out_stride, n);
  }

  const Call& call_;
  char* memory_;
  std::array<const char*, kMaxSlots> value_;  // written before it is read, step by step
};

// All operands dense or single: ranges of the flat output.
void run_flat(const Call& call, std::int64_t count) {
  const BoundProgram& program = call.program;
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    Block block(call);
    for (std::int64_t i = begin; i < end; i += program.block) {
      const std::int64_t n = std::min<std::int64_t>(program.block, end - i);
      for (std::size_t k = 0; k < program.inputs.size(); ++k) {
        const InputState& input = call.inputs[k];
        const bool single = call.single[program.inputs[k].slot];
        block.load(k, single ? input.data : input.data + i * input.bytes, 1, n);
      }
      block.run(call.output + i * call.output_bytes, 1, n);
    }
  };
  platform::parallel_for(count, program.cost, body);
}

// Long rows: blocks inside each row.
void run_rows(const Call& call, const StridedWalk& walk, std::int64_t count) {
  const BoundProgram& program = call.program;
  const std::size_t inputs = program.inputs.size();
  const std::int64_t length = walk.inner_length();
  const std::int64_t pieces = (length + program.block - 1) / program.block;
  const std::int64_t jobs = count / length * pieces;
  platform::parallel_for(
      jobs, std::min<std::int64_t>(length, program.block) * program.cost,
      [&](std::int64_t begin, std::int64_t end) {
        Block block(call);
        for (std::int64_t job = begin; job < end; ++job) {
          const std::int64_t row = job / pieces;
          const std::int64_t first = job % pieces * program.block;
          const std::int64_t n = std::min<std::int64_t>(program.block, length - first);
          for (std::size_t k = 0; k < inputs; ++k) {
            const std::int64_t stride = walk.inner_stride(k);
            const std::int64_t offset = walk.row_offset(k, row) + first * stride;
            block.load(k, call.inputs[k].data + offset * call.inputs[k].bytes, stride, n);
          }
          const std::int64_t stride = walk.inner_stride(inputs);
          const std::int64_t offset = walk.row_offset(inputs, row) + first * stride;
          block.run(call.output + offset * call.output_bytes, stride, n);
        }
      });
}

// The one step of a program on rows that lie evenly spaced.
void run_even_rows(const Call& call, const RowCursor& cursor, Block& block, std::int64_t length,
                   std::int64_t rows) {
  const BoundProgram& program = call.program;
  const BoundStep& step = program.steps[0];
  const StepFunction run = call.steps[0].run;
  const std::size_t inputs = program.inputs.size();
  const char* args[4] = {};
  std::int64_t steps[4] = {};
  for (std::size_t k = 0; k < inputs; ++k) {
    const std::int64_t bytes = call.inputs[k].bytes;
    block.set(program.inputs[k].slot, call.inputs[k].data + cursor.offset(k) * bytes);
    for (int a = 0; a < step.arity; ++a) {
      if (step.args[a] == program.inputs[k].slot) steps[a] = cursor.step(k) * bytes;
    }
  }
  for (int a = 0; a < step.arity; ++a) args[a] = block.get(step.args[a]);
  char* out = call.output + cursor.offset(inputs) * call.output_bytes;
  const std::int64_t out_step = cursor.step(inputs) * call.output_bytes;
  for (std::int64_t row = 0; row < rows; ++row) {
    run(args[0], args[1], args[2], args[3], out, length);
    for (int a = 0; a < 4; ++a) args[a] += steps[a];
    out += out_step;
  }
}

// One step on rows that are read and written in place: no blocks, only a call for each row.
bool run_one_step_rows(const Call& call, const StridedWalk& walk, std::int64_t count) {
  const BoundProgram& program = call.program;
  const std::size_t inputs = program.inputs.size();
  const std::int64_t length = walk.inner_length();
  if (program.steps.size() != 1 || call.store != nullptr || walk.inner_stride(inputs) != 1)
    return false;
  if (call.steps[0].single || call.steps[0].splat) return false;
  for (std::size_t k = 0; k < inputs; ++k) {
    const std::int64_t stride = walk.inner_stride(k);
    if (call.inputs[k].convert != nullptr || (stride != 1 && stride != 0)) return false;
  }
  platform::parallel_for(count / length, length * program.cost,
                         [&](std::int64_t begin, std::int64_t end) {
                           Block block(call);
                           RowCursor cursor(walk, begin);
                           for (std::int64_t row = begin; row < end; cursor.skip_stretch()) {
                             const std::int64_t rows = std::min(cursor.rows_left(), end - row);
                             run_even_rows(call, cursor, block, length, rows);
                             row += rows;
                           }
                         });
  return true;
}

// Whether an operand of the walk is dense in the order of the output.
bool is_dense(const StridedWalk& walk, std::size_t operand) {
  std::int64_t step = 1;
  for (std::size_t axis = walk.rank(); axis-- > 0;) {
    if (walk.strides[operand][axis] != step) return false;
    step *= walk.lengths[axis];
  }
  return true;
}

bool is_single(const StridedWalk& walk, std::size_t operand) {
  return std::ranges::all_of(walk.strides[operand],
                             [](std::int64_t stride) { return stride == 0; });
}

// Short rows of a dense output: blocks of many rows, operands gathered row by row.
void run_gathered(const Call& call, const StridedWalk& walk, std::int64_t count) {
  const BoundProgram& program = call.program;
  const std::size_t inputs = program.inputs.size();
  const std::int64_t length = walk.inner_length();
  const std::int64_t rows_per_block = std::max<std::int64_t>(1, program.block / length);
  const std::int64_t rows = count / length;
  std::array<bool, kMaxOperands> dense;
  for (std::size_t k = 0; k < inputs; ++k) dense[k] = is_dense(walk, k);
  const std::int64_t jobs = (rows + rows_per_block - 1) / rows_per_block;
  platform::parallel_for(
      jobs, rows_per_block * length * program.cost, [&](std::int64_t begin, std::int64_t end) {
        Block block(call);
        for (std::int64_t job = begin; job < end; ++job) {
          const std::int64_t first = job * rows_per_block;
          const std::int64_t taken = std::min(rows_per_block, rows - first);
          for (std::size_t k = 0; k < inputs; ++k) {
            const InputState& input = call.inputs[k];
            if (dense[k] || call.single[program.inputs[k].slot]) {
              block.load(k, dense[k] ? input.data + first * length * input.bytes : input.data, 1,
                         taken * length);
              continue;
            }
            RowCursor cursor(walk, first);
            for (std::int64_t r = 0; r < taken; ++r, cursor.advance()) {
              block.fill(k, r * length, input.data + cursor.offset(k) * input.bytes,
                         walk.inner_stride(k), length);
            }
          }
          block.run(call.output + first * length * call.output_bytes, 1, taken * length);
        }
      });
}

void set_input(Call& call, std::size_t k, const Tensor& tensor) {
  call.inputs[k] = {static_cast<const char*>(tensor.raw()),
                    static_cast<std::int64_t>(tensor::size_of(tensor.dtype())),
                    input_conversion(call.program, call.program.inputs[k], tensor.dtype())};
}

void run_strided(Call& call, std::span<const Tensor* const> operands, std::int64_t count) {
  const BoundProgram& program = call.program;
  const std::size_t inputs = program.inputs.size();
  const StridedWalk walk(operands[inputs]->shape(), operands);
  const auto resolve = [&](bool gathers) {
    for (std::size_t k = 0; k < inputs; ++k) {
      call.single[program.inputs[k].slot] =
          gathers ? is_single(walk, k) : walk.inner_stride(k) == 0;
    }
    resolve_steps(call);
  };
  resolve(false);
  const bool tiny = walk.inner_length() < kTinyRow && walk.rank() > 1;
  if (!tiny && run_one_step_rows(call, walk, count)) return;
  const bool gathers = walk.inner_length() < kShortRow && walk.rank() > 1 && is_dense(walk, inputs);
  if (!gathers) {
    run_rows(call, walk, count);
    return;
  }
  resolve(true);
  run_gathered(call, walk, count);
}

// The commonest case at the least cost: one step, operands dense or single and of the right type.
// False: it is not that case, and nothing was done.
bool run_one_step(const BoundProgram& program, std::span<const Tensor> inputs, const Tensor& output,
                  std::int64_t count) {
  if (!program.is_one_step) return false;
  const bool half = program.half_variants != nullptr && output.dtype() == program.half_dtype;
  if (!half && output.dtype() != program.result_dtype) return false;
  const DType held = half ? program.half_dtype : program.stored;
  const std::int64_t element_bytes = half ? 2 : program.element_bytes;
  const BoundStep& step = program.steps[0];
  const char* values[8];
  bool single[8];
  for (const BoundConstant& constant : program.constants) {
    values[constant.slot] = constant.value;
    single[constant.slot] = true;
  }
  bool any_vector = false;
  for (const BoundInput& input : program.inputs) {
    const Tensor& tensor = inputs[static_cast<std::size_t>(input.input)];
    if (tensor.dtype() != (input.is_mask ? DType::Bool : held)) return false;
    const bool same_shape = tensor.shape() == output.shape();
    if (!same_shape && tensor.size() != 1) return false;
    if (same_shape && !tensor.is_contiguous()) return false;
    if (&tensor.storage() == &output.storage() && tensor.raw() != output.raw()) return false;
    values[input.slot] = static_cast<const char*>(tensor.raw());
    single[input.slot] = !same_shape;
    any_vector |= same_shape;
  }
  if (!any_vector || !output.is_contiguous()) return false;
  if (step.first_choice > 0 && single[step.args[0]]) return false;
  const char* args[4];
  std::int64_t bytes[4];
  for (int a = 0; a < 4; ++a) {
    const Slot slot = step.args[a < step.arity ? a : 0];
    args[a] = values[slot];
    bytes[a] = single[slot] ? 0 : (step.mask_operand && a == 0) ? 1 : element_bytes;
  }
  int variant = 0;
  if (step.arity - step.first_choice == 2) {
    variant = (bytes[step.first_choice] == 0 ? kFirstSingle : 0) |
              (bytes[step.first_choice + 1] == 0 ? kSecondSingle : 0);
  }
  const StepFunction run = (half ? program.half_variants : step.variants)[variant];
  char* out = static_cast<char*>(output.raw());
  const std::int64_t out_bytes = program.result_dtype == DType::Bool ? 1 : element_bytes;
  platform::parallel_for(count, program.cost, [&](std::int64_t begin, std::int64_t end) {
    run(args[0] + begin * bytes[0], args[1] + begin * bytes[1], args[2] + begin * bytes[2],
        args[3] + begin * bytes[3], out + begin * out_bytes, end - begin);
  });
  return true;
}

}  // namespace

ConvertFunction input_conversion(const BoundProgram& program, const BoundInput& input, DType held) {
  const DType wanted = input.is_mask ? DType::Bool : program.stored;
  // Bool memory is 0 or 1 in one byte: what a computation in bool reads as uint8.
  const bool same = held == wanted || (held == DType::Bool && wanted == DType::UInt8);
  return same ? nullptr : conversion(held, wanted);
}

bool overlaps_badly(const Tensor& input, const Tensor& output) {
  if (&input.storage() != &output.storage()) return false;
  return input.raw() != output.raw() || !(input.shape() == output.shape()) ||
         !(input.strides() == output.strides()) || input.dtype() != output.dtype();
}

void store_attributes(const BoundProgram& program, std::span<const op::AttributeValue> attributes,
                      char* target) {
  for (std::size_t i = 0; i < program.attributes.size(); ++i) {
    const auto index = static_cast<std::size_t>(program.attributes[i].attribute);
    const double number = attribute_number(attributes[index]);
    conversion(DType::Float64, program.stored)(&number, 1, target + 16 * i, 1, 1);
  }
}

void run_program(const BoundProgram& program, std::span<const Tensor> inputs,
                 std::span<const op::AttributeValue> attributes, const Tensor& output) {
  const std::int64_t count = output.size();
  if (count == 0) return;
  if (count < codegen::kHugeElements && run_one_step(program, inputs, output, count)) return;
  if (program.code != nullptr && codegen::run_generated(program, inputs, attributes, output))
    return;
  if (count >= codegen::kHugeElements && run_one_step(program, inputs, output, count)) return;
  const std::size_t used = program.inputs.size();
  platform::require(used < kMaxOperands && program.attributes.size() <= kMaxAttributes,
                    ErrorKind::Internal, "too many operands of one scalar program");
  Call call(program);
  store_attributes(program, attributes, call.attributes);
  call.output = static_cast<char*>(output.raw());
  call.output_bytes = static_cast<std::int64_t>(tensor::size_of(output.dtype()));
  if (output.dtype() != program.result_dtype) {
    call.store = conversion(program.result_dtype, output.dtype());
  }
  std::vector<Tensor> copies;
  std::array<const Tensor*, kMaxOperands> operands;
  bool flat = output.is_contiguous();
  for (std::size_t k = 0; k < used; ++k) {
    const Tensor* tensor = &inputs[static_cast<std::size_t>(program.inputs[k].input)];
    if (overlaps_badly(*tensor, output)) {
      copies.reserve(used);
      copies.push_back(Tensor::empty(tensor->shape(), tensor->dtype(), tensor->device()));
      tensor::copy_elements(*tensor, copies.back());
      tensor = &copies.back();
    }
    operands[k] = tensor;
    set_input(call, k, *tensor);
    const bool single = count > 1 && tensor->size() == 1;
    call.single[program.inputs[k].slot] = single;
    flat = flat &&
           (single || count == 1 || (tensor->shape() == output.shape() && tensor->is_contiguous()));
  }
  operands[used] = &output;
  if (!flat) {
    run_strided(call, std::span(operands).first(used + 1), count);
    return;
  }
  resolve_steps(call);
  run_flat(call, count);
}

void run_elementwise(op::KernelContext& kernel) {
  const op::OpDef& definition = kernel.definition();
  const DType type = op::elementwise_compute_type(definition, kernel.inputs());
  run_program(bound_program(definition, type), kernel.inputs(), kernel.attributes(),
              kernel.output(0));
}

namespace {
const bool registered = (op::set_scalar_executor("CPU", run_elementwise), true);
}  // namespace

}  // namespace mycel::cpu
