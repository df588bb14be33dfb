# SPDX-License-Identifier: Apache-2.0
"""The messages of a gRPC server, as it describes them itself: tests need no generated code."""

from __future__ import annotations

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# Releases of protobuf before 4.22 have the second.
class_of = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory().GetPrototype
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"


def _reflection_messages():
    """Of reflection itself, as far as it is needed: what asks for a symbol, and what brings files."""
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="reflected.proto", package="reflected", syntax="proto3")
    ask = file.message_type.add(name="Ask")
    ask.field.add(name="symbol", number=4, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    files = file.message_type.add(name="Files")
    files.field.add(name="file", number=1, type=field.TYPE_BYTES, label=field.LABEL_REPEATED)
    tell = file.message_type.add(name="Tell")
    tell.field.add(
        name="files",
        number=4,
        type=field.TYPE_MESSAGE,
        label=field.LABEL_OPTIONAL,
        type_name=".reflected.Files",
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    names = ("reflected.Ask", "reflected.Tell")
    return [class_of(pool.FindMessageTypeByName(name)) for name in names]


class Service:
    """A service of a server: its methods can be called by their names, with messages of its own."""

    def __init__(self, address: str, name: str):
        self._channel = grpc.insecure_channel(address)
        ask, tell = _reflection_messages()
        reflect = self._channel.stream_stream(
            REFLECTION, request_serializer=ask.SerializeToString, response_deserializer=tell.FromString
        )
        self._pool = descriptor_pool.DescriptorPool()
        for answer in reflect(iter([ask(symbol=name)])):
            for file in answer.files.file:
                self._pool.AddSerializedFile(file)
        self._service = self._pool.FindServiceByName(name)

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *unused):
        self._channel.close()

    def message(self, name: str, /, **fields):
        """A message of the service's package."""
        kind = self._pool.FindMessageTypeByName(f"{self._service.file.package}.{name}")
        return class_of(kind)(**fields)

    def __getattr__(self, name: str):
        method = self._service.FindMethodByName(name)
        is_stream = (method.client_streaming, method.server_streaming) == (True, True)
        make = self._channel.stream_stream if is_stream else self._channel.unary_unary
        reply = class_of(method.output_type)
        return make(
            f"/{self._service.full_name}/{name}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=reply.FromString,
        )
