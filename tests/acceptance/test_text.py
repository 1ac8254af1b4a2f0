"""Meetings whose words come as text: through Redis without a room, and from another agent in a room."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
import redis.asyncio as redis

from tests.acceptance.stack import PATIENCE_S, Stack, moim_in
from worker.demo.players import TRANSCRIPTION_TOPIC

pytestmark = [pytest.mark.room]

SCHEMA: Final = Path(__file__).parents[2] / "context" / "document.schema.json"
SAID: Final = (
    ("minji", "김민지", "첫 번째 안건은 모바일 앱 출시 일정입니다.", 0, 3000),
    ("junho", "박준호", "저는 십이월 이십이일을 제안합니다.", 3500, 6000),
    ("minji", "김민지", "좋습니다. 출시일은 12월 22일로 결정하겠습니다.", 6500, 9500),
    ("alice", "Alice Moreau", "We will add a second server this week. That is decided.", 10000, 13000),
)
MALFORMED: Final = (
    b"",
    b"not json",
    b"[]",
    b'{"id": "x"}',
    b"\xff\xfe\x00",
    b'{"id": "y", "speaker": "minji", "text": "late", "start_ms": 9, "end_ms": 1}',
    b'{"id": "z", "speaker": "", "text": 5, "start_ms": "soon", "end_ms": null}',
)


class Streams:
    """A meeting's streams, as a program beside Moim uses them: by their documented names."""

    def __init__(self, client: redis.Redis, meeting_id: str) -> None:
        self._client, self._meeting_id = client, meeting_id
        self.out: list[dict[str, Any]] = []
        self._position: bytes | str = "0"

    async def send(self, stream: str, entry: dict[str, Any] | bytes) -> None:
        raw = entry if isinstance(entry, bytes) else json.dumps(entry).encode()
        await self._client.xadd(f"moim:default:{stream}:{self._meeting_id}", {"json": raw})

    async def until(self, test: Callable[[list[dict[str, Any]]], Any]) -> Any:
        """Read `moim:default:out:…` until `test` is true of everything read so far."""
        async with asyncio.timeout(PATIENCE_S):
            while not (found := test(self.out)):
                name = f"moim:default:out:{self._meeting_id}"
                for _, entries in await self._client.xread({name: self._position}, block=500) or []:
                    for self._position, fields in entries:
                        self.out.append(json.loads(fields[b"json"]))
        return found


