// SPDX-License-Identifier: Apache-2.0
// Products of matrices and vectors that are a matmul and a little more.
#include <algorithm>

#include "operator/define.h"

namespace mycel::ops {
namespace {

void require_rank(const CompositeContext& op, std::size_t input, std::int64_t rank) {
  op.require(op.input(input).rank() == rank, ErrorKind::Value, "the dimension of '",
             op.definition().inputs[input].name, "' must be ", rank, ", but got ",
             op.input(input).rank(), ".");
}

Value scaled(CompositeContext& op, const Value& value, std::string_view factor) {
  const AttributeValue& given = op.attribute(factor);
  if (given.real() == 1.0) return value;
  const Value number =
      given.is_int() ? op.emitter().integer(given.integer()) : op.emitter().number(given.real());
  return value * number;
}

// beta * input + alpha * product
void add_scaled(CompositeContext& op, const Value& product) {
  op.set_output(0, scaled(op, op.input(0), "beta") + scaled(op, product, "alpha"));
}

Value outer_product(CompositeContext& op, const Value& column, const Value& row) {
  return op.call("expand_dims", {column}, {{"axis", 1}}) *
         op.call("expand_dims", {row}, {{"axis", 0}});
}

// Sums over the last axis of a and axis `axis` of b (counted from the end).
void contract_last(CompositeContext& op, bool last_of_both) {
  const Value& a = op.input(0);
  const Value& b = op.input(1);
  if (a.rank() == 0 || b.rank() == 0) return op.set_output(0, a * b);
  const Shape sa = a.shape(), sb = b.shape();
  const bool from_last = last_of_both || sb.size() == 1;
  const std::int64_t inner = from_last ? sb.back() : sb[sb.size() - 2];
  op.require(sa.back() == inner, ErrorKind::Value,
             "the summed axes must have equal lengths, but got shapes ", sa, " and ", sb, ".");
  Shape result(sa.begin(), sa.end() - 1);
  IntList perm;  // b with its summed axis last
  for (std::size_t i = 0; i < sb.size(); ++i) {
    if (i == sb.size() - (from_last ? 1 : 2)) continue;
    perm.push_back(static_cast<std::int64_t>(i));
    result.push_back(sb[i]);
  }
  perm.push_back(static_cast<std::int64_t>(sb.size()) - (from_last ? 1 : 2));
  const Value rows = op.call(
      "reshape", {a}, {{"shape", Shape{element_count(Shape(sa.begin(), sa.end() - 1)), inner}}});
  Value columns = sb.size() == 1 ? b : op.call("transpose", {b}, {{"perm", perm}});
  Shape other;
  for (std::size_t i = sa.size() - 1; i < result.size(); ++i) other.push_back(result[i]);
  columns = op.call("reshape", {columns}, {{"shape", Shape{element_count(other), inner}}});
  const Value product = op.call("matmul", {rows, columns}, {{"transpose_b", true}});
  op.set_output(0, op.call("reshape", {product}, {{"shape", result}}));
}

}  // namespace

MYCEL_OP(addmm)
    .names({.function = "addmm", .method = "addmm"})
    .doc("beta * input + alpha * (mat1 mat2).")
    .numpy("beta * input + alpha * np.matmul(mat1, mat2)")
    .input("input", "Added; stretched to the product's shape.", kNumber)
    .input("mat1", "Left matrix.", kNumber)
    .input("mat2", "Right matrix.", kNumber)
    .attribute("beta", "Factor of `input`.", Nullable{AttributeType::Number, 1})
    .attribute("alpha", "Factor of the product.", Nullable{AttributeType::Number, 1})
    .output("output", "The sum.")
    .composite([](CompositeContext& op) {
      require_rank(op, 1, 2);
      require_rank(op, 2, 2);
      add_scaled(op, op.call("matmul", {op.input(1), op.input(2)}));
    })
    .sample("plain", {normal({3, 5}), normal({3, 4}), normal({4, 5})})
    .sample("factors", {normal({5}), normal({3, 4}), normal({4, 5})},
            {{"beta", 0.5}, {"alpha", 2.0}});

MYCEL_OP(baddbmm)
    .names({.function = "baddbmm", .method = "baddbmm"})
    .doc("beta * input + alpha * (batch1 batch2), item by item.")
    .numpy("beta * input + alpha * np.matmul(batch1, batch2)")
    .input("input", "Added.", kNumber)
    .input("batch1", "Left matrices.", kNumber)
    .input("batch2", "Right matrices.", kNumber)
    .attribute("beta", "Factor of `input`.", Nullable{AttributeType::Number, 1})
    .attribute("alpha", "Factor of the products.", Nullable{AttributeType::Number, 1})
    .output("output", "The sums.")
    .composite([](CompositeContext& op) {
      require_rank(op, 1, 3);
      require_rank(op, 2, 3);
      add_scaled(op, op.call("batch_matmul", {op.input(1), op.input(2)}));
    })
    .sample("factors", {normal({2, 3, 5}), normal({2, 3, 4}), normal({2, 4, 5})},
            {{"beta", 0.5}, {"alpha", 2.0}});

MYCEL_OP(addbmm)
    .names({.function = "addbmm", .method = "addbmm"})
    .doc("beta * input + alpha * sum over items of (batch1 batch2).")
    .numpy("beta * input + alpha * np.matmul(batch1, batch2).sum(0)")
    .input("input", "Added.", kNumber)
    .input("batch1", "Left matrices.", kNumber)
    .input("batch2", "Right matrices.", kNumber)
    .attribute("beta", "Factor of `input`.", Nullable{AttributeType::Number, 1})
    .attribute("alpha", "Factor of the sum.", Nullable{AttributeType::Number, 1})
    .output("output", "The sum.")
    .composite([](CompositeContext& op) {
      require_rank(op, 1, 3);
      require_rank(op, 2, 3);
      const Value products = op.call("batch_matmul", {op.input(1), op.input(2)});
      add_scaled(op, op.call("reduce_sum", {products}, {{"axis", IntList{0}}}));
    })
    .sample("factors", {normal({3, 5}), normal({2, 3, 4}), normal({2, 4, 5})},
            {{"beta", 0.5}, {"alpha", 2.0}});

MYCEL_OP(addmv)
    .names({.function = "addmv", .method = "addmv"})
    .doc("beta * input + alpha * (mat vec).")
    .numpy("beta * input + alpha * np.matmul(mat, vec)")
    .input("input", "Added.", kNumber)
    .input("mat", "A matrix.", kNumber)
    .input("vec", "A vector.", kNumber)
    .attribute("beta", "Factor of `input`.", Nullable{AttributeType::Number, 1})
    .attribute("alpha", "Factor of the product.", Nullable{AttributeType::Number, 1})
    .output("output", "The sum.")
    .composite([](CompositeContext& op) {
      require_rank(op, 1, 2);
      require_rank(op, 2, 1);
      add_scaled(op, op.call("matmul", {op.input(1), op.input(2)}));
    })
    .sample("factors", {normal({3}), normal({3, 4}), normal({4})}, {{"beta", 0.5}, {"alpha", 2.0}});

MYCEL_OP(addr)
    .names({.function = "addr", .method = "addr"})
    .doc("beta * x + alpha * outer(vec1, vec2).")
    .numpy("beta * x + alpha * np.outer(vec1, vec2)")
    .input("x", "Added.", kNumber)
    .input("vec1", "A vector.", kNumber)
    .input("vec2", "A vector.", kNumber)
    .attribute("beta", "Factor of `x`.", Nullable{AttributeType::Number, 1})
    .attribute("alpha", "Factor of the product.", Nullable{AttributeType::Number, 1})
    .output("output", "The sum.")
    .composite([](CompositeContext& op) {
      require_rank(op, 1, 1);
      require_rank(op, 2, 1);
      add_scaled(op, outer_product(op, op.input(1), op.input(2)));
    })
    .sample("factors", {normal({3, 4}), normal({3}), normal({4})}, {{"beta", 0.5}, {"alpha", 2.0}});

MYCEL_OP(kron)
    .names({.function = "kron"})
    .doc("Kronecker product: every element of `input` times all of `other`.")
    .input("input", "Any tensor.")
    .input("other", "Any tensor.")
    .output("output", "Lengths of the axes multiplied, counted from the last.")
    .composite([](CompositeContext& op) {
      for (std::size_t i = 0; i < 2; ++i) {
        op.require(!op.input(i).spec().is_number, ErrorKind::Type, "'",
                   op.definition().inputs[i].name, "' must be a Tensor, but got a number.");
      }
      const Shape a = op.input(0).shape(), b = op.input(1).shape();
      const std::size_t rank = std::max(a.size(), b.size());
      Shape spread_a, spread_b, result;
      for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t of_a = i + a.size() < rank ? 1 : a[i + a.size() - rank];
        const std::int64_t of_b = i + b.size() < rank ? 1 : b[i + b.size() - rank];
        for (const std::int64_t length : {of_a, std::int64_t{1}}) spread_a.push_back(length);
        for (const std::int64_t length : {std::int64_t{1}, of_b}) spread_b.push_back(length);
        result.push_back(of_a * of_b);
      }
      const Value product = op.call("reshape", {op.input(0)}, {{"shape", spread_a}}) *
                            op.call("reshape", {op.input(1)}, {{"shape", spread_b}});
      op.set_output(0, op.call("reshape", {product}, {{"shape", result}}));
    })
    .numpy("np.kron(input, other)")
    .sample("matrices", {normal({2, 3}), normal({3, 2})})
    .sample("fewer axes", {normal({2}), normal({2, 2})});

