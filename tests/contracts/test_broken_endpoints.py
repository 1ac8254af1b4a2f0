"""Whatever an endpoint sends is an answer or the port's error: never another exception, silence, or nothing.

The same shapes for chat (whole and streamed), embeddings and speech, by a real server. After each of them the
endpoint is well again, and the same adapter works.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
from collections.abc import AsyncIterator
from typing import Any, Protocol

import numpy as np
import pytest
from pydantic import SecretStr

from context.ports import ChatMessage, CutOff, PortError
from stt.providers.openai_compatible import OpenAICompatible
from stt.segment import SpeechError
from tests.fakes import spoken
from tests.fakes.broken_endpoint import EVENTS, BrokenEndpoint, Reply, anyones, events, of
from worker.adapters.clova_llm import ClovaLanguageModel
from worker.adapters.clova_wire import ClovaWire
from worker.adapters.openai_embedder import OpenAIEmbedder
from worker.adapters.openai_llm import OpenAILanguageModel

WITHIN_S = 60.0
Limits = dict[str, float]
ROOMY: Limits = {"read_timeout_s": 20.0, "deadline_s": 40.0}
"""No machine is so busy that it needs longer."""
QUICK: Limits = {"read_timeout_s": 1.0, "deadline_s": 3.0}
"""For replies that never end."""
SAID = "출시일은 12월 22일입니다. The 22nd."
ASKED = [ChatMessage(role="system", content="규칙"), ChatMessage(role="user", content="출시일은 언제예요?")]
GONE = object()
"""The port's error is expected."""


def whole(message: Any, finish: Any = "stop") -> Reply:
    return of({"choices": [{"index": 0, "message": message, "finish_reason": finish}]})


