// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/loops/gemm_loops.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <memory>
#include <type_traits>

#include "backend/cpu/loops/shuffled.h"

namespace mycel::backend::MYCEL_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
constexpr int kRows = 12;  // 12 x 2 accumulators of 32 registers
#else
constexpr int kVectorBytes = 32;
constexpr int kRows = 6;  // 6 x 2 of 16
#endif
constexpr std::int64_t kInner = 256;     // k is cut into pieces whose panel of b stays in L1
constexpr std::int64_t kRowBlock = 144;  // rows of a whose piece stays in L2
constexpr std::int64_t kPackRows = 32;   // fewer rows do not repay packing b

template <class T>
struct Lanes {
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  static constexpr std::int64_t count = kVectorBytes / static_cast<int>(sizeof(T));
};

// The pieces are as large as the widest type needs and live as long as the thread.
struct Workspace {
  alignas(64) char a[kRowBlock * kInner * 8];
  alignas(64) char b[kInner * kVectorBytes * 2];
};
Workspace& workspace() {
  static thread_local const std::unique_ptr<Workspace> own = std::make_unique<Workspace>();
  return *own;
}

// One block of the product for `columns` <= V vectors; b's rows are readable to their full width.
template <class T>
struct Tile {
  std::int64_t k;
  const T* a;
  std::int64_t a_row, a_column;
  const T* b;
  std::int64_t b_row;
  T* c;
  std::int64_t c_row;
  std::int64_t columns;
  const T* bias;    // null: none
  bool accumulate;  // add to what is in c
};

template <class T, int R, int V>
void compute_tile(const Tile<T>& tile) {
  using Vector = typename Lanes<T>::Vector;
  constexpr std::int64_t W = Lanes<T>::count;
  Vector sum[R][V] = {};
  const T* b = tile.b;
  const T* a = tile.a;
  for (std::int64_t p = 0; p < tile.k; ++p, b += tile.b_row, a += tile.a_column) {
    Vector row[V];
    for (int v = 0; v < V; ++v) std::memcpy(&row[v], b + v * W, sizeof(Vector));
    for (int r = 0; r < R; ++r) {
      const T factor = a[r * tile.a_row];
      for (int v = 0; v < V; ++v) sum[r][v] += row[v] * factor;
    }
  }
  const bool whole = tile.columns == V * W;
  for (int r = 0; r < R; ++r) {
    T* c = tile.c + r * tile.c_row;
    const auto bytes = static_cast<std::size_t>(tile.columns) * sizeof(T);
    const auto add = [&](const T* addend) {
      Vector old[V] = {};
      std::memcpy(static_cast<void*>(old), addend, whole ? sizeof(old) : bytes);
      for (int v = 0; v < V; ++v) sum[r][v] += old[v];
    };
    if (tile.accumulate) add(c);
    if (tile.bias != nullptr) add(tile.bias);
    std::memcpy(c, &sum[r][0], whole ? sizeof(sum[r]) : bytes);
  }
}

template <class T, int R, int V>
void compute_rows(Tile<T> tile, std::int64_t rows) {
  while (rows >= R) {
    compute_tile<T, R, V>(tile);
    tile.a += R * tile.a_row;
    tile.c += R * tile.c_row;
    rows -= R;
  }
  if constexpr (R > 1) {
    if (rows > 0) compute_rows<T, (R > 8 ? 8 : R > 4 ? 4 : R / 2), V>(tile, rows);
  }
}

// Swaps lanes whose numbers have the bit for those of the vector that many further: with all bits
// in turn, rows become columns.
template <class T, int Bit = 1>
void transpose(typename Lanes<T>::Vector* vectors) {
  constexpr int W = Lanes<T>::count;
  if constexpr (Bit < W) {
    const auto low = [](int lane) { return (lane & Bit) != 0 ? W + (lane ^ Bit) : lane; };
    const auto high = [](int lane) { return (lane & Bit) != 0 ? W + lane : lane ^ Bit; };
    for (int i = 0; i < W; ++i) {
      if ((i & Bit) != 0) continue;
      const auto first = vectors[i], second = vectors[i + Bit];
      vectors[i] = shuffled(first, second, low);
      vectors[i + Bit] = shuffled(first, second, high);
    }
    transpose<T, 2 * Bit>(vectors);
  }
}

