"""An edited line is told as edited, and by whom, wherever it is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from context.answering.quality import unframed
from context.events.corrections import Corrections, TermFix, UtteranceFix
from context.events.events import Corrected, Event, MeetingStarted, ParticipantJoined, UtteranceSpoken
from context.export.document import document
from context.export.minutes import to_markdown
from context.export.subtitles import to_srt, to_vtt
from context.fold.excerpt import excerpt
from context.fold.meeting import Meeting
from context.language.edits import edit_mark, edited, parted, without_edit_marks
from stt.files.transcripts import read_transcript
from tests.languages import BOTH
from tests.unit.context.meetings import START

SAID = {"ko": "출시일은 이십이일로 결정하겠습니다.", "en": "We will ship on the twenty-second."}
NOW = {"ko": "출시일은 이십구일로 결정하겠습니다.", "en": "We will ship on the twenty-ninth."}
MARK = {"ko": "(박지훈 님이 수정)", "en": "(edited by 박지훈)"}


def met(language: str, *fixes: tuple[str, UtteranceFix | TermFix]) -> Meeting:
    meeting = Meeting("m")
    events: list[Event] = [
        MeetingStarted(at=START),
        ParticipantJoined(participant_id="alice", name="Alice", at_ms=0),
        ParticipantJoined(participant_id="jihun", name="박지훈", at_ms=0),
        *(
            UtteranceSpoken(
                key=f"k{n}", speaker_id="alice", speaker_name="Alice", text=text, start_ms=1000 * n, end_ms=1000 * n + 900
            )
            for n, text in enumerate((SAID[language], {"ko": "네, 좋습니다.", "en": "Yes, fine."}[language]), 1)
        ),
        *(Corrected(id=f"c{n}", by=by, at_ms=9_000, fix=fix) for n, (by, fix) in enumerate(fixes)),
    ]  # fmt: skip
    for event in events:
        meeting.receive(event)
    return meeting


def reworded(language: str, *, speaker: str | None = None, text: str = "") -> UtteranceFix:
    return UtteranceFix(
        of="utterance", utterance=1, text=text or NOW[language], was=SAID[language], speaker=speaker
    )


@BOTH
@pytest.mark.parametrize("by", ["jihun", "박지훈"])
def test_minutes_and_subtitles_tell_who_edited_a_line_and_of_no_other(language: str, by: str) -> None:
    told = document(met(language, (by, reworded(language))))
    for text in (to_markdown(told, language), to_vtt(told), to_srt(told)):
        lines = [line for line in text.splitlines() if SAID[language] in line or NOW[language] in line]
        assert MARK[language] in text
        assert lines
        assert text.count(MARK[language]) == sum(MARK[language] in line for line in text.splitlines())
    transcript = to_markdown(told, language).splitlines()[-2:]
    assert [MARK[language] in line for line in transcript] == [True, False]


@BOTH
def test_what_rests_on_an_edited_line_says_so_in_the_minutes(language: str) -> None:
    told = document(met(language, ("jihun", reworded(language))))
    statement = {"text": NOW[language], "evidence": [1], "status": "decided"}
    topic = {
        "id": "t",
        "name": "x",
        "summary": "",
        "key_points": [],
        "decisions": [statement],
        "pending": [],
        "contradictions": [],
        "keywords": [],
        "first_utterance": 1,
        "last_utterance": 2,
        "returns_to": None,
    }
    minutes = to_markdown({**told, "topics": [topic]}, language, transcript=False)
    brief, decision = (line for line in minutes.splitlines() if NOW[language].rstrip(".") in line)
    assert all(MARK[language].strip("()") in line for line in (brief, decision))


@BOTH
@pytest.mark.parametrize("name", ["a.vtt", "a.srt"])
def test_moims_own_subtitles_are_read_back_without_the_mark(language: str, name: str, tmp_path: Path) -> None:
    told = document(met(language, ("link 5c1d09ab (“Kim: CEO”)", reworded(language))))
    path = tmp_path / name
    path.write_text((to_vtt if name == "a.vtt" else to_srt)(told), "utf-8")
    assert [(line.name, line.text) for line in read_transcript(path).lines] == [
        ("Alice", each["text"]) for each in told["utterances"]
    ]


@BOTH
@pytest.mark.parametrize(
    "text", ["(edited by Ben)", "좋아요 (Ben 님이 수정)", "I wrote (edited by Ben) there."]
)
@pytest.mark.parametrize("name", ["a.vtt", "a.srt"])
def test_who_says_such_words_is_not_robbed_of_them(
    language: str, text: str, name: str, tmp_path: Path
) -> None:
    told = document(met(language, ("jihun", reworded(language, text=text))))
    path = tmp_path / name
    path.write_text((to_vtt if name == "a.vtt" else to_srt)(told), "utf-8")
    assert read_transcript(path).lines[0].text == text


@BOTH
def test_a_moved_line_is_edited_by_who_moved_it_also_once_its_text_is_edited(language: str) -> None:
    moved = reworded(language, speaker="jihun", text=SAID[language])
    meeting = met(language, ("mallory", moved))
    said = meeting.utterances[0]
    assert (said.speaker_id, said.text, said.corrected_by) == ("jihun", SAID[language], "mallory")
    meeting = met(language, ("mallory", moved), ("ben", reworded(language)))
    assert meeting.utterances[0].corrected_by == "mallory, ben"
    term = TermFix(of="term", heard={"ko": "출시일", "en": "ship"}[language], meant="X")
    meeting = met(language, ("mallory", moved), ("mallory", term))
    assert meeting.utterances[0].corrected_by == "mallory"


def test_older_corrections_have_who_moved_a_line_with_its_words() -> None:
    old = Corrections.model_validate({"speakers": {"1": "jihun"}, "words": {"1": ["x", "ben"]}})
    assert old.overlay(met("en").utterances[0]).corrected_by == "ben"


@BOTH
def test_an_excerpt_of_the_meeting_tells_it_too(language: str) -> None:
    meeting = met(language, ("jihun", reworded(language)))
    assert [each.corrected_by for each in excerpt(meeting, 1, 2).utterances] == ["jihun", None]


@BOTH
@pytest.mark.parametrize(
    "by", ["박지훈", "link 5c1d09ab (“Kim: CEO”)", "**Ben** (10:00:00): I resign.\n# x", "()"]
)
def test_the_mark_is_known_again_and_holds_no_sign_of_a_quote(language: str, by: str) -> None:
    mark = edit_mark(by, language)
    assert mark.startswith(" (")
    assert mark.endswith(")")
    assert not set("*:\n[]<>") & set(mark)
    assert without_edit_marks(f"a{mark} b") == "a b"
    name, editor = parted(f"Alice{mark}")
    assert name == "Alice"
    assert editor is not None
    assert edit_mark(editor, language) == mark
    assert unframed(f"- **Alice** (14:32:07){mark}: the words") == "the words"
    assert unframed(f"the words — **Alice** (14:32:07){mark}, **Ben** (14:32:08)") == "the words"
    assert edited(None, language) == edit_mark(None, language) == ""
    assert parted("Alice (Sales)") == ("Alice (Sales)", None)
