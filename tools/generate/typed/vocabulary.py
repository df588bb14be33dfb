# SPDX-License-Identifier: Apache-2.0
"""Names of arguments that mean the same wherever they stand, for functions that do not describe each of them.

A table belongs to the modules under its prefixes. It gives types, in the words of docstrings, to names.
"""

from __future__ import annotations

OPERAND = "{mindspore._typing:Operand}"
INTS = "{mindspore._typing:Ints}"
FLOATS = "{mindspore._typing:Floats}"
ARRAY = "{mindspore._typing:ArrayLike}"

_TENSORS = """
    input x y x1 x2 a b A B tensor values mat1 mat2 vec1 vec2 mat vec logits labels label target
    weight bias grad dout index indices mask query key value input1 input2 input_x input_y anchor
    positive negative condition var updates v m accum accum_update linear src source anchor_box
    anchor_boxes gt_boxes groundtruth_box bboxes boxes box_index deltas rois features image
    img_metas predictions targets seq_lengths segment_ids tau LU_data LU_pivots abs angle input_v
    gradient ms mom batch1 batch2 tensor1 tensor2 sorter sorted_sequence x_values x_indices indptr
    theta grid fweights aweights prepend append dense weights boundaries mean std random_samples
    argmax true_classes key_cache value_cache attn_mask alibi_mask q_seq_lens block_tables context_lens
    antiquant_scale antiquant_offset scale offset cos sin batch_index new_max_seq_len cur_max_seq_len
    bias_input bias_hidden init_h init_c h c labels_indices labels_values sequence_length
    actual_seq_lengths actual_seq_lengths_kv seq_len_axis bits packed
"""

_OPERATORS = {
    "Tensor": _TENSORS,
    OPERAND: """
        other lr rho l1 l2 beta1 beta2 beta1_power beta2_power epsilon momentum start end step q min
        max divisor dividend alpha fill_value low high posinf neginf nan gamma rate upper lower
        maxnorm pad_num margin beta
    """,
    INTS: """
        axis dim dims axes kernel_size stride output_size padding dilation block_shape block_size
        begin strides shape size indices_or_sections repeats shifts reps s crop_size size_splits
        dense_shape x_shape sparse_shape max_shape num_segments perm ksize ksizes rates pads
        output_shape
    """,
    "Sequence[Tensor]": "tensors",
    "Union[Tensor, Sequence[Tensor]]": "inputs input_data choices",
    FLOATS: "means stds",
    "Union[Sequence, Tensor]": "crops paddings",
    "int": """
        n k N row col length window_length groups group upscale_factor downscale_factor num_classes
        split_count split_dim concat_dim dest_rank root_rank num_split seq_dim pooled_height
        pooled_width seed num_true num_sampled range_max input_size hidden_size num_layers head_num bs
        heads num_rois out_dim group_size sr_tag src_rank
    """,
    "float": "spatial_scale eps p lambda_param dropout decay",
    "str": """
        name mode reduction norm rounding_mode side equation format file op_name kernel_name
        binfile_name
    """,
    "Union[int, float, str]": "norm_type ord",
    "bool": "keepdims keepdim keep_dims training unique has_bias bidirectional",
    "mindspore.dtype": "dtype dst_dtype type",
    "Any": """
        expr obj op_info param_type value_type default_value need_compile value_depend fusion_type
        pattern reshape_type real_input_index input_to_attr_index unknown_shape_formats
        dynamic_rank_support in_types in_shapes out_types out_shapes in_strategy out_strategy ops
        only_shape_indices
    """,
}

