"""Documents through the graph: what only some may read is quoted to them alone."""

from __future__ import annotations

import pytest

from context.budgets.tokens import EstimateTokenizer
from context.corpora.passage import Passage
from context.models import Reply
from tests.fakes.passages import FakePassages
from tests.languages import BOTH
from tests.unit.worker.agent.meetings import LINES, meeting_of, put
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.question.question_context import QuestionContextSettings
from worker.passages.retrieving import CorporaRetriever

TOKENS = EstimateTokenizer()
SALARIES = {"ko": "급여 인상률은 삼 퍼센트입니다.", "en": "Salaries rise by three percent."}
RENT = {"ko": "사무실 월세는 이백만 원입니다.", "en": "The office rent is two thousand dollars."}
ASKED = {
    "ko": ("급여 인상률이 얼마예요?", "사무실 월세가 얼마예요?"),
    "en": ("How much do salaries rise?", "How much is the office rent?"),
}


def page(id_: str, text: str, *access: str) -> Passage:
    return Passage(corpus="document", source_id=id_, position=0, text=text, title=id_, page=2, access=access)


async def asked(language: str, text: str, by: str, *, private: bool) -> Reply:
    store = FakePassages()
    await store.put([page("salaries", SALARIES[language], "alice"), page("rent", RENT[language])])
    answerer = Answerer(
        None, QuestionContextSettings(TOKENS), parts=AnswerParts(retriever=CorporaRetriever(store, TOKENS))
    )
    return (await put(answerer, meeting_of(LINES[language]), text, by, private=private))[0]


@BOTH
@pytest.mark.parametrize(
    ("by", "private", "told"),
    [("alice", True, True), ("alice", False, False), ("ben", True, False), ("ben", False, False)],
)
async def test_what_only_some_may_read_is_quoted_to_them_alone(
    language: str, by: str, private: bool, told: bool
) -> None:
    salaries, _ = ASKED[language]
    reply = await asked(language, salaries, by, private=private)
    assert (SALARIES[language] in reply.text) is told
    assert reply.sources == (("salaries p. 2",) if told else ())
    assert (reply.certainty == "answer") is told


@BOTH
@pytest.mark.parametrize("private", [True, False])
async def test_what_everybody_may_read_is_quoted_to_everybody(language: str, private: bool) -> None:
    _, rent = ASKED[language]
    reply = await asked(language, rent, "ben", private=private)
    assert RENT[language] in reply.text
    assert reply.sources == ("rent p. 2",)
