"""CLOVA Speech's messages on the wire (`nest.proto`), registered by hand: six fields need no code generator.

    service NestService { rpc recognize(stream NestRequest) returns (stream NestResponse) {} }

They live in a pool of their own, so that a generated copy of the same proto elsewhere in the process
(a plugin's, say) does not clash with them. Import this module only where gRPC is needed: it takes
some 14 MB and a third of a second, which no job of another engine should pay.
"""

from __future__ import annotations

import json
from typing import Any, Final

import grpc.aio  # noqa: F401 - whoever opens a stream needs it, and loads it by importing this module
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE: Final = "com.nbp.cdncp.nest.grpc.proto.v1"
SERVICE: Final = f"{PACKAGE}.NestService"
METHOD: Final = "recognize"
CONFIG: Final = 0
DATA: Final = 1
MAX_CHUNK_BYTES: Final = 32_000
"""The most that the official sample sends in one message: one second of sound."""

_Field = descriptor_pb2.FieldDescriptorProto


def _register() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="nest.proto", package=PACKAGE, syntax="proto3")
    kinds = file.enum_type.add(name="RequestType")
    kinds.value.add(name="CONFIG", number=CONFIG)
    kinds.value.add(name="DATA", number=DATA)

    def message(name: str, **fields: tuple[int, int]) -> descriptor_pb2.DescriptorProto:
        kind = file.message_type.add(name=name)
        for field, (number, wire_type) in fields.items():
            kind.field.add(
                name=field,
                number=number,
                type=wire_type,
                label=_Field.LABEL_OPTIONAL,
            )
        return kind

    message("NestConfig", config=(1, _Field.TYPE_STRING))
    message("NestData", chunk=(1, _Field.TYPE_BYTES), extra_contents=(2, _Field.TYPE_STRING))
    message("NestResponse", contents=(1, _Field.TYPE_STRING))
    request = message(
        "NestRequest",
        type=(1, _Field.TYPE_ENUM),
        config=(2, _Field.TYPE_MESSAGE),
        data=(3, _Field.TYPE_MESSAGE),
    )
    request.oneof_decl.add(name="part")
    kind, config, data = request.field
    kind.type_name = f".{PACKAGE}.RequestType"
    config.type_name, config.oneof_index = f".{PACKAGE}.NestConfig", 0
    data.type_name, data.oneof_index = f".{PACKAGE}.NestData", 0
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return {
        kind.name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{kind.name}"))
        for kind in file.message_type
    }


_MESSAGES: Final = _register()
Request: Final[Any] = _MESSAGES["NestRequest"]
Response: Final[Any] = _MESSAGES["NestResponse"]


def config_request(config: dict[str, Any]) -> Any:
    """Make the first message of a stream. `config`: see `replies.configuration`."""
    return Request(type=CONFIG, config={"config": json.dumps(config, ensure_ascii=False)})


def data_request(pcm: bytes, *, seq: int = 0, flush: bool = False) -> Any:
    """Make a message of PCM. `flush`: all so far is answered, and the last answer echoes `seq` (not 0)."""
    extra = json.dumps({"seqId": seq, "epFlag": flush})
    return Request(type=DATA, data={"chunk": pcm, "extra_contents": extra})
