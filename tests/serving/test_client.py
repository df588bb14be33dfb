# SPDX-License-Identifier: Apache-2.0
"""What the client does with mistakes, time limits and ways to the server."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
import requests
from serving_place import ADD, free_address

from mindspore_serving import server
from mindspore_serving.client import Client, SSLConfig

ONES = np.ones((2, 2), np.float32)
INPUTS = {"x1": ONES, "x2": ONES}


@pytest.mark.parametrize(
    "value, text",
    [
        ([1, 2], "Not support value type <class 'list'>"),
        (None, "Not support value type"),
        (np.array([None]), "Unknown data type object"),
        (np.array([1j]), "Unknown data type complex128"),
        (np.array(["a"]), "Unknown data type <U1"),
    ],
)
def test_values_that_cannot_be_sent(value, text):
    with Client("127.0.0.1:1", "add", "add") as client, pytest.raises(RuntimeError) as error:
        client.infer({"x": value})
    assert text in str(error.value)


def test_arguments():
    for wrong in (("", "a", "b"), ("a", 1.5, "b"), ("a", "b", None)):
        with pytest.raises(RuntimeError, match="Parameter"):
            Client(*wrong)
    with pytest.raises(RuntimeError, match="should be passed at the same time"):
        SSLConfig(certificate="file")
    with Client("127.0.0.1:1", "add", "add") as client, pytest.raises(RuntimeError, match="should be a map"):
        client.infer([1])


def test_nobody_listens(capsys):
    with Client(free_address(), "add", "add") as client:
        assert "Grpc Error, (14, 'unavailable')" in client.infer(INPUTS)["error"]
        assert "Grpc Error, (14, 'unavailable')" in client.infer_async(INPUTS).result()["error"]
    with Client(free_address(), "add", "add", raise_on_error=True) as client, pytest.raises(RuntimeError):
        client.infer(INPUTS)


def test_errors_as_exceptions(servables):
    servables.write(ADD).start()
    with pytest.raises(RuntimeError, match="Cannot find input x2 in instance input, servable add"):
        servables.client(raise_on_error=True).infer({"x1": ONES})
    with pytest.raises(RuntimeError, match=r"method\(no\), method is not available"):
        servables.client("no", raise_on_error=True).infer(INPUTS)
    assert "Instances count of request cannot be 0" in servables.client().infer([])["error"]


def test_a_time_limit(servables):
    servables.write(
        """
        import time

        def wait(x):
            time.sleep(2)
            return x

        @register.register_method(output_names="y")
        def slow(x):
            return register.add_stage(wait, x, outputs_count=1)
        """
    ).start(servables.config())
    error = servables.client("slow", timeout=0.2).infer({"x": 1})["error"]
    assert "deadline" in error.lower()


def test_a_request_too_many(servables):
    servables.write(
        """
        import time

        def wait(x):
            time.sleep(1)
            return x

        @register.register_method(output_names="y")
        def slow(x):
            return register.add_stage(wait, x, outputs_count=1)
        """
    ).start(servables.config())
    server.set_max_enqueued_requests(1)
    try:
        client = servables.client("slow")
        results = [pending.result() for pending in [client.infer_async({"x": 1}) for _ in range(3)]]
    finally:
        server.set_max_enqueued_requests(10000)
    refused = [result["error"] for result in results if isinstance(result, dict)]
    assert len(refused) == 2
    assert all("enqueued requests count exceeds the limit 1" in text for text in refused)


def test_a_message_that_is_too_large(servables):
    servables.write(ADD).start(grpc=False)
    address = free_address()
    server.start_grpc_server(address, max_msg_mb_size=1)
    with Client(address, "add", "add") as client:
        error = client.infer({"x1": np.zeros(1 << 20, np.float32), "x2": ONES})["error"]
    assert "Grpc Error, (8, 'resource exhausted')" in error


def test_a_unix_socket(servables):
    servables.write(ADD).start(grpc=False)
    server.start_grpc_server("unix:socket")
    with Client("unix:socket", "add", "add") as client:
        assert (client.infer(INPUTS)[0]["y"] == 2).all()


def make_certificate(folder):
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    names = [str(folder / "server.crt"), str(folder / "server.key")]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        + ["-addext", "subjectAltName=IP:127.0.0.1", "-out", names[0], "-keyout", names[1]],
        check=True,
        capture_output=True,
    )
    return names


def test_tls(servables, tmp_path):
    certificate, key = make_certificate(tmp_path)
    mutual = server.SSLConfig(certificate, key, custom_ca=certificate, verify_client=True)
    servables.write(ADD).start(grpc=False)
    grpc, rest = free_address(), free_address()
    server.start_grpc_server(grpc, ssl_config=mutual)
    server.start_restful_server(rest, ssl_config=server.SSLConfig(certificate, key))
    with Client(grpc, "add", "add", ssl_config=SSLConfig(certificate, key, certificate)) as client:
        assert (client.infer(INPUTS)[0]["y"] == 2).all()
    for stranger in (None, SSLConfig(custom_ca=certificate)):
        with Client(grpc, "add", "add", ssl_config=stranger) as client:
            assert "unavailable" in client.infer(INPUTS)["error"]
    body = {"instances": {"x1": ONES.tolist(), "x2": ONES.tolist()}}
    answer = requests.post(f"https://{rest}/model/add:add", json=body, verify=certificate)
    assert answer.json() == {"instances": [{"y": (ONES * 2).tolist()}]}
    with pytest.raises(requests.ConnectionError):
        requests.post(f"http://{rest}/model/add:add", json=body)


@pytest.mark.parametrize("start", [server.start_grpc_server, server.start_restful_server])
def test_files_that_tls_cannot_be_made_of(start, tmp_path):
    (tmp_path / "other").mkdir()
    certificate, key = make_certificate(tmp_path)
    _, other_key = make_certificate(tmp_path / "other")
    address = free_address()
    begin = "Serving Error: "
    if start is server.start_grpc_server:
        begin += f"Serving gRPC server start failed, create server failed, address {address}: "
    for files, text in (
        ((key, key), f"load certificate from {key} failed"),
        ((certificate, certificate), f"load private_key from {certificate} failed"),
        ((certificate, other_key), f"load private_key from {other_key} failed"),
        ((certificate, key, str(tmp_path / "none")), f"load custom_ca from {tmp_path / 'none'} failed"),
    ):
        with pytest.raises(RuntimeError) as caught:
            start(address, ssl_config=server.SSLConfig(*files))
        assert str(caught.value).startswith(begin + text)


def test_rest_in_both_protocols(servables):
    servables.write(ADD).start(grpc=False, rest=True)
    url = f"http://{servables.rest}"
    matrix = ONES.tolist()
    classic = requests.post(
        f"{url}/model/add/version/1:add", json={"instances": [{"x1": matrix, "x2": matrix}]}
    )
    assert classic.json() == {"instances": [{"y": (ONES * 2).tolist()}]}
    wrong = requests.post(f"{url}/model/add:add", json={"instances": [{"x1": [["a"]], "x2": matrix}]})
    assert (wrong.status_code, list(wrong.json())) == (200, ["error_msg"])
    inputs = [{"name": name, "shape": [2, 2], "datatype": "FP32", "data": matrix} for name in ("x1", "x2")]
    (output,) = requests.post(f"{url}/v2/models/add/infer", json={"inputs": inputs}).json()["outputs"]
    assert (output["name"], output["shape"], output["data"]) == ("y", [2, 2], [2, 2, 2, 2])
