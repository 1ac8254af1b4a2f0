"""A prompt stays within its budget, carries what may be cited, and holds speech as data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.budgets.tokens import BUDGETS, EstimateTokenizer, ModelBudget, fit
from context.corpora.passage import Passage
from context.fold.meeting import Meeting
from context.models import AgentContext, Participant, Statement, Summary, Utterance
from context.prompts.quoting import FIRST_FOREIGN
from context.question import Question
from tests.unit.worker.agent.meetings import EN, KO, START, asked, meeting_of, weekly, with_summary
from worker.agent.prompt.producers import Extras
from worker.agent.prompt.prompting import Prompt
from worker.agent.prompt.prompting import prompt_for as prompt_in_context
from worker.agent.question.question_context import QuestionContextSettings
from worker.agent.reply.citations import CitedText

TOKENS = EstimateTokenizer()
SMALL = BUDGETS[0]


def prompt_for(
    invocation: Question, meeting: Meeting, passages: Sequence[Utterance], **options: Any
) -> Prompt:
    people = [Participant(user_id="minji", name="김<민지>")]
    context = AgentContext(
        meeting_id="m", current_time=START, call_type="SEARCH", current_topic="주제", participants=people,
        speaker_roles={"minji": "facilitator"},
    )  # fmt: skip
    return prompt_in_context(invocation, context, meeting, passages, **options)


def size(meeting: Meeting, question: str, budget: ModelBudget = SMALL) -> int:
    prompt = prompt_for(
        asked(question), meeting, meeting.utterances, language="ko", budget=budget, tokenizer=TOKENS
    )
    return sum(TOKENS.count(message.content) for message in prompt.messages)


@pytest.mark.parametrize(("lines", "language"), [(KO, "ko"), (EN, "en")])
def test_everything_that_may_be_cited_is_shown_and_nothing_else(
    lines: list[tuple[str, str, str]], language: str
) -> None:
    meeting = with_summary(
        weekly(lines), Summary(text="x", sentences=(Statement(text="결정 decided", evidence=(3,)),))
    )
    prompt = prompt_for(
        asked("?"), meeting, meeting.utterances[3:4], language=language, budget=SMALL, tokenizer=TOKENS
    )
    text = "\n".join(message.content for message in prompt.messages[1:])
    ids = {int(found) for found in re.findall(r"\[#(\d+)\]", text)}
    assert ids == {said.id for said in prompt.shown} == {3, 4}
    assert lines[3][2] in text
    assert {"ko": "한국어로 답하세요", "en": "in English"}[language] in prompt.messages[0].content


def test_a_long_meeting_fills_its_share_and_no_more() -> None:
    meeting = weekly(KO * 120)
    assert SMALL.l0 * 0.8 < size(meeting, "?") <= SMALL.system + SMALL.l0 + SMALL.l1


def test_what_was_superseded_or_done_is_not_told_as_standing() -> None:
    notes = Summary(
        decisions=(
            Statement(text="출시일은 15일", evidence=(1,), status="superseded"),
            Statement(text="출시일은 22일", evidence=(3,)),
        ),
        pending=(Statement(text="계획 공유", evidence=(4,), owner="박준호", due="금요일", status="done"),),
    )
    text = prompt_for(
        asked("?"), with_summary(weekly(KO), notes), [], language="ko", budget=SMALL, tokenizer=TOKENS
    ).messages[1].content  # fmt: skip
    assert "22일 [#3]" in text
    assert "15일" not in text
    assert "계획 공유" not in text


_texts = st.text(alphabet="가나다 abc[#]<>\n0123.", max_size=4000)


@settings(max_examples=40, deadline=None)
@given(
    budget=st.sampled_from(BUDGETS),
    extras=st.builds(
        Extras,
        profile=_texts,
        before=_texts,
        lacking=st.just(("who", "when" * 50)),
        passages=st.lists(_texts, max_size=4).map(
            lambda texts: tuple(
                Passage(corpus="document", source_id="d", position=place, text=text, title="가격표", page=3)
                for place, text in enumerate(texts)
            )
        ),
    ),
    question=st.text(max_size=3000),
)
def test_whatever_the_steps_found_the_budget_is_a_bound(
    budget: ModelBudget, extras: Extras, question: str
) -> None:
    meeting = weekly([("a", "이름", "가나다 abc " * 60) for _ in range(30)])
    thread = partial(fit, "이전 대화 earlier talk. " * 2000, tokenizer=TOKENS)
    prompt = prompt_for(
        asked(question),
        meeting,
        meeting.utterances,
        language="ko",
        budget=budget,
        tokenizer=TOKENS,
        thread=thread,
        extras=extras,
    )
    assert prompt.tokens == sum(TOKENS.count(message.content) for message in prompt.messages)
    assert prompt.tokens <= budget.system + budget.l0 + budget.l1
    shown = {said.id for said in prompt.shown}
    cited = {int(id_) for id_ in re.findall(r"^\[#(\d+)\]", prompt.messages[1].content, re.MULTILINE)}
    assert cited <= shown
    assert {id_ for id_ in shown if id_ >= FIRST_FOREIGN} == set(prompt.cited_as)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_document_is_shown_under_an_id_of_its_own_and_cited_by_its_name(language: str) -> None:
    text = {"ko": "서버 가격은 한 달에 삼백 달러입니다.", "en": "The server costs 300 dollars a month."}[
        language
    ]
    page = Passage(corpus="document", source_id="d", position=0, text=text, title="Price list", page=3)
    prompt = prompt_for(
        asked("?"), weekly(KO), [], language=language, budget=SMALL, tokenizer=TOKENS,
        extras=Extras(passages=(page,)),
    )  # fmt: skip
    assert f"[#{FIRST_FOREIGN}] (Price list p. 3) {text}" in prompt.messages[1].content
    cited = CitedText(prompt.shown, cited_as=prompt.cited_as)
    shown = cited.feed(f"{text} [#{FIRST_FOREIGN}]\n") + cited.finish()
    assert shown.strip() == f"{text} — **Price list p. 3**"
    assert cited.foreign == ("Price list p. 3",)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("ko", "현재 시각: 2026-03-02 23:32:00 (모든 시각은 Asia/Seoul 기준)"),
        ("en", "Now: 2026-03-02 23:32:00 (all times are Asia/Seoul)"),
    ],
)
def test_times_are_the_meetings_and_say_so(language: str, told: str) -> None:
    meeting = weekly(KO)
    text = prompt_for(
        asked("?"), meeting, meeting.utterances, language=language, budget=SMALL, tokenizer=TOKENS,
        zone=ZoneInfo("Asia/Seoul"),
    ).messages[1].content  # fmt: skip
    assert told in text
    assert set(re.findall(r"\((\d\d):\d\d:\d\d\)", text)) == {"23"}


@pytest.mark.parametrize(("language", "told"), [("ko", "현재 시각: 00:00:09 ("), ("en", "Now: 00:00:09 (")])
def test_a_file_that_is_replayed_knows_no_date(language: str, told: str) -> None:
    at = datetime(1970, 1, 1, 0, 0, 9, tzinfo=UTC)
    context = AgentContext(meeting_id="m", current_time=at, call_type="SEARCH", current_topic="주제")
    text = prompt_in_context(
        asked("?"), context, weekly(KO), [], language=language, budget=SMALL, tokenizer=TOKENS
    ).messages[1].content  # fmt: skip
    assert told in text
    assert "1970" not in text


@pytest.mark.parametrize(
    "words", ["결제 테스트가 끝나야 합니다. ", "The payment test has to be done first. "]
)
def test_the_most_wanted_passage_is_shown_whatever_its_length(words: str) -> None:
    meeting = weekly([*KO, ("a", "Kim", words * 2000)])
    prompt = prompt_for(
        asked("?"), meeting, meeting.utterances[::-1], language="ko", budget=SMALL, tokenizer=TOKENS
    )
    assert {said.id for said in prompt.shown} == {1, 2, 3, 4, 5, 6}
    assert f"[#6] (14:32:06) Kim: {words}" in prompt.messages[1].content


@pytest.mark.parametrize(("lines", "questions"), [
    (KO, ("출시일은 언제야?", "해외 배포는 해?")),
    (EN, ("How much is the server?", "Do we move the database?")),
])  # fmt: skip
def test_two_prompts_on_a_meeting_that_fits_differ_at_their_ends_alone(
    lines: list[tuple[str, str, str]], questions: tuple[str, str]
) -> None:
    more = [(who, name, f"{text} {turn}") for turn in range(6) for who, name, text in lines]
    page = Passage(corpus="document", source_id="d", position=0, text="출시 server", title="Price list")
    first, second = (
        QuestionContextSettings(TOKENS)
        .question_context(asked(question), meeting_of(more))
        .prompt(Extras(passages=found))
        .messages[1]
        .content
        for question, found in zip(questions, ((), (page,)), strict=True)
    )
    shared = first.index("</found>")
    assert first[:shared] == second[:shared]
    assert len(re.findall(r"^\[#\d+\]", first, re.MULTILINE)) == len(more)
