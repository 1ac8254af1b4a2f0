"""The document of the contract, and what is drawn from it."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import jsonschema
import pytest
import webvtt
from hypothesis import given, settings

from context.events.effects import Summarise
from context.events.events import Event, MeetingEnded, MeetingStarted
from context.export.document import document, topic_row
from context.export.exchange_rows import exchange_rows
from context.export.minutes import to_markdown
from context.export.subtitles import to_srt, to_vtt
from context.models import Statement, Summary
from context.primitives.askers import nobodys
from context.primitives.text import one_line
from tests.unit.cases import cases
from tests.unit.context.documents import SCHEMA, finished
from tests.unit.context.meetings import (
    START,
    answered,
    any_events,
    asked,
    met,
    of,
    ready,
    run,
    spoken,
    talk_of,
)
from tests.unit.context.samples import SCRIPTS


def check(doc: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(doc)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_meetings_document_follows_the_schema(name: str) -> None:
    doc = document(finished(name), title="주간 회의", room="r", engines={"stt": "whisper"})
    check(doc)
    assert doc["meeting"] == {
        "id": name, "room": "r", "title": "주간 회의", "language": name[:2], "status": "ended",
        "started_at": "2026-01-05T05:00:00.000Z", "ended_at": "2026-01-05T05:02:50.000Z", "duration_ms": 170_000,
        "time_zone": "UTC",
    }  # fmt: skip
    assert doc["engines"] == {"stt": "whisper", "llm": "extractive", "embeddings": "none"}
    assert [u["source"] for u in doc["utterances"] if u["id"] == 3] == [[2, 2]]
    assert doc["topics"][0]["first_utterance"] == 1
    assert doc["topics"][-1]["last_utterance"] == len(doc["utterances"])
    assert all(set(t["participants"]) <= {p["id"] for p in doc["participants"]} for t in doc["topics"])
    assert doc["replies"][0]["evidence"] == [9]
    assert doc["gaps"] == [
        {"participant": doc["replies"][0]["by"], "start_ms": 5, "end_ms": 10, "reason": "overload"}
    ]


def test_times_that_nobody_gave_are_marked() -> None:
    first = spoken(1, "출시일은 12월 22일입니다.", times_derived=True)
    second = spoken(2, "The release is on 22 December.", "b")
    doc = document(met(MeetingStarted(at=START), first, second))
    check(doc)
    assert [u.get("times_derived", False) for u in doc["utterances"]] == [True, False]


@settings(max_examples=40, deadline=None)
@given(any_events())
def test_every_meeting_has_a_valid_document_and_exports(events: list[Event]) -> None:
    meeting = met(*events, summarise=False)
    doc = document(meeting)
    check(doc)
    assert [u["id"] for u in doc["utterances"]] == [
        u.id for u in sorted(meeting.utterances, key=lambda u: (u.start_ms, u.id))
    ]
    for language in ("ko", "en", None):
        assert to_markdown(doc, language).startswith("# ")
    to_srt(doc)
    to_vtt(doc)


def test_an_open_meeting_shows_its_open_topic_and_no_end() -> None:
    doc = document(met(MeetingStarted(at=START), *talk_of(["예산 예산 이야기입니다", "예산은 이억 원"])))
    check(doc)
    told, (topic,) = doc["meeting"], doc["topics"]
    assert (told["status"], told["ended_at"], told["duration_ms"]) == ("live", None, 14_000)
    assert (topic["reason"], topic["decided_after"], topic["name"]) == ("start", 1, "예산")


def test_private_replies_stay_out_unless_asked_for() -> None:
    meeting = met(asked(1, private=True), answered(1, private=True))
    assert document(meeting)["replies"] == []
    assert [r["id"] for r in document(meeting, private=True)["replies"]] == ["r1"]


def test_statements_carry_evidence_owner_and_what_superseded_them() -> None:
    meeting = met(MeetingStarted(at=START))
    (job,) = of(Summarise, run(meeting, talk_of(["예산"] * 25), summarise=False))
    content = Summary(
        text="예산.",
        decisions=(
            Statement(text="이억", evidence=(3,), status="superseded", superseded_by="일억"),
            Statement(text="일억", evidence=(9,)),
        ),
        pending=(Statement(text="조사", evidence=(4,), owner="a", due="금요일", status="open"),),
    )
    meeting.receive(ready(job, content))
    doc = document(meeting, started_at=START + timedelta(hours=1))
    check(doc)
    assert doc["topics"][0]["decisions"] == [
        {"text": "이억", "evidence": [3], "status": "superseded", "superseded_by": "일억"},
        {"text": "일억", "evidence": [9]},
    ]
    markdown = to_markdown(doc, "ko")
    assert "~~이억~~ (이후 변경됨) — A [#3 06:00:15]" in markdown
    assert "조사 (담당자: a, 기한: 금요일 = 2026-01-09) — A [#4 06:00:20]" in markdown
    assert "할 일: 조사 (a, 기한: 금요일 = 2026-01-09)" in markdown.splitlines()[5]


@cases
def test_the_minutes_speak_the_meetings_language(name: str, headings: tuple[str, ...]) -> None:
    markdown = to_markdown(document(finished(name)))
    for heading in headings:
        assert heading in markdown.splitlines()
    assert "## 주제" in to_markdown(document(finished(name)), "ko")


def test_nobodys_words_become_markup() -> None:
    doc = document(met(*talk_of([("eve|<i>", "# 제목\n| <b>x</b> --> *y* [z](http://e)")])))
    markdown = to_markdown(doc)
    assert "\\# 제목 \\| &lt;b&gt;x&lt;/b&gt; --&gt; \\*y\\* \\[z\\](http://e)" in markdown
    assert "&lt;b&gt;x&lt;/b&gt; --&gt;" in to_vtt(doc)
    assert to_srt(doc).count("-->") == 1


@pytest.mark.parametrize(("language", "mark"), [("ko", "미검증"), ("en", "unverified")])
def test_what_nobody_verified_is_marked_sentence_by_sentence(language: str, mark: str) -> None:
    meeting = finished("ko-release-planning" if language == "ko" else "en-sprint-review")
    said = [each.text for each in meeting.utterances[:3]]
    judged, new, other = (
        Statement(text=text, evidence=(place,), unverified=place > 1) for place, text in enumerate(said, 1)
    )
    topic = meeting.segments[0]
    told = Summary(
        text=f"{judged.text} {new.text}",
        sentences=(judged, new),
        key_points=(other,),
        decisions=(new.model_copy(update={"corrected_by": "a"}),),
        verified=False,
    )
    meeting.topics.segments[0] = topic.model_copy(update={"notes": told, "summary": told.text})
    doc = document(meeting)
    check(doc)
    row = doc["topics"][0]
    assert row["unverified"] == [new.text]
    assert [each.get("unverified") for each in row["key_points"]] == [True]
    assert "unverified" not in row["decisions"][0], "a person has confirmed it"
    minutes = to_markdown(doc, language, transcript=False)
    lines = [line for line in minutes.splitlines() if mark in line]
    assert any(f"{one_line(new.text)} _({mark})_" in line for line in lines)
    assert any(line.startswith(f"- {one_line(other.text)} ({mark})") for line in lines)


@pytest.mark.parametrize("name", SCRIPTS)
def test_subtitles_can_be_read_back(name: str) -> None:
    doc = document(finished(name))
    vtt = list(webvtt.from_buffer(io.StringIO(to_vtt(doc))))
    srt = list(webvtt.from_buffer(io.StringIO(to_srt(doc)), format="srt"))
    assert [c.text for c in vtt] == [u["text"] for u in doc["utterances"]]
    people = {p["id"]: p["name"] for p in doc["participants"]}
    assert [c.voice for c in vtt] == [people[u["speaker"]] for u in doc["utterances"]]
    assert [c.text for c in srt] == [f"{people[u['speaker']]}: {u['text']}" for u in doc["utterances"]]
    assert srt[1].start == vtt[1].start


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        (
            "배포는 언제 합니까?",
            "월요일에 합니다.",
            ["질문에 답한 횟수(답한 사람, 질문한 사람 순): B → A 3", "**C** _(동시 발언)_"],
        ),
        ("When do we deploy it?", "We do so on Monday.", ["Who answered whom: B → A 3", "**C** _(at once)_"]),
    ],
)
def test_who_answers_whom_and_who_speaks_at_once_is_shown(
    question: str, answer: str, told: list[str]
) -> None:
    said = [(question, "a", 0), (answer, "b", 4_200), (answer, "c", 5_000)]
    said += [
        each for n in (1, 2) for each in ((question, "a", 20_000 * n), (answer, "b", 20_000 * n + 4_200))
    ]
    made = document(met(*(spoken(n, text, who, start_ms=at) for n, (text, who, at) in enumerate(said, 1))))
    check(made)
    assert made["simultaneous"] == [
        {"start_ms": 4_200, "end_ms": 9_000, "speakers": ["b", "c"], "utterances": [2, 3]}
    ]
    by_id = {person["id"]: person for person in made["participants"]}
    assert by_id["b"]["stats"]["answers_to"] == {"a": 3}
    assert by_id["c"]["stats"]["interruptions"] == 1
    assert by_id["a"]["role_evidence"] == [1, 4, 6]
    minutes = to_markdown(made)
    assert all(words in minutes for words in told)
    without = {key: value for key, value in made.items() if key != "simultaneous"}
    assert "_(" not in to_markdown(without), "a document of an older version is still shown"


@pytest.mark.parametrize(("language", "rest"), [("ko", "그 밖에 12쌍"), ("en", "and 12 more")])
def test_of_a_large_meeting_those_are_shown_who_answered_each_other_most(language: str, rest: str) -> None:
    made = document(met(*talk_of([("a", "안녕하세요."), ("b", "네.")])))
    asked = {f"p{n}": n for n in range(1, 21)}
    made["participants"][0]["stats"]["answers_to"] = asked
    made |= exchange_rows(made["participants"])
    line = next(each for each in to_markdown(made, language).splitlines() if "→" in each)
    assert line.count("→") == 8
    assert line.endswith(rest)
    assert "→ p20 20, " in line
    assert "→ p12 12" not in line


@cases
def test_what_was_decided_comes_first_and_nothing_is_told_twice(name: str, decided: str, to_do: str) -> None:
    doc = document(finished(name))
    doc["topics"][0] |= {
        "summary": "one two. three four.",
        "key_points": [{"text": "one two.", "evidence": [1]}],
        "decisions": [{"text": "three four.", "evidence": [2]}],
        "pending": [{"text": "five.", "evidence": [3], "owner": "Ben"}],
    }
    minutes = to_markdown(doc, transcript=False)
    parts = (f"{decided}\n", "Three four.", f"{to_do}\n", "Five. (", "### 1. ", "<details>")
    assert sorted(parts, key=minutes.index) == list(parts)
    assert minutes.count("hree four.") == minutes.lower().count("one two.") == 1, "the brief has no full stop"
    doc["topics"][0]["summary"] = "In other words: one two."
    assert "In other words: one two." in to_markdown(doc)


def test_the_date_is_told_in_the_readers_time_zone_and_only_where_it_is_known() -> None:
    doc = document(finished("en-sprint-review"))
    assert "\n2026-01-05 05:00–05:02 (UTC) · Alice Moreau, Ben Carter, Chloe Park\n" in to_markdown(doc)
    assert "2026-01-05 14:00–14:02 (KST)" in to_markdown(doc, zone=ZoneInfo("Asia/Seoul"))
    doc["meeting"]["started_at"] = None
    assert "\n\n00:02:50 · Alice" in to_markdown(doc)


def test_a_meeting_is_as_long_as_its_last_words_wherever_the_reading_of_its_file_was_stopped() -> None:
    meeting = met(
        MeetingStarted(at=START),
        *talk_of(["예산 예산 이야기입니다", "예산은 이억 원"]),
        MeetingEnded(at_ms=9, reason="asked"),
    )
    told = document(meeting)["meeting"]
    assert (told["duration_ms"], told["ended_at"]) == (14_000, "2026-01-05T05:00:14.000Z")


def test_a_file_without_a_date_began_at_no_known_time_and_still_has_its_length() -> None:
    meeting = finished("ko-release-planning")
    doc = document(meeting, started_at=datetime(1970, 1, 1, tzinfo=UTC))
    told = doc["meeting"]
    assert (told["started_at"], told["ended_at"], told["duration_ms"]) == (None, None, 170_000)
    check(doc)
    assert "1970" not in to_markdown(doc)


@cases
def test_who_asked_from_outside_is_told_in_words(name: str, via: str, who: str) -> None:
    doc = document(finished(name))
    inside = to_markdown(doc)
    doc["replies"][0] |= {"by": nobodys(via), "via": via}
    assert f"**{who}** (05:02:00): 출시일이 언제죠?" in to_markdown(doc)
    assert who not in inside


def test_a_row_says_how_much_of_a_day_a_figure_and_an_owner_it_names() -> None:
    meeting = met(spoken(1, "Whatever."))
    notes = Summary(
        decisions=(
            Statement(text="The door stays open.", evidence=(1,), status="decided"),
            Statement(text="We pay forty euros on Friday.", evidence=(1,), status="decided"),
        ),
        pending=(
            Statement(
                text="I call her.", evidence=(1,), owner="A", due="Friday", kind="action", status="open"
            ),
        ),
    )
    segment = meeting.segments[0].model_copy(update={"notes": notes})
    row = topic_row(meeting, segment)
    assert [each.get("weight") for each in (*row["decisions"], *row["pending"])] == [None, 2, 2]