MYCEL_OP(outer)
    .names({.function = "outer", .method = "outer"})
    .doc("Product of every element of one vector with every element of the other.")
    .numpy("np.outer(input, vec2)")
    .input("input", "A vector.", kNumber)
    .input("vec2", "A vector.", kNumber)
    .output("output", "The matrix of products.")
    .composite([](CompositeContext& op) {
      require_rank(op, 0, 1);
      require_rank(op, 1, 1);
      op.set_output(0, outer_product(op, op.input(0), op.input(1)));
    })
    .sample("plain", {normal({3}), normal({4})});

MYCEL_OP(ger)
    .names({.primitive = "Ger", .function = "ger", .method = "ger"})
    .doc("Outer product of two vectors.")
    .numpy("np.outer(input, vec2)")
    .input("input", "A vector.", kFloating)
    .input("vec2", "A vector.", kFloating)
    .output("output", "The matrix of products.")
    .composite([](CompositeContext& op) {
      require_rank(op, 0, 1);
      require_rank(op, 1, 1);
      op.set_output(0, outer_product(op, op.input(0), op.input(1)));
    })
    .sample("plain", {normal({3}), normal({4})});

MYCEL_OP(mv)
    .names({.function = "mv"})
    .doc("Product of a matrix and a vector.")
    .numpy("np.matmul(mat, vec)")
    .input("mat", "A matrix.", kNumber)
    .input("vec", "A vector.", kNumber)
    .output("output", "A vector.")
    .composite([](CompositeContext& op) {
      require_rank(op, 0, 2);
      require_rank(op, 1, 1);
      op.set_output(0, op.call("matmul", {op.input(0), op.input(1)}));
    })
    .sample("plain", {normal({3, 4}), normal({4})});