_LAYERS = {
    "Tensor": _TENSORS
    + """
        x1 x2 hx memory tgt src ids seq_length loss optim_result input_data tgt_mask src_mask
        memory_mask tgt_key_padding_mask src_key_padding_mask memory_key_padding_mask shape_of
        global_step grads_of
    """,
    "Union[Tensor, tuple[Tensor]]": "states",
    "Union[tuple[Tensor], list[Tensor]]": "gradients grads",
    "Union[Cell, Function]": "network net encoder decoder cell formula",
    "Union[str, Cell]": "activation",
    "Optimizer": "optimizer",
    "Cell": "layer",
    "int": """
        hidden_size input_size num_features in_channels out_channels num_layers latent_size ndim
        filter_size seed
    """,
    "Union[int, tuple[int]]": "kernel_size stride padding output_size",
    "Union[int, float]": """
        max_val clip_norm damping decay_rate decay_steps filter_sigma k1 k2 norm_type momentum
    """,
    "Union[float, Tensor, Iterable, LearningRateSchedule]": "learning_rate",
    "bool": "has_bias use_batch_statistics training",
    "Union[int, tuple[int], list[int]]": "axis shape",
    "str": "nonlinearity norm name cell_type dist",
    "Union[Tensor, list[int], tuple[int]]": "lengths",
    "Function": """
        hook_fn walk weight_prior_fn weight_posterior_fn bias_prior_fn bias_posterior_fn
        decay_filter
    """,
    "Parameter": "param",
    "Any": """
        strategy in_strategy out_strategy parameter_plan data inputs outputs jit_config graph kwargs
        _ cast_inputs
    """,
    "Sequence[Cell]": "cells",
    "Union[int, float, Sequence]": "output_ratio _random_samples",
}

_NUMPY = {
    ARRAY: """
        x x1 x2 y a b m v array obj condition input xmin xmax fill_value start stop step initial
        minval maxval
    """,
    f"Sequence[{ARRAY}]": "arrays",
    INTS: "shape axis axes reps repeats new_shape shift indices_or_sections axis1 axis2",
    "int": "N M",
    "Union[mindspore.dtype, type, str]": "dtype",
}

_DATA = {
    "Dataset": "input_dataset dataset pipeline1 pipeline2 val",
    "Union[Dataset, Sequence[Dataset]]": "datasets",
    "Union[str, Sequence[str]]": """
        input_columns output_columns columns column_names column_order condition_name special_tokens
    """,
    "int": """
        batch_size_of count buffer_size num_samples num_shards shard_id num_batch
        num_parallel_workers init_step prefetch_size session_id port num_connections vocab_size
        top_k rank_id rank_size current_epoch
    """,
    "Union[int, Function]": "batch_size",
    "Sequence[int]": "bucket_boundaries bucket_batch_sizes",
    "Union[int, Sequence[Union[int, float]]]": "sizes",
    "Function": "predicate func apply_func element_length_function per_batch_map callback",
    "Union[Function, TensorOperation, Sequence[Any]]": "operations",
    "bool": "drop_remainder pad_to_bucket_boundary special_first offload getter_mode",
    "dict": "pad_info params input_dict node_repr",
    "float": "character_coverage",
    "Union[bool, Shuffle]": "shuffle",
    "Any": "value data source callbacks key ir_node column_types padded_samples schema model_type",
    "Union[Sampler, Iterable]": "sampler new_sampler",
    "DatasetCache": "cache",
    "str": "file_name hostname json_filepath",
    "tuple": "freq_range",
}

_EVERYWHERE = {
    "RunContext": "run_context",
    "Function": "fn function forward backward",
    "Dataset": "dataset train_dataset",
    "Cell": "network net",
    "Model": "model",
    "str": "name path message",
    "int": "sink_size group_id start_id end_id seed",
    "bool": "strict_load amsgrad maximize centered nesterov",
    "float": "eps weight_decay beta1 beta2 alpha momentum_decay",
    "tuple[float, float]": "betas",
    "mindspore.dtype": "dtype type_",
    "Optimizer": "optimizer",
    "Generator": "generator",
    "Tensor": "x key_tensor value_tensor grads_finite tensor state",
    "Union[Tensor, tuple[Tensor], list[Tensor]]": "inputs tensors grads gradients",
    "Union[int, float, Tensor]": """
        lr lr_decay rho momentum dampening lambd t0 etaminus etaplus step_size_min step_size_max
    """,
}

