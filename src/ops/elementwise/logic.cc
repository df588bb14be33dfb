// SPDX-License-Identifier: Apache-2.0

#include "operator/define.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"

namespace mycel::ops {

MYCEL_OP(logical_and)
    .names({.primitive = "LogicalAnd", .function = "logical_and", .method = "logical_and"})
    .doc("Whether both elements are not zero.")
    .mask_input("input", "Tensor read as truth values.")
    .mask_input("other", "Tensor read as truth values.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Compare, [](Expr x, Expr y) { return x && y; })
    .numpy("np.logical_and(input, other)")
    .sample("masks", {mask({3, 4}), mask({3, 4})})
    .sample("numbers", {values({4}, {0, 1, 2, 0}), values({4}, {0, 0, 3, 4})})
    .sample_dtypes(kAny);

MYCEL_OP(logical_or)
    .names({.primitive = "LogicalOr", .function = "logical_or", .method = "logical_or"})
    .doc("Whether one of the elements is not zero.")
    .mask_input("input", "Tensor read as truth values.")
    .mask_input("other", "Tensor read as truth values.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Compare, [](Expr x, Expr y) { return x || y; })
    .numpy("np.logical_or(input, other)")
    .sample("masks", {mask({3, 4}), mask({3, 4})})
    .sample("numbers", {values({4}, {0, 1, 2, 0}), values({4}, {0, 0, 3, 4})})
    .sample_dtypes(kAny);

MYCEL_OP(logical_xor)
    .names({.primitive = "LogicalXor", .function = "logical_xor", .method = "logical_xor"})
    .doc("Whether exactly one of the elements is not zero.")
    .mask_input("input", "Tensor read as truth values.")
    .mask_input("other", "Tensor read as truth values.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Compare, [](Expr x, Expr y) { return apply(ScalarOp::Xor, x, y); })
    .numpy("np.logical_xor(input, other)")
    .sample("masks", {mask({3, 4}), mask({3, 4})})
    .sample("numbers", {values({4}, {0, 1, 2, 0}), values({4}, {0, 0, 3, 4})})
    .sample_dtypes(kAny);

MYCEL_OP(logical_not)
    .names({.primitive = "LogicalNot", .function = "logical_not", .method = "logical_not"})
    .doc("Whether the element is zero.")
    .mask_input("input", "Tensor read as truth values.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Compare, [](Expr x) { return !x; })
    .numpy("np.logical_not(input)")
    .sample("masks", {mask({3, 4})})
    .sample("numbers", {values({3}, {0, 1, -2})})
    .sample_dtypes(kAny);

MYCEL_OP(bitwise_and)
    .names({.primitive = "BitwiseAnd", .function = "bitwise_and", .method = "bitwise_and"})
    .doc("Bits set in both.")
    .input("input", "Integers or truth values.", kIntegral | kBool)
    .input("other", "Integers or truth values.", kIntegral | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return apply(ScalarOp::BitAnd, x, y); })
    .numpy("np.bitwise_and(input, other)")
    .sample("numbers", {values({4}, {12, 5, 7, 0}), values({4}, {10, 3, 7, 9})})
    .sample_dtypes(kIntegral | kBool);

MYCEL_OP(bitwise_or)
    .names({.primitive = "BitwiseOr", .function = "bitwise_or", .method = "bitwise_or"})
    .doc("Bits set in one of the two.")
    .input("input", "Integers or truth values.", kIntegral | kBool)
    .input("other", "Integers or truth values.", kIntegral | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return apply(ScalarOp::BitOr, x, y); })
    .numpy("np.bitwise_or(input, other)")
    .sample("numbers", {values({4}, {12, 5, 7, 0}), values({4}, {10, 3, 7, 9})})
    .sample_dtypes(kIntegral | kBool);

MYCEL_OP(bitwise_xor)
    .names({.primitive = "BitwiseXor", .function = "bitwise_xor", .method = "bitwise_xor"})
    .doc("Bits set in exactly one.")
    .input("input", "Integers or truth values.", kIntegral | kBool)
    .input("other", "Integers or truth values.", kIntegral | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return apply(ScalarOp::BitXor, x, y); })
    .numpy("np.bitwise_xor(input, other)")
    .sample("numbers", {values({4}, {12, 5, 7, 0}), values({4}, {10, 3, 7, 9})})
    .sample_dtypes(kIntegral | kBool);

MYCEL_OP(bitwise_left_shift)
    .names({.primitive = "LeftShift",
            .function = "bitwise_left_shift",
            .method = "bitwise_left_shift"})
    .doc("Bits moved to the left; beyond the width nothing remains.")
    .input("input", "Integers or truth values.", kIntegral | kBool)
    .input("other", "Integers or truth values.", kIntegral | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return apply(ScalarOp::ShiftLeft, x, y); })
    .numpy("np.left_shift(input, other)")
    .sample("inside the width", {values({4}, {1, 5, 7, 64}), values({4}, {0, 2, 1, 3})})
    .sample_dtypes(DTypeSet({DType::Int16, DType::Int32, DType::Int64, DType::UInt16, DType::UInt32,
                             DType::UInt64}));

MYCEL_OP(bitwise_right_shift)
    .names({.primitive = "RightShift",
            .function = "bitwise_right_shift",
            .method = "bitwise_right_shift"})
    .doc("Bits moved to the right; beyond the width only the sign remains.")
    .input("input", "Integers or truth values.", kIntegral | kBool)
    .input("other", "Integers or truth values.", kIntegral | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return apply(ScalarOp::ShiftRight, x, y); })
    .numpy("np.right_shift(input, other)")
    .sample("inside the width", {values({4}, {1, 5, 7, 64}), values({4}, {0, 2, 1, 3})})
    .sample_dtypes(kIntegral);

MYCEL_OP(invert)
    .names({.primitive = "Invert", .function = "invert", .method = "invert"})
    .doc("Every bit turned over.")
    .input("x", "Integers or truth values.", kIntegral | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::BitNot, x); })
    .numpy("np.invert(x)")
    .sample("numbers", {values({4}, {12, 5, 7, 0})})
    .sample_dtypes(kIntegral | kBool);

static const onnx::Twins onnx_logic{
    {"And", "logical_and"}, {"Not", "logical_not"}, {"Or", "logical_or"}, {"Xor", "logical_xor"}};
static const OnnxNames onnx_bits{{"BitwiseAnd", "bitwise_and"},
                                 {"BitwiseNot", "invert"},
                                 {"BitwiseOr", "bitwise_or"},
                                 {"BitwiseXor", "bitwise_xor"}};

MYCEL_ONNX(BitShift, "X Y") {
  const std::string direction = call.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") call.refuse("the direction '", direction, "'");
  return call.call(direction == "LEFT" ? "bitwise_left_shift" : "bitwise_right_shift",
                   {call.tensor("X"), call.tensor("Y")});
}

static onnx::Symbol logic_of_masks(const onnx::Call& call, std::string_view kind) {
  if (call.dtype() != DType::Bool) call.refuse("ONNX of this version knows bits of masks only");
  return call.same(kind);
}

MYCEL_WRITES_ONNX(bitwise_and) { return logic_of_masks(call, "And"); }
MYCEL_WRITES_ONNX(bitwise_or) { return logic_of_masks(call, "Or"); }
MYCEL_WRITES_ONNX(bitwise_xor) { return logic_of_masks(call, "Xor"); }
MYCEL_WRITES_ONNX(invert) { return logic_of_masks(call, "Not"); }

}  // namespace mycel::ops
