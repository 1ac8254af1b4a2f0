"""With a model a topic that closes takes the name that its summary gave it, unless people named it."""

from __future__ import annotations

import json
from typing import Final

import pytest

from context.budgets.tokens import EstimateTokenizer
from context.events import effects
from context.events.corrections import TopicFix
from context.events.events import Corrected
from context.events.topic_events import SummaryFailed, SummaryReady
from context.export.document import document
from context.export.minutes import to_markdown
from context.fold.window import RoughTokenizer
from tests.fakes.llm import ScriptedModel
from tests.fakes.meeting import SETTINGS, World, meeting_at_work
from tests.fakes.virtual_time import in_virtual_time
from tests.languages import BOTH
from worker.agent.calls.calling import CalledModel
from worker.agent.summaries.summarising import Summariser
from worker.bootstrap.thinking import Thinking

pytestmark = in_virtual_time

TALK: Final = {
    "ko": [
        "백엔드 개발자 채용은 두 명으로 하기로 했습니다.",
        "면접관은 누가 하죠?",
        "공고는 금요일에 올리겠습니다.",
        "다음 안건은 사무실 이전입니다.",
        "임대 계약이 3월에 끝납니다.",
    ],
    "en": [
        "We decided to hire two backend developers.",
        "Who is going to interview them?",
        "I will publish the advert on Friday.",
        "The next item is the office move.",
        "The lease ends in March.",
    ],
}
SENTENCE: Final = {
    "ko": ("백엔드 개발자를 두 명 채용한다.", "임대 계약이 3월에 끝난다."),
    "en": ("Two backend developers will be hired.", "The lease ends in March."),
}
NAMES: Final = {"ko": ["개발자 채용", "임대 계약"], "en": ["Hiring of developers", "End of the lease"]}
ANNOUNCED: Final = {"ko": "사무실 이전", "en": "office move"}


class Naming(Thinking):
    """Its summaries are a scripted model's, which names each topic."""

    def __init__(self, language: str, names: list[str]) -> None:
        super().__init__(None, RoughTokenizer(), SETTINGS)
        drafts = [
            {"topic_name": name, "summary": [{"text": text, "evidence": [number]}]}
            for name, text, number in zip(names, SENTENCE[language], (1, 5), strict=True)
        ]
        rest = {"key_points": [], "decisions": [], "pending": [], "keywords": []}
        self.model = ScriptedModel(*([json.dumps(each | rest)] for each in drafts))
        self._by = Summariser(CalledModel(self.model), tokenizer=EstimateTokenizer())

    async def summarise(
        self, effect: effects.Summarise, *, by_rules: bool = False
    ) -> SummaryReady | SummaryFailed:
        return await self._by.summarise(effect, language="auto", by_rules=by_rules)


def names_of(world: World) -> list[str]:
    return [each.name for each in world.session.manager.meeting.segments]


@BOTH
async def test_a_topic_that_closes_takes_the_name_of_its_summary(language: str) -> None:
    thinking = Naming(language, NAMES[language])
    async with meeting_at_work(thinker=thinking) as world:
        await world.say(*TALK[language])
        assert names_of(world) == [NAMES[language][0], ANNOUNCED[language]]
        await world.session.close_topics()
        assert len(thinking.model.calls) == 2, "in the call that summarises"
        assert names_of(world)[1] == ANNOUNCED[language], "the participants' own name for it"
        minutes = to_markdown(document(world.session.manager.meeting), language, transcript=False)
        assert NAMES[language][0] in minutes


@BOTH
async def test_a_name_that_somebody_gave_it_by_hand_stays(language: str) -> None:
    by_hand = {"ko": "사람 뽑기", "en": "New people"}[language]
    async with meeting_at_work(thinker=Naming(language, NAMES[language])) as world:
        await world.say(*TALK[language][:2])
        first = world.session.manager.meeting.segments[0].id
        world.session.post(
            Corrected(id="c", by="Kim", at_ms=3_000, fix=TopicFix(of="topic", topic=first, name=by_hand))
        )
        await world.say(*TALK[language][2:])
        await world.session.close_topics()
        assert names_of(world) == [by_hand, ANNOUNCED[language]]


@pytest.mark.parametrize(
    ("language", "name", "taken"),
    [
        ("ko", "채용공고일 조정", True),
        ("ko", "면접관 선정", True),
        ("ko", "백엔드개발자 채용 계획", True),
        ("ko", "연말 회식 장소", False),
        ("ko", "개발자 9명 채용", False),
        ("en", "Developer interviews", True),
        ("en", "Hiring plan", True),
        ("en", "Publication of adverts", True),
        ("en", "Venue for the party", False),
        ("en", "Hiring of 9 developers", False),
    ],
)
async def test_an_ordinary_noun_phrase_is_taken_and_an_invented_one_is_not(
    language: str, name: str, taken: bool
) -> None:
    async with meeting_at_work(thinker=Naming(language, [name, ""])) as world:
        await world.say(*TALK[language])
        assert (names_of(world)[0] == name) == taken
