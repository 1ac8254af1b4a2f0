"""Events of the two scripted meetings, and random ones, for tests of the fold."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from context.events.corrections import PersonFix, StatementFix, TopicFix, UtteranceFix
from context.events.effects import Effect, Summarise
from context.events.events import (
    AnswerDropped,
    AnswerGiven,
    ClosingRequested,
    Corrected,
    Event,
    GapNoted,
    InputPosition,
    InputRead,
    MeetingEnded,
    MeetingOpened,
    MeetingStarted,
    ParticipantJoined,
    ParticipantLeft,
    QuestionAsked,
    SpeechWaits,
    SpeechWordless,
    ThreadSummaryFailed,
    ThreadSummaryReady,
    ThreadSummaryStarted,
    ThreadTuned,
    TrackEnded,
    UtteranceSpoken,
)
from context.events.privacy_events import ConsentTold, ParticipantInformed, RecordingPaused, RecordingResumed
from context.events.topic_events import FoundBoundary, SummaryFailed, SummaryReady, TopicJudged, TopicsScored
from context.fold.meeting import Meeting
from context.models import Reply, Statement, Summary, TopicSegment
from context.plain.facade import summarise
from context.question import Question
from tests.unit.context.samples import script

START = datetime(2026, 1, 5, 5, 0, tzinfo=UTC)
QUESTION = "출시일이 언제죠?"


def spoken(
    number: int, text: str, speaker: str = "a", *, start_ms: int | None = None, **more: Any
) -> UtteranceSpoken:
    start = number * 5_000 if start_ms is None else start_ms
    fields = {
        "key": f"k{number}",
        "speaker_id": speaker,
        "speaker_name": speaker.upper(),
        "end_ms": start + 4_000,
    }
    return UtteranceSpoken(**{**fields, "text": text, "start_ms": start, **more})


def asked(
    number: int,
    text: str = QUESTION,
    *,
    by: str = "minji",
    private: bool = False,
    at_ms: int | None = None,
) -> QuestionAsked:
    """The question of this number, in the chat."""
    at_ms = number * 1000 if at_ms is None else at_ms
    return QuestionAsked(
        question=Question(id=f"q{number}", by=by, via="chat", text=text, private=private, at_ms=at_ms)
    )


def answered(
    number: int, text: str = "12월 22일입니다.", *, by: str = "minji", at_ms: int | None = None, **more: Any
) -> AnswerGiven:
    """The answer to it; `question` is among `more` where something else was asked."""
    at_ms = number * 1000 if at_ms is None else at_ms
    fields = {
        "id": f"r{number}", "invocation_id": f"q{number}", "by": by, "via": "chat", "question": QUESTION, "text": text,
        "call_type": "IMMEDIATE_RESPONSE", "asked_at_ms": at_ms, "answered_at_ms": at_ms + 500,
    }  # fmt: skip
    return AnswerGiven(reply=Reply(**{**fields, **more}))


def events_of(name: str) -> list[Event]:
    data = script(name)
    people = data["participants"]
    events: list[Event] = [
        MeetingOpened(meeting_id=name, language=data["language"]),
        MeetingStarted(at=START),
    ]
    events += [ParticipantJoined(participant_id=i, name=p["name"], at_ms=0) for i, p in people.items()]
    for index, line in enumerate(data["lines"]):
        events.append(
            UtteranceSpoken(
                key=f"{name}:{index}",
                speaker_id=line["speaker"],
                speaker_name=people[line["speaker"]]["name"],
                text=line["text"],
                start_ms=int(line["start_s"] * 1000),
                end_ms=int(line["end_s"] * 1000),
                source=(index, index),
            )
        )
    return events


def ready(effect: Summarise, content: Summary, engine: str = "test") -> SummaryReady:
    """The summary that an effect asks for."""
    return SummaryReady(
        topic_id=effect.topic.id,
        version=effect.version,
        reason=effect.reason,
        covered_until=effect.utterances[-1].id,
        content=content,
        engine=engine,
    )


def summary_for(effect: Summarise) -> SummaryReady:
    """What a summariser would say: the first sentence, with its evidence."""
    first = effect.utterances[0]
    kept = (*effect.topic.notes.sentences, Statement(text=first.text[:80], evidence=(first.id,)))
    people = tuple(dict.fromkeys(u.speaker_id for u in effect.utterances))
    text = " ".join(s.text for s in kept)
    return ready(effect, Summary(text=text, sentences=kept, key_points=kept[-5:], participants=people))


def newer(topic: TopicSegment, content: Summary, **more: Any) -> SummaryReady:
    """The next version of a topic's summary, which nobody asked for."""
    fields = {"version": topic.version + 1, "reason": "turn_limit", "covered_until": topic.end_utterance_id}
    return SummaryReady(**{**fields, "topic_id": topic.id, "content": content, "engine": "test", **more})