def chunk(delta: Any, finish: Any = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def chunks(*deltas: Any, **change: Any) -> Reply:
    return events(*map(chunk, deltas), chunk({}, "stop"), **change)


TWO = ({"content": "출시일은 12월 "}, {"content": "22일입니다. The 22nd."})
PARTS = [
    {"type": "text", "text": "출시일은 12월 "},
    {"type": "image_url"},
    {"type": "text", "text": "22일입니다. The 22nd."},
]
RIGHT = whole({"role": "assistant", "content": SAID})
CHAT: dict[str, tuple[Reply, Any]] = {
    "well": (RIGHT, SAID),
    "streamed well": (chunks(*TWO), SAID),
    "called a page, but JSON": (Reply(RIGHT.body, kind="text/html"), SAID),
    "a byte order mark": (Reply(b"\xef\xbb\xbf" + RIGHT.body), SAID),
    "its charset is told": (Reply(RIGHT.body.decode().encode("cp949"), kind="application/json; charset=euc-kr"), SAID),
    "packed": (Reply(gzip.compress(RIGHT.body), headers=("Content-Encoding: gzip",)), SAID),
    "content in parts": (whole({"content": PARTS}), SAID),
    "content in parts, streamed": (chunks(*({"content": [{"type": "text", "text": d["content"]}]} for d in TWO)), SAID),
    "content as a text object": (whole({"content": [{"type": "text", "text": {"value": SAID}}]}), SAID),
    "content as texts": (whole({"content": ["출시일은 12월 ", "22일입니다. The 22nd."]}), SAID),
    "as old completions": (of({"choices": [{"text": SAID, "finish_reason": "stop"}]}), SAID),
    "as Ollama's own": (of({"message": {"role": "assistant", "content": SAID}, "done": True}), SAID),
    "lines of JSON": (Reply("\n".join(json.dumps(chunk(d)) for d in TWO).encode()), SAID),
    "no [DONE]": (chunks(*TWO, done=False), SAID),
    "no [DONE] and no last blank line": (Reply(chunks(*TWO, done=False).body.rstrip(), kind=EVENTS), SAID),
    "never says why it ends": (events(*map(chunk, TWO)), SAID),
    "CRLF": (chunks(*TWO, end="\r\n\r\n"), SAID),
    "CR": (chunks(*TWO, end="\r\r"), SAID),
    "no blank behind the colon": (chunks(*TWO, before="data:"), SAID),
    "comments and names": (chunks(*TWO, before=": ping\nevent: message\nid: 7\nretry: 10\ndata: "), SAID),
    "cut within letters": (chunks(*TWO, pieces=400), SAID),
    "CRLF, a byte at a time": (chunks(*TWO, end="\r\n\r\n", pieces=10_000), SAID),
    "a stream called JSON": (chunks(*TWO, kind="application/json"), SAID),
    "a stream called nothing": (chunks(*TWO, kind=""), SAID),
    "chunks without a delta": (events(chunk(TWO[0]), {"choices": [{"index": 0}]}, chunk(None), chunk(TWO[1])), SAID),
    "chunks without choices": (events({"id": 1}, chunk(TWO[0]), {"choices": None}, {"choices": []}, chunk(TWO[1])), SAID),
    "chunks that are no objects": (events(None, chunk(TWO[0]), [1], "7", chunk(TWO[1])), SAID),
    "usage of wrong types": (
        of({"choices": [{"message": {"content": SAID}}], "usage": {"prompt_tokens": "7", "prompt_tokens_details": [1]}}),
        SAID,
    ),
    "half a surrogate, and a NUL": (Reply(json.dumps({"choices": [{"message": {"content": "22\ud83d일\x00"}}]}).encode()), "22\ufffd일\ufffd"),
    "a finish of a wrong type": (whole({"content": SAID}, finish=["stop"]), SAID),
    "JSON over several lines of data": (events(json.dumps(chunk({"content": SAID}), indent=1).replace("\n", "\ndata: ")), SAID),
    "usage behind it all": (events(*map(chunk, TWO), chunk({}, "stop"), {"choices": [], "usage": {"prompt_tokens": 7}}), SAID),
    "keep-alive lines without a word": (chunks(*TWO, before="data:\n\n: ping\r\n\r\ndata: \n\ndata: "), SAID),
    "more behind [DONE]": (Reply(chunks(*TWO).body + b"data: {broken\n\n", kind=EVENTS), SAID),
    "[DONE] as JSON": (events(*map(chunk, TWO), '"[DONE]"', done=False), SAID),
    "thoughts, then words": (chunks({"reasoning_content": "음"}, {"content": None, "reasoning": "so"}, *TWO), SAID),
    "all of it so far beside each piece": (
        events(
            {"choices": [{"delta": TWO[0], "message": TWO[0]}]},
            {"choices": [{"delta": TWO[1], "message": {"content": SAID}}]},
            {"choices": [{"delta": {}, "message": {"content": SAID}, "finish_reason": "stop"}]},
        ),
        SAID,
    ),
    "a message beside an empty delta": (of({"choices": [{"delta": {}, "message": {"content": SAID}}]}), SAID),
    "a call of a tool behind the words": (chunks(*TWO, {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}), SAID),
    "Ollama's own lines": (
        Reply("\n".join(json.dumps({"message": d, "done": False}) for d in TWO).encode(), kind="application/x-ndjson"),
        SAID,
    ),
    "UTF-16": (Reply(RIGHT.body.decode().encode("utf-16")), SAID),
    "UTF-8 called Latin": (Reply(RIGHT.body, kind="application/json; charset=iso-8859-1"), SAID),
    "UTF-8 called Korean": (Reply(RIGHT.body, kind="application/json; charset=euc-kr"), SAID),
    "early hints": (Reply(RIGHT.body, head=b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"), SAID),
    "in chunks": (
        Reply(b"%x\r\n%s\r\n0\r\n\r\n" % (len(RIGHT.body), RIGHT.body), headers=("Transfer-Encoding: chunked",)),
        SAID,
    ),
    "a stream, packed": (Reply(gzip.compress(chunks(*TWO).body), kind=EVENTS, headers=("Content-Encoding: gzip",)), SAID),
    "a page behind the JSON": (Reply(RIGHT.body + b"\n<!-- served by the proxy -->"), GONE),
    "thoughts alone, streamed": (chunks({"reasoning_content": "음"}, {"reasoning_content": "22일"}), GONE),
    "filtered, streamed": (events(chunk({"role": "assistant"}), chunk({}, "content_filter")), GONE),
    "a tool call in pieces": (
        chunks(*({"tool_calls": [{"index": 0, "function": told}]} for told in ({"name": "search"}, {"arguments": '{"q'}))),
        GONE,
    ),
    "an error beside an empty choice": (
        events(chunk(TWO[0]), {"error": {"message": "died", "code": 502}, "choices": [chunk({"content": ""}, "error")["choices"][0]]}),
        GONE,
    ),
    "breaks off and says so": (events(chunk(TWO[0]), chunk({}, "abort")), GONE),
    "an error by its event's name": (
        Reply(events(chunk(TWO[0]), done=False).body + b'event: error\ndata: {"message": "died"}\n\n', kind=EVENTS),
        GONE,
    ),
    "words without end": (Reply(events(chunk(TWO[0]), done=False).body * 99, kind=EVENTS, repeats=0, pause_s=0.05), GONE),
    "choices null": (of({"choices": None}), GONE),
    "choices empty": (of({"choices": []}), GONE),
    "choices [null]": (of({"choices": [None]}), GONE),
    "choices [{}]": (of({"choices": [{}]}), GONE),
    "choices a text": (of({"choices": SAID}), GONE),
    "message null": (whole(None), GONE),
    "message a text": (whole(SAID), GONE),
    "content null": (whole({"content": None}), GONE),
    "content empty": (whole({"content": ""}), GONE),
    "content blank": (whole({"content": " \n"}), GONE),
    "content a number": (whole({"content": 22}), GONE),
    "content true": (whole({"content": True}), GONE),
    "content an empty list": (whole({"content": []}), GONE),
    "content parts without text": (whole({"content": [{"type": "image_url"}, None, 7, {"type": "text", "text": None}]}), GONE),
    "a tool call": (whole({"content": None, "tool_calls": [{"function": {"name": "search"}}]}, "tool_calls"), GONE),
    "tool calls of wrong types": (whole({"content": None, "tool_calls": [7], "function_call": "x"}), GONE),
    "a refusal": (whole({"content": None, "refusal": "I can't help with that."}), GONE),
    "filtered": (whole({"content": ""}, "content_filter"), GONE),
    "only thoughts": (whole({"content": "", "reasoning_content": "음"}), GONE),
    "only thoughts, marked": (whole({"content": "<think>음, 22일이던가"}), GONE),
    "streamed nothing": (chunks({"role": "assistant", "content": ""}), GONE),
    "streamed null": (chunks({"content": None}), GONE),
    "streamed numbers": (chunks({"content": 7}), GONE),
    "streamed a tool call": (chunks({"tool_calls": [{"index": 0, "function": {"name": "search"}}]}), GONE),
    "streamed a refusal": (chunks({"refusal": "I can't "}, {"refusal": "help."}), GONE),
    "streams without deltas": (events({"choices": [{}]}, {"choices": [{"delta": None}]}), GONE),
    "garbage in the stream": (events(chunk(TWO[0]), '{"choices": [{"del'), GONE),
    "an error in the stream": (events(chunk(TWO[0]), {"error": {"message": "died"}}), GONE),
    "a stream of another charset": (Reply(chunks(*TWO).body.decode().encode("cp949"), kind=EVENTS), GONE),
    "a stream that is reset": (Reply(events(chunk(TWO[0]), done=False).body, kind=EVENTS, length=9000, reset=True), GONE),
    "a stream that is cut short": (Reply(events(chunk(TWO[0]), done=False).body, kind=EVENTS, length=9000), GONE),
    "a stream that falls silent": (Reply(events(chunk(TWO[0]), done=False).body, kind=EVENTS, length=9000, pause_s=60), GONE),
}  # fmt: skip


def vectors(*rows: Any, indices: tuple[Any, ...] | None = None) -> Reply:
    numbers = indices if indices is not None else tuple(range(len(rows)))
    return of({"data": [{"index": n, "embedding": row} for n, row in zip(numbers, rows, strict=True)]})


def packed(*numbers: float) -> str:
    return base64.b64encode(np.array(numbers, dtype="<f4").tobytes()).decode()


PAIR = [[1.0, 0.0], [0.0, 1.0]]
EMBEDDINGS: dict[str, tuple[Reply, Any]] = {
    "well": (vectors([3, 0], [0, 2.5]), PAIR),
    "out of order": (vectors([0, 1], [1, 0], indices=(1, 0)), PAIR),
    "not numbered": (of({"data": [{"embedding": row} for row in PAIR]}), PAIR),
    "base64": (vectors(packed(1, 0), packed(0, 1)), PAIR),
    "in a stream": (events({"data": [{"index": n, "embedding": row} for n, row in enumerate(PAIR)]}), PAIR),
    "too few": (vectors([1, 0]), GONE),
    "too many": (vectors([1, 0], [0, 1], [1, 1]), GONE),
    "of other lengths": (vectors([1, 0], [1, 0, 0]), GONE),
    "doubled": (vectors([1, 0], [0, 1], indices=(0, 0)), GONE),
    "numbered from one": (vectors([1, 0], [0, 1], indices=(1, 2)), GONE),
    "numbered by texts": (vectors([1, 0], [0, 1], indices=("0", "1")), GONE),
    "numbered by lists": (vectors([1, 0], [0, 1], indices=([0], [1])), GONE),
    "without numbers": (vectors([], []), GONE),
    "NaN": (vectors([1, float("nan")], [0, 1]), GONE),
    "infinite": (vectors([1, float("inf")], [0, 1]), GONE),
    "beyond floats": (vectors([10**400, 1], [0, 1]), GONE),
    "null within": (vectors([1, None], [0, 1]), GONE),
    "texts within": (vectors(["1", "0"], [0, 1]), GONE),
    "truths within": (vectors([True, False], [0, 1]), GONE),
    "base64 of no number": (vectors(packed(1, float("nan")), packed(0, 1)), GONE),
    "beyond single floats": (vectors([1e300, 1], [0, 1]), GONE),
    "too long for single floats": (vectors([1e30, 0], [0, 1e30]), PAIR),
    "too long for double floats": (vectors([1e300, 0], [0, 1]), GONE),
    "an object of numbers": (vectors({"0": 1, "1": 0}, [0, 1]), GONE),
    "texts of lists": (vectors("[1, 0]", "[0, 1]"), GONE),
    "numbered below nought": (vectors([1, 0], [0, 1], indices=(-1, 0)), GONE),
    "numbered by floats": (vectors([0, 1], [1, 0], indices=(1.0, 0.0)), PAIR),
    "bare lists": (of(PAIR), GONE),
    "a vector null": (vectors(None, [0, 1]), GONE),
    "a vector nested": (vectors([[1, 0]], [[0, 1]]), GONE),
    "a vector of zeros": (vectors([0, 0], [0, 1]), GONE),
    "broken base64": (vectors("§§§", packed(0, 1)), GONE),
    "base64 of half a number": (vectors("AAAA", "AAAA"), GONE),
    "data null": (of({"data": None}), GONE),
    "data an object": (of({"data": {"0": [1, 0]}}), GONE),
    "data of numbers": (of({"data": [1, 0]}), GONE),
    "data of nulls": (of({"data": [None, None]}), GONE),
}

HEARD = "내일 세 시에 봅시다."
SPEECH: dict[str, tuple[Reply, Any]] = {
    "well": (of({"text": HEARD}), HEARD),
    "a text body": (Reply(HEARD.encode(), kind="text/plain; charset=utf-8"), HEARD),
    "a text body with wide letters": (Reply("！네, ﾊｲ".encode(), kind="text/plain"), "！네, ﾊｲ"),
    "a short text body": (Reply("네".encode(), kind="text/plain"), "네"),
    "a text body of another charset": (
        Reply(HEARD.encode("cp949"), kind="text/plain; charset=euc-kr"),
        HEARD,
    ),
    "in a stream": (events({"type": "transcript.text.delta", "delta": "내일"}, {"text": HEARD}), HEARD),
    "segments null": (of({"text": HEARD, "segments": None}), HEARD),
    "segments a text": (of({"text": HEARD, "segments": "none"}), HEARD),
    "segments without words": (
        of({"text": HEARD, "segments": [{}, {"text": 7}, {"text": None, "start": 0}]}),
        HEARD,
    ),
    "segments of nulls": (of({"text": HEARD, "segments": [None]}), HEARD),
    "segments of wrong types": (
        of({"text": HEARD, "segments": [{"text": HEARD, "start": "0", "end": {}}]}),
        HEARD,
    ),
    "segments beyond time": (
        of({"text": HEARD, "segments": [{"text": HEARD, "start": 1e308, "end": -1e308}]}),
        HEARD,
    ),
    "segments that run backwards": (
        of({"text": HEARD, "segments": [{"text": HEARD, "start": 9.5, "end": 2}]}),
        HEARD,
    ),
    "segments of no numbers": (
        Reply(
            json.dumps(
                {
                    "text": HEARD,
                    "segments": [{"text": HEARD, "start": float("nan"), "avg_logprob": float("-inf")}],
                }
            ).encode()
        ),
        HEARD,
    ),
    "subtitles called text": (
        Reply(f"WEBVTT\n\n00:00.000 --> 00:01.000\n{HEARD}\n".encode(), kind="text/plain"),
        GONE,
    ),
    "subtitles": (
        Reply(f"1\n00:00:00,000 --> 00:00:01,000\n{HEARD}\n".encode(), kind="application/x-subrip"),
        GONE,
    ),
    "UTF-16": (Reply(json.dumps({"text": HEARD}).encode("utf-16")), HEARD),
    "a language of a wrong type": (of({"text": HEARD, "language": ["ko"]}), HEARD),
    "silence": (of({"text": ""}), ""),
    "text null": (of({"text": None}), GONE),
    "text missing": (of({"language": "korean"}), GONE),
    "text a number": (of({"text": 7}), GONE),
    "text a list": (of({"text": [HEARD]}), GONE),
    "garbage bytes as text": (Reply(b"\xff\xfe\x00\x81", kind="text/plain"), GONE),
    "segments without a text": (of({"segments": [{"text": 7}]}), GONE),
}


class Asked(Protocol):
    """What is asked of an endpoint; `right` is how it answers when it is well."""

    right: Reply

    async def ask(self) -> Any: ...
    async def aclose(self) -> None: ...


class Chat:
    def __init__(self, base_url: str, limits: Limits, *, streamed: bool) -> None:
        self._streamed = streamed
        self.right = chunks(*TWO) if streamed else RIGHT
        self._model = OpenAILanguageModel(base_url=base_url, api_key=SecretStr("k"), model="m", **limits)

    async def ask(self) -> str:
        if self._streamed:
            return "".join([piece async for piece in self._model.stream(ASKED, max_tokens=50)])
        return await self._model.structured(ASKED, schema={"type": "object"}, name="x", max_tokens=50)

    async def aclose(self) -> None:
        await self._model.aclose()


class Native:
    """CLOVA Studio's own API."""

    right = of(
        {"status": {"code": "20000"}, "result": {"message": {"content": SAID}, "finishReason": "stop"}}
    )

    def __init__(self, base_url: str, limits: Limits, *, streamed: bool) -> None:
        self._streamed = streamed
        self._wire = ClovaWire(base_url=base_url, api_key=SecretStr("k"), **limits)
        self._model = ClovaLanguageModel(self._wire, model="HCX-007")

    async def ask(self) -> str:
        if self._streamed:
            return "".join([piece async for piece in self._model.stream(ASKED, max_tokens=50)])
        return await self._model.structured(ASKED, schema={"type": "object"}, name="x", max_tokens=50)

    async def aclose(self) -> None:
        await self._wire.aclose()


class Embeddings:
    right = EMBEDDINGS["well"][0]

    def __init__(self, base_url: str, limits: Limits) -> None:
        self._model = OpenAIEmbedder(base_url=base_url, api_key=SecretStr("k"), model="m", **limits)

    async def ask(self) -> list[list[float]]:
        rows: list[list[float]] = (await self._model.embed(["하나", "two"])).tolist()
        assert rows
        return rows

    async def aclose(self) -> None:
        await self._model.aclose()


class Speech:
    right = SPEECH["well"][0]

    def __init__(self, base_url: str, limits: Limits) -> None:
        self._engine = OpenAICompatible(base_url=base_url, api_key="k", deadline_s=limits["deadline_s"])

    async def ask(self) -> str:
        said = [segment async for segment in self._engine.transcribe(spoken.stretch(1, language="ko"))]
        return " ".join(segment.text for segment in said)

    async def aclose(self) -> None:
        await self._engine.aclose()


KINDS: dict[str, Any] = {
    "chat": lambda url, limits: Chat(url, limits, streamed=False),
    "stream": lambda url, limits: Chat(url, limits, streamed=True),
    "clova": lambda url, limits: Native(url, limits, streamed=False),
    "clova stream": lambda url, limits: Native(url, limits, streamed=True),
    "embeddings": Embeddings,
    "speech": Speech,
}
OWN = {
    "chat": CHAT,
    "stream": CHAT,
    "embeddings": EMBEDDINGS,
    "speech": SPEECH,
    "clova": {},
    "clova stream": {},
}
ANYONES = {name: (reply, GONE) for name, reply in anyones().items()}
CASES = [
    pytest.param(kind, reply, expected, id=f"{kind}: {name}")
    for kind, own in OWN.items()
    for name, (reply, expected) in {**ANYONES, **own}.items()
]


@pytest.fixture
async def endpoint() -> AsyncIterator[BrokenEndpoint]:
    async with BrokenEndpoint().running() as server:
        yield server


@pytest.mark.parametrize(("kind", "reply", "expected"), CASES)
async def test_it_is_an_answer_or_the_ports_error(
    endpoint: BrokenEndpoint, kind: str, reply: Reply, expected: Any
) -> None:
    never_ends = reply.pause_s > 0 or reply.repeats == 0
    asked: Asked = KINDS[kind](endpoint.base_url, QUICK if never_ends else ROOMY)
    endpoint.reply = reply
    got: Any = GONE
    error: Exception | None = None
    async with asyncio.timeout(WITHIN_S):
        try:
            got = await asked.ask()
        except (PortError, SpeechError) as told:
            error = told
    if expected is GONE:
        assert got is GONE, "this is no answer"
        assert isinstance(error, SpeechError if kind == "speech" else PortError)
        assert not isinstance(error, CutOff)
        assert "\n" not in str(error)
        assert str(error)
        assert "안녕" not in str(error)
    else:
        assert error is None
        assert got == expected
    assert endpoint.sent < 64 * 1024 * 1024
    endpoint.reply = asked.right
    async with asyncio.timeout(WITHIN_S):
        assert await asked.ask(), "the endpoint is well again"
    await asked.aclose()
