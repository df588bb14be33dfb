# SPDX-License-Identifier: Apache-2.0
"""Client: requests to one method of one servable over gRPC."""

from pathlib import Path

from mindspore_serving._arguments import check_int, check_str

try:
    import grpc
except ImportError as problem:
    raise ImportError("mindspore_serving.client needs the package grpcio: pip install grpcio") from problem

from mindspore_serving.client._messages import make_request, read_reply
from mindspore_serving.proto import ms_service_pb2

_MOST_MESSAGE_BYTES = 512 << 20


class SSLConfig:
    """What a client needs for TLS: names of PEM files.

    Args:
        certificate (str, optional): The client's own certificate; with `private_key` or not at all. Default:
            ``None``.
        private_key (str, optional): Its key. Default: ``None``.
        custom_ca (str, optional): Whose certificates are trusted; ``None``: gRPC's usual ones. Default:
            ``None``.
    """

    def __init__(self, certificate=None, private_key=None, custom_ca=None):
        for name, value in (
            ("certificate", certificate),
            ("private_key", private_key),
            ("custom_ca", custom_ca),
        ):
            if value is not None:
                check_str(name, value)
        if (certificate is None) != (private_key is None):
            raise RuntimeError("The certificate and private_key should be passed at the same time")
        self.certificate = certificate
        self.private_key = private_key
        self.custom_ca = custom_ca

    def credentials(self):
        def content(name):
            return None if name is None else Path(name).read_bytes()

        return grpc.ssl_channel_credentials(
            content(self.custom_ca), content(self.private_key), content(self.certificate)
        )


class _Stub:
    """The one call of the service."""

    def __init__(self, channel):
        self.Predict = channel.unary_unary(
            f"/{ms_service_pb2.DESCRIPTOR.package}.MSService/Predict",
            request_serializer=ms_service_pb2.PredictRequest.SerializeToString,
            response_deserializer=ms_service_pb2.PredictReply.FromString,
        )


class Client:
    """Asks one method of one servable.

    Args:
        address (str): ``"host:port"`` or ``"unix:path"``.
        servable_name (str): Name of the servable.
        method_name (str): Name of its method.
        version_number (int, optional): Version of the servable; ``0``: the newest that runs. Default: ``0``.
        ssl_config (SSLConfig, optional): TLS; ``None``: none. Default: ``None``.
        raise_on_error (bool, optional): A failure raises RuntimeError instead of being returned as
            ``{"error": text}``. Default: ``False``.
        timeout (float, optional): Seconds a request may take; ``None``: any time. Default: ``None``.

    Examples:
        >>> import numpy as np
        >>> from mindspore_serving.client import Client
        >>> with Client("localhost:5500", "add", "add_common") as client:
        ...     result = client.infer([{"x1": np.ones((2, 2), np.float32), "x2": np.ones((2, 2),
        np.float32)}])
    """

    def __init__(
        self,
        address,
        servable_name,
        method_name,
        version_number=0,
        ssl_config=None,
        *,
        raise_on_error=False,
        timeout=None,
    ):
        if isinstance(servable_name, int) and not isinstance(servable_name, bool):
            # The form of 1.1: ip, port, servable, method, version.
            address = f"{address}:{servable_name}"
            servable_name, method_name, version_number, ssl_config = (
                method_name,
                version_number,
                ssl_config or 0,
                None,
            )
        check_str("address", address)
        check_str("servable_name", servable_name)
        check_str("method_name", method_name)
        check_int("version_number", version_number, 0)
        if ssl_config is not None and not isinstance(ssl_config, SSLConfig):
            raise RuntimeError("The type of ssl_config should be type of SSLConfig")
        self.address = address
        self.servable_name = servable_name
        self.method_name = method_name
        self.version_number = version_number
        self.raise_on_error = raise_on_error
        self.timeout = timeout
        options = [
            ("grpc.max_send_message_length", _MOST_MESSAGE_BYTES),
            ("grpc.max_receive_message_length", _MOST_MESSAGE_BYTES),
        ]
        if ssl_config is None:
            self.channel = grpc.insecure_channel(address, options)
        else:
            self.channel = grpc.secure_channel(address, ssl_config.credentials(), options)
        self.stub = _Stub(self.channel)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        """Ends the connection."""
        self.channel.close()

    def infer(self, instances, timeout=None):
        """Results of instances, in their order.

        Args:
            instances (Union[dict, list[dict], tuple[dict]]): Each a dict of inputs by name: NumPy arrays and
                numbers, bool, int, float, str, bytes.
            timeout (float, optional): Seconds; ``None``: those of the client. Default: ``None``.

        Returns:
            list[dict], outputs by name; ``{"error": text}`` for an instance that failed, or instead of the
            list when the request failed.
        """
        request = self._request(instances)
        try:
            return self._result(self.stub.Predict(request, timeout=timeout or self.timeout))
        except grpc.RpcError as error:
            return self._failure(error)

    def infer_async(self, instances, timeout=None):
        """As :meth:`infer`, but returns at once: ``result()`` of what it returns waits."""
        return _Pending(
            self, self.stub.Predict.future(self._request(instances), timeout=timeout or self.timeout)
        )

    def _request(self, instances):
        request = make_request(self.servable_name, self.method_name, self.version_number, instances)
        size = request.ByteSize()
        if size > _MOST_MESSAGE_BYTES:
            raise RuntimeError(
                f"the request has {size} bytes, but a message holds {_MOST_MESSAGE_BYTES} at most: "
                "send fewer instances at a time"
            )
        return request

    def _result(self, reply):
        result = read_reply(reply)
        if self.raise_on_error:
            for instance in result if isinstance(result, list) else [result]:
                if "error" in instance and len(instance) == 1:
                    raise RuntimeError(instance["error"])
        return result

    def _failure(self, error):
        text = f"Grpc Error, {error.code().value}, {error.details()}"
        if self.raise_on_error:
            raise RuntimeError(text) from error
        print(text)
        return {"error": text}


class _Pending:
    """A request under way."""

    def __init__(self, client, future):
        self._client = client
        self._future = future

    def result(self):
        """Waits, and gives what :meth:`Client.infer` gives."""
        try:
            return self._client._result(self._future.result())
        except grpc.RpcError as error:
            return self._client._failure(error)