MYCEL_OP(dot)
    .names({.function = "dot", .method = "dot"})
    .doc("Sum over the last axis of `input` and the second to last (or only) axis of `other`.")
    .numpy("np.dot(input, other)")
    .input("input", "Left operand.", kNumber)
    .input("other", "Right operand.", kNumber)
    .output("output", "Remaining axes of both.")
    .composite([](CompositeContext& op) { contract_last(op, false); })
    .sample("vectors", {normal({4}), normal({4})})
    .sample("matrices", {normal({3, 4}), normal({4, 5})})
    .sample("stacks", {normal({2, 3, 4}), normal({5, 4, 6})});

MYCEL_OP(inner)
    .names({.function = "inner", .method = "inner"})
    .doc("Sum over the last axes of both; a product when one has no axes.")
    .numpy("np.inner(input, other)")
    .input("input", "Left operand.", kNumber)
    .input("other", "Right operand.", kNumber)
    .output("output", "Remaining axes of both.")
    .composite([](CompositeContext& op) { contract_last(op, true); })
    .sample("vectors", {normal({4}), normal({4})})
    .sample("stacks", {normal({2, 3, 4}), normal({5, 4})})
    .sample("scalar", {normal({2, 3}), normal({})});

MYCEL_OP(vecdot)
    .names({.function = "vecdot"})
    .doc("Sum of products along one axis.")
    .numpy("(np.conj(x) * y).sum(axis)")
    .input("x", "A tensor.", kNumber)
    .input("y", "A tensor of the same length along `axis`.", kNumber)
    .attribute("axis", "The summed axis.", -1)
    .output("output", "Without that axis.")
    .composite([](CompositeContext& op) {
      Value x = op.input(0);
      if (is_complex(x.dtype())) x = op.call("conj", {x});
      op.set_output(
          0, op.call("reduce_sum", {x * op.input(1)}, {{"axis", IntList{op.integer("axis")}}}));
    })
    .sample("last axis", {normal({3, 4}), normal({3, 4})})
    .sample("first axis", {normal({3, 4}), normal({3, 4})}, {{"axis", 0}});

}  // namespace mycel::ops
