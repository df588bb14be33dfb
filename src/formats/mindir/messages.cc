// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/messages.h"

namespace mycel::formats {

namespace {

using enum FieldKind;

extern const MessageSpec kModel, kGraph, kNode, kAttribute, kSeqInfo, kScalarGraphHolder,
    kScalarNode, kFunctor, kValueInfo, kTensor, kExternalData, kQuantParam, kMapTensor, kPrimitive,
    kPreprocessor, kPreprocessOp, kParallel, kLayout, kTextEntry;

constexpr FieldSpec kTextEntryFields[] = {{1, "key", Text}, {2, "value", Text}};

constexpr FieldSpec kModelFields[] = {
    {1, "ir_version", Text},
    {2, "producer_name", Text},
    {3, "producer_version", Text},
    {4, "domain", Text},
    {5, "model_version", Text},
    {6, "doc_string", Text},
    {7, "graph", Message, false, &kGraph},
    {8, "functions", Message, true, &kGraph},
    {9, "preprocessor", Message, false, &kPreprocessor},
    {10, "little_endian", Bool},
    {11, "parallel", Message, false, &kParallel},
    {12, "primitives", Message, true, &kPrimitive},
    {13, "mind_ir_version", Int},
    {14, "user_info", Message, true, &kTextEntry},
};

constexpr FieldSpec kGraphFields[] = {
    {1, "node", Message, true, &kNode},
    {2, "name", Text},
    {3, "parameter", Message, true, &kTensor},
    {4, "doc_string", Text},
    {5, "input", Message, true, &kValueInfo},
    {6, "output", Message, true, &kValueInfo},
    {7, "bprop_hash", Text},
    {8, "attribute", Message, true, &kAttribute},
    {9, "bprop_filepath", Text},
    {10, "map_parameter", Message, true, &kMapTensor},
};

constexpr FieldSpec kNodeFields[] = {
    {1, "input", Text, true},
    {2, "output", Text, true},
    {3, "name", Text},
    {4, "op_type", Text},
    {5, "attribute", Message, true, &kAttribute},
    {6, "doc_string", Text},
    {7, "domain", Text},
    {8, "node_attr", Message, true, &kAttribute},
    {9, "primal_attr", Message, true, &kAttribute},
};

constexpr FieldSpec kAttributeFields[] = {
    {1, "name", Text},
    {2, "f", Float},
    {3, "i", Int},
    {4, "d", Double},
    {5, "s", Bytes},
    {6, "t", Message, false, &kTensor},
    {7, "g", Message, false, &kGraph},
    {8, "floats", Float, true},
    {9, "doubles", Double, true},
    {10, "ints", Int, true},
    {11, "strings", Bytes, true},
    {12, "tensors", Message, true, &kTensor},
    {13, "graphs", Message, true, &kGraph},
    {14, "doc_string", Text},
    {15, "ref_attr_name", Text},
    {16, "type", Int},
    {17, "values", Message, true, &kAttribute},
    {18, "seq_info", Message, false, &kSeqInfo},
    {19, "functor", Message, false, &kFunctor},
    {20, "graph_holder", Message, false, &kScalarGraphHolder},
};

constexpr FieldSpec kSeqInfoFields[] = {
    {1, "is_dyn_len", Bool},
    {2, "tuple_elem_item", Message, false, &kAttribute},
};

constexpr FieldSpec kScalarGraphHolderFields[] = {
    {1, "scalar_node", Message, true, &kScalarNode},
    {2, "input_shape_index", Int, true},
};

constexpr FieldSpec kScalarNodeFields[] = {
    {1, "scalar_op_type", Int},
    {2, "in_index", Int, true},
    {3, "value", Int},
};

constexpr FieldSpec kFunctorFields[] = {
    {1, "type", Int},
    {2, "name", Text},
    {3, "values", Message, true, &kAttribute},
};

constexpr FieldSpec kValueInfoFields[] = {
    {1, "name", Text},       {2, "tensor", Message, true, &kTensor},        {3, "doc_string", Text},
    {4, "denotation", Text}, {5, "attr_info", Message, false, &kAttribute},
};

constexpr FieldSpec kTensorFields[] = {
    {1, "dims", Int, true},
    {2, "data_type", Int},
    {3, "float_data", Float, true},
    {4, "int32_data", Int, true},
    {5, "string_data", Bytes, true},
    {6, "int64_data", Int, true},
    {7, "name", Text},
    {8, "doc_string", Text},
    {9, "raw_data", Bytes},
    {10, "double_data", Double, true},
    {11, "uint64_data", Int, true},
    {12, "external_data", Message, false, &kExternalData},
    {13, "ref_key", Text},
    {14, "min_dims", Int, true},
    {15, "max_dims", Int, true},
    {16, "compression_type", Int},
    {17, "quant_params", Message, true, &kQuantParam},
};

constexpr FieldSpec kExternalDataFields[] = {
    {1, "location", Text},
    {2, "offset", Int},
    {3, "length", Int},
};

constexpr FieldSpec kQuantParamFields[] = {
    {1, "quant_algo_name", Text},
    {2, "attribute", Message, true, &kAttribute},
};

constexpr FieldSpec kMapTensorFields[] = {
    {1, "name", Text},
    {2, "default_value", Message, false, &kAttribute},
    {3, "key_tensor", Message, false, &kTensor},
    {4, "value_tensor", Message, false, &kTensor},
    {5, "status_tensor", Message, false, &kTensor},
};

constexpr FieldSpec kPrimitiveFields[] = {
    {1, "name", Text},          {2, "op_type", Text},  {3, "attribute", Message, true, &kAttribute},
    {4, "instance_name", Text}, {5, "prim_type", Int},
};

constexpr FieldSpec kPreprocessorFields[] = {
    {1, "op", Message, true, &kPreprocessOp},
};

constexpr FieldSpec kPreprocessOpFields[] = {
    {1, "input_columns", Text}, {2, "output_columns", Text}, {3, "project_columns", Text},
    {4, "op_type", Text},       {5, "operations", Text},     {6, "offload", Bool},
};

constexpr FieldSpec kParallelFields[] = {
    {1, "layout", Message, true, &kLayout},
};

constexpr FieldSpec kLayoutFields[] = {
    {1, "name", Text},
    {2, "device_arrangement_int", Int, true},
    {3, "tensor_map_int", Int, true},
    {4, "slice_shape_int", Int, true},
    {5, "field_size", Int},
    {6, "uniform_split", Bool},
    {7, "opt_shard_group", Text},
    {8, "pipeline_shared", Bool},
    {9, "is_send", Bool},
    {10, "peer_rank", Int},
    {11, "sr_tag", Int},
    {12, "opt_shard_slice_shape_int", Int, true},
};

const MessageSpec kTextEntry{"entry", kTextEntryFields};
const MessageSpec kModel{"ModelProto", kModelFields};
const MessageSpec kGraph{"GraphProto", kGraphFields};
const MessageSpec kNode{"NodeProto", kNodeFields};
const MessageSpec kAttribute{"AttributeProto", kAttributeFields};
const MessageSpec kSeqInfo{"SeqInfoProto", kSeqInfoFields};
const MessageSpec kScalarGraphHolder{"ScalarGraphHolderProto", kScalarGraphHolderFields};
const MessageSpec kScalarNode{"ScalarNodeProto", kScalarNodeFields};
const MessageSpec kFunctor{"FunctorProto", kFunctorFields};
const MessageSpec kValueInfo{"ValueInfoProto", kValueInfoFields};
const MessageSpec kTensor{"TensorProto", kTensorFields};
const MessageSpec kExternalData{"ExternalDataProto", kExternalDataFields};
const MessageSpec kQuantParam{"QuantParamProto", kQuantParamFields};
const MessageSpec kMapTensor{"MapTensorProto", kMapTensorFields};
const MessageSpec kPrimitive{"PrimitiveProto", kPrimitiveFields};
const MessageSpec kPreprocessor{"PreprocessorProto", kPreprocessorFields};
const MessageSpec kPreprocessOp{"PreprocessOpProto", kPreprocessOpFields};
const MessageSpec kParallel{"ParallelProto", kParallelFields};
const MessageSpec kLayout{"LayoutProto", kLayoutFields};

}  // namespace

const MessageSpec& mindir_model() { return kModel; }
const MessageSpec& mindir_graph() { return kGraph; }

}  // namespace mycel::formats
