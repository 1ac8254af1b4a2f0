"""A prompt is written in one language, with a short example, and asks for nothing that nobody reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final

import pytest
from pydantic import BaseModel

from context.answering.planning import Plan
from context.budgets.configuration import BudgetConfig
from context.budgets.tokens import EstimateTokenizer
from context.language.korean import has_hangul
from context.models import Summary
from context.prompts.answer_prompts import ANSWER_RULES, BETTER_PROMPTS, LACKING, PLANNING_PROMPT
from context.prompts.quoting import quoted_speech_rule
from context.prompts.summarization import recursive_summary_prompt, summary_prompt, summary_system
from context.prompts.thread_prompts import COMPRESSION_PROMPT
from context.prompts.thread_prompts import summary_prompt as thread_prompt
from context.topic_detector import TopicVerdict, detection_messages
from tests.languages import BOTH
from tests.unit.worker.agent.meetings import LINES, said
from worker.agent.prompt.judging_answers import _RULES as QUALITY
from worker.agent.prompt.judging_answers import AnswerVerdict
from worker.agent.prompt.prompting import _rules
from worker.agent.reply.citations import CitedText
from worker.agent.summaries.summary_draft import ItemDraft, SummaryDraft, SummaryPrompt

Texts = Callable[[str], str]

_TEXTS: Final[dict[str, Texts]] = {
    "answer": _rules,
    "lacking": lambda language: LACKING[language] + BETTER_PROMPTS[language],
    "plan": lambda language: PLANNING_PROMPT[language].format(most=4),
    "quality": lambda language: QUALITY[language],
    "first summary": lambda language: summary_system(language) + summary_prompt("", "", language=language),
    "next summary": lambda language: recursive_summary_prompt("", "", start=1, end=2, language=language),
    "thread": lambda language: thread_prompt("", "", target=300, language=language),
    "compression": lambda language: COMPRESSION_PROMPT[language].format(target_tokens=100),
    "detection": lambda language: detection_messages([], language=language)[0].content,
}
_EXAMPLES: Final[dict[str, type[BaseModel]]] = {
    "plan": Plan,
    "quality": AnswerVerdict,
    "first summary": ItemDraft,
    "next summary": ItemDraft,
    "detection": TopicVerdict,
}


@BOTH
@pytest.mark.parametrize("name", _TEXTS)
def test_a_prompt_is_in_one_language(name: str, language: str) -> None:
    words = re.findall(
        r"[A-Za-z]{2,}|[가-힣]+",
        re.sub(r"<[^>]*>|\"[^\"]*\"|[A-Za-z_]+_[A-Za-z_]+|\{.*\}", "", _TEXTS[name](language)),
    )
    korean = sum(has_hangul(word) for word in words)
    assert korean == 0 if language == "en" else korean > 0.9 * len(words), words


@BOTH
@pytest.mark.parametrize("name", _EXAMPLES)
def test_it_has_one_example_of_what_is_read(name: str, language: str) -> None:
    (example,) = re.findall(r"\{[^{}]+\}", _TEXTS[name](language))
    told = json.loads(example)
    assert _EXAMPLES[name].model_validate(told)
    assert set(told) <= set(_EXAMPLES[name].model_fields)
    assert len(example) < 140
    assert has_hangul(example) == (language == "ko")


@BOTH
@pytest.mark.parametrize(
    ("name", "shape"),
    [("first summary", SummaryDraft), ("next summary", SummaryDraft), ("quality", AnswerVerdict)],
)
def test_it_asks_for_the_fields_that_are_read(name: str, shape: type[BaseModel], language: str) -> None:
    listed = re.findall(r'^- "?(\w+)"?:', _TEXTS[name](language), re.MULTILINE)
    assert sorted(listed) == sorted(shape.model_fields)


@BOTH
def test_the_example_of_an_answer_is_no_recital_of_the_rules(language: str) -> None:
    rules = _rules(language)
    assert quoted_speech_rule(language) in rules
    (example,) = re.findall(r"(?:예: |e\.g\. )(.+?) \[#12\]", rules)
    lines = {"ko": ("a", "민지", "출시일은 5월 3일로 하죠."), "en": ("a", "Ben", "We release on May 3.")}
    filtered = CitedText(said([lines[language]]), rules=rules, language=language)
    shown = filtered.feed(f"{example} [#1]\n") + filtered.finish()
    assert shown.startswith(example.rstrip("."))
    assert not filtered.dropped


@BOTH
def test_the_whole_prompt_of_a_summary_is_in_the_language_of_its_meeting(language: str) -> None:
    shares = BudgetConfig().shares("summary", 4000)
    prompt = SummaryPrompt(EstimateTokenizer(), shares)
    messages, _ = prompt.messages("", Summary(), said(LINES[language]), language, ())
    outside = [
        re.sub(r"<utterances>.*?</utterances>", "", each.content, flags=re.DOTALL) for each in messages
    ]
    assert [has_hangul(each) for each in outside] == [language == "ko"] * 2


def test_both_languages_are_told_the_same() -> None:
    assert set(ANSWER_RULES) == set(LACKING) == set(BETTER_PROMPTS) == {"ko", "en"}
    ko, en = (ANSWER_RULES[language].count("\n- ") for language in ("ko", "en"))
    assert ko == en
