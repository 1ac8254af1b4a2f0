"""A figure that was not heard clearly is told wherever it stands, until somebody has put it right."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.config import ContextConfig
from context.events.corrections import TermFix, UtteranceFix
from context.events.events import Corrected, UtteranceSpoken, decode, encode
from context.evidence.doubtful_figures import carried, doubtful_in, marked
from context.export.document import document
from context.export.minutes import to_markdown
from context.fold.meeting import Meeting
from context.models import Statement, Summary
from context.prompts.quoting import summary_line
from tests.languages import BOTH
from tests.unit.context.meetings import met, newer, spoken

LINES = {
    "ko": ("좋습니다. 출시일은 12월 12일로 결정하겠습니다.", "12일로", "12월"),
    "en": ("Good. We decided to ship on December 12th then.", "12th", "December"),
}


def unclear(language: str, *, sure: bool = False, number: int = 2) -> UtteranceSpoken:
    text, word, _ = LINES[language]
    start = text.index(word)
    spans = () if sure else ((start, start + len(word)),)
    return spoken(number, text, doubtful=spans)


def meeting_of(*said: UtteranceSpoken, text: str | None = None) -> Meeting:
    """A meeting whose first topic has a decision that cites all of it."""
    meeting = met(spoken(1, "네."), *said, summarise=False)
    evidence = tuple(range(2, 2 + len(said)))
    decided = Statement(text=text or said[0].text, evidence=evidence, status="decided")
    meeting.receive(newer(meeting.segments[0], Summary(text="…", decisions=(decided,))))
    return meeting


def words_in_doubt(row: dict[str, Any]) -> list[str]:
    return [row["text"][start:end] for start, end in row.get("doubtful", ())]


def corrected(meeting: Meeting, fix: Any) -> None:
    meeting.receive(Corrected(id="c1", by="민지", at_ms=9_000, fix=fix))


@BOTH
def test_a_line_and_the_decision_made_of_it_tell_it(language: str) -> None:
    told = document(meeting_of(unclear(language)))
    _, word, _ = LINES[language]
    assert words_in_doubt(told["utterances"][1]) == [word]
    assert words_in_doubt(told["topics"][0]["decisions"][0]) == [word]
    assert "doubtful" not in told["utterances"][0]


@BOTH
def test_a_decision_in_other_words_tells_it_of_the_same_figure(language: str) -> None:
    reworded = {"ko": "출시는 십이월 십이일.", "en": "Ship on the twelfth of December."}[language]
    told = document(meeting_of(unclear(language), text=reworded))
    assert words_in_doubt(told["topics"][0]["decisions"][0]) == [{"ko": "십이일", "en": "twelfth"}[language]]


@BOTH
def test_what_was_heard_clearly_carries_no_mark(language: str) -> None:
    told = document(meeting_of(unclear(language, sure=True)))
    assert "doubtful" not in json.dumps(told)
    assert "(?)" not in to_markdown(told, language)


@BOTH
def test_a_figure_that_was_said_again_clearly_is_sure(language: str) -> None:
    told = document(meeting_of(unclear(language), unclear(language, sure=True, number=3)))
    assert words_in_doubt(told["topics"][0]["decisions"][0]) == []
    assert words_in_doubt(told["utterances"][1]), "that line was not heard better for it"


@BOTH
def test_minutes_mark_it_and_say_once_what_the_mark_means(language: str) -> None:
    told = document(meeting_of(unclear(language)))
    minutes = to_markdown(told, language)
    _, word, _ = LINES[language]
    assert minutes.count(f"{word} _(?)_") == 3, "in brief, among the decisions, in the transcript"
    assert sum(line.startswith("_(?)_: ") for line in minutes.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        ("예산은 1억 8000만 원입니다.", ["1억", "8000만"], "예산은 1억 8000만 (?) 원입니다."),
        ("Four hundred and five.", ["Four hundred", "five"], "Four hundred (?) and five (?)."),
        ("December 12th, 9 am.", ["December", "12th"], "December 12th (?), 9 am."),
    ],
)
def test_figures_side_by_side_have_one_mark(text: str, words: list[str], told: str) -> None:
    spans = [(text.index(word), text.index(word) + len(word)) for word in words]
    assert marked(text, spans, " (?)") == told


@BOTH
def test_words_that_look_like_the_mark_are_none(language: str) -> None:
    told = document(met(spoken(1, "12 _(?)_ (?)")))
    assert "_(?)_:" not in to_markdown(told, language)


@BOTH
def test_a_prompt_tells_it_beside_the_words(language: str) -> None:
    text, word, _ = LINES[language]
    meeting = meeting_of(unclear(language))
    assert summary_line(meeting.utterances[1]) == f"[#2] A (not heard clearly: {word}): {text}"


@BOTH
def test_who_corrects_the_line_takes_the_mark_away(language: str) -> None:
    meeting = meeting_of(unclear(language))
    text, word, _ = LINES[language]
    corrected(meeting, UtteranceFix(of="utterance", utterance=2, text=text.replace(word, "22"), was=text))
    told = document(meeting)
    assert "doubtful" not in told["utterances"][1]
    assert "doubtful" not in json.dumps(told["topics"])
    assert restored(meeting) == told


@BOTH
def test_who_keeps_the_line_as_it_is_says_that_it_is_right(language: str) -> None:
    meeting = meeting_of(unclear(language))
    fix = UtteranceFix(of="utterance", utterance=2, text=LINES[language][0], was=LINES[language][0])
    corrected(meeting, fix)
    assert "doubtful" not in document(meeting)["utterances"][1]


@BOTH
def test_a_corrected_term_leaves_other_figures_of_its_line_in_doubt(language: str) -> None:
    heard, meant = {"ko": ("출시일은", "배포일은"), "en": ("ship", "release")}[language]
    meeting = meeting_of(unclear(language))
    corrected(meeting, TermFix(of="term", heard=heard, meant=meant))
    told = document(meeting)
    assert words_in_doubt(told["utterances"][1]) == [LINES[language][1]]
    assert restored(meeting) == told
    corrected(meeting, TermFix(of="term", heard=LINES[language][1], meant="22"))
    assert "doubtful" not in document(meeting)["utterances"][1]


@BOTH
def test_a_statement_that_somebody_confirmed_is_sure(language: str) -> None:
    meeting = meeting_of(unclear(language))
    (decided,) = meeting.segments[0].notes.decisions
    confirmed = decided.model_copy(update={"corrected_by": "민지"})
    meeting.receive(newer(meeting.segments[0], Summary(text="…", decisions=(confirmed,))))
    assert "doubtful" not in document(meeting)["topics"][0]["decisions"][0]


def restored(meeting: Meeting) -> dict[str, Any]:
    """The document of a successor, from the snapshot and the archive, which knows of no doubt."""
    stored = json.loads(json.dumps(meeting.snapshot()))
    plain = {"heard": None, "corrected_by": None, "doubtful": ()}
    archive = [
        each.model_copy(update={"text": each.heard or each.text, **plain}) for each in meeting.utterances
    ]
    return document(Meeting.restore("m", ContextConfig(), stored, archive))


@BOTH
def test_a_snapshot_keeps_it(language: str) -> None:
    meeting = meeting_of(unclear(language))
    assert restored(meeting) == document(meeting)


def test_an_older_record_knows_of_none() -> None:
    event = encode(spoken(1, "12월 12일입니다."))
    event.pop("doubtful", None)
    assert decode(event, 1) == spoken(1, "12월 12일입니다.")


@given(st.text("1a 가", max_size=12), st.text("1a 가", max_size=12), st.data())
def test_a_span_that_is_carried_holds_the_same_words(before: str, now: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(before)))
    end = data.draw(st.integers(start, len(before)))
    for left in carried(((start, end),), before, now):
        assert now[slice(*left)] == before[start:end]
    assert carried(((start, end),), before, before) == ((start, end),)


def test_a_mark_stands_behind_its_words_and_what_is_cut_off_has_none() -> None:
    assert marked("a 12 b 13", ((2, 4), (7, 9)), "?") == "a 12? b 13?"
    assert marked("a 12", ((2, 4), (7, 9)), " ?", str.upper) == "A 12 ?"
    assert doubtful_in("12", ()) == ()
