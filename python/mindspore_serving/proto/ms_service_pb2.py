# SPDX-License-Identifier: Apache-2.0
"""Messages of ms_service.proto, made from its description when this is imported: generated code fits only the
releases of protobuf around the one it was generated for."""

from pathlib import Path

try:
    from google.protobuf import descriptor_pb2, descriptor_pool
    from google.protobuf.internal import builder
except ImportError as problem:
    raise ImportError(
        "mindspore_serving's gRPC client needs the package protobuf: pip install protobuf"
    ) from problem


def _add_file():
    described = descriptor_pb2.FileDescriptorSet()
    described.ParseFromString(Path(__file__).with_name("ms_service.desc").read_bytes())
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(described.file[0].SerializeToString())
    return pool.FindFileByName(described.file[0].name)


DESCRIPTOR = _add_file()
builder.BuildMessageAndEnumDescriptors(DESCRIPTOR, globals())
builder.BuildTopDescriptorsAndMessages(DESCRIPTOR, __name__, globals())