async def test_a_meeting_without_a_room(stack: Stack) -> None:
    meeting_id = f"text-{uuid.uuid4().hex[:6]}"
    async with stack.running("worker", "--text"), redis.Redis.from_url(stack.env["REDIS_URL"]) as client:
        dispatched = await stack.moim("dispatch", "--text", "--meeting", meeting_id)
        assert json.loads(dispatched.out) == {"meeting_id": meeting_id, "room": None}
        streams = Streams(client, meeting_id)
        for number, said in enumerate(SAID):
            fields = dict(zip(("speaker", "name", "text", "start_ms", "end_ms"), said, strict=True))
            segment = {"id": f"s{number}", "final": True, **fields}
            await streams.send("in", segment)
            await streams.send("in", segment)  # the same id twice
            await streams.send("in", MALFORMED[number])
        for entry in MALFORMED[len(SAID) :]:
            await streams.send("in", entry)
            await streams.send("ask", entry)
        await client.xadd(f"moim:default:in:{meeting_id}", {"other": "field"})
        await streams.until(lambda out: len([e for e in out if e["kind"] == "utterance"]) >= len(SAID))

        question = {"id": "q1", "by": "junho", "text": "출시일이 언제로 결정됐지?"}
        await streams.send("ask", question)
        await streams.send("ask", question)
        await streams.send("ask", {"id": "q2", "by": "alice", "text": "What about the second server?"})
        replies = await streams.until(
            lambda out: (
                [r for e in out if e["kind"] == "reply" for r in [e]][:2]
                if len([e for e in out if e["kind"] == "reply"]) >= 2
                else None
            )
        )
        by_question = {reply["invocation_id"]: reply for reply in replies}
        assert "12월 22일" in by_question["q1"]["text"]
        # Asked within a moment of the lines, it is answered by words: their vectors are not waited for.
        assert by_question["q1"]["evidence"][0] == 3
        assert "second server this week" in by_question["q2"]["text"]

        live = await stack.moim("ask", meeting_id, "What did we decide about the second server?")
        assert "Alice Moreau" in live.out
        listed = {row["id"]: row for row in json.loads((await stack.moim("meetings", "--json")).out)}
        assert listed[meeting_id]["status"] == "live"
        assert listed[meeting_id]["room"] is None
        assert listed[meeting_id]["holder"]["job_pid"]

        await streams.send("in", {"end": True})
        await stack.row_when(meeting_id, lambda row: row.status == "ended", "the end that was announced")

    document = json.loads((await stack.moim("export", meeting_id, "--format", "json")).out)
    jsonschema.validate(document, json.loads(SCHEMA.read_text("utf-8")))
    assert [(u["speaker"], u["text"], u["start_ms"]) for u in document["utterances"]] == [
        (speaker, text, start_ms) for speaker, _, text, start_ms, _ in SAID
    ]
    assert [u["id"] for u in streams.out if u["kind"] == "utterance"] == [1, 2, 3, 4]
    assert [e["seq"] for e in streams.out] == sorted({e["seq"] for e in streams.out})
    assert sorted(r["invocation_id"] for r in document["replies"])[-2:] == ["q1", "q2"]
    assert len(document["replies"]) == 3, "q1, q2 and the one by `moim ask`"

    recorded = await stack.moim("ask", meeting_id, "출시일이 언제로 결정됐지?", "--json")
    assert json.loads(recorded.out)["evidence"][0] == 3  # the dispatcher answers, by words as above
    assert (await stack.document(meeting_id))["replies"] == document["replies"], "not recorded"


async def test_another_agents_transcripts_are_taken_in(stack: Stack) -> None:
    """With `STT_ENGINE=none`: an agent's words for a human count, a human's own never."""
    other = {"MOIM_TENANT": "captions", "MOIM_AGENT_NAME": "moim-captions"}
    room = f"captions-{uuid.uuid4().hex[:6]}"
    async with (
        stack.running("worker", STT_ENGINE="none", **other),
        stack.running("dispatcher", **other),
        stack.stage(room) as stage,
    ):
        meeting_id = json.loads((await stack.moim("dispatch", room, **other)).out)["meeting_id"]
        alice = stage.player("alice", "Alice Moreau")
        robot = stage.player("captioner", kind="agent")
        await alice.join()
        await robot.join(microphone=False)
        await moim_in(alice)
        stage.begin()

        await alice.room.local_participant.send_text("I said this myself.", topic=TRANSCRIPTION_TOPIC)
        for final, text in (("false", "We will add"), ("true", SAID[3][2])):
            writer = await robot.room.local_participant.stream_text(
                topic=TRANSCRIPTION_TOPIC,
                sender_identity="alice",
                attributes={
                    "lk.segment_id": "captions-1",
                    "lk.transcribed_track_id": alice.track_id,
                    "lk.transcription_final": final,
                },
            )
            await writer.write(text)
            await writer.aclose()
        await alice.wait_for(
            lambda p: [t for t in p.finals if t.utterance == 1 and t.text == SAID[3][2]],
            PATIENCE_S,
            "Moim's final",
        )
        answer = await alice.ask("What did we decide about the second server?")
        assert "second server this week" in answer.text
        assert answer.evidence == (1,)
        await stack.moim("end", meeting_id, **other)
        await stack.row_when(meeting_id, lambda row: row.status == "ended", "the end", **other)
    document = await stack.document(meeting_id, **other)
    assert [(u["speaker"], u["text"]) for u in document["utterances"]] == [("alice", SAID[3][2])]
