# SPDX-License-Identifier: Apache-2.0
"""What does not start says why, and leaves nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest
from serving_place import ADD, free_address

from mindspore_serving import server
from mindspore_serving.server import ServableStartConfig, SSLConfig
from mindspore_serving.server._servable_local import merge_config


@pytest.mark.parametrize(
    "options, text",
    [
        ({"servable_directory": ""}, "Parameter 'servable_directory' should not be empty str"),
        (
            {"servable_directory": 1},
            "Parameter 'servable_directory' should be str, but actually <class 'int'>",
        ),
        ({"servable_name": False}, "Parameter 'servable_name' should be str"),
        ({"device_ids": "1"}, "Parameter 'device_ids' should be int or tuple/list of int"),
        ({"device_ids": -1}, "The item value '-1' in parameter 'device_ids' should be >= 0"),
        ({"device_ids": (1, 1)}, "The item value '1' in parameter 'device_ids' should not be repeated"),
        ({"version_number": False}, "Parameter 'version_number' should be int"),
        ({"version_number": -1}, "Parameter 'version_number' should be >= 0"),
        ({"device_type": 1}, "Parameter 'device_type' should be str"),
        ({"device_type": "TPU"}, "Unsupported device type 'TPU'"),
        ({"num_parallel_workers": 65}, "Parameter 'num_parallel_workers' should be in range [0,64]"),
        ({"dec_key": "text"}, "Parameter 'dec_key' should be bytes"),
        ({"dec_key": b"short"}, "of length 16, 24 or 32, but its length is 5"),
        ({"dec_mode": "SM4"}, "'AES-GCM' or 'AES-CBC'"),
    ],
)
def test_wrong_parameters(options, text):
    with pytest.raises(RuntimeError) as error:
        ServableStartConfig(**{"servable_directory": ".", "servable_name": "add", **options})
    assert text in str(error.value)


def test_configs_of_one_version_are_one(servables):
    servables.write(ADD, versions=(1, 2))
    merged = merge_config(
        [
            servables.config(device_ids=1),
            servables.config(device_ids=(0, 1), version_number=2, num_parallel_workers=3),
            servables.config(device_ids=4, version_number=1),
        ]
    )
    assert [(config.version_number, config.device_ids, config.num_parallel_workers) for config in merged] == [
        (2, (1, 0), 3),
        (1, (4,), 0),
    ]
    with pytest.raises(RuntimeError, match="The dec key or dec mode of servable name add is different"):
        merge_config([servables.config(), servables.config(dec_key=b"0" * 16)])


@pytest.mark.parametrize(
    "config, text",
    [
        ("raise KeyError('there')", "import add.servable_config failed, KeyError: 'there'"),
        ("import not_there_at_all", "No module named 'not_there_at_all'"),
        ("x = ", "SyntaxError"),
        ("import os; os._exit(3)", "exit status 3"),
        ("pass", "There is no method registered for servable 'add'"),
        ("register.declare_model('a', 'TF')", "model format can only be OM, MindIR or MindIR_Lite"),
        ("register.declare_model('a', 'OM')", "export the network as MindIR"),
    ],
)
def test_a_config_that_cannot_be_read(servables, config, text):
    servables.write(config)
    with pytest.raises(RuntimeError, match="^Fail to start workers: ") as error:
        server.start_servables(servables.config())
    assert text in str(error.value)


@pytest.mark.parametrize(
    "body, text",
    [
        ("def m(*x): pass", "'m' input x cannot be VAR_POSITIONAL !"),
        ("def m(*, x): pass", "'m' input x cannot be KEYWORD_ONLY !"),
        ("def m(x): return 1", "Each value returned is a placeholder for data"),
        ("def m(x): return x, x", "Method return output size 2 not match registered 1"),
        (
            "def m(x): return register.add_stage(model, 1, outputs_count=1)",
            "Each value of parameter *args is a placeholder for data",
        ),
        (
            "def m(x): return register.add_stage(print, x, outputs_count=0)",
            "Parameter 'outputs_count' should be >= 1",
        ),
        (
            "def m(x): return register.add_stage(abs, x, x, outputs_count=1)",
            "function abs input args count 1 not match the count 2 registered in method",
        ),
        (
            "def m(x): return register.add_stage(1, x, outputs_count=1)",
            "must be function or Model returned by declare_model",
        ),
        (
            "def m(x):\n  if True:\n    x = register.call_servable(x)\n  return x",
            "conditions and loops are not supported",
        ),
        (
            "def m(x):\n  x = register.call_preprocess(abs, x)\n  return x",
            "Not find the invoke of 'call_servable'",
        ),
        (
            "def m(x):\n  x = register.call_servable(x, x)\n  x = register.call_servable(x, x)\n  return x",
            "call_servable should not be invoked more than once",
        ),
        (
            "def m(x):\n  x = register.call_servable(x, x)\n  return register.call_preprocess(abs, x)",
            "call_servable should be invoked after call_preprocess",
        ),
        (
            "def m(x): return register.add_stage(model, x, outputs_count=1)",
            "The inputs count 1 in register_method not equal to the count 2 defined in model",
        ),
    ],
)
def test_a_method_that_cannot_be(servables, body, text):
    servables.write("")
    config = servables.folder / "add" / "servable_config.py"
    declaration = 'model = register.declare_model("add.mindir", "MindIR", with_batch_dim=False)\n'
    config.write_text(config.read_text() + declaration + f'@register.register_method("y")\n{body}\n')
    with pytest.raises(RuntimeError) as error:
        server.start_servables(servables.config())
    assert text in str(error.value)


def test_folders_that_are_not_there(servables):
    with pytest.raises(RuntimeError, match="Check servable config failed, directory"):
        server.start_servables(servables.config())
    (servables.folder / "add").mkdir()
    with pytest.raises(RuntimeError, match="Check servable config failed, file"):
        server.start_servables(servables.config())
    servables.write(ADD, versions=())
    for name in ("0", "01", "x"):
        (servables.folder / "add" / name).mkdir()
    with pytest.raises(RuntimeError, match="There is no valid version directory of models while"):
        server.start_servables(servables.config())
    servables.write(ADD, versions=(3,), files=())
    with pytest.raises(
        RuntimeError, match="no specified version directory of models, specified version number: 2"
    ):
        server.start_servables(servables.config(version_number=2))
    with pytest.raises(RuntimeError, match="Load model failed, servable directory: "):
        server.start_servables(servables.config())


def test_devices_that_are_not_there(servables):
    servables.write(ADD)
    with pytest.raises(RuntimeError, match="The device type 'ascend' of servable name add is inconsistent"):
        server.start_servables(servables.config(device_ids=0, device_type="Ascend"))


def test_addresses(servables):
    address = free_address()
    for start in (server.start_grpc_server, server.start_restful_server):
        for wrong in ("nowhere", "127.0.0.1", "127.0.0.1:70000"):
            with pytest.raises(RuntimeError, match="is illegal|out of legal range"):
                start(wrong)
        with pytest.raises(RuntimeError, match=r"Parameter 'max_msg_mb_size' should be in range \[1,512\]"):
            start(address, 513)
        start(address)
        with pytest.raises(RuntimeError, match="is already running"):
            start(free_address())
        server.stop()
    with pytest.raises(RuntimeError, match="does not support binding to unix domain socket"):
        server.start_restful_server("unix:socket")
    with pytest.raises(RuntimeError, match="'custom_ca' should be given"):
        SSLConfig("a", "b", verify_client=True)


def test_the_client_needs_no_server_and_no_framework():
    code = (
        "import sys, mindspore_serving.client\n"
        "print(sorted(name for name in ('mindspore', 'mindspore_serving._c_serving') if name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
