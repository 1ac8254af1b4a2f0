"""What was decided, and when its matter was taken up again: both stand, with their times."""

from __future__ import annotations

import pytest

from context.events.corrections import UtteranceFix
from context.events.effects import PublishTopic, Summarise
from context.events.events import Corrected
from context.export.document import document
from context.export.minutes import to_markdown
from tests.unit.cases import cases
from tests.unit.context.meetings import by_extraction, of
from tests.unit.context.summed_topics import meeting_of

KO = (
    [
        "출시일은 십이월 십오일로 결정하겠습니다.",
        "개발이 늦어지고 있습니다.",
        "테스트도 남았습니다.",
        "결제도요.",
    ],
    ["그럼 다음 안건으로 넘어가겠습니다. 예산 이야기를 해 보죠."],
    ["예산은 충분합니다.", "출시일은 십이월 이십이일로 변경하기로 했습니다."],
)
EN = (
    ["We decided to release the mobile app on December 15.", "Tests are late.", "Payment too.", "Hm, well."],
    ["Okay, let us move on to the office move."],
    ["The rent is lower.", "We will release the mobile app on December 22 instead."],
)


@pytest.mark.parametrize(
    ("parts", "language", "told"),
    [
        (
            KO,
            "ko",
            "출시일은 십이월 십오일로 결정하겠습니다. (2025-12-15, 나중에 14:30:35 #7에 다시 다뤄짐)",
        ),
        (
            EN,
            "en",
            "We decided to release the mobile app on December 15. (2025-12-15, taken up again at 14:30:35 #7)",
        ),
    ],
)
def test_a_decision_tells_when_its_matter_was_taken_up_again(
    parts: tuple[list[str], ...], language: str, told: str
) -> None:
    made = document(meeting_of(*parts))
    old, new = (decision for topic in made["topics"] for decision in topic["decisions"])
    assert (old["status"], new["status"]) == ("decided", "decided"), "both stand"
    assert (new["takes_up"], new["evidence"]) == ([1], [7])
    minutes = to_markdown(made, language)
    assert told in minutes
    assert "~~" not in minutes
    mark = told.rpartition(", ")[2].replace(" #7", "")
    assert mark in minutes.partition("\n## ")[0], "the first lines don't tell it as what holds"


@pytest.mark.parametrize(
    ("parts", "right"),
    [
        (KO, "앱 출시일은 십이월 십오일로 결정하겠습니다."),
        (EN, "We decided to release our mobile app on December 15."),
    ],
    ids=["ko", "en"],
)
def test_what_takes_up_a_decision_names_it_when_its_topic_is_summarised_again(
    parts: tuple[list[str], ...], right: str
) -> None:
    meeting = meeting_of(*parts)
    fix = UtteranceFix(of="utterance", utterance=1, text=right)
    (asked,) = of(Summarise, meeting.receive(Corrected(id="c", by="Ida", at_ms=0, fix=fix)))
    shown = of(PublishTopic, meeting.receive(by_extraction(asked)))[0].segment.notes.decisions
    for (old,) in (shown, meeting.segments[0].notes.decisions):
        assert (old.text, old.status, old.evidence) == (right, "decided", (1,))
    (new,) = meeting.segments[1].notes.decisions
    assert new.takes_up == (1,)


@cases
def test_what_speaks_against_a_decision_of_another_topic_is_flagged_with_both(
    parts: tuple[tuple[str, ...], ...], language: str, told: tuple[str, ...]
) -> None:
    made = document(meeting_of(*parts))
    (flagged,) = (each for topic in made["topics"] for each in topic.get("contradictions", []))
    assert (flagged["evidence"], flagged["decision_evidence"]) == ([7], [1])
    statuses = [d["status"] for topic in made["topics"] for d in topic["decisions"]]
    assert statuses == ["decided"], "nobody has decided otherwise"
    minutes = to_markdown(made, language)
    for words in told:
        assert words in minutes
