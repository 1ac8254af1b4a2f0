"""Two recorded meetings take place, in Korean and in English, at the same time in two rooms."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest

from tests.acceptance.lines import EN, KO, truth
from tests.acceptance.scoring import score
from tests.acceptance.stack import PATIENCE_S, Stack
from worker.clock import monotonic_s
from worker.demo.room_texts import ChatStream, TranscriptStream

pytestmark = [pytest.mark.room, pytest.mark.speech]

ENGINES_OWN_CER: Final = {KO.name: 0.190, EN.name: 0.067}
"""faster-whisper base on the true cuts of these files, measured apart from any room."""
ALLOWED_BEYOND: Final = 0.05
SCHEMA: Final = Path(__file__).parents[2] / "context" / "document.schema.json"


@dataclass(slots=True)
class Played:
    """What a participant, and an onlooker who stays to the end, got to see of one meeting."""

    folder: Path
    meeting_id: str
    question_id: str = ""
    answer_s: float = 0.0
    finals: list[TranscriptStream] = field(default_factory=list)
    chats: list[ChatStream] = field(default_factory=list)
    tracks: dict[str, str] = field(default_factory=dict)
    document: dict[str, Any] = field(default_factory=dict)
    ready: tuple[int, str] = (0, "")
    closed_after_s: float = 0.0

    @property
    def truth(self) -> dict[str, Any]:
        return truth(self.folder)

    def utterance_of(self, number: int) -> TranscriptStream:
        """The final in which this line of the script was written."""
        said = self.truth["lines"][number]
        offset_ms = self.finals[0].start_ms - self.truth["lines"][0]["start_s"] * 1000
        at_ms = (said["start_s"] + said["end_s"]) * 500 + offset_ms
        of_speaker = [t for t in self.finals if t.speaker == said["speaker"]]
        return min(of_speaker, key=lambda t: max(0, t.start_ms - at_ms, at_ms - t.end_ms))

    def answer_to(self, invocation_id: str) -> ChatStream:
        (answer,) = [m for m in self.chats if m.invocation == invocation_id]
        return answer

    def voice_answers(self) -> list[ChatStream]:
        return [m for m in self.chats if (m.invocation or "").startswith("voice:")]


async def _play(stack: Stack, folder: Path, asker: str, question: str, at_s: float, *, about: int) -> Played:
    async with stack.play(folder.name) as play:
        cast = await play.stage.cast(folder)
        viewer = cast[asker]
        # Agents do not keep a room open, so this one sees what comes after everybody has left.
        onlooker = play.stage.player("onlooker", kind="agent")
        await onlooker.join(microphone=False)
        await play.moim_hears(viewer)
        played = Played(folder, play.meeting_id, tracks={who: p.track_id for who, p in cast.items()})
        play.stage.begin()
        await play.stage.until(at_s)
        # A full machine writes late; the question is about what the asker has read already.
        await viewer.wait_for(
            lambda p: _is_written(played.truth, about, p.finals), PATIENCE_S, f"the text of line {about}"
        )
        asked_s = monotonic_s()
        answer = await viewer.ask(question)
        played.question_id, played.answer_s = str(answer.invocation), (answer.first_text_s or 0) - asked_s
        await play.stage.until(played.truth["duration_s"])
        for player in cast.values():
            await player.leave()
        left_s = monotonic_s()
        played.ready = await stack.get("/readyz")
        await onlooker.wait_for(
            lambda p: [m for m in p.chats if m.done and not m.invocation and m.sender not in cast],
            PATIENCE_S,
            "the closing summary",
        )
        played.closed_after_s = monotonic_s() - left_s
        await stack.row_when(play.meeting_id, lambda row: row.status == "ended", "the meeting's end")
        played.finals, played.chats = onlooker.finals, onlooker.chats
        played.document = await stack.document(play.meeting_id)
        return played


def _is_written(meeting: dict[str, Any], number: int, finals: list[TranscriptStream]) -> bool:
    """Has this line of the script become text?"""
    if not finals:
        return False
    said = meeting["lines"][number]
    offset_ms = finals[0].start_ms - meeting["lines"][0]["start_s"] * 1000
    middle_ms = (said["start_s"] + said["end_s"]) * 500 + offset_ms
    return any(t.speaker == said["speaker"] and t.end_ms >= middle_ms for t in finals)


@pytest.fixture(scope="module")
def meetings(stack: Stack) -> dict[str, Played]:
    """Both meetings, played to their end."""

    async def both() -> dict[str, Played]:
        before = await stack.metric("moim_utterances_total")
        played = await asyncio.gather(
            _play(stack, KO, "seoyeon", "출시일이 언제로 결정됐지?", 48, about=8),
            _play(stack, EN, "chloe", "What did we decide about the second server?", 30, about=6),
        )
        counted = await stack.metric("moim_utterances_total") - before
        assert counted == sum(len(one.document["utterances"]) for one in played)
        return {one.folder.name: one for one in played}

    return asyncio.run(both())


@pytest.fixture(params=[KO.name, EN.name])
def played(request: pytest.FixtureRequest, meetings: dict[str, Played]) -> Played:
    return meetings[request.param]


def test_every_line_arrives_under_its_speaker(played: Played) -> None:
    said = defaultdict(list)
    for final in sorted(played.finals, key=lambda t: t.start_ms):
        said[final.speaker].append(final.text)
    result = score(played.truth, said)
    print(f"{played.folder.name}: {result}, {len(played.finals)} utterances")
    assert result["lost"] == 0
    assert result["strangers"] == []
    assert result["cer"] <= ENGINES_OWN_CER[played.folder.name] + ALLOWED_BEYOND
    assert played.document["gaps"] == []


def test_nothing_arrives_twice(played: Played) -> None:
    by_speaker = defaultdict(list)
    for final in played.finals:
        by_speaker[final.speaker].append((final.start_ms, final.end_ms))
    for stretches in by_speaker.values():
        stretches.sort()
        for (_, end_ms), (start_ms, _) in itertools.pairwise(stretches):
            assert start_ms >= end_ms, "the same sound in two utterances"


def test_transcripts_are_as_the_contract_says(played: Played) -> None:
    finals = played.finals
    assert [t.utterance for t in finals] == list(range(1, len(finals) + 1)), "one each, in order"
    assert len({t.segment_id for t in finals}) == len(finals)
    for final in finals:
        assert played.meeting_id in final.segment_id
        assert final.track_id == played.tracks[final.speaker]
        assert final.durable
        assert 0 <= final.start_ms < final.end_ms


def test_segment_ids_differ_between_meetings(meetings: dict[str, Played]) -> None:
    ids = [t.segment_id for one in meetings.values() for t in one.finals]
    assert len(set(ids)) == len(ids)


def test_the_release_date_is_answered_in_chat(meetings: dict[str, Played]) -> None:
    played = meetings[KO.name]
    answer = played.answer_to(played.question_id)
    decision = played.utterance_of(8)  # 좋습니다. 출시일은 십이월 이십이일로 결정하겠습니다.
    print(f"asked to first text: {played.answer_s:.2f} s; {answer.text!r}; heard: {decision.text!r}")
    # What the base model makes of the words around it varies: then the decision is among the closest.
    assert decision.utterance in answer.evidence
    assert re.search(r"김민지 \(\d\d:\d\d:\d\d\): ", answer.text), (
        "plain text, for a client that says nothing"
    )
    assert decision.text.rsplit(". ", 1)[-1] in answer.text


def test_the_second_server_is_answered_in_chat(meetings: dict[str, Played]) -> None:
    played = meetings[EN.name]
    answer = played.answer_to(played.question_id)
    print(f"asked to first text: {played.answer_s:.2f} s; {answer.text!r}")
    _is_about_the_second_server(played, answer)


def test_the_second_server_is_answered_by_voice(meetings: dict[str, Played]) -> None:
    played = meetings[EN.name]
    (answer,) = played.voice_answers()
    _is_about_the_second_server(played, answer)
    (reply,) = [r for r in played.document["replies"] if r["via"] == "voice"]
    assert reply["by"] == "ben"


def test_a_korean_question_by_voice_is_answered_from_the_decisions(meetings: dict[str, Played]) -> None:
    played = meetings[KO.name]
    question = played.utterance_of(25)  # 모임아, 출시일이 언제로 결정됐지?
    (answer,) = played.voice_answers()
    (reply,) = [r for r in played.document["replies"] if r["via"] == "voice"]
    decided = {
        number
        for topic in played.document["topics"]
        for decision in topic["decisions"]
        for number in decision["evidence"]
    }
    print(f"heard {question.text!r}, answered {answer.text!r}; decisions: {sorted(decided)}")
    assert reply["by"] == "seoyeon"
    assert reply["invocation_id"] == answer.invocation
    # How the base model garbles the question is the processor's. Where nothing of it is left but the
    # topic, no answer is claimed, and the decision is among the closest.
    decision = played.utterance_of(8)  # 출시일은 십이월 이십이일로 결정하겠습니다.
    assert decision.text.rsplit(". ", 1)[-1] in answer.text
    if reply["certainty"] == "answer":
        assert answer.evidence
        assert set(answer.evidence) <= decided


def _is_about_the_second_server(played: Played, answer: ChatStream) -> None:
    decision = played.utterance_of(6)  # That is fine. We will add a second server this week.
    # The base model hears "a" or "the"; on a full machine it hears "Saturdays" for "server this", and no
    # question about a server finds that.
    if "server" in decision.text:
        assert decision.utterance in answer.evidence
        assert re.search(r"add (a|the) second", answer.text), answer.text
    else:
        assert answer.evidence


def test_the_export_is_what_was_published(played: Played) -> None:
    document = played.document
    jsonschema.validate(document, json.loads(SCHEMA.read_text("utf-8")))
    assert document["meeting"]["status"] == "ended"
    assert [
        (u["id"], u["speaker"], u["text"], u["start_ms"], u["end_ms"])
        for u in sorted(document["utterances"], key=lambda u: u["id"])
    ] == [(t.utterance, t.speaker, t.text, t.start_ms, t.end_ms) for t in played.finals]
    assert {p["id"] for p in document["participants"]} == set(played.truth["participants"])
    assert {r["invocation_id"] for r in document["replies"]} == {
        m.invocation for m in played.chats if m.invocation
    }


def test_topics_begin_where_people_say_so(played: Played) -> None:
    labelled = [played.utterance_of(topic["first_line"]).utterance for topic in played.truth["topics"]]
    found = {topic["first_utterance"]: topic["name"] for topic in played.document["topics"]}
    print(f"labelled {labelled}, found {found}")
    hits = [start for start in labelled if any(abs(start - other) <= 2 for other in found)]
    assert len(hits) >= 0.6 * len(labelled)
    assert len(found) <= 2 * len(labelled)


def test_the_closing_summary_comes_before_the_room_goes(played: Played) -> None:
    closing = [m for m in played.chats if not m.invocation and m.text and m.sender.startswith("agent")]
    print(f"closing summary {played.closed_after_s:.1f} s after the last one left:\n{closing[-1].text}")
    decisions = [each for topic in played.document["topics"] for each in topic["decisions"]]
    standing = [each["text"].splitlines() for each in decisions if each.get("status") != "superseded"]
    told = closing[-1].text.replace(" (?)", "")
    for line in itertools.chain.from_iterable(standing[:4]):
        assert line.rstrip(" .") in told, "as the minutes have them, but for figures in doubt"
    assert len(closing[-1].text.splitlines()) in {2, 3, 4}, (
        "three lines and an address, or that there is nothing"
    )


def test_the_worker_says_that_it_is_ready(played: Played) -> None:
    assert played.ready[0] == 200, played.ready