def by_extraction(effect: Summarise) -> SummaryReady:
    """What the engine without a model says."""
    content = summarise(effect.topic.notes, effect.utterances, before=effect.before, standing=effect.standing)
    return ready(effect, content, "extractive")


def run(meeting: Meeting, events: list[Event], *, summarise: bool = True) -> list[Effect]:
    """Fold events, answering every `Summarise` at once."""
    effects: list[Effect] = []
    for event in events:
        queue: list[Event] = [event]
        while queue:
            new = meeting.receive(queue.pop(0))
            effects += new
            if summarise:
                queue += [summary_for(e) for e in new if isinstance(e, Summarise)]
    return effects


def talk_of(lines: Iterable[str | tuple[str, str]], first: int = 1) -> list[Event]:
    """Utterances numbered from `first`, by one speaker, or each by its own: (speaker, text)."""
    return [
        spoken(number, line) if isinstance(line, str) else spoken(number, line[1], line[0])
        for number, line in enumerate(lines, first)
    ]


def met(*events: Event, summarise: bool = True, **how: Any) -> Meeting:
    """A meeting in which these happened; `how` as `Meeting` takes it."""
    meeting = Meeting("m", **how)
    run(meeting, list(events), summarise=summarise)
    return meeting


def of(kind: type, effects: list[Effect]) -> list[Any]:
    return [effect for effect in effects if isinstance(effect, kind)]


_TEXTS = st.sampled_from(
    [
        "그럼 다음 안건으로 넘어가겠습니다. 내년 예산 이야기를 해 보죠.",
        "Okay, let us move on to the office move.",
        "이제 채용 이야기로 넘어가죠.",
        "다음 주에 하죠.",
        "So, what about the servers?",
        "서버 비용은 지난해보다 삼십 퍼센트 늘었습니다.",
        "마케팅 예산을 일억 팔천만 원으로 줄여도 괜찮습니다.",
        "The network in the new building is still an open question.",
        "자동 갱신이 꺼져 있었습니다. 인증서가 만료됐나요?",
        "",
        "\x00 \u202e🎉 " * 3,
        "말 " * 400,
        "Let us begin with the search latency problem.",
    ]
)
_ms = st.integers(min_value=-1_000, max_value=4_000_000)
_who = st.sampled_from(["a", "b", "c", ""])
_key = st.integers(min_value=0, max_value=20).map("k{}".format)
_topic = st.sampled_from(["t1", "t2", "t3", "t9"])
_span = st.integers(min_value=0, max_value=60)
_reasons = st.sampled_from(["topic_change", "turn_limit", "time_limit", "closing"])


@st.composite
def _utterance(draw: st.DrawFn) -> UtteranceSpoken:
    start, track_id = draw(_ms), draw(st.sampled_from([None, "tr1"]))
    return UtteranceSpoken(
        key=f"k{draw(st.integers(min_value=0, max_value=200))}",
        speaker_id=draw(_who),
        speaker_name=draw(st.sampled_from(["김민지", "Ben", ""])),
        text=draw(_TEXTS),
        start_ms=start,
        end_ms=start + draw(st.integers(min_value=-10, max_value=9_000)),
        times_derived=draw(st.booleans()),
        late=draw(st.sampled_from([False, False, True])),
        track_id=track_id,
        track_end_ms=draw(st.none() | _ms),
        speech_ms=draw(st.integers(min_value=-1, max_value=9_000)) if track_id else None,
        position=draw(st.none() | st.just(InputPosition(stream="s", position="1-1"))),
        doubtful=draw(st.sampled_from([(), (), ((0, 2),), ((3, 9),)])),
    )


