"""What is shown as a quotation is an utterance, also of what a model wrote."""

from __future__ import annotations

import pytest

from context.models import Statement, Summary, TopicSegment
from context.plain import lists
from context.plain.record import record_of
from tests.unit.worker.agent.meetings import said

TALK = {
    "ko": (
        [
            ("minji", "김민지", "중앙로는 막혔어요. 강변로로 갑시다."),
            ("junho", "박준호", "네, 그렇게 해요."),
        ],
        "트럭은 중앙로 대신 강변로로 다니기로 결정했다.",
        "강변로로 갑시다.",
    ),
    "en": (
        [("dana", "Dana", "Elm Street is closed. Then we take Dock Road."), ("ben", "Ben", "Fine with me.")],
        "The trucks take Dock Road instead of Elm Street.",
        "Then we take Dock Road.",
    ),
}


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("kind", ["decisions", "tasks"])
def test_a_models_sentence_is_nobodys_words(language: str, kind: str) -> None:
    lines, written, words = TALK[language]
    utterances = said(lines)
    statement = Statement(text=written, evidence=(1, 2))
    if kind == "decisions":
        notes = Summary(decisions=(statement.model_copy(update={"status": "decided"}),))
    else:
        notes = Summary(pending=(statement.model_copy(update={"kind": "action"}),))
    topic = TopicSegment(
        id="t1",
        name="x",
        start_utterance_id=1,
        end_utterance_id=2,
        written_until=2,
        covered_until=2,
        notes=notes,
    )
    record = record_of("?", utterances=utterances, segments=(topic,), language=language)
    answer = lists.decisions(record, "SEARCH") if kind == "decisions" else lists.tasks(record)
    assert written not in answer.text
    assert words in answer.text
    assert f"**{lines[0][1]}**" in answer.text
    assert answer.evidence == (1,)
