"""Who said which line of a statement, and what of it was not heard clearly."""

from __future__ import annotations

from context.export.document import document
from context.export.minutes import to_markdown
from context.models import Statement, Summary
from context.statements.voices import voices
from tests.languages import BOTH
from tests.unit.context.meetings import met, newer, spoken
from tests.unit.context.samples import utter

LINES = {
    "ko": ("대관료는 십이만 원으로 할까요?", "네, 그렇게 합시다.", "십이만 원으로"),
    "en": ("Shall we pay twelve dollars for the hall?", "Fine, let us do that.", "twelve"),
}


@BOTH
def test_each_line_is_told_with_its_speaker_and_its_own_doubts(language: str) -> None:
    asked, agreed, figure = LINES[language]
    start = asked.index(figure)
    said = (
        spoken(1, asked, "a", doubtful=((start, start + len(figure)),)),
        spoken(2, agreed, "b"),
    )
    decision = Statement(text=f"{asked}\n{agreed}", evidence=(1, 2), status="decided")
    meeting = met(*said, summarise=False)
    meeting.receive(newer(meeting.segments[0], Summary(text="x", decisions=(decision,))))
    told = document(meeting)
    (row,) = told["topics"][0]["decisions"]
    first, second = row["quotes"]
    assert (first["speaker"], first["utterance"], second["speaker"]) == ("a", 1, "b")
    assert [first["text"][slice(*span)] for span in first["doubtful"]] == [figure]
    assert "doubtful" not in second
    minutes = to_markdown(told, language, transcript=False)
    marked = asked.replace(figure, f"{figure} _(?)_")
    assert f"- A: {marked} / B: {agreed} [#1" in minutes


@BOTH
def test_what_nobody_said_so_has_no_voices(language: str) -> None:
    asked, agreed, _ = LINES[language]
    cited = [utter(1, "a", asked), utter(2, "b", agreed)]
    assert [each.said.id for each in voices(f"{asked}\n{agreed}", cited)] == [1, 2]
    assert voices(f"{asked}\nwritten by a model", cited) == ()
