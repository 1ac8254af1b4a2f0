"""Topics scored beside the fold: the same topics, from a record, late, doubled, lost, and after a restart."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.config import ContextConfig
from context.erasure.erased_record import erased
from context.events.actors import operator
from context.events.effects import Effect, JudgeTopic, ScoreTopics, Summarise
from context.events.erasure_target import Target
from context.events.events import (
    ClosingRequested,
    Event,
    MeetingEnded,
    MeetingOpened,
    MeetingStarted,
    ParticipantJoined,
    decode,
    encode,
)
from context.events.topic_events import FoundBoundary, SummaryReady, TopicJudged, TopicsScored
from context.export.document import document
from context.fold.meeting import Meeting
from context.models import Statement, Summary
from context.seeds import StandaloneManager
from context.topics.boundary.detector import Detector
from context.topics.topics import Topics
from tests.unit.context.lives import state
from tests.unit.context.meetings import START, met, of, run, spoken, summary_for, talk_of
from tests.unit.context.samples import utter
from tests.unit.context.topic_talk import EN_OFFICE, EN_SERVERS, KO_HIRING, KO_SERVERS

KO, EN = (KO_SERVERS, KO_HIRING), (EN_SERVERS, EN_OFFICE)
CUES = [
    "그럼 다음 안건으로 넘어가겠습니다.",
    "이제 채용 이야기로 넘어가죠.",
    "Okay, let us move on to the office move.",
]
LABELLED = Path(__file__).parents[3] / "data" / "labels" / "meetings"
OPENED = MeetingOpened(meeting_id="m", topics_beside=True)


def cycle(lines: list[str], count: int) -> list[str]:
    return list(itertools.islice(itertools.cycle(lines), count))


def two_topics(first: list[str], second: list[str]) -> list[Event]:
    lines = [*cycle(first, 40), *cycle(second, 40)]
    return [MeetingStarted(at=START), *(spoken(i, text, "abc"[i % 3]) for i, text in enumerate(lines, 1))]


def attended(meeting: Meeting, events: list[Event], *, within: int = 0) -> list[Event]:
    """Fold events, topics being scored once so many further events have come; all that was folded."""
    happened: list[Event] = []

    def take(event: Event) -> None:
        happened.append(event)
        effects = meeting.receive(event)
        for effect in of(Summarise, effects):
            take(summary_for(effect))
        if not within:
            score(of(ScoreTopics, effects))

    def score(asked: list[ScoreTopics]) -> None:
        for found in meeting.changes.score() if asked else ():
            if found is not None:
                take(found)

    for number, event in enumerate(events, 1):
        take(event)
        if within and number % within == 0:
            score(of(ScoreTopics, meeting.outstanding()))
    score(of(ScoreTopics, meeting.outstanding()))
    return happened


said = st.lists(
    st.sampled_from([*KO_SERVERS[:3], *KO_HIRING[:3], *EN_SERVERS[:3], *EN_OFFICE[:3], *CUES]), max_size=14
)
lives = st.lists(st.tuples(said, st.integers(1, 9)), min_size=1, max_size=5)


def life(blocks: list[tuple[list[str], int]]) -> list[Event]:
    lines = [text for texts, times in blocks for text in texts * times]
    return [
        MeetingStarted(at=START),
        *(spoken(i, text, "abc"[i % 3]) for i, text in enumerate(lines, 1)),
        ClosingRequested(at_ms=9_000_000),
    ]


_few = settings(max_examples=20, deadline=None)


@_few
@given(lives)
def test_beside_the_fold_the_same_topics_are_found_as_within_it(blocks: list[tuple[list[str], int]]) -> None:
    within, beside = Meeting("m"), Meeting("m")
    run(within, life(blocks))
    attended(beside, [OPENED, *life(blocks)])
    assert [(s.start_utterance_id, s.name, s.reason, s.decided_after) for s in beside.segments] == [
        (s.start_utterance_id, s.name, s.reason, s.decided_after) for s in within.segments
    ]
    assert [u.topic_id for u in beside.utterances] == [u.topic_id for u in within.utterances]


@_few
@given(lives, st.integers(1, 60))
def test_however_late_it_comes_the_record_gives_the_same_and_it_holds_for_forty_utterances(
    blocks: list[tuple[list[str], int]], within: int
) -> None:
    meeting, again = Meeting("m"), Meeting("m")
    for event in attended(meeting, [OPENED, *life(blocks)], within=within):
        again.receive(decode(json.loads(json.dumps(encode(event)))))
    assert again.changes.boundaries.detector.heard == 0
    assert state(again, besides=("boundaries",)) == state(meeting, besides=("boundaries",))
    assert document(again) == document(meeting)
    assert all(0 <= s.decided_after - s.start_utterance_id <= 40 for s in meeting.segments)
    covered = [i for s in meeting.segments for i in range(s.start_utterance_id, s.end_utterance_id + 1)]
    assert covered == list(range(1, len(meeting.utterances) + 1))


@pytest.mark.parametrize("lines", [KO, EN])
def test_a_doubled_or_stale_finding_changes_nothing(lines: tuple[list[str], list[str]]) -> None:
    meeting = Meeting("m")
    happened = attended(meeting, [OPENED, *two_topics(*lines)])
    found = [event for event in happened if isinstance(event, TopicsScored)]
    assert found
    before = state(meeting)
    stale = found[-1].model_copy(update={"heard": found[-1].heard - 1})
    unheard = found[-1].model_copy(update={"heard": 500})
    for event in (*found, stale, unheard, TopicsScored(heard=80, rest=True)):
        assert meeting.receive(event) == []
    assert state(meeting) == before


@pytest.mark.parametrize("lines", [KO, EN])
def test_a_finding_that_was_lost_is_found_again_by_whoever_goes_on(
    lines: tuple[list[str], list[str]],
) -> None:
    events: list[Event] = [OPENED, *two_topics(*lines)]
    whole = Meeting("m")
    happened = attended(whole, events)
    lost = next(i for i, event in enumerate(happened) if isinstance(event, TopicsScored))
    killed, stored, seen = Meeting("m"), {}, 0
    for number, event in enumerate(happened[:lost]):
        killed.receive(event)
        if number == lost - 5:  # a snapshot is taken now and then, not at each event
            stored, seen = json.loads(json.dumps(killed.snapshot())), number + 1
    next_one = Meeting.restore("m", None, stored, killed.utterances[: stored["utterances"]])
    for event in happened[seen:lost]:
        next_one.receive(event)
    assert of(ScoreTopics, next_one.outstanding()) == [ScoreTopics(until=len(next_one.utterances))]
    again = [event for event in next_one.changes.score() if event is not None]
    assert again == [happened[lost]]
    assert of(ScoreTopics, next_one.outstanding()) == []


@_few
@given(lives, st.integers(1, 12), st.integers(0, 400))
def test_restored_in_the_middle_it_goes_on_exactly(
    blocks: list[tuple[list[str], int]], within: int, cut: int
) -> None:
    events = [OPENED, *life(blocks)]
    cut = min(cut, len(events))
    whole = Meeting("m")
    for event in events[:cut]:
        whole.receive(event)
        if len(whole.utterances) % within == 0:
            for found in whole.changes.score():
                if found is not None:
                    whole.receive(found)
    stored = json.loads(json.dumps(whole.snapshot()))
    restored = Meeting.restore("m", None, stored, list(whole.utterances))
    assert state(restored) == state(whole)
    assert restored.outstanding() == whole.outstanding()
    assert attended(restored, events[cut:]) == attended(whole, events[cut:])
    assert state(restored) == state(whole)


@pytest.mark.parametrize("lines", [KO, EN])
def test_the_closing_summary_waits_for_what_is_undecided(lines: tuple[list[str], list[str]]) -> None:
    meeting = Meeting("m")
    attended(meeting, [OPENED, *two_topics(*lines)[:62]])
    assert len(meeting.segments) == 1
    closing = meeting.receive(ClosingRequested(at_ms=400_000))
    assert of(Summarise, closing) == []
    assert of(ScoreTopics, closing) == [ScoreTopics(until=61, rest=True)]
    stored = json.loads(json.dumps(meeting.snapshot()))
    next_one = Meeting.restore("m", None, stored, list(meeting.utterances))
    assert of(ScoreTopics, next_one.outstanding()) == of(ScoreTopics, closing)
    (rest,) = next_one.changes.score()
    assert isinstance(rest, TopicsScored)
    for each in (meeting, next_one):
        wanted = each.receive(rest)
        assert len(each.segments) == 2
        (job,) = of(Summarise, wanted)
        assert (job.reason, job.topic.id, job.utterances[-1].id) == ("closing", "t2", 61)
        assert each.receive(rest) == []
        assert of(ScoreTopics, each.outstanding()) == []


def test_who_comes_back_during_the_closing_finds_the_meeting_alive() -> None:
    meeting = Meeting("m")
    attended(meeting, [OPENED, *two_topics(*KO)[:30]])
    meeting.receive(ClosingRequested(at_ms=400_000))
    meeting.receive(ParticipantJoined(participant_id="a", name="A", at_ms=400_100))
    (rest,) = meeting.changes.score()
    assert isinstance(rest, TopicsScored)
    meeting.receive(rest)
    assert not meeting.changes.settling
    assert not meeting.closing


@pytest.mark.parametrize("lines", [KO, EN])
def test_words_that_are_erased_while_topics_are_scored_do_not_keep_the_closing_waiting(
    lines: tuple[list[str], list[str]],
) -> None:
    meeting = Meeting("m")
    run(meeting, [OPENED, *two_topics(*lines)[:62]])
    scoring = meeting.changes.score()
    next(scoring)
    third = Target(what="utterances", utterances=(3,))
    made = erased(meeting, third, id_="e", actor=operator("ops"), by="a", at_ms=400_000)
    assert made is not None
    meeting.receive(made[0])
    meeting.receive(ClosingRequested(at_ms=400_001))
    for found in scoring:
        if found is not None:
            meeting.receive(found)
    assert not meeting.changes.settling
    assert meeting.changes.boundaries.detector.heard == len(meeting.utterances)


def test_an_ended_meeting_asks_for_nothing_and_takes_nothing() -> None:
    meeting = Meeting("m")
    run(meeting, [OPENED, *two_topics(*EN)[:40]])
    meeting.receive(ClosingRequested(at_ms=400_000))
    ended: list[Effect] = meeting.receive(MeetingEnded(at_ms=400_001, reason="gone"))
    assert of(Summarise, ended)
    assert of(ScoreTopics, meeting.outstanding()) == []
    assert list(meeting.changes.score()) == []
    assert meeting.receive(TopicsScored(heard=39, rest=True)) == []


@pytest.mark.parametrize("lines", [KO, EN])
def test_a_record_from_before_finds_its_topics_within_the_fold(lines: tuple[list[str], list[str]]) -> None:
    opened = decode({"kind": "meeting_opened", "meeting_id": "m"})
    meeting = Meeting("m")
    effects = run(meeting, [opened, *two_topics(*lines)])
    assert of(ScoreTopics, effects) == []
    assert [s.reason for s in meeting.segments[1:]] == ["semantic"]
    stored = json.loads(json.dumps(meeting.snapshot()))
    restored = Meeting.restore("m", None, stored, list(meeting.utterances))
    assert state(restored) == state(meeting)


def test_suspicions_are_recorded_only_where_somebody_judges() -> None:
    suspicion = FoundBoundary(at=20, kind="suspicion", shortest=6)

    class Suspects:
        heard = 0

        def hear(self, text: str, speaker: str) -> list[FoundBoundary]:
            self.heard += 1
            return [suspicion] if self.heard == 30 else []

    for judge in (True, False):
        meeting = Meeting("m", judge=judge)
        run(meeting, [OPENED, *two_topics(*KO)[:31]])
        meeting.changes.boundaries.detector = Suspects()  # type: ignore[assignment]  # all that is asked of it
        events = [event for event in meeting.changes.score() if event is not None]
        assert events == ([TopicsScored(heard=30, found=(suspicion,))] if judge else [])


class Suspicious(Detector):
    """Suspects every utterance, eight back."""

    def hear(self, text: str, speaker: str) -> list[FoundBoundary]:
        super().hear(text, speaker)
        at = self.heard - 8
        return [FoundBoundary(at=at, kind="suspicion", shortest=1)] if at > 1 else []


@pytest.mark.parametrize("lines", [KO, EN], ids=["ko", "en"])
@pytest.mark.parametrize(
    ("apart_ms", "interval", "most"), [(10_000, 1, 40), (300_000, 1, 12), (10_000, 5, 22)]
)
def test_questions_to_a_judge_are_bounded_by_the_hour_and_by_turns(
    lines: tuple[list[str], list[str]], apart_ms: int, interval: int, most: int
) -> None:
    meeting = Meeting("m", ContextConfig(l1_topic_check_interval_turns=interval), judge=True)
    meeting.changes.boundaries.detector = Suspicious(meeting.config)
    asked: list[int] = []
    for number, text in enumerate([*cycle(lines[0], 60), *cycle(lines[1], 50)]):
        effects = run(meeting, [spoken(number, text, "abc"[number % 3], start_ms=number * apart_ms)])
        asked += [number * apart_ms for _ in of(JudgeTopic, effects)]
    assert max(sum(since <= at < since + 3_600_000 for at in asked) for since in asked) == most
    stored = json.loads(json.dumps(meeting.snapshot()))
    restored = Meeting.restore("m", meeting.config, stored, list(meeting.utterances))
    assert restored.changes.dump()["asked"] == meeting.changes.dump()["asked"] != []


@pytest.mark.parametrize("name", ["ko-lab-meeting", "en-blind-church"])
def test_in_brisk_talk_too_a_judge_tells_what_the_signs_do_not(name: str) -> None:
    lines = json.loads((LABELLED / f"{name}.json").read_text("utf-8"))["lines"]
    events = talk_of([(line["speaker"], line["text"]) for line in lines])
    alone, refusing, agreeing = met(*events), Meeting("m", judge=True), Meeting("m", judge=True)
    asked: list[int] = []
    for event in events:
        for meeting, changed in ((refusing, False), (agreeing, True)):
            for ask in of(JudgeTopic, run(meeting, [event])):
                meeting.receive(TopicJudged(at_utterance=ask.at_utterance, changed=changed))
                asked += [ask.at_utterance] if changed else []
    assert topics_of(refusing) == topics_of(alone), "nothing begins without a yes"
    assert {(at, "llm") for at in asked} & set(topics_of(agreeing))
    assert all(each.decided_after - each.start_utterance_id <= 40 for each in agreeing.segments)


def topics_of(meeting: Meeting) -> list[tuple[int, str]]:
    return [(each.start_utterance_id, each.reason) for each in meeting.segments]


async def test_a_manager_that_stands_alone_carries_it_out() -> None:
    manager = StandaloneManager("m")
    manager.receive(OPENED)
    for number, text in enumerate([*KO_SERVERS * 8, *KO_HIRING * 8], 1):
        await manager.add_utterance(utter(number, "abc"[number % 3], text))
    assert len(manager.meeting.segments) == 2
    assert any(isinstance(each.event, TopicsScored) for each in manager.unsynced)


BEGUN = [
    (KO, "다음 안건은 보안 점검입니다.", "보안 점검"),
    (EN, "Okay, moving on to the security check.", "security check"),
]
"""Two matters of eight utterances each, and the announcement of a third."""


def announced(talk: tuple[list[str], list[str]], announcement: str, *, summarised: bool) -> Meeting:
    meeting = Meeting("m")
    lines = [*cycle(talk[0], 8), *cycle(talk[1], 8), announcement, "그 건은 2월입니다.", "In February, then."]
    happened = [
        OPENED,
        MeetingStarted(at=START),
        *(spoken(i, text, "abc"[i % 3]) for i, text in enumerate(lines, 1)),
    ]
    run(meeting, happened, summarise=summarised)
    assert [each.start_utterance_id for each in meeting.segments] == [1, 17]
    return meeting


@pytest.mark.parametrize(("talk", "announcement", "name"), BEGUN, ids=["ko", "en"])
@pytest.mark.parametrize("summarised", [True, False], ids=["summarised", "summary in progress"])
def test_what_began_before_an_announcement_is_found_behind_it(
    talk: tuple[list[str], list[str]], announcement: str, name: str, *, summarised: bool
) -> None:
    meeting = announced(talk, announcement, summarised=summarised)
    found = TopicsScored(heard=19, found=(FoundBoundary(at=9, kind="drop", shortest=6),))
    effects = meeting.receive(found)
    first, second, third = meeting.segments
    spans = [(each.start_utterance_id, each.end_utterance_id) for each in meeting.segments]
    assert spans == [(1, 8), (9, 16), (17, 19)]
    assert (first.closed, second.closed, third.closed) == (True, True, False)
    assert (third.name, second.decided_after) == (name, 19)
    assert second.name not in {first.name, name, "Intro"}
    for topic, (start, end) in zip(meeting.segments, spans, strict=True):
        assert meeting.topics.of(start) == meeting.topics.of(end) == topic
    assert [meeting.topics.get(each.id) for each in meeting.segments] == meeting.segments
    assert {each.topic_id for each in meeting.utterances[8:16]} == {second.id}
    assert {each.topic for each in meeting.utterances[16:]} == {name}
    assert all(max(s.evidence) <= 8 for s in first.notes.sentences), (
        "nothing of the second in the first's summary"
    )
    jobs = of(Summarise, effects)
    assert jobs[-1].topic.id == second.id
    assert [said.id for said in jobs[-1].utterances] == [*range(9, 17)]
    restored = Meeting.restore("m", None, meeting.snapshot(), meeting.utterances)
    assert restored.segments == meeting.segments
    for job in jobs:
        meeting.receive(summary_for(job))
    assert [each.covered_until for each in meeting.segments[:2]] == [8, 16]
    meeting.receive(spoken(20, "Next, the canteen."))
    assert len({each.id for each in meeting.segments}) == 4


@pytest.mark.parametrize(("talk", "announcement", "name"), BEGUN, ids=["ko", "en"])
@pytest.mark.parametrize(
    "late",
    [
        FoundBoundary(at=14, kind="drop", shortest=6),
        FoundBoundary(at=4, kind="drop", shortest=6),
        FoundBoundary(at=9, kind="drop", shortest=3, raised=True),
    ],
    ids=["too little left", "too little before", "brisk talk's"],
)
def test_not_so_what_is_only_the_end_of_the_last_matter(
    talk: tuple[list[str], list[str]], announcement: str, name: str, late: FoundBoundary
) -> None:
    meeting = announced(talk, announcement, summarised=True)
    meeting.receive(TopicsScored(heard=19, found=(late,)))
    assert [each.name for each in meeting.segments][1:] == [name]


def test_decisions_that_stand_move_on_with_their_topic() -> None:
    topics = Topics()
    for number in range(1, 20):
        topics.extend(number)
        if number == 17:
            topics.split(17, "third", reason="keyword", decided_after=17)
    decided = Summary(decisions=(Statement(text="In February.", evidence=(18,)),))
    done = SummaryReady(
        topic_id="t2", version=1, reason="turn_limit", covered_until=19, content=decided, engine="extractive"
    )
    assert topics.merge(done, str) is not None
    split = topics.split(9, "second", reason="semantic", decided_after=19)
    assert split is not None
    assert [each.name for each in topics.segments] == ["Intro", "second", "third"]
    assert topics.standing("t1") == decided.decisions
    assert topics.standing("t2") == ()
    assert topics.split(4, "older", reason="semantic", decided_after=19) is None


@pytest.mark.parametrize("lines", [KO, EN])
def test_two_utterances_late_nothing_is_lost(lines: tuple[list[str], list[str]]) -> None:
    prompt, late = Meeting("m"), Meeting("m")
    attended(prompt, [OPENED, *two_topics(*lines)])
    attended(late, [OPENED, *two_topics(*lines)], within=3)
    assert len(prompt.segments) == 2
    assert [s.start_utterance_id for s in late.segments] == [s.start_utterance_id for s in prompt.segments]
