// SPDX-License-Identifier: Apache-2.0
// Steps whose length follows the norm of each parameter: LAMB and LARS, on all parameters at once.
#include <algorithm>

#include "ops/optimizer/updates.h"

namespace mycel::ops {
namespace {

// Parts of tensors that are worth a thread's while. They do not depend on the number of threads, so
// that sums over them do not either.
struct Piece {
  std::size_t tensor;
  std::int64_t begin, end;
};

std::vector<Piece> pieces_of(const Offsets& offsets, std::size_t tensors) {
  constexpr std::int64_t kLength = 32768;
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < tensors; ++i) {
    const std::int64_t size = offsets.end_of(i) - offsets.begin_of(i);
    for (std::int64_t begin = 0; begin < size; begin += kLength)
      pieces.push_back({i, begin, std::min(begin + kLength, size)});
  }
  return pieces;
}

template <class Body>
void for_pieces(const std::vector<Piece>& pieces, const Offsets& offsets, const Body& body) {
  const auto count = static_cast<std::int64_t>(pieces.size());
  const std::int64_t mean = count == 0 ? 1 : offsets.total() / count;
  platform::parallel_for(count, mean, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) body(static_cast<std::size_t>(k));
  });
}

// Sums of squares, by piece or by tensor.
struct Squares {
  double parameter = 0, other = 0;
};

std::vector<Squares> by_tensor(const std::vector<Piece>& pieces, const std::vector<Squares>& parts,
                               std::size_t tensors) {
  std::vector<Squares> sums(tensors);
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    sums[pieces[k].tensor].parameter += parts[k].parameter;
    sums[pieces[k].tensor].other += parts[k].other;
  }
  return sums;
}

// m / (sqrt(v) + epsilon) of the corrected moments, and the decay.
struct LambDirection {
  double of_mean, of_square, epsilon, decay;
  template <class W>
  W operator()(W p, W m, W v) const {
    const W root = std::sqrt(static_cast<W>(of_square) * v) + static_cast<W>(epsilon);
    return static_cast<W>(of_mean) * m / root + taken_off(decay, p);
  }
};

template <class T, class S>
Squares update_lamb_moments(T* p, const std::array<S*, 2>& states, const T* g, const Piece& piece,
                            const Betas& betas, double scale, const LambDirection& direction) {
  using W = Accumulator<T>;
  constexpr std::int64_t kLanes = 8;
  std::array<W, kLanes> own{}, others{};
  const auto one = [&](std::int64_t i, std::size_t lane) {
    W m = states[0][i];
    W v = states[1][i];
    update_moments<W>(betas, m, v, static_cast<W>(scale) * static_cast<W>(g[i]));
    states[0][i] = static_cast<S>(m);
    states[1][i] = static_cast<S>(v);
    const W x = p[i];
    const W step = direction(x, m, v);
    own[lane] += x * x;
    others[lane] += step * step;
  };
  std::int64_t i = piece.begin;
#pragma GCC ivdep
  for (; i + kLanes <= piece.end; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      one(i + static_cast<std::int64_t>(lane), lane);
  }
  for (; i < piece.end; ++i) one(i, 0);
  Squares sums;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sums.parameter += static_cast<double>(own[lane]);
    sums.other += static_cast<double>(others[lane]);
  }
  return sums;
}

double trust_ratio(const Squares& squares) {
  constexpr double kMost = 10;
  if (squares.parameter <= 0 || squares.other <= 0) return 1;
  return std::min(std::sqrt(squares.parameter / squares.other), kMost);
}

template <class T, class S>
void run_lamb(const UpdateCall& call, const Betas& betas, double power1, double power2, DType dtype,
              DType state_type) {
  const auto lists = lists_of<2, T, S>(call, dtype, state_type);
  const std::size_t count = lists.places.size();
  if (count == 0) return;
  const auto direction = [&](std::size_t tensor) {
    return LambDirection{1 / (1 - power1), 1 / (1 - power2), betas.epsilon,
                         call.decay(lists.places[tensor])};
  };
  const std::vector<Piece> pieces = pieces_of(lists.offsets, count);
  std::vector<Squares> parts(pieces.size());
  for_pieces(pieces, lists.offsets, [&](std::size_t k) {
    const std::size_t i = pieces[k].tensor;
    parts[k] = update_lamb_moments<T, S>(lists.parameters[i], lists.states[i],
                                         lists.gradients[i].template data<T>(), pieces[k], betas,
                                         call.gradient_scale(), direction(i));
  });
  const std::vector<Squares> sums = by_tensor(pieces, parts, count);
  for_pieces(pieces, lists.offsets, [&](std::size_t k) {
    using W = Accumulator<T>;
    const std::size_t i = pieces[k].tensor;
    const auto step = direction(i);
    const auto rate = static_cast<W>(call.rate(lists.places[i]) * trust_ratio(sums[i]));
    T* const p = lists.parameters[i];
    const std::array<S*, 2>& states = lists.states[i];
    const std::int64_t end = pieces[k].end;
#pragma GCC ivdep
    for (std::int64_t j = pieces[k].begin; j < end; ++j) {
      const W x = p[j];
      p[j] = static_cast<T>(
          x - rate * step(x, static_cast<W>(states[0][j]), static_cast<W>(states[1][j])));
    }
  });
  lists.finish();
}

}  // namespace