_content = st.sampled_from(
    [
        Summary(
            text="요약.",
            sentences=(Statement(text="요약.", evidence=(1, 9)), Statement(text="둘.", evidence=(30,))),
        ),
        Summary(text="", participants=("a", "zz"), keywords=("예산",)),
    ]
)
_found = st.builds(
    FoundBoundary,
    at=st.integers(min_value=-1, max_value=60),
    kind=st.sampled_from(["cue", "drop", "suspicion"]),
    shortest=st.sampled_from([6, 15]),
)
_small = st.integers(min_value=1, max_value=4)
_fix = st.one_of(
    st.builds(UtteranceFix, of=st.just("utterance"), utterance=_span, text=_TEXTS.filter(bool)),
    st.builds(PersonFix, of=st.just("person"), person=_who, name=st.sampled_from(["박지훈", "Ben"])),
    st.builds(TopicFix, of=st.just("topic"), topic=_topic, name=st.sampled_from(["보안", "Hiring"])),
    st.builds(
        StatementFix, of=st.just("statement"), topic=_topic, list=st.sampled_from(["decisions", "pending"]),
        evidence=st.sampled_from([(1,), (30,), ()]), was=st.just("요약."), text=st.sampled_from([None, "고침."]),
        status=st.sampled_from([None, "done", "rejected"]),
    ),
)  # fmt: skip
ANY_EVENT: st.SearchStrategy[Event] = st.one_of(
    _utterance(),
    _utterance(),
    _utterance(),
    _utterance(),
    st.builds(MeetingOpened, meeting_id=st.just("m"), room=st.just("r"), topics_beside=st.booleans()),
    st.builds(MeetingStarted, at=st.just(START)),
    st.builds(ParticipantJoined, participant_id=_who, name=_who, at_ms=_ms),
    st.builds(ParticipantLeft, participant_id=_who, at_ms=_ms),
    st.builds(ParticipantInformed, participant_id=_who, at_ms=_ms),
    st.builds(ConsentTold, participant_id=_who, agreed=st.booleans(), how=st.just("chat"), at_ms=_ms),
    st.builds(InputRead, position=st.builds(InputPosition, stream=_who, position=_who)),
    st.builds(
        GapNoted, participant_id=_who, start_ms=_ms, end_ms=_ms,
        reason=st.sampled_from(["stt_error", "overload", "takeover"]),
        track_id=st.sampled_from([None, "tr1"]), track_end_ms=st.none() | _ms, key=st.none() | _key,
    ),
    st.builds(
        SpeechWaits, key=_key, participant_id=_who, start_ms=_ms, end_ms=_ms, track_id=st.just("tr1"),
        track_end_ms=_ms,
    ),
    st.builds(
        SpeechWordless, participant_id=_who, start_ms=_ms, end_ms=_ms, track_id=st.just("tr1"), track_end_ms=_ms,
        key=st.none() | _key,
    ),
    st.builds(TrackEnded, participant_id=_who, track_id=st.just("tr1"), sound_ms=_ms),
    st.builds(TopicsScored, heard=_span, found=st.lists(_found, max_size=3).map(tuple), rest=st.booleans()),
    st.builds(TopicJudged, at_utterance=_span, changed=st.booleans(), name=st.sampled_from([None, "보안"])),
    st.builds(
        SummaryReady, topic_id=_topic, version=_small, reason=_reasons, covered_until=_span, content=_content,
        engine=st.just("e"), topic_name=st.sampled_from([None, "예산", ""]),
    ),
    st.builds(SummaryFailed, topic_id=_topic, version=_small, error=st.just("timeout")),
    st.builds(asked, _small, by=_who, at_ms=_ms),
    st.builds(answered, _small, by=_who, at_ms=_ms),
    st.builds(
        AnswerDropped, invocation_id=st.builds("q{}".format, _small), why=st.just("superseded"), at_ms=_ms
    ),
    st.builds(
        ThreadTuned, by=_who, compression_rate=st.sampled_from([None, 0.1]), threshold=st.sampled_from([None, 1])
    ),
    st.builds(
        ThreadSummaryStarted, version=_small, attempt=_small,
        covered_until_message_id=st.just("r1"), covered_message_count=_small, covered_token_count=_small,
    ),
    st.builds(
        ThreadSummaryReady, version=_small, turns=st.sampled_from([(1,), (1, 2, 3), (2,), ()]), text=st.just("t"),
        original_chars=_small, compression_rate=st.just(0.3), engine=st.just("e"),
    ),
    st.builds(ThreadSummaryFailed, version=_small, error=st.just("x")),
    st.builds(RecordingPaused, by=_who, at_ms=_ms, off_the_record=st.booleans()),
    st.builds(RecordingResumed, by=_who, at_ms=_ms),
    st.builds(ClosingRequested, at_ms=_ms),
    st.builds(Corrected, id=_who, by=_who, at_ms=_ms, fix=_fix),
)  # fmt: skip
MAYBE_END: st.SearchStrategy[list[Event]] = st.one_of(
    st.just([]), st.just([]), st.builds(lambda ms: [MeetingEnded(at_ms=ms, reason="room closed")], _ms)
)


@st.composite
def any_events(draw: st.DrawFn, max_size: int = 90) -> list[Event]:
    """A random life of a meeting, mostly talk; what follows an end is in it too."""
    events = draw(st.lists(ANY_EVENT, max_size=max_size))
    cut = draw(st.integers(min_value=0, max_value=len(events)))
    return events[:cut] + draw(MAYBE_END) + events[cut:]


def talk(count: int, text: str = "서버 비용은 지난해보다 늘었습니다", **more: Any) -> list[Event]:
    """Plain utterances on one matter, without cues."""
    return [spoken(i, f"{text} {i}.", "ab"[i % 2], **more) for i in range(1, count + 1)]
