"""With a model, what takes the place of what is the model's to say; no rule strikes anything through."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from context.budgets.tokens import EstimateTokenizer
from context.events import events
from context.events.effects import Summarise
from context.export.document import document
from context.export.minutes import to_markdown
from context.fold.meeting import Meeting
from context.models import Statement
from tests.fakes.llm import ScriptedModel
from tests.languages import BOTH
from tests.unit.worker.agent.meetings import START
from worker.agent.calls.calling import CalledModel
from worker.agent.summaries.summarising import Summariser

TOKENS = EstimateTokenizer()
RELEASE = {"ko": "5.2 배포는 12월 2일로 미뤄졌습니다.", "en": "The 5.2 release was moved to December 2."}
OTHERS = {
    "ko": ["고객사 배포 교육은 12월 9일로 변경하기로 했습니다.", "배포 공지 메일은 12월 9일로 미뤄졌습니다."],
    "en": ["The release party was moved to December 9.", "The release notes review was moved to December 9."],
}
AGAIN = {"ko": "5.2 배포는 12월 9일로 다시 미루기로 했습니다.", "en": "The 5.2 release is now on December 9."}
NEXT = {
    "ko": "그럼 다음 안건으로 넘어가겠습니다. 일정 이야기를 해 보죠.",
    "en": "Okay, let us move on to the next item, the calendar.",
}
FILL = {"ko": "네, 그 건은 그렇게 알고 있겠습니다.", "en": "Right, that one is clear to me."}
APART = pytest.mark.parametrize("apart", [False, True], ids=["one topic", "two topics"])


def draft(decisions: list[dict[str, Any]]) -> str:
    rows = [{"text": each["text"], "evidence": each["evidence"]} for each in decisions]
    return json.dumps({
        "topic_name": "", "summary": rows, "key_points": [], "decisions": decisions, "pending": [], "keywords": [],
    })  # fmt: skip


class Minutes:
    """A meeting whose topics a model summarises, each draft as scripted."""

    def __init__(self, drafts: list[str]) -> None:
        self.meeting = Meeting("m", tokenizer=TOKENS)
        self.model = ScriptedModel(*([each] for each in drafts))
        self.summariser = Summariser(CalledModel(self.model), tokenizer=TOKENS)
        self.meeting.receive(events.MeetingStarted(at=START))

    def take(self, event: events.Event) -> None:
        for effect in self.meeting.receive(event):
            if isinstance(effect, Summarise):
                self.take(asyncio.run(self.summariser.summarise(effect, language="auto")))

    def says(self, *lines: str) -> None:
        for text in lines:
            at = (len(self.meeting.utterances) + 1) * 5000
            self.take(events.UtteranceSpoken(
                key=str(at), speaker_id="a", speaker_name="Ann", text=text, start_ms=at, end_ms=at + 900,
            ))  # fmt: skip

    def decisions(self) -> list[Statement]:
        self.take(events.MeetingEnded(at_ms=10**6, reason="done"))
        return [each for topic in self.meeting.segments for each in topic.notes.decisions]


def told(text: str, *evidence: int, replaces: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"text": text, "evidence": list(evidence), "replaces": list(replaces)}


def meeting(language: str, later: str, *, apart: bool, replaces: tuple[int, ...]) -> Minutes:
    """#1 decides the release; the later statement is #6 in the same topic, or #7 behind a change of topic."""
    first, second = told(RELEASE[language], 1), told(later, 7 if apart else 6, replaces=replaces)
    minutes = Minutes([draft([first]), draft([second])] if apart else [draft([first, second])])
    minutes.says(RELEASE[language], *[FILL[language]] * 4)
    minutes.says(*([NEXT[language]] if apart else []), later)
    return minutes


@BOTH
@APART
@pytest.mark.parametrize("other", [0, 1])
def test_another_matters_new_date_strikes_nothing_through(language: str, other: int, apart: bool) -> None:
    minutes = meeting(language, OTHERS[language][other], apart=apart, replaces=())
    assert [each.status for each in minutes.decisions()] == ["decided", "decided"]
    assert len(minutes.meeting.segments) == 1 + apart
    assert "~~" not in to_markdown(document(minutes.meeting))
    assert not any(topic.notes.contradictions for topic in minutes.meeting.segments)


@BOTH
@APART
def test_without_the_models_word_both_stand(language: str, apart: bool) -> None:
    minutes = meeting(language, AGAIN[language], apart=apart, replaces=())
    assert [each.status for each in minutes.decisions()] == ["decided", "decided"]


@BOTH
@APART
def test_what_the_model_says_was_changed_is_superseded_with_both_evidences(
    language: str, apart: bool
) -> None:
    minutes = meeting(language, AGAIN[language], apart=apart, replaces=(1,))
    old, new = minutes.decisions()
    assert (old.status, old.superseded_by) == ("superseded", str(new.evidence[-1]))
    assert (old.evidence, new.status) == ((1,), "decided")
    if apart:
        assert RELEASE[language] in minutes.model.calls[-1][-1].content, "shown as what stands elsewhere"
    written = to_markdown(document(minutes.meeting))
    assert f"~~{RELEASE[language]}~~" in written.replace("\\", "")


@BOTH
@APART
@pytest.mark.parametrize("wrong", [(3,), (99,), (1,)])
def test_a_models_word_is_held_to_one_matter(language: str, apart: bool, wrong: tuple[int, ...]) -> None:
    """A decision that is not there; and one of another matter altogether."""
    lunch = {"ko": "점심은 각자 먹기로 했습니다.", "en": "Lunch is up to everybody, we agreed."}
    minutes = meeting(language, lunch[language], apart=apart, replaces=wrong)
    assert [each.status for each in minutes.decisions()] == ["decided", "decided"]


@BOTH
def test_of_two_decisions_in_one_utterance_only_the_one_of_the_matter_is_superseded(language: str) -> None:
    lunch = {"ko": "점심은 각자 먹기로 했습니다.", "en": "Lunch is up to everybody, we agreed."}
    both = f"{RELEASE[language]} {lunch[language]}"
    later = told(AGAIN[language], 6, replaces=(1,))
    minutes = Minutes([draft([told(RELEASE[language], 1), told(lunch[language], 1), later])])
    minutes.says(both, *[FILL[language]] * 4, AGAIN[language])
    assert [each.status for each in minutes.decisions()] == ["superseded", "decided", "decided"]
    written = to_markdown(document(minutes.meeting), transcript=False)
    assert written.count("~~") == 2
