# SPDX-License-Identifier: Apache-2.0
"""Methods with models and Python stages, asked over gRPC."""

from __future__ import annotations

import numpy as np
import pytest
from serving_place import ADD

ONES = np.ones((2, 2), np.float32)


def pairs(count):
    return [{"x1": ONES * i, "x2": ONES} for i in range(count)]


def test_a_model_stage_of_one_and_of_several_instances(servables):
    servables.write(ADD).start()
    client = servables.client()
    for count in (1, 3):
        results = client.infer(pairs(count))
        assert [result["y"].max() for result in results] == [i + 1 for i in range(count)]


def test_one_instance_may_be_given_without_a_list(servables):
    servables.write(ADD).start()
    assert (servables.client().infer({"x1": ONES, "x2": ONES})[0]["y"] == 2).all()


def test_an_asynchronous_request_gives_the_same(servables):
    servables.write(ADD).start()
    assert len(servables.client().infer_async(pairs(2)).result()) == 2


def test_functions_around_a_model(servables):
    servables.write(
        """
        model = register.declare_model("add.mindir", "MindIR", with_batch_dim=False)

        def cast(x1, x2):
            return x1.astype(np.float32), x2.astype(np.float32)

        def largest(instances):
            for (y,) in instances:
                yield float(y.max())

        @register.register_method(output_names=["y", "largest"])
        def predict(x1, x2):
            x1, x2 = register.add_stage(cast, x1, x2, outputs_count=2)
            y = register.add_stage(model, x1, x2, outputs_count=1)
            top = register.add_stage(largest, y, outputs_count=1, batch_size=2)
            return y, top
        """
    ).start()
    results = servables.client("predict").infer(
        [{"x1": ONES.astype(np.int8), "x2": (ONES * i).astype(np.int64)} for i in range(5)]
    )
    assert [result["largest"] for result in results] == [1, 2, 3, 4, 5]


def test_a_model_called_from_a_function(servables):
    servables.write(
        """
        model = register.declare_model("add.mindir", "MindIR", with_batch_dim=False)

        def twice(x):
            return model.call(x, x)

        def batch(x):
            return sum(y for (y,) in model.call([(x, x), [x, x]]))

        @register.register_method(output_names="y")
        def one(x):
            return register.add_stage(twice, x, outputs_count=1)

        @register.register_method(output_names="y")
        def several(x):
            return register.add_stage(batch, x, outputs_count=1)
        """
    ).start(servables.config(num_parallel_workers=2))
    assert (servables.client("one").infer([{"x": ONES}] * 8)[7]["y"] == 2).all()
    assert (servables.client("several").infer({"x": ONES})[0]["y"] == 4).all()


@pytest.mark.parametrize(
    "call, text",
    [
        ("model.call()", "no inputs provided"),
        ("model.call([])", "Input instances count is 0"),
        ("model.call([x, x])", "inputs format invalid"),
        ("model.call(x)", "The inputs count 1 of instance 0 is not equal to the inputs count 2 of the model"),
        ("model.call([[x, x], [x]])", "The inputs count 1 of instance 1 is not equal to"),
        ("model.call(x, x, subgraph=1)", "does not have subgraph of index 1"),
        ("register.Model('other').call(x)", "Model(other).call() failed: the model is not declared"),
        ("model.call(x[0], x)", "Given model input 0 size 8 not match the size 16 defined in model"),
    ],
)
def test_a_call_of_a_model_that_cannot_be(servables, call, text):
    servables.write(
        f"""
        model = register.declare_model("add.mindir", "MindIR", with_batch_dim=False)

        def wrong(x):
            return {call}

        @register.register_method(output_names="y")
        def predict(x):
            return register.add_stage(wrong, x, outputs_count=1)
        """
    ).start()
    error = servables.client("predict").infer({"x": ONES})["error"]
    assert "Call Function 'add.wrong' Failed, method: 'predict'" in error
    assert text in error


VALUES = """
def same(x):
    return x

def kind(x):
    return f"{type(x).__name__} {getattr(x, 'dtype', '')} {getattr(x, 'shape', '')}"

@register.register_method(output_names="y")
def echo(x):
    return register.add_stage(same, x, outputs_count=1)

@register.register_method(output_names="y")
def describe(x):
    return register.add_stage(kind, x, outputs_count=1)
"""


def test_values_come_back_as_they_went(servables):
    servables.write(VALUES).start(servables.config())
    client = servables.client("echo")
    arrays = [np.arange(6).reshape(2, 3).astype(dtype) for dtype in "?bBhHiIlLefd"]
    given = [*arrays, np.zeros((0, 3), np.float32), np.float32(1.5), "text ü", ""]
    for value, result in zip(given, client.infer([{"x": value} for value in given]), strict=True):
        assert np.array_equal(result["y"], value)
        assert np.asarray(result["y"]).dtype == np.asarray(value).dtype
    (result,) = client.infer({"x": b"\x00\xff"})
    assert result["y"].tobytes() == b"\x00\xff"


