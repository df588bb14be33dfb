// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/messages.h"

namespace mycel::formats {

namespace {

using enum FieldKind;

extern const MessageSpec kModel, kOperatorSet, kGraph, kNode, kAttribute, kTensor, kValueInfo,
    kType, kTensorType, kSequenceType, kShape, kDimension, kFunction, kEntry;

constexpr FieldSpec kEntryFields[] = {{1, "key", Text}, {2, "value", Text}};
constexpr FieldSpec kOperatorSetFields[] = {{1, "domain", Text}, {2, "version", Int}};

constexpr FieldSpec kModelFields[] = {
    {1, "ir_version", Int},
    {2, "producer_name", Text},
    {3, "producer_version", Text},
    {4, "domain", Text},
    {5, "model_version", Int},
    {6, "doc_string", Text},
    {7, "graph", Message, false, &kGraph},
    {8, "opset_import", Message, true, &kOperatorSet},
    {14, "metadata_props", Message, true, &kEntry},
    {25, "functions", Message, true, &kFunction},
};

constexpr FieldSpec kGraphFields[] = {
    {1, "node", Message, true, &kNode},
    {2, "name", Text},
    {5, "initializer", Message, true, &kTensor},
    {10, "doc_string", Text},
    {11, "input", Message, true, &kValueInfo},
    {12, "output", Message, true, &kValueInfo},
    {13, "value_info", Message, true, &kValueInfo},
};

constexpr FieldSpec kNodeFields[] = {
    {1, "input", Text, true},
    {2, "output", Text, true},
    {3, "name", Text},
    {4, "op_type", Text},
    {5, "attribute", Message, true, &kAttribute},
    {6, "doc_string", Text},
    {7, "domain", Text},
};

constexpr FieldSpec kAttributeFields[] = {
    {1, "name", Text},
    {2, "f", Float},
    {3, "i", Int},
    {4, "s", Bytes},
    {5, "t", Message, false, &kTensor},
    {6, "g", Message, false, &kGraph},
    {7, "floats", Float, true},
    {8, "ints", Int, true},
    {9, "strings", Bytes, true},
    {10, "tensors", Message, true, &kTensor},
    {11, "graphs", Message, true, &kGraph},
    {13, "doc_string", Text},
    {20, "type", Int},
    {21, "ref_attr_name", Text},
};

constexpr FieldSpec kTensorFields[] = {
    {1, "dims", Int, true},
    {2, "data_type", Int},
    {4, "float_data", Float, true},
    {5, "int32_data", Int, true},
    {6, "string_data", Bytes, true},
    {7, "int64_data", Int, true},
    {8, "name", Text},
    {9, "raw_data", Bytes},
    {10, "double_data", Double, true},
    {11, "uint64_data", Int, true},
    {12, "doc_string", Text},
    {13, "external_data", Message, true, &kEntry},
    {14, "data_location", Int},
};

constexpr FieldSpec kValueInfoFields[] = {
    {1, "name", Text}, {2, "type", Message, false, &kType}, {3, "doc_string", Text}};
constexpr FieldSpec kTypeFields[] = {{1, "tensor_type", Message, false, &kTensorType},
                                     {4, "sequence_type", Message, false, &kSequenceType},
                                     {6, "denotation", Text}};
constexpr FieldSpec kTensorTypeFields[] = {{1, "elem_type", Int},
                                           {2, "shape", Message, false, &kShape}};
constexpr FieldSpec kSequenceTypeFields[] = {{1, "elem_type", Message, false, &kType}};
constexpr FieldSpec kShapeFields[] = {{1, "dim", Message, true, &kDimension}};
constexpr FieldSpec kDimensionFields[] = {
    {1, "dim_value", Int}, {2, "dim_param", Text}, {3, "denotation", Text}};

constexpr FieldSpec kFunctionFields[] = {
    {1, "name", Text},
    {4, "input", Text, true},
    {5, "output", Text, true},
    {6, "attribute", Text, true},
    {7, "node", Message, true, &kNode},
    {8, "doc_string", Text},
    {9, "opset_import", Message, true, &kOperatorSet},
    {10, "domain", Text},
    {11, "attribute_proto", Message, true, &kAttribute},
};

const MessageSpec kEntry{"StringStringEntryProto", kEntryFields};
const MessageSpec kOperatorSet{"OperatorSetIdProto", kOperatorSetFields};
const MessageSpec kModel{"ModelProto", kModelFields};
const MessageSpec kGraph{"GraphProto", kGraphFields};
const MessageSpec kNode{"NodeProto", kNodeFields};
const MessageSpec kAttribute{"AttributeProto", kAttributeFields};
const MessageSpec kTensor{"TensorProto", kTensorFields};
const MessageSpec kValueInfo{"ValueInfoProto", kValueInfoFields};
const MessageSpec kType{"TypeProto", kTypeFields};
const MessageSpec kTensorType{"TypeProto.Tensor", kTensorTypeFields};
const MessageSpec kSequenceType{"TypeProto.Sequence", kSequenceTypeFields};
const MessageSpec kShape{"TensorShapeProto", kShapeFields};
const MessageSpec kDimension{"TensorShapeProto.Dimension", kDimensionFields};
const MessageSpec kFunction{"FunctionProto", kFunctionFields};

}  // namespace

const MessageSpec& onnx_model() { return kModel; }

}  // namespace mycel::formats