// As many dense columns as a vector has lanes, and as many of their elements, as rows of a panel.
template <class T>
void pack_square(const T* b, std::int64_t b_column, std::int64_t width, T* panel) {
  constexpr int W = Lanes<T>::count;
  typename Lanes<T>::Vector square[W];
  for (int j = 0; j < W; ++j) std::memcpy(&square[j], b + j * b_column, kVectorBytes);
  transpose<T>(square);
  for (int p = 0; p < W; ++p) std::memcpy(panel + p * width, &square[p], kVectorBytes);
}

template <class T>
void pack_panel(const GemmProblem& problem, std::int64_t first_row, std::int64_t rows,
                std::int64_t first_column, std::int64_t columns, std::int64_t width, T* panel) {
  const T* b = static_cast<const T*>(problem.b) + first_row * problem.b_row +
               first_column * problem.b_column;
  if (columns < width) std::fill_n(panel, rows * width, T(0));
  if (problem.b_column == 1) {
    for (std::int64_t p = 0; p < rows; ++p) {
      std::copy_n(b + p * problem.b_row, columns, panel + p * width);
    }
    return;
  }
  constexpr std::int64_t W = Lanes<T>::count;
  const bool in_squares = sizeof(T) >= 4 && problem.b_row == 1;
  const std::int64_t square_rows = in_squares ? rows / W * W : 0;
  const std::int64_t square_columns = in_squares ? columns / W * W : 0;
  if constexpr (sizeof(T) >= 4) {
    for (std::int64_t j = 0; j < square_columns; j += W) {
      for (std::int64_t p = 0; p < square_rows; p += W)
        pack_square<T>(b + j * problem.b_column + p, problem.b_column, width,
                       panel + p * width + j);
    }
  }
  for (std::int64_t j = 0; j < columns; ++j) {
    const T* column = b + j * problem.b_column;
    const std::int64_t done = j < square_columns ? square_rows : 0;
    for (std::int64_t p = done; p < rows; ++p) panel[p * width + j] = column[p * problem.b_row];
  }
}

// Rows in groups of kRows, inside a group column after column; the last group may be short.
template <class T>
void pack_rows(const GemmProblem& problem, std::int64_t first, std::int64_t rows,
               std::int64_t first_inner, std::int64_t inner, T* packed) {
  for (std::int64_t group = 0; group < rows; group += kRows) {
    const std::int64_t height = std::min<std::int64_t>(kRows, rows - group);
    T* target = packed + group * inner;
    for (std::int64_t r = 0; r < height; ++r) {
      const T* source = static_cast<const T*>(problem.a) + (first + group + r) * problem.a_row +
                        first_inner * problem.a_column;
      for (std::int64_t p = 0; p < inner; ++p) {
        target[p * kRows + r] = source[p * problem.a_column];
      }
    }
  }
}

template <class T>
class Gemm {
 public:
  explicit Gemm(const GemmProblem& problem) : problem_(problem) {
    pack_b_ = problem.m >= kPackRows || problem.b_column != 1;
    pack_a_ = problem.m * problem.k * static_cast<std::int64_t>(sizeof(T)) > (1 << 15) &&
              problem.n > 2 * kWidth;
  }

  void run() {
    std::int64_t k0 = 0;
    do {  // once even when k is 0: the result is then zero or the bias
      const std::int64_t inner = std::min(kInner, problem_.k - k0);
      for (std::int64_t i0 = 0; i0 < problem_.m; i0 += kRowBlock) {
        run_block(k0, inner, i0, std::min(kRowBlock, problem_.m - i0));
      }
      k0 += kInner;
    } while (k0 < problem_.k);
  }

 private:
  static constexpr std::int64_t kWidth = 2 * Lanes<T>::count;

  void run_block(std::int64_t k0, std::int64_t inner, std::int64_t i0, std::int64_t rows) {
    T* packed = reinterpret_cast<T*>(workspace().a);
    if (pack_a_) pack_rows<T>(problem_, i0, rows, k0, inner, packed);
    for (std::int64_t j0 = 0; j0 < problem_.n; j0 += kWidth) {
      const std::int64_t columns = std::min(kWidth, problem_.n - j0);
      const std::int64_t width = columns <= Lanes<T>::count ? Lanes<T>::count : kWidth;
      Tile<T> tile{};
      tile.k = inner;
      tile.columns = columns;
      tile.c = static_cast<T*>(problem_.c) + i0 * problem_.c_row + j0;
      tile.c_row = problem_.c_row;
      tile.accumulate = problem_.accumulate || k0 > 0;
      // To the whole sum: rounded as an addition of its own.
      const bool is_last = k0 + inner >= problem_.k;
      if (is_last && problem_.bias != nullptr && !problem_.accumulate)
        tile.bias = static_cast<const T*>(problem_.bias) + j0;
      if (pack_b_ || columns < width) {
        T* panel = reinterpret_cast<T*>(workspace().b);
        pack_panel<T>(problem_, k0, inner, j0, columns, width, panel);
        tile.b = panel;
        tile.b_row = width;
      } else {
        tile.b = static_cast<const T*>(problem_.b) + k0 * problem_.b_row + j0;
        tile.b_row = problem_.b_row;
      }
      multiply(tile, packed, i0, rows, k0, width);
    }
  }

