"""The graph: its order, its stops, its corrections, and what it makes of models that fail."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from context.answering.follow_up import PastQuestion
from context.answering.question_meaning import read
from context.budgets.compression import Compression
from context.budgets.tokens import EstimateTokenizer
from context.corpora.passage import Passage, Query, Retrieved
from context.features import Features
from context.models import Reply, TopicSegment
from context.packs.meeting_pack import MEETING_KINDS
from context.ports import Refused, Unavailable
from context.thread.memory import HierarchicalMemory
from tests.fakes.llm import Hang, ScriptedModel, Step
from tests.languages import BOTH
from tests.unit.cases import beside, cases
from tests.unit.worker.agent.graph.answers import FakeAnswers, question_context
from tests.unit.worker.agent.meetings import (
    GOOD,
    QUESTION,
    QUOTES,
    FakeContextSettings,
    Quoted,
    Room,
    asked,
    meeting_of,
    superseded,
)
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadlines
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.graph.graph import NODES
from worker.agent.question.answer_memory import CachedAnswer
from worker.agent.question.remembering import Remembered
from worker.agent.reply.speaking import notice

MORE = {
    "ko": "결제 테스트 계획은 금요일까지 공유합니다. [#4]",
    "en": "Ben orders the server tomorrow and reports on Thursday. [#4]",
}
NOTHING = Quoted("?", (), certainty="none")
MANY = beside(__file__)["MANY"]
"""Questions that name ten things, and some of these."""
GRADED = Features(llm_based_quality_check=True)
ORDER = list(NODES)
MAIN = [name for name in ORDER if name != "refine"]


def verdict(overall: float, *, missing: Sequence[str] = (), needs: bool = False, query: str = "") -> str:
    return json.dumps(
        {
            "completeness_score": 10 * overall, "overall_quality": overall,
            "missing_info": list(missing), "needs_retrieval": needs, "suggested_query": query,
        }
    )  # fmt: skip


def passage(text: str, position: int = 0, corpus: Any = "earlier", **more: Any) -> Passage:
    return Passage(
        corpus=corpus, source_id="kick-off", position=position, text=text, title="Kick-off", **more
    )


@dataclass
class FakeRetriever:
    """Gives the next batch of passages at each search; the last one for ever."""

    batches: list[list[Passage]]
    queries: list[str] = field(default_factory=list)
    hangs: bool = False
    asked: list[tuple[Query, int, int]] = field(default_factory=list)
    """Each query with its k and its budget in tokens."""

    async def retrieve(self, query: Query, *, k: int = 8, budget_tokens: int = 900) -> Retrieved:
        self.queries.append(query.text)
        self.asked.append((query, k, budget_tokens))
        if self.hangs:
            await asyncio.Event().wait()
        batch = self.batches.pop(0) if len(self.batches) > 1 else self.batches[0]
        return Retrieved(passages=tuple(batch[:k]))


@dataclass
class FakeMemory:
    """Knows what it is told to."""

    known: Remembered = field(default_factory=Remembered)
    words: str = ""
    lines: tuple[str, ...] = ()

    def recall(self, *_: Any, **__: Any) -> Remembered:
        return self.known

    def tiers(self, *_: Any) -> HierarchicalMemory:
        return HierarchicalMemory(EstimateTokenizer(), MEETING_KINDS)

    def widening(self, *_: Any) -> str:
        return self.words

    def notices(self, *_: Any, **_named: Any) -> Sequence[str]:
        return self.lines


@dataclass
class Told:
    """What came of one question."""

    reply: Reply
    room: Room
    model: ScriptedModel | None
    judge: ScriptedModel | None

    @property
    def run(self) -> Any:
        assert self.reply.run is not None
        return self.reply.run


async def ask(
    prepared: FakeContextSettings,
    script: Sequence[Sequence[Step]] | None = None,
    judge: Sequence[Sequence[Step]] | None = None,
    *,
    parts: AnswerParts | None = None,
    features: Mapping[str, Any] | None = None,
    question: str | None = None,
    deadlines: Deadlines | None = None,
    **invocation: Any,
) -> Told:
    room = Room()
    model = ScriptedModel(*script) if script is not None else None
    grader = ScriptedModel(*judge) if judge is not None else None
    answerer = Answerer(
        CalledModel(model) if model else None,
        prepared,
        judge=CalledModel(grader) if grader else None,
        deadlines=deadlines or Deadlines(first_token_s=8, answer_s=20),
        parts=parts or AnswerParts(),
        features=GRADED.with_overrides(features or {}),
    )
    put = read(asked(question or QUESTION[prepared.language], **invocation), meeting_of(()).meeting)
    reply = await answerer.answer(
        put.model_copy(update={"follows": bool(prepared.earlier)}),
        meeting_of(()),
        room.open_reply,
        now_ms=lambda: 9750,
    )
    return Told(reply, room, model, grader)


@BOTH
async def test_every_step_runs_in_the_order_of_the_ruling_and_is_measured(language: str) -> None:
    for script in (None, [[GOOD[language]]]):
        told = await ask(question_context(language), script)
        assert list(told.run.steps) == MAIN
        assert all(took >= 0 for took in told.run.steps.values())
        assert told.run.latency_ms >= max(told.run.steps.values())
        assert told.run.first_words_ms is not None
        assert told.reply.evidence == (3,)


@pytest.mark.parametrize("question", ["안녕하세요", "Hello"])
async def test_small_talk_takes_the_short_way(question: str) -> None:
    told = await ask(question_context("ko"), [[GOOD["ko"]]], question=question)
    assert list(told.run.steps) == [
        "check_similarity",
        "classify_intent",
        "generate_answer",
        "store_response",
    ]
    assert told.model.calls == []


@pytest.mark.parametrize("question", ["hi가 뭐예요?", "네트워크는요?", "Is this it?", "OK, when is it?"])
async def test_a_question_is_never_small_talk(question: str) -> None:
    told = await ask(question_context("ko"), question=question)
    assert list(told.run.steps) == MAIN


# The cache


@BOTH
async def test_a_kept_answer_is_given_at_once(language: str) -> None:
    answers = FakeAnswers(CachedAnswer(text="kept 그대로.", evidence=(2,)))
    told = await ask(question_context(language), [[GOOD[language]]], parts=AnswerParts(answers=answers))
    assert told.reply.text == told.room.text == "kept 그대로."
    assert told.reply.evidence == told.room.replies[0].closed_with == (2,)
    assert told.run.cache_hit
    assert "classify_intent" not in told.run.steps
    assert answers.kept == []


@BOTH
async def test_a_verified_answer_is_kept_and_a_lesser_one_is_not(language: str) -> None:
    answers = FakeAnswers()
    parts = AnswerParts(answers=answers)
    await ask(question_context(language), parts=parts)
    assert answers.kept == [(3,)]
    answers.kept.clear()
    await ask(question_context(language), parts=parts, private=True)
    await ask(question_context(language), [[Unavailable("503")]], parts=parts)
    await ask(question_context(language, answer=NOTHING), parts=parts)
    await ask(question_context(language), [[GOOD[language]]], [[verdict(0.2)]], parts=parts)
    await ask(question_context(language), parts=parts, features={"response_cache_enabled": 0})
    assert answers.kept == []


@BOTH
async def test_what_rests_on_documents_or_holds_for_a_moment_is_not_kept(language: str) -> None:
    """A document may be replaced or taken away at any time, an hour ago is another moment soon."""
    answers = FakeAnswers()
    text = "출시일은 12월 22일입니다." if language == "ko" else "A second server is added this week."
    sourced = Quoted(QUOTES[language].text, (3,), sources=("plan p. 2",))
    parts = AnswerParts(answers=answers, retriever=FakeRetriever([[passage(text, corpus="document")]]))
    told = await ask(question_context(language, answer=sourced), parts=parts)
    assert told.reply.sources == ("plan p. 2",)
    assert told.run.notes["store_response"] == "rests on other sources"
    question = "한 시간 전부터 뭐가 바뀌었어?" if language == "ko" else "What changed in the last hour?"
    told = await ask(question_context(language), parts=parts, question=question)
    assert told.run.notes["store_response"] == "holds for this moment"
    assert answers.kept == []


# Searching again


@BOTH
async def test_two_rewrites_at_most(language: str) -> None:
    """Each search finds something else and a little more, and none of it is enough: there are three."""
    question, words = MANY[language]
    batches = [[passage(f"{' '.join(words[: n + 1])} {n}", n)] for n in range(6)]
    retriever = FakeRetriever(batches)
    told = await ask(
        question_context(language, answer=NOTHING), parts=AnswerParts(retriever=retriever), question=question
    )
    assert told.run.stopped_because == "most_rewrites"
    assert told.run.retrieval_count == len(retriever.queries) == 3
    assert len(set(retriever.queries)) > 1, "asked in other words"
    once = FakeRetriever([[passage(f"{' '.join(words[: n + 1])} {n}", n)] for n in range(6)])
    fewer = {"max_refine_iterations": 1}
    told = await ask(
        question_context(language, answer=NOTHING),
        parts=AnswerParts(retriever=once),
        question=question,
        features=fewer,
    )
    assert (told.run.stopped_because, len(once.queries)) == ("most_rewrites", 2)


@pytest.mark.parametrize(("shared", "why"), [(10, "same_documents"), (9, "same_documents"), (4, "no_gain")])
@BOTH
async def test_the_same_documents_end_the_search(language: str, shared: int, why: str) -> None:
    """More than 80 % of the same: ten of ten, nine of ten and one more (Jaccard 9/11 = .82), not four of ten."""
    first = [passage(f"unrelated {n}", n) for n in range(10)]
    second = [*first[:shared], *(passage(f"other {n}", 100 + n) for n in range(10 - shared))]
    retriever = FakeRetriever([first, second])
    told = await ask(
        question_context(language, answer=NOTHING),
        parts=AnswerParts(retriever=retriever),
        features={"moderate_query_k": 10},
    )
    assert told.run.stopped_because == why
    assert len(retriever.queries) == 2


@cases
async def test_three_eight_or_fifteen_passages_within_the_tokens(question: str, kind: str, k: int) -> None:
    retriever = FakeRetriever([[passage(f"unrelated {n}", n) for n in range(20)]])
    parts = AnswerParts(retriever=retriever)
    active = {"active_retrieval_enabled": 1}
    told = await ask(question_context("ko", answer=NOTHING), parts=parts, features=active, question=question)
    assert told.run.complexity == kind
    assert {most for _, most, _ in retriever.asked} == {k}
    assert {tokens for _, _, tokens in retriever.asked} == {900}
    retriever.asked.clear()
    await ask(question_context("ko", answer=NOTHING), parts=parts, question=question)
    assert {most for _, most, _ in retriever.asked} == {8}, "the moderate one where that flag is off"


async def test_two_searches_together_keep_to_k_and_to_the_tokens() -> None:
    first = [passage(f"unrelated {n} " * 20, n) for n in range(8)]
    second = [passage(f"other {n} " * 20, 50 + n) for n in range(8)]
    for more, most_tokens in (({}, 900), ({"budget_aware_retrieval": 0}, 10**6)):
        retriever, prepared = FakeRetriever([first, second]), question_context("ko")
        await ask(
            prepared,
            [[GOOD["ko"]]],
            parts=AnswerParts(retriever=retriever),
            question="펭귄 전시 예산?",
            features=more,
        )
        shown = prepared.extras[0].passages
        assert len(retriever.queries) == 2
        assert {"unrelated", "other"} == {each.text.split()[0] for each in shown}
        assert len(shown) <= 8
        assert sum(prepared.tokenizer.count(each.searched) for each in shown) <= most_tokens
    assert len(shown) == 8, "without that bound k alone decides"


async def test_no_second_search_where_the_model_would_be_left_no_time() -> None:
    retriever = FakeRetriever([[passage("unrelated", n)] for n in range(5)])
    tight = Deadlines(first_token_s=3, answer_s=20)
    told = await ask(
        question_context("ko"), [[GOOD["ko"]]], parts=AnswerParts(retriever=retriever), deadlines=tight
    )
    assert len(retriever.queries) == 1
    assert told.reply.evidence == (3,)


async def test_what_is_found_well_is_not_searched_for_again() -> None:
    retriever = FakeRetriever([[passage("출시일은 12월 22일로 결정했습니다.")]])
    told = await ask(question_context("ko", answer=NOTHING), parts=AnswerParts(retriever=retriever))
    assert told.run.stopped_because == "good"
    assert len(retriever.queries) == 1


@pytest.mark.parametrize(
    "off", [{"self_refine_enabled": 0}, {"dynamic_query_rewrite": 0}, {"max_refine_iterations": 0}]
)
async def test_switched_off_there_is_one_search(off: dict[str, int]) -> None:
    retriever = FakeRetriever([[passage("unrelated", n)] for n in range(5)])
    told = await ask(
        question_context("ko", answer=NOTHING), parts=AnswerParts(retriever=retriever), features=off
    )
    assert len(retriever.queries) == 1
    assert "refine" not in told.run.steps


async def test_active_retrieval_spares_what_the_last_turn_answers_and_sizes_k() -> None:
    retriever = FakeRetriever([[passage(str(n), n) for n in range(20)]])
    earlier = [PastQuestion("서버 비용이 얼마예요?", "서버 비용은 한 달에 삼백 달러입니다.")]
    prepared = question_context("ko", earlier=earlier)
    active = {"active_retrieval_enabled": 1}
    told = await ask(
        prepared, parts=AnswerParts(retriever=retriever), features=active, question="그럼 서버 비용은?"
    )
    assert retriever.queries == []
    assert told.run.notes["retrieve"] == "not needed"
    told = await ask(
        question_context("ko"), parts=AnswerParts(retriever=retriever), features=active, question="서버는요?"
    )
    assert told.run.complexity == "simple"


async def test_a_retriever_that_hangs_costs_its_time_and_no_more() -> None:
    retriever = FakeRetriever([[]], hangs=True)
    told = await ask(
        question_context("ko"),
        [[GOOD["ko"]]],
        parts=AnswerParts(retriever=retriever),
        deadlines=Deadlines(retrieve_s=0.05),
    )
    assert told.reply.evidence == (3,)
    assert told.run.notes["retrieve"] == "late"


async def test_what_this_meeting_answers_well_waits_for_no_retriever() -> None:
    retriever = FakeRetriever([[]], hangs=True)
    told = await ask(
        question_context("ko"), parts=AnswerParts(retriever=retriever), question="출시일은 언제 십이월이에요?"
    )
    assert told.reply.text == QUOTES["ko"].text
    assert told.run.notes["retrieve"] == "answered here"


# Checking and correcting


@BOTH
async def test_a_poor_answer_is_corrected_once_and_the_correction_is_marked(language: str) -> None:
    told = await ask(
        question_context(language),
        [[GOOD[language]], [MORE[language]]],
        [[verdict(0.3, missing=["who"])], [verdict(0.1, missing=["still"])]],
    )
    mark = notice("correction", language)
    assert told.room.text.count(mark) == 1
    assert told.reply.evidence == told.room.replies[0].closed_with == (3, 4)
    assert told.run.corrected
    assert (len(told.model.calls), len(told.judge.calls)) == (2, 1), "one correction, graded by words"
    pieces = told.room.replies[0].pieces
    assert mark not in pieces[0], "the answer was out before it was checked"


@BOTH
async def test_a_correction_that_stands_on_nothing_is_not_said(language: str) -> None:
    told = await ask(
        question_context(language), [[GOOD[language]], ["no citation at all 근거 없음"]], [[verdict(0.3)]]
    )
    assert notice("correction", language) not in told.room.text
    assert told.reply.evidence == (3,)
    assert not told.run.corrected


@BOTH
async def test_what_is_missing_is_looked_up_in_the_words_that_are_suggested(language: str) -> None:
    retriever = FakeRetriever([[passage(QUOTES[language].text, 1)], [passage(MORE[language], 2)]])
    prepared = question_context(language)
    told = await ask(
        prepared,
        [[GOOD[language]], [MORE[language]]],
        [[verdict(0.3, missing=["who"], needs=True, query="payment test plan")]],
        parts=AnswerParts(retriever=retriever),
        features={"max_refine_iterations": 2},
    )
    assert retriever.queries[-1] == "payment test plan"
    assert told.run.corrected
    assert prepared.extras[-1].lacking == ("who",)
    assert prepared.extras[-1].before


@pytest.mark.parametrize(
    "script",
    [["no json"], ['{"completeness_score": 99}'], ["{}"], [Unavailable("503")], [Refused("401")], ["["]],
)
@BOTH
async def test_a_grader_that_makes_no_sense_leaves_it_to_words(language: str, script: list[Step]) -> None:
    told = await ask(question_context(language), [[GOOD[language]]], [script])
    assert told.run.notes["quality_check"].startswith("by words")
    assert told.run.quality_score is not None
    assert told.run.quality_score > 0.5
    assert not told.reply.degraded
    assert not told.run.corrected


async def test_a_grader_that_hangs_is_given_up() -> None:
    told = await ask(question_context("ko"), [[GOOD["ko"]]], [[Hang]], deadlines=Deadlines(grade_s=0.05))
    assert told.reply.text.startswith("출시일은 12월 22일로")
    assert told.run.notes["quality_check"] == "by words: TimeoutError"
    assert told.judge.closed == 1


async def test_no_time_no_correction() -> None:
    tight = Deadlines(first_token_s=1, answer_s=3, correct_s=4)
    told = await ask(question_context("ko"), [[GOOD["ko"]]], [[verdict(0.1)]], deadlines=tight)
    assert told.run.stopped_because == "deadline"
    assert not told.run.corrected


# Cancelled


@BOTH
async def test_superseded_while_it_is_being_checked(language: str) -> None:
    room, grader = Room(), ScriptedModel([Hang])
    answerer = Answerer(
        CalledModel(ScriptedModel([GOOD[language]])),
        question_context(language),
        judge=CalledModel(grader),
        features=GRADED,
    )
    await superseded(answerer, room, lambda: bool(grader.calls))
    assert room.text.endswith(notice("superseded", language))
    assert room.replies[0].closed_with == (3,)
    assert grader.closed == 1


async def test_superseded_while_it_corrects() -> None:
    room, model = Room(), ScriptedModel([GOOD["ko"]], [f"{MORE['ko']}\n", "그리고", Hang])
    answerer = Answerer(
        CalledModel(model),
        question_context("ko"),
        judge=CalledModel(ScriptedModel([verdict(0.2)])),
        features=GRADED,
    )
    await superseded(answerer, room, lambda: bool(room.replies) and notice("correction", "ko") in room.text)
    assert room.text.endswith(notice("superseded", "ko"))
    assert model.closed == 1


# Planning


def topic(name: str, number: int) -> TopicSegment:
    return TopicSegment(
        id=f"t{number}", name=name, start_utterance_id=number, end_utterance_id=number, version=1
    )


@pytest.mark.parametrize(
    ("language", "names", "question", "wanted"),
    [
        ("ko", ["출시일", "예산"], "예산은 얼마예요?", "예산"),
        ("en", ["Release", "Budget"], "How much is the budget?", "Budget"),
    ],
)
@pytest.mark.parametrize("judge", [None, "names", "nonsense"])
async def test_topics_that_do_not_fit_are_asked_for(
    language: str, names: list[str], question: str, wanted: str, judge: str | None
) -> None:
    segments = [topic(name, number) for number, name in enumerate(names, 1)]
    prepared = question_context(language, segments=segments, fits=False)
    plan = {"names": json.dumps({"required_topics": [wanted, "no such topic"]}), "nonsense": "what?"}
    grader = None if judge is None else [[plan[judge]], [plan[judge]], [verdict(0.9)]]
    with capture_logs() as logs:
        await ask(prepared, [[GOOD[language]]], grader, question=question)
    assert prepared.extras[0].topics[0] == wanted
    missing = [entry["missing"] for entry in logs if entry["event"] == "topics_missing_named"]
    assert missing == ([["no such topic"]] if judge == "names" else [])


async def test_what_fits_needs_no_plan() -> None:
    told = await ask(question_context("ko"), [[GOOD["ko"]]], [[verdict(0.9)]])
    assert told.run.notes["plan_topics"] == "every topic is shown"


# Flags


async def test_memory_and_compression_go_into_the_prompt_where_they_are_on() -> None:
    class Halves:
        async def compress(self, passages: Sequence[Passage], query: str, **_: Any) -> Compression:
            made = tuple(p.model_copy(update={"text": p.text[: len(p.text) // 2]}) for p in passages)
            return Compression(passages=made, tokens_before=10, tokens_after=5, strategy="extractive")

    parts = AnswerParts(
        retriever=FakeRetriever([[passage("출시일은 12월 22일입니다. " * 4)]]),
        memory=FakeMemory(Remembered(profile="Minji leads")),
        compressor=Halves(),
    )
    on = {"hierarchical_memory_enabled": 1, "context_compression_enabled": 1}
    for features, profile in ((on, "Minji leads"), ({"include_profile": 0}, "")):
        prepared = question_context("ko")
        run = (await ask(prepared, [[GOOD["ko"]]], parts=parts, features=features)).run
        (shown,) = prepared.extras
        assert (shown.profile, shown.tiers is not None) == (profile, features is on)
        assert (len(shown.passages[0].text) < 40) == run.compression_applied == (features is on)


@BOTH
async def test_what_a_pack_notes_is_told_behind_every_answer_and_kept_with_none(language: str) -> None:
    answers, memory = FakeAnswers(), FakeMemory(lines=("Notice: a + b", "주의: c + d"))
    parts = AnswerParts(answers=answers, memory=memory)
    for script in (None, [[GOOD[language]]], [[Unavailable("503")]]):
        told = await ask(question_context(language), script, parts=parts)
        assert told.reply.text.endswith("\n\nNotice: a + b\n주의: c + d")
        assert told.reply.evidence == (3,)
    assert answers.texts == [QUOTES[language].text]
    answers.hit = CachedAnswer(text="kept 그대로.", evidence=(2,))
    assert (
        await ask(question_context(language), parts=parts)
    ).reply.text == "kept 그대로.\n\nNotice: a + b\n주의: c + d"


@BOTH
async def test_a_search_is_put_with_what_is_known_of_its_asker_too(language: str) -> None:
    for features, wider in (
        ({}, True),
        ({"include_profile": 0}, False),
        ({"include_personalization": 0}, False),
    ):
        retriever = FakeRetriever([[passage("x")]])
        parts = AnswerParts(retriever=retriever, memory=FakeMemory(words="65 고혈압 hypertension"))
        await ask(question_context(language, answer=NOTHING), parts=parts, features=features)
        query = retriever.asked[0][0]
        assert query.text == QUESTION[language]
        assert query.rewritings == ((f"{QUESTION[language]} 65 고혈압 hypertension",) if wider else ())


# Properties

_flags = st.fixed_dictionaries(
    {
        "self_refine_enabled": st.booleans(),
        "max_refine_iterations": st.integers(0, 2),
        "llm_based_quality_check": st.booleans(),
        "dynamic_query_rewrite": st.booleans(),
        "active_retrieval_enabled": st.booleans(),
        "include_evidence": st.booleans(),
    }
)
_answers = st.lists(
    st.sampled_from([GOOD["ko"], MORE["ko"], "NO_EVIDENCE", "헛소리"]), min_size=1, max_size=3
)
_verdicts = st.lists(
    st.builds(lambda overall, needs: verdict(overall, needs=needs), st.floats(0, 1), st.booleans()),
    min_size=1,
    max_size=3,
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    _flags, _answers, _verdicts, st.lists(st.sampled_from(["출시일", "예산", "x"]), min_size=1, max_size=4)
)
def test_whatever_is_on_the_bounds_hold(
    flags: dict[str, Any], answers: list[str], verdicts: list[str], found: list[str]
) -> None:
    async def scenario() -> None:
        retriever = FakeRetriever([[passage(text, place)] for place, text in enumerate(found)])
        told = await ask(
            question_context("ko"),
            [[text] for text in answers],
            [[text] for text in verdicts],
            parts=AnswerParts(retriever=retriever),
            features=flags,
        )
        assert told.run.retrieval_count <= 1 + flags["max_refine_iterations"] <= 3
        assert told.room.text.count(notice("correction", "ko")) <= 1
        assert len(told.model.calls) <= 2
        steps = list(told.run.steps)
        assert [name for name in steps if name != "refine"] == MAIN
        assert set(told.reply.evidence) <= {3, 4}

    asyncio.run(scenario())


async def test_an_override_holds_for_one_question() -> None:
    retriever = FakeRetriever([[passage("출시일은 22일입니다.")]])
    answerer = Answerer(None, question_context("ko", answer=NOTHING), parts=AnswerParts(retriever=retriever))
    for features, searches in [({"include_evidence": "0"}, 0), ({}, 1)]:
        invocation = asked(QUESTION["ko"], features=features)
        await answerer.answer(invocation, meeting_of(()), Room().open_reply, now_ms=lambda: 1)
        assert len(retriever.queries) == searches
