"""CLOVA Speech's messages on the wire (`nest.proto`), registered by hand: six fields need no code generator.

    service NestService { rpc recognize(stream NestRequest) returns (stream NestResponse) {} }

They live in a pool of their own, so that a generated copy of the same proto elsewhere in the process
(a plugin's, say) does not clash with them. Import this module only where gRPC is needed: it takes
some 14 MB and a third of a second, which no job of another engine should pay.

The streams of one process over all its domains: each is opened for one stretch and then given back.

None is kept for the next stretch: see `stream` for why, and it would hold one of its domain's fifteen
channels, which other processes may need. What is kept is the domain's connection, so a new stream costs
one exchange with the server, which takes place while its sound is still being spoken.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any, Final

import grpc.aio  # noqa: F401 - whoever speaks needs it, and loads it with this
import structlog
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from stt.providers.clova.domains import Domain, DomainAddress, DomainFull
from stt.providers.clova.stream import ConfigRefused, RecogniseStream
from stt.segment import EngineBusy, EngineFailed, SpeechError

PACKAGE: Final = "com.nbp.cdncp.nest.grpc.proto.v1"
SERVICE: Final = f"{PACKAGE}.NestService"
METHOD: Final = "recognize"
CONFIG: Final = 0
DATA: Final = 1
MAX_CHUNK_BYTES: Final = 32_000
"""What the official sample sends at most in one message: one second."""

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
    """The first message of a stream."""
    return Request(type=CONFIG, config={"config": json.dumps(config, ensure_ascii=False)})


def data_request(pcm: bytes, *, seq: int = 0, flush: bool = False) -> Any:
    """Sound. With `flush`, everything heard so far is answered, and the last answer echoes `seq` (not 0)."""
    extra = json.dumps({"seqId": seq, "epFlag": flush})
    return Request(type=DATA, data={"chunk": pcm, "extra_contents": extra})


_log = structlog.get_logger(__name__)


class StreamPool:
    """At most `max_channels` streams per domain, each for one stretch."""

    def __init__(self, addresses: Sequence[DomainAddress], *, max_channels: int) -> None:
        self._domains = [Domain(address, max_channels=max_channels) for address in addresses]
        self._leaving: set[asyncio.Task[None]] = set()
        """The goodbyes that are under way."""
        self._closed = False

    @property
    def in_use(self) -> int:
        """Channels that this process holds."""
        return sum(domain.in_use for domain in self._domains)

    async def take(self, config: dict[str, Any]) -> RecogniseStream:
        """A stream with this configuration, where there is most room to our knowledge.

        Raises `EngineBusy` where every domain is full or away, `EngineFailed` where all refuse.
        """
        while self._leaving and all(domain.free <= 0 for domain in self._domains):
            await asyncio.wait(self._leaving, return_when=asyncio.FIRST_COMPLETED)
        if self._closed:
            raise EngineFailed("the engine was closed")
        troubles: list[SpeechError] = []
        for domain in sorted(self._domains, key=_rank):
            if (trouble := domain.trouble()) is not None:
                troubles.append(trouble)
                continue
            try:
                stream = await RecogniseStream.open(domain, config)
            except ConfigRefused:
                raise  # the other domains would say the same
            except SpeechError as error:
                domain.note(error)
                troubles.append(error)
                _log.info("clova_domain_passed_over", domain=domain.name, error=str(error))
                continue
            domain.works()
            return stream
        raise _summed_up(troubles)

    async def give_back(self, stream: RecogniseStream) -> None:
        """After its stretch, however that ended. The words are there, so nobody waits for the goodbye."""
        if self._closed or not stream.alive:
            await stream.aclose()
            return
        leaving = asyncio.create_task(  # noqa: TID251 - owned here, ends within `stream`'s bound, waited for in `aclose`
            stream.aclose(gently=True), name="clova-goodbye"
        )
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)

    async def aclose(self) -> None:
        """Hang up everywhere."""
        self._closed = True
        if self._leaving:
            await asyncio.wait(self._leaving)
        for domain in self._domains:
            await domain.aclose()


def _rank(domain: Domain) -> tuple[bool, bool, int]:
    # Every process counts its own streams alone, so the first domain seems to have most room to all of
    # them: who was told that it is full asks the others first, or each stretch would be refused there.
    return domain.refuses, domain.crowded, -domain.free


def _summed_up(troubles: Sequence[SpeechError]) -> SpeechError:
    """What all domains said, as one error: while one of them may work again, it is worth waiting."""
    reason = "; ".join(dict.fromkeys(str(trouble) for trouble in troubles)) or "no CLOVA Speech domain is set"
    if not any(isinstance(trouble, EngineBusy) for trouble in troubles):
        return EngineFailed(reason)
    busy = EngineBusy(reason)
    if any(isinstance(trouble, DomainFull) for trouble in troubles):
        busy.retry_after_s = 0.5
    return busy