static const Define define_update_lamb =
    list_operator("update_lamb",
                  "Adam steps of all parameters, each as long as the parameter says: times the "
                  "ratio of its norm and the step's, at most 10. States: the two moments.",
                  {{"beta1_power", "beta1 to the power of the step."},
                   {"beta2_power", "beta2 to the power of the step."},
                   {"beta1", "Decay of the mean."},
                   {"beta2", "Decay of the mean square."},
                   {"epsilon", "Keeps the divisor from zero."}})
        .infer([](InferContext& op) { infer_updates(op, 3); })
        .sample("two",
                {number(0.9), number(0.999), number(0.9), number(0.999), number(1e-6),
                 normal({3, 4}), normal({5}), normal({3, 4}), normal({5}), positive({3, 4}),
                 positive({5}), normal({3, 4}), normal({5}), number(0.1), number(0.01)},
                {{"rate_of", IntList{0, 0}}, {"decay_of", IntList{1, -1}}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_lamb) {
  const UpdateCall call(kernel, 5, 3);
  const Betas betas{number_in(kernel, 2), number_in(kernel, 3), number_in(kernel, 4)};
  const double power1 = number_in(kernel, 0);
  const double power2 = number_in(kernel, 1);
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16}) {
    with_float_type(dtype, [&]<class T>() {
      run_lamb<T, T>(call, betas, power1, power2, dtype, dtype);
      if constexpr (sizeof(T) == 2)
        run_lamb<T, float>(call, betas, power1, power2, dtype, DType::Float32);
    });
  }
}

namespace {

template <class T>
Squares squares_in(const T* p, const T* g, const Piece& piece) {
  using W = Accumulator<T>;
  constexpr std::size_t kLanes = 16;
  std::array<W, kLanes> own{}, others{};
  std::int64_t i = piece.begin;
  for (; i + static_cast<std::int64_t>(kLanes) <= piece.end;
       i += static_cast<std::int64_t>(kLanes)) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const W x = p[i + static_cast<std::int64_t>(lane)];
      const W y = g[i + static_cast<std::int64_t>(lane)];
      own[lane] += x * x;
      others[lane] += y * y;
    }
  }
  Squares sums;
  for (; i < piece.end; ++i) {
    const auto x = static_cast<double>(static_cast<W>(p[i]));
    const auto y = static_cast<double>(static_cast<W>(g[i]));
    sums.parameter += x * x;
    sums.other += y * y;
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sums.parameter += static_cast<double>(own[lane]);
    sums.other += static_cast<double>(others[lane]);
  }
  return sums;
}

void infer_lars(InferContext& op) {
  const std::size_t count = op.ints("rate_of").size();
  op.require(op.ints("adapts").size() == count, ErrorKind::Value,
             "'adapts' must have one entry per parameter, ", count, ".");
  op.require(op.input_count() > 2 * count, ErrorKind::Value, "there must be 2 lists of ", count,
             " tensors and numbers, but got ", op.input_count(), " tensors.");
  const auto numbers = static_cast<std::int64_t>(op.input_count() - 2 * count);
  const IntList rates = op.ints("rate_of");
  const IntList decays = op.ints("decay_of");
  for (std::size_t i = 0; i < count; ++i) {
    const TensorSpec& parameter = op.input(i);
    const TensorSpec& gradient = op.input(count + i);
    const bool placed = rates[i] >= 0 && rates[i] < numbers &&
                        (decays.empty() || (decays.size() == count && decays[i] < numbers));
    op.require(placed, ErrorKind::Value, "'rate_of' and 'decay_of' must name one of ", numbers,
               " numbers for every parameter.");
    op.require(parameter.shape == gradient.shape && is_floating(parameter.dtype), ErrorKind::Value,
               "the gradient of parameter ", i, " must have its shape ", parameter.shape,
               ", but got ", gradient.shape, ".");
    if (gradient.dtype != parameter.dtype) op.cast_input(count + i, parameter.dtype);
    op.set_output(i, parameter);
  }
}

