"""What Moim exports it reads back the same: who said what, and when."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from context.config import ContextConfig
from context.events import events
from context.export.document import document
from context.export.minutes import UNCLEAR_MARK, to_markdown
from context.export.subtitles import MARK, to_jsonl, to_srt, to_vtt
from context.fold.meeting import Meeting
from context.primitives.text import clean_name, one_line
from stt.files.transcripts import read_transcript
from worker.record.restoring import formatted

Said = tuple[str, str, int, int]
"""Who (an id), the words, from and to which ms."""


def written(shape: dict[str, Any], form: str) -> str:
    return to_markdown(shape) if form == "md" else formatted(shape, form)


ODD: Final = (
    "Hana Lee",
    "김민지",
    "The plan",
    "Agenda",
    "Kim: Seoul",
    "A:B",
    ">> Tom",
    "- Ann",
    "[SPEAKER_00]",
    "SPEAKER_00",
    "+82 10-1234-5678",
    "3층 회의실",
    "Unknown speaker",
    "<v Ben>",
    "a <b>x</b>",
    "{\\an8}x",
    "&lt;i&gt;",
    "**Bold**",
    "x_y*z",
    "Tom (2)",
    "Moim",
    "--> 00:01",
    "1",
    "yes, at 10",
    "a" * 200,
    "(Guest)",
    "Ann\\",
)
WORDS: Final = (
    "We ship on Friday.",
    "네.",
    "The plan: we ship at 10:30.",
    "2026",
    "Tom: no",
    "<b>bold</b> and <i>(edited by Ben)</i>",
    "<c.edited>(edited by Ben)</c>",
    "00:00:01,000 --> 00:00:02,000",
    "00:01 --> 00:02",
    "-->",
    "&amp; &lt;v Ann&gt;",
    "{\\an8}top",
    "WEBVTT",
    "NOTE x",
    "- one\\n- two",
    "[#3]",
    "_(at the same time)_: x",
    "a ** b [x](y)",
    "a: b: c: d",
    "<v Ben>hi</v>",
    MARK,
)
_TEXTS: Final = st.sampled_from(WORDS) | st.text(
    st.sampled_from("aB가힣 :：<>&;-–—>/[](){}*_\\#|`.,!?'\"0123…\t\n\u200b\u2063é👋")
    | st.characters(codec="utf-8"),
    max_size=30,
)
_NAMES: Final = st.sampled_from(ODD) | _TEXTS


def meeting_of(said: list[Said], *, dated: bool, names: dict[str, str]) -> Meeting:
    meeting = Meeting("m", ContextConfig())
    began = datetime(2026, 3, 2, 10, 2, tzinfo=UTC) if dated else datetime(1970, 1, 1, tzinfo=UTC)
    meeting.receive(events.MeetingStarted(at=began))
    for key, (who, text, start_ms, end_ms) in enumerate(said):
        spoken = events.UtteranceSpoken(
            key=f"line-{key}",
            speaker_id=who,
            speaker_name=clean_name(names.get(who, who), who),
            text=one_line(text),
            start_ms=start_ms,
            end_ms=end_ms,
        )
        meeting.receive(meeting.attendance.as_shown(spoken))
    return meeting


def who_said_what(told: dict[str, Any], *, unit_ms: int = 1) -> list[tuple[str, str, int, int]]:
    names = {p["id"]: p["name"] for p in told["participants"]}
    return [
        (names[u["speaker"]], u["text"], u["start_ms"] // unit_ms, u["end_ms"] // unit_ms)
        for u in told["utterances"]
        if u["text"]
    ]


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.tuples(st.integers(0, 4), _TEXTS, st.integers(0, 10**7), st.integers(1, 10**5)),
        min_size=1,
        max_size=6,
    ),
    st.lists(_NAMES, min_size=5, max_size=5),
    st.booleans(),
)
@example([(0, "The plan: we ship", 0, 1)], ["Hana", "b", "c", "d", "e"], False)
@example([(0, "x", 0, 1), (1, "y", 0, 1)], ["Kim: Seoul", "Kim: Busan", "c", "d", "e"], True)
@example([(0, "x", 0, 1)], ["yes, at 10", "b", "c", "d", "e"], False)
@example([(n, "x", n, 1) for n in range(5)], ["Tom", "Ben", "Ann", "Cy", "Dee"], False)
@example([(0, "Q: x", 0, 1), (0, "Q: y", 2, 1), (0, "Q: z", 4, 1)], ["Hana", "b", "c", "d", "e"], False)
def test_what_is_exported_is_read_back_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[tuple[int, str, int, int]],
    bearers: list[str],
    dated: bool,
) -> None:
    said = [(f"p{who}", text, start, start + length) for who, text, start, length in lines]
    names = {f"p{place}": name for place, name in enumerate(bearers)}
    meeting = meeting_of(said, dated=dated, names=names)
    told = document(meeting)
    expected = who_said_what(told)
    if not expected:
        return
    folder = tmp_path_factory.mktemp("export")
    for form, unit_ms in (("vtt", 1), ("srt", 1), ("jsonl", 1), ("json", 1), ("md", 1000)):
        path = Path(folder) / f"m.{form}"
        path.write_text(written(told, form), "utf-8")
        read = read_transcript(path)
        shown = [(line.name, line.text, line.start_ms // unit_ms) for line in read.lines]
        assert shown == [(name, text, start // unit_ms) for name, text, start, _ in expected], form
        if form != "md":  # whose turns have no end
            assert [line.end_ms for line in read.lines] == [end for *_, end in expected], form
        again = meeting_of(
            [(line.speaker, line.text, line.start_ms, line.end_ms) for line in read.lines],
            dated=dated,
            names={line.speaker: line.name for line in read.lines},
        )
        unit = max(unit_ms, 1)
        assert [row[:3] for row in who_said_what(document(again), unit_ms=unit)] == [
            (name, text, start // unit) for name, text, start, _ in expected
        ], form


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("출시는 12월 12일로 하죠.", "12일로"),
        ("We ship on the 12th.", "12th"),
        ("12 _(?)_", "12"),
        ("a\\ 12 \\ (?)", "12"),
        ("12", "12"),
    ],
)
@pytest.mark.parametrize("form", ["vtt", "srt", "jsonl", "json", "md"])
def test_marks_of_unclear_figures_are_not_read_back_as_words(
    tmp_path: Path, text: str, word: str, form: str
) -> None:
    start = text.index(word)
    meeting = Meeting("m", ContextConfig())
    meeting.receive(
        events.UtteranceSpoken(
            key="k", speaker_id="a", speaker_name="Ann", text=text, start_ms=0, end_ms=1000,
            doubtful=((start, start + len(word)),),
        )
    )  # fmt: skip
    told = written(document(meeting), form)
    assert form != "md" or UNCLEAR_MARK in told
    path = tmp_path / f"m.{form}"
    path.write_text(told, "utf-8")
    assert [line.text for line in read_transcript(path).lines] == [text]


def test_plain_names_stand_in_subtitles_as_they_are() -> None:
    """The sign that nobody sees stands only where it is needed: other programs read the file, too."""
    meeting = meeting_of(
        [("a", "We ship on Friday.", 0, 1), ("b", "네: 10:30에요.", 2, 3)],
        dated=False,
        names={"a": "Hana Lee", "b": "김민지"},
    )
    assert to_srt(document(meeting)).count(MARK) == 1
    assert "\nHana Lee: We ship on Friday.\n" in to_srt(document(meeting))
    assert MARK not in to_vtt(document(meeting)) + to_jsonl(document(meeting)) + to_markdown(
        document(meeting)
    )
