# SPDX-License-Identifier: Apache-2.0
"""Instances to requests, replies to instances."""

import numpy as np

from mindspore_serving.proto import ms_service_pb2 as pb

_TYPES = {
    np.dtype(np.bool_): pb.MS_BOOL,
    np.dtype(np.int8): pb.MS_INT8,
    np.dtype(np.uint8): pb.MS_UINT8,
    np.dtype(np.int16): pb.MS_INT16,
    np.dtype(np.uint16): pb.MS_UINT16,
    np.dtype(np.int32): pb.MS_INT32,
    np.dtype(np.uint32): pb.MS_UINT32,
    np.dtype(np.int64): pb.MS_INT64,
    np.dtype(np.uint64): pb.MS_UINT64,
    np.dtype(np.float16): pb.MS_FLOAT16,
    np.dtype(np.float32): pb.MS_FLOAT32,
    np.dtype(np.float64): pb.MS_FLOAT64,
}
_DTYPES = {code: dtype for dtype, code in _TYPES.items()}


def _write_array(tensor, array):
    tensor.dtype = _TYPES.get(array.dtype, pb.MS_UNKNOWN)
    if tensor.dtype == pb.MS_UNKNOWN:
        raise RuntimeError(f"Unknown data type {array.dtype}")
    tensor.shape.dims.extend(array.shape)
    tensor.data = array.tobytes()


def _write_value(tensor, value):
    if isinstance(value, (np.ndarray, np.generic)) and not isinstance(value, (str, bytes)):
        _write_array(tensor, value)
    elif isinstance(value, (bool, int, float)):
        _write_array(tensor, np.array([value]))
    elif isinstance(value, (str, bytes)):
        is_text = isinstance(value, str)
        tensor.dtype = pb.MS_STRING if is_text else pb.MS_BYTES
        tensor.shape.dims.append(1)
        tensor.bytes_val.append(value.encode() if is_text else value)
    else:
        raise RuntimeError(f"Not support value type {type(value)}")


def make_request(servable_name, method_name, version_number, instances):
    request = pb.PredictRequest()
    spec = request.servable_spec
    spec.name, spec.method_name, spec.version_number = servable_name, method_name, version_number
    for instance in instances if isinstance(instances, (list, tuple)) else (instances,):
        if not isinstance(instance, dict):
            raise RuntimeError("instance should be a map")
        items = request.instances.add().items
        for name, value in instance.items():
            _write_value(items[name], value)
    return request


def _read_value(tensor):
    if tensor.dtype in (pb.MS_STRING, pb.MS_BYTES):
        values = list(tensor.bytes_val)
        if tensor.dtype == pb.MS_STRING:
            values = [value.decode() for value in values]
        return values[0] if len(values) == 1 else values
    return np.frombuffer(tensor.data, _DTYPES[tensor.dtype]).reshape(tensor.shape.dims)


def _error_of(message):
    return {"error": message.error_msg.decode(errors="replace")}


def read_reply(reply):
    """A list with a dict per instance; one dict when the request as a whole failed."""
    errors = reply.error_msg
    if len(errors) == 1 and errors[0].error_code != 0:
        return _error_of(errors[0])
    if len(errors) not in (0, len(reply.instances)):
        raise RuntimeError(f"the reply has {len(errors)} errors for {len(reply.instances)} instances")
    results = []
    for index, instance in enumerate(reply.instances):
        if errors and errors[index].error_code != 0:
            results.append(_error_of(errors[index]))
        else:
            results.append({name: _read_value(tensor) for name, tensor in instance.items.items()})
    return results
