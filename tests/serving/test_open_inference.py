# SPDX-License-Identifier: Apache-2.0
"""What the Open Inference Protocol tells of models and does with them, over REST and gRPC."""

from __future__ import annotations

import threading

import grpc
import numpy as np
import pytest
import requests
from google.protobuf import json_format
from reflected import Service
from serving_place import ADD

BATCHED = ADD.replace("with_batch_dim=False", "with_batch_dim=True")
PYTHON = """
def double(x):
    return x * 2

@register.register_method(output_names=["y"])
def predict(x):
    return register.add_stage(double, x, outputs_count=1)
"""


@pytest.fixture
def inference(servables):
    """The service of a server with "add", whose models take the first dimension for a batch of two."""
    servables.write(BATCHED).start(rest=True)
    with Service(servables.grpc, "inference.GRPCInferenceService") as service:
        yield service


def infer_request(inference, rows, model="add", name=""):
    request = inference.message("ModelInferRequest", model_name=model, id=name)
    for each in ("x1", "x2"):
        request.inputs.add(name=each, datatype="FP32", shape=rows.shape)
        request.raw_input_contents.append(rows.tobytes())
    return request


def refusal(call, request):
    with pytest.raises(grpc.RpcError) as caught:
        call(request)
    return caught.value.code(), caught.value.details()


def test_extensions_are_the_same_over_both_protocols(servables, inference):
    told = inference.ServerMetadata(inference.message("ServerMetadataRequest"))
    assert requests.get(f"http://{servables.rest}/v2").json() == json_format.MessageToDict(told)


def test_configuration_is_the_same_over_both_protocols(servables, inference):
    of_rest = requests.get(f"http://{servables.rest}/v2/models/add/config").json()
    own = inference.ModelConfig(inference.message("ModelConfigRequest", name="add")).config
    assert (own.name, own.max_batch_size) == ("add", 2)
    assert of_rest["max_batch_size"] == 2
    assert of_rest["input"] == [
        {"name": name, "data_type": "TYPE_FP32", "dims": [2]} for name in ("x1", "x2")
    ]
    assert [list(tensor.dims) for tensor in own.input] == [[2], [2]]
    unknown = requests.get(f"http://{servables.rest}/v2/models/other/config")
    assert (unknown.status_code, list(unknown.json())) == (404, ["error"])
    request = inference.message("ModelConfigRequest", name="other")
    assert refusal(inference.ModelConfig, request)[0] == grpc.StatusCode.NOT_FOUND


def test_configuration_of_functions_tells_what_is_known(servables):
    servables.write(PYTHON, name="double", versions=(1,), files=())
    servables.start(servables.config("double", num_parallel_workers=1), rest=True)
    told = requests.get(f"http://{servables.rest}/v2/models/double/config").json()
    assert told["max_batch_size"] == 0
    assert told["input"] == [{"name": "x", "data_type": "TYPE_INVALID", "dims": [-1]}]


def test_statistics_count_what_was_asked(servables, inference):
    inference.ModelInfer(infer_request(inference, np.ones((5, 2), np.float32)))
    refusal(inference.ModelInfer, infer_request(inference, np.ones((1, 3), np.float32)))
    (own,) = requests.get(f"http://{servables.rest}/v2/models/add/stats").json()["model_stats"]
    assert (own["inference_count"], own["execution_count"]) == (5, 3)
    counts = {kind: value["count"] for kind, value in own["inference_stats"].items()}
    assert counts == {"success": 1, "fail": 1}
    (told,) = inference.ModelStatistics(inference.message("ModelStatisticsRequest")).model_stats
    assert (told.name, told.inference_count, told.execution_count) == ("add", 5, 3)
    assert told.inference_stats.success.ns == own["inference_stats"]["success"]["ns"]


def test_models_are_unloaded_and_loaded(inference):
    def states():
        return [model.state for model in inference.RepositoryIndex(asked).models]

    asked = inference.message("RepositoryIndexRequest")
    inference.RepositoryModelUnload(inference.message("RepositoryModelUnloadRequest", model_name="add"))
    assert states() == ["UNAVAILABLE"]
    request = inference.message("RepositoryModelLoadRequest", model_name="add")
    request.parameters["config"].string_param = "{}"
    code, text = refusal(inference.RepositoryModelLoad, request)
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert "load parameter 'config' is not supported" in text
    assert states() == ["UNAVAILABLE"]
    request.parameters.clear()
    inference.RepositoryModelLoad(request)
    assert states() == ["READY"]
    inference.ModelInfer(infer_request(inference, np.ones((1, 2), np.float32)))


def test_streams_answer_in_order_and_go_on_after_an_error(inference):
    count = 600
    rows = [np.full((1 + i % 3, 2), i, np.float32) for i in range(count)]
    asked = (
        infer_request(inference, rows[i], "other" if i % 100 == 7 else "add", str(i)) for i in range(count)
    )
    answers = list(inference.ModelStreamInfer(asked))
    assert [answer.infer_response.id for answer in answers] == [str(i) for i in range(count)]
    for i, answer in enumerate(answers):
        if i % 100 == 7:
            assert "there is no model 'other'" in answer.error_message
            continue
        (result,) = answer.infer_response.raw_output_contents
        np.testing.assert_array_equal(np.frombuffer(result, np.float32), 2 * rows[i].ravel())


def test_streams_of_large_messages(inference):
    rows = np.random.default_rng(1).random((60_000, 2), np.float32)
    asked = (infer_request(inference, rows) for _ in range(20))
    answers = list(inference.ModelStreamInfer(asked))
    assert len(answers) == 20
    (result,) = answers[-1].infer_response.raw_output_contents
    np.testing.assert_array_equal(np.frombuffer(result, np.float32), 2 * rows.ravel())


def test_a_stream_may_stay_open_between_requests(inference):
    more = threading.Semaphore(0)

    def asked():
        for value in range(3):
            more.acquire()
            yield infer_request(inference, np.full((1, 2), value, np.float32))

    answers = inference.ModelStreamInfer(asked())
    for value in range(3):
        more.release()
        (result,) = next(answers).infer_response.raw_output_contents
        assert np.frombuffer(result, np.float32).tolist() == [2 * value] * 2
    assert list(answers) == []
    assert answers.code() == grpc.StatusCode.OK


def test_a_stream_that_is_cancelled_disturbs_nobody(inference):
    rows = np.ones((1, 2), np.float32)
    answers = inference.ModelStreamInfer(infer_request(inference, rows) for _ in range(10_000))
    next(answers)
    answers.cancel()
    inference.ModelInfer(infer_request(inference, rows))


def test_outputs_that_are_not_wanted_are_left_out(inference):
    request = infer_request(inference, np.ones((1, 2), np.float32))
    (name,) = [output.name for output in inference.ModelInfer(request).outputs]
    request.outputs.add(name=name)
    assert [output.name for output in inference.ModelInfer(request).outputs] == [name]
    request.outputs.add(name="nothing")
    assert refusal(inference.ModelInfer, request) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "the model has no output 'nothing'",
    )