struct LarsOptions {
  double epsilon, coefficient;
  bool clips;
};

// What the gradient is multiplied with once its decay has been added.
double lars_factor(const Squares& squares, double rate, double decay, const LarsOptions& options) {
  const double own = std::sqrt(squares.parameter);
  const double other = std::sqrt(squares.other);
  if (own <= 0 || other <= 0) return 1;
  const double local = options.coefficient * own / (other + decay * own + options.epsilon);
  return options.clips ? std::min(local / rate, 1.0) : local;
}

template <class T>
void run_lars(const KernelContext& kernel, const UpdateCall& call, DType dtype) {
  const auto lists = lists_of<0, T, T>(call, dtype, dtype);
  const std::size_t count = lists.places.size();
  if (count == 0) return;
  const LarsOptions options{kernel.real("epsilon"), kernel.real("coefficient"),
                            kernel.flag("use_clip")};
  const IntList adapts = kernel.ints("adapts");
  const std::vector<Piece> pieces = pieces_of(lists.offsets, count);
  std::vector<Squares> parts(pieces.size());
  for_pieces(pieces, lists.offsets, [&](std::size_t k) {
    const std::size_t i = pieces[k].tensor;
    parts[k] = squares_in<T>(lists.parameters[i], lists.gradients[i].template data<T>(), pieces[k]);
  });
  std::vector<Squares> sums = by_tensor(pieces, parts, count);
  for (Squares& sum : sums) sum.other *= call.gradient_scale() * call.gradient_scale();
  for_pieces(pieces, lists.offsets, [&](std::size_t k) {
    using W = Accumulator<T>;
    const std::size_t i = pieces[k].tensor;
    const std::size_t place = lists.places[i];
    const double decay = call.decay(place);
    const double factor =
        adapts[place] != 0 ? lars_factor(sums[i], call.rate(place), decay, options) : 1.0;
    const Adjusted adjusted{call.gradient_scale() * factor, decay * factor};
    const T* const p = lists.parameters[i];
    const T* const g = lists.gradients[i].template data<T>();
    T* const out = kernel.output(place).template data<T>();
    const std::int64_t end = pieces[k].end;
#pragma GCC ivdep
    for (std::int64_t j = pieces[k].begin; j < end; ++j)
      out[j] = static_cast<T>(adjusted(static_cast<W>(p[j]), static_cast<W>(g[j])));
  });
}

}  // namespace

MYCEL_OP(lars_gradients)
    .doc(
        "Gradients of all parameters with decay, scaled by the ratio of the norms of parameter and "
        "gradient.")
    .variadic_input("tensors",
                    "Parameters, gradients - as many - and numbers: learning rates and weight "
                    "decays.",
                    kReal)
    .attribute("rate_of", "For every parameter, which number is its learning rate.",
               required(AttributeType::Ints))
    .attribute("adapts", "For every parameter, whether its gradient is scaled.",
               required(AttributeType::Ints))
    .attribute("decay_of", "For every parameter, which number is its decay; -1: none. (): all.",
               IntList{})
    .attribute("gradient_scale", "Gradients are multiplied by it first.", 1.0)
    .attribute("epsilon", "Keeps the divisor from zero.", 1e-5)
    .attribute("coefficient", "Trust in the ratio.", 0.001)
    .attribute("use_clip", "The scaled rate never exceeds the rate itself.", false)
    .variadic_output("outputs", "One gradient per parameter.")
    .infer(infer_lars)
    .not_differentiable()
    .sample("two",
            {normal({3, 4}), normal({5}), normal({3, 4}), normal({5}), number(0.1), number(0.01)},
            {{"rate_of", IntList{0, 0}}, {"adapts", IntList{1, 0}}, {"decay_of", IntList{1, -1}}})
    .sample("clipped", {normal({4}), normal({4}), number(0.1)},
            {{"rate_of", IntList{0}}, {"adapts", IntList{1}}, {"use_clip", true}})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(lars_gradients) {
  const UpdateCall call(kernel, 0, 1);
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16})
    with_float_type(dtype, [&]<class T>() { run_lars<T>(kernel, call, dtype); });
}

}  // namespace mycel::ops
