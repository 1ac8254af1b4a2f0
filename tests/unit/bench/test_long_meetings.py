"""Long meetings are cut from the trials as they are, and prompts are compared by how they begin."""

from __future__ import annotations

import pytest

from context.budgets.tokens import ExactTokenizer, custom_budget
from context.ports import ChatMessage
from tests.bench.ablation import folded
from tests.bench.meeting_passages import MeetingPassages
from tests.bench.model.long_meetings import meetings_of, prefixes, spread
from tests.bench.needed import Asker, joined, standing, trials
from worker.agent.question.question_context import QuestionContextSettings
from worker.passages.retrieving import CorporaRetriever


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_cut_meeting_holds_what_its_questions_need(language: str) -> None:
    talk = joined(trials(language))
    texts = [said.text for said in talk.utterances]
    labels = {(asked.text, texts[max(asked.evidence)]) for asked in talk.questions}
    for meeting in meetings_of(1):
        if meeting.id.startswith(language):
            assert [said.id for said in meeting.utterances] == list(range(1, 13))
            assert meeting.questions
            for asked in meeting.questions:
                assert (asked.text, meeting.utterances[max(asked.evidence)].text) in labels


def test_a_prompt_shares_what_it_begins_with() -> None:
    tokenizer = ExactTokenizer()
    prompts = [[ChatMessage(role="user", content=text)] for text in ("회의 one two", "회의 one six", "other")]
    same, other = prefixes([*prompts[:2], (), prompts[2]], tokenizer)
    assert same == tokenizer.count("회의 one ") / tokenizer.count("회의 one six")
    assert other == 0


def test_spread_takes_from_all_over() -> None:
    assert spread(range(10), 5) == [0, 2, 4, 6, 8]
    assert spread([1, 2], 5) == [1, 2]


async def test_a_question_that_is_not_kept_leaves_no_trace() -> None:
    labelled = next(meeting for meeting in meetings_of(1) if len(meeting.questions) > 1)
    meeting, tokenizer = folded(labelled), ExactTokenizer()
    settings = QuestionContextSettings(tokenizer, budget=custom_budget("small", 8_192))
    asker = Asker(meeting, CorporaRetriever(MeetingPassages([meeting]), tokenizer), settings)
    first, second = labelled.questions[:2]
    alone = await asker.ask(first.text, kept=False)
    assert not meeting.replies
    assert max(first.evidence) in standing(alone[-1].content)[0]
    await asker.ask(second.text)
    behind = await asker.ask(first.text, kept=False)
    assert len(meeting.replies) == 1
    assert second.text in behind[-1].content
    assert second.text not in alone[-1].content