  void multiply(Tile<T> tile, const T* packed, std::int64_t i0, std::int64_t rows, std::int64_t k0,
                std::int64_t width) {
    if (!pack_a_) {
      tile.a = static_cast<const T*>(problem_.a) + i0 * problem_.a_row + k0 * problem_.a_column;
      tile.a_row = problem_.a_row;
      tile.a_column = problem_.a_column;
      multiply_rows(tile, rows, width);
      return;
    }
    tile.a_row = 1;
    tile.a_column = kRows;
    for (std::int64_t group = 0; group < rows; group += kRows) {
      tile.a = packed + group * tile.k;
      multiply_rows(tile, std::min<std::int64_t>(kRows, rows - group), width);
      tile.c += kRows * tile.c_row;
    }
  }

  static void multiply_rows(const Tile<T>& tile, std::int64_t rows, std::int64_t width) {
    if (width == kWidth) {
      compute_rows<T, kRows, 2>(tile, rows);
    } else {
      compute_rows<T, kRows, 1>(tile, rows);
    }
  }

  const GemmProblem& problem_;
  bool pack_a_ = false, pack_b_ = false;
};

template <class T>
void run_gemm(const GemmProblem& problem) {
  Gemm<T>(problem).run();
}

// Real and imaginary parts are kept apart so that the inner loop is plain vector arithmetic.
template <class T>
void run_complex_gemm(const GemmProblem& problem) {
  constexpr std::int64_t kColumns = 32;
  using Complex = std::complex<T>;
  const auto* a = static_cast<const Complex*>(problem.a);
  const auto* b = static_cast<const Complex*>(problem.b);
  const auto* bias = static_cast<const Complex*>(problem.bias);
  auto* c = static_cast<Complex*>(problem.c);
  for (std::int64_t j0 = 0; j0 < problem.n; j0 += kColumns) {
    const std::int64_t columns = std::min(kColumns, problem.n - j0);
    for (std::int64_t i = 0; i < problem.m; ++i) {
      T real[kColumns] = {}, imag[kColumns] = {};
      for (std::int64_t p = 0; p < problem.k; ++p) {
        const Complex factor = a[i * problem.a_row + p * problem.a_column];
        const Complex* row = b + p * problem.b_row + j0 * problem.b_column;
        for (std::int64_t j = 0; j < columns; ++j) {
          const Complex value = row[j * problem.b_column];
          real[j] += factor.real() * value.real() - factor.imag() * value.imag();
          imag[j] += factor.real() * value.imag() + factor.imag() * value.real();
        }
      }
      Complex* out = c + i * problem.c_row + j0;
      for (std::int64_t j = 0; j < columns; ++j) {
        const Complex base = problem.accumulate ? out[j]
                             : bias != nullptr  ? bias[j0 + j]
                                                : Complex();
        out[j] = base + Complex(real[j], imag[j]);
      }
    }
  }
}

}  // namespace

GemmFunction gemm_loop(tensor::DType dtype) {
  using tensor::DType;
  switch (dtype) {
    case DType::Float32: return run_gemm<float>;
    case DType::Float64: return run_gemm<double>;
    // Products wrap, so signed and unsigned share the loop of the unsigned type.
    case DType::Int8:
    case DType::UInt8: return run_gemm<std::uint8_t>;
    case DType::Int16:
    case DType::UInt16: return run_gemm<std::uint16_t>;
    case DType::Int32:
    case DType::UInt32: return run_gemm<std::uint32_t>;
    case DType::Int64:
    case DType::UInt64: return run_gemm<std::uint64_t>;
    case DType::Complex64: return run_complex_gemm<float>;
    case DType::Complex128: return run_complex_gemm<double>;
    default: return nullptr;
  }
}

}  // namespace mycel::backend::MYCEL_ISA