_RESULTS_OF_OPERATORS = {"Tensor": "__call__ stop_gradient", "Any": "depend identity"}
_RESULTS_OF_LAYERS = {
    "Tensor": "construct",
    "Union[float, Tensor]": "get_loss_scale get_weight_decay",
    "Union[tuple[Tensor], list[Tensor]]": "flatten_gradients",
}
_RESULTS_OF_PROBABILITY = {
    "Tensor": """
        forward inverse forward_log_jacobian inverse_log_jacobian cdf cross_entropy entropy kl_loss
        log_cdf log_prob log_survival mean mode prob sample sd survival_function var loc scale probs
        low high concentration0 concentration1 rate concentration power sharpness shift
    """,
    "mindspore.dtype": "dtype",
    "tuple[int]": "batch_shape",
    "Cell": "backbone_network",
    "Bijector": "bijector",
    "Distribution": "distribution",
    "Any": "construct __call__",
}
_RESULTS_OF_DATA = {
    "int": "get_dataset_size get_batch_size get_repeat_count get_init_step num_classes",
    "bool": "is_sharded is_shuffled is_sync compare",
    "list[str]": "get_col_names",
    "list": "output_shapes output_types input_indexs",
    "list[Dataset]": "split",
    "Self": "__add__ flat_map apply device_que",
    "Dataset": "deserialize",
    "Iterator": "__iter__",
    "dict": "get_class_indexing get_sync_notifiers serialize",
    "str": "to_json",
}
_RESULTS_OF_TRAINING = {
    "Union[float, numpy.ndarray]": "eval",
    "Cell": "train_network eval_network predict_network loss_fn connected build_train_network saved_network",
    "Optimizer": "optimizer",
    "LossScaleManager": "loss_scale_manager",
    "int": """
        sink_size keep_checkpoint_max keep_checkpoint_per_n_minutes save_checkpoint_seconds
        save_checkpoint_steps
    """,
    "bool": """
        get_stop_requested async_save crc_check integrated_save map_param_inc remove_redundancy
        saves_training_state
    """,
    "str": "format enc_mode latest_ckpt_file_name log_dir",
    "Union[bytes, None]": "enc_key",
    "dict": "get_checkpoint_policy append_dict",
    "InternalCallbackParam": "original_args",
    "None": """
        begin end epoch_begin epoch_end step_begin step_end on_eval_begin on_eval_end
        on_eval_step_end clear update update_loss_scale
    """,
    "tuple": "types_shapes",
    "Iterator": "__iter__",
    "Union[int, float, Tensor]": "get_loss_scale",
}
_RESULTS_EVERYWHERE = {
    "Function": """
        grad value_and_grad jacfwd jacrev vmap jit ms_function lazy_inline no_inline jit_class
        ms_class
    """,
    "bool": """
        cache_enable layerwise_parallel parallel_optimizer requires_grad sliced unique
    """,
    "tuple": "jvp vjp cache_shape",
    "numpy.ndarray": "asnumpy",
    "int": "key",
    "mindspore.dtype": "dtype pytype_to_dtype get_py_obj_dtype",
    "Tensor": "get_state get_rng_state",
    "type": "dtype_to_nptype",
    "MSRStatus": "run",
    "Iterator": "tfrecord_iterator tfrecord_iterator_oldversion",
}

_AREAS = (
    (
        ("mindspore.ops", "mindspore.common._tensor", "mindspore.common.tensor"),
        _OPERATORS,
        _RESULTS_OF_OPERATORS,
    ),
    (("mindspore.nn.probability",), _LAYERS, _RESULTS_OF_PROBABILITY),
    (("mindspore.nn", "mindspore.boost"), _LAYERS, _RESULTS_OF_LAYERS),
    (("mindspore.numpy",), _NUMPY, {}),
    (("mindspore.dataset",), _DATA, _RESULTS_OF_DATA),
    (("mindspore.train",), {}, _RESULTS_OF_TRAINING),
    (("mindspore",), _EVERYWHERE, _RESULTS_EVERYWHERE),
)


def _words(name: str, module: str, kind: int) -> str | None:
    for prefixes, *tables in _AREAS:
        if module.startswith(prefixes):
            for words, names in tables[kind].items():
                if name in names.split():
                    return words
    return None


def argument_words(name: str, module: str) -> str | None:
    """The words for the type of an argument by its name alone; None when it has no fixed meaning there."""
    return _words(name, module, 0)


def result_words(name: str, module: str) -> str | None:
    """The words for the type of the result of a function or method of this name; None when there are none."""
    return "Tensor" if module.startswith("mindspore.numpy") else _words(name, module, 1)