@pytest.mark.parametrize(
    "value, kind",
    [
        ("text", "str  "),
        (b"123", "ndarray uint8 (3,)"),
        (True, "ndarray bool (1,)"),
        (3, "ndarray int64 (1,)"),
        (1.5, "ndarray float64 (1,)"),
        (np.float16(2), "ndarray float16 ()"),
    ],
)
def test_what_a_function_is_given(servables, value, kind):
    servables.write(VALUES).start(servables.config())
    assert servables.client("describe").infer({"x": value})[0]["y"] == kind


@pytest.mark.parametrize("batch_size", [None, 2])
def test_what_a_function_writes_into_its_inputs_is_seen_behind_it(servables, batch_size):
    servables.write(
        f"""
        def mark(x, note, other):
            x[0] = 7
            return x[1:]

        def mark_all(instances):
            return [mark(*instance) for instance in instances]

        def sums(x, other):
            return x.sum(), other.sum()

        @register.register_method(output_names=["rest", "x", "sum", "note", "other"])
        def predict(x, note, other):
            function = mark if {batch_size} is None else mark_all
            rest = register.add_stage(function, x, note, other, outputs_count=1, batch_size={batch_size})
            first, second = register.add_stage(sums, x, other, outputs_count=2)
            return rest, x, first, note, second
        """
    ).start(servables.config())
    inputs = [{"x": np.full(3, i, np.int32), "note": "as it was", "other": ONES} for i in range(5)]
    for i, result in enumerate(servables.client("predict").infer(inputs)):
        assert result["x"].tolist() == [7, i, i]
        assert result["x"].dtype == np.int32
        assert result["rest"].tolist() == [i, i]
        assert (result["sum"], result["note"], result["other"]) == (7 + 2 * i, "as it was", 4)


def test_an_error_ends_the_instance_it_belongs_to(servables):
    servables.write(
        """
        def check(x):
            if x.sum() == 0:
                raise ValueError("nothing but zeros")
            return x

        def check_all(instances):
            for (x,) in instances:
                yield check(x)

        @register.register_method(output_names="y")
        def one(x):
            return register.add_stage(check, x, outputs_count=1)

        @register.register_method(output_names="y")
        def batch(x):
            return register.add_stage(check_all, x, outputs_count=1, batch_size=4, tag="Check")
        """
    ).start(servables.config())
    instances = [{"x": ONES}, {"x": ONES * 0}, {"x": ONES}, {"x": ONES}]
    for method, tag in (("one", "Function 'add.check'"), ("batch", "Check")):
        results = servables.client(method).infer(instances)
        assert f"Call {tag} Failed, method: '{method}', nothing but zeros" in results[1]["error"]
        assert all("y" in results[i] for i in (0, 2, 3))


@pytest.mark.parametrize(
    "body, text",
    [
        ("return x, x", "The outputs number 2 of one instance"),
        ("return None", "NoneType"),
        ("return x.dtype", "cannot be sent"),
        ("return object()", "cannot be sent"),
    ],
)
def test_a_result_that_is_none(servables, body, text):
    servables.write(
        f"""
        def wrong(x):
            {body}

        @register.register_method(output_names="y")
        def predict(x):
            return register.add_stage(wrong, x, outputs_count=1)
        """
    ).start(servables.config())
    assert text in servables.client("predict").infer({"x": ONES})["error"]


def test_fewer_results_than_instances(servables):
    servables.write(
        """
        def some(instances):
            return [1] * (len(instances) - 1)

        @register.register_method(output_names="y")
        def predict(x):
            return register.add_stage(some, x, outputs_count=1, batch_size=3)
        """
    ).start(servables.config())
    client = servables.client("predict")
    for _ in range(2):  # the worker lives on
        result = client.infer([{"x": ONES}] * 3)
        last = result["error"] if isinstance(result, dict) else result[-1]["error"]
        assert "not equal to the number" in last


def test_old_names_of_stages(servables):
    servables.write(
        """
        register.declare_servable(servable_file="add.mindir", model_format="mindir", with_batch_dim=False)

        def cast(x1, x2):
            return x1.astype(np.float32), x2.astype(np.float32)

        def total(instances):
            for (y,) in instances:
                yield y.sum()

        @register.register_method(output_names=["y"])
        def predict(x1, x2):
            x1, x2 = register.call_preprocess(cast, x1, x2)
            y = register.call_servable(x1, x2)
            y = register.call_postprocess_pipeline(total, y)
            return y
        """
    ).start()
    assert servables.client("predict").infer({"x1": ONES.astype(int), "x2": ONES.astype(int)})[0]["y"] == 8
