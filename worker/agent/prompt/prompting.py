"""The prompt of an answer: rules, what is known of the meeting, what was said, the question.

The context is the `ContextBuilder`'s, by call type; producers bring it (`worker.agent.prompt.producers`), and
the call type's workflow and the allocation decide how much of each is told (`context.budgets.prompt`). What
stands within a meeting comes first and what changes with the question last, because servers keep what they
have read. Whatever id stands in the prompt may be cited; nothing else may.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, tzinfo
from functools import partial
from typing import Final, cast

from context.budgets.configuration import BudgetConfig
from context.budgets.prompt import Composed, Producer, compose
from context.budgets.sent import sent
from context.budgets.tokens import ModelBudget, fit
from context.fold.meeting import Meeting
from context.language.instructions import steers
from context.models import AgentCallType, AgentContext, Frozen, PromptRecord, Utterance
from context.ports import ChatMessage, Tokenizer
from context.primitives.undated import dated, local
from context.prompts.answer_prompts import ANSWER_RULES, HEADINGS
from context.prompts.quoting import (
    Foreign,
    block,
    person,
    quoted,
    quoted_lines,
    quoted_speech_rule,
    summary_line,
    utterance_line,
)
from context.prompts.thread_prompts import CURRENT_HEADING
from context.question import Question
from worker.agent.prompt.producers import (
    NO_EXTRAS,
    Extras,
    FirstAnswer,
    SourceLines,
    TextBlock,
    ThreadBlock,
    UtteranceLines,
)
from worker.agent.prompt.topic_lines import TopicLines
from worker.agent.reply.citations import NOTHING_FOUND

_FACTS: Final = {
    "ko": """\
현재 시각: {now} (모든 시각은 {zone} 기준)
회의: {title}
현재 주제: {topic}""",
    "en": """\
Now: {now} (all times are {zone})
Meeting: {title}
Topic now: {topic}""",
}
_PEOPLE: Final = {"ko": "참석자: {}", "en": "People: {}"}
_ORDER: Final = (
    "topics", "speakers", "transcript", "evidence",
    "profile", "thread",
    "required_topics", "documents", "earlier_meetings", "first_answer",
)  # fmt: skip
"""The order of the blocks in a prompt: what changes least from one question to the next stands first.

Evidence is the same for every question to a meeting that is shown whole; a thread grows at its end.
"""
_ASKING: Final = BudgetConfig(producers={"question": "full", "meeting": "light"})
_QUOTATION: Final = re.compile(r"[“\"「『‘']([^”\"」』’'\n]{4,})[”\"」』’']")
_QUESTIONS_REGARDED: Final = 50
"""So many earlier questions a thread or a memory may show."""
_MARGIN_TOKENS: Final = 40
"""Tokens for blank lines and the message frames."""
NO_CONFIG: Final = BudgetConfig()


class Prompt(Frozen):
    """The prompt of one answer: what the model is asked, and what it may cite."""

    messages: tuple[ChatMessage, ...]
    shown: tuple[Utterance, ...]
    """All that may be cited: utterances, and stand-ins for passages from elsewhere (`Foreign`)."""
    record: PromptRecord
    """Its tokens, by producer."""
    context: AgentContext | None = None
    """What it was made of (seed 000 §4)."""
    thread: str = ""
    """What it shows of earlier exchanges; "" where nothing."""
    cited_as: Mapping[int, str] = {}
    """How the stand-ins are named in the answer, by id."""
    headings: tuple[str, ...] = ()
    """The names of the meeting's topics, which may stand above what is cited."""
    steering: tuple[str, ...] = ()
    """Texts in it that are meant to steer the model (`context.language.instructions`)."""
    asked: tuple[str, ...] = ()
    """The question, and the ones before it that it may show: questions bear out nothing."""
    whole: frozenset[str] = frozenset()
    """The names of the producers that it tells in full."""
    elsewhere: bool = False
    """Whether it shows something of other meetings or documents, also by way of what was answered before."""

    @property
    def tokens(self) -> int:
        """The size of all messages."""
        return self.record.tokens


def prompt_for(
    asked: Question,
    context: AgentContext,
    meeting: Meeting,
    found: Iterable[Utterance],
    *,
    language: str,
    budget: ModelBudget,
    tokenizer: Tokenizer,
    thread: Callable[[int], str] = lambda _tokens: "",
    extras: Extras = NO_EXTRAS,
    zone: tzinfo = UTC,
    config: BudgetConfig = NO_CONFIG,
) -> Prompt:
    """The prompt that has a model answer `asked`, within `budget` as `tokenizer` counts.

    `found`: utterances for the question, most wanted first. `thread` gives the earlier exchanges in so many
    tokens, "" for none. `language`: of the answer, `ko` or `en`. Times are told in `zone`.
    """
    rules = _rules(language)
    facts, question = _asking(
        asked, context, meeting, language=language, zone=zone, budget=budget, tokenizer=tokenizer
    )
    spent = sum(tokenizer.count(text) for text in (rules, facts, question)) + _MARGIN_TOKENS
    room = budget.system + budget.shown - spent
    foreign = Foreign(extras.passages)
    exchanges = ThreadBlock(thread, config.thread_share(budget), tokenizer)
    producers = _producers(
        context,
        meeting,
        found if extras.evidence else (),
        extras,
        foreign,
        language=language,
        line=partial(utterance_line, zone=zone, timestamps=meeting.config.l0_include_timestamps),
        tokenizer=tokenizer,
        config=config,
    )
    made = compose(
        [*producers, exchanges],
        config.workflow_for(cast("AgentCallType", context.call_type)),
        min(budget.shown, room),
        spare=room - budget.shown,
        config=config,
    )
    messages = _messages(rules, made, facts, question, in_thread=bool(exchanges.text))
    citable = _citable(made.shows, meeting, foreign)
    questions = (asked.text, *(reply.question for reply in meeting.replies[-_QUESTIONS_REGARDED:]))
    return Prompt(
        messages=messages,
        shown=citable,
        whole=made.whole,
        context=context,
        thread=exchanges.text,
        steering=_steering(questions, context, meeting, citable),
        asked=questions,
        headings=_headings(meeting),
        record=_record(messages, made, tokenizer),
        cited_as={id_: name for id_, name in foreign.cited_as.items() if id_ in made.shows},
    )


def _producers(
    context: AgentContext,
    meeting: Meeting,
    evidence: Iterable[Utterance],
    extras: Extras,
    foreign: Foreign,
    *,
    language: str,
    line: Callable[[Utterance], str],
    tokenizer: Tokenizer,
    config: BudgetConfig,
) -> list[Producer]:
    """The producers of what stands whatever is asked, is for the question, or is from elsewhere.

    The thread's is not among them.
    """
    topics = partial(TopicLines, meeting.segments, tokenizer, templates=config.topic_templates)
    people = []
    for one in context.participants:
        name, role = person(one.name, one.user_id), context.speaker_roles.get(one.user_id)
        people.append(f"{name} ({role})" if role else name)
    present = _PEOPLE["ko" if language == "ko" else "en"].format(", ".join(people)) if people else ""
    recent = reversed(context.recent_utterances or ())
    return [
        topics(),
        TextBlock("speakers", "speakers", present, tokenizer),
        UtteranceLines("transcript", "utterances", recent, line, tokenizer, stands=True),
        topics(name="required_topics", only=extras.topics),
        UtteranceLines("evidence", "found", evidence, line, tokenizer, line_behind=summary_line),
        TextBlock("profile", "asker", quoted_lines(extras.profile), tokenizer),
        SourceLines("documents", foreign, "document", tokenizer),
        SourceLines("earlier_meetings", foreign, "earlier", tokenizer),
        FirstAnswer(extras.before, extras.lacking, tokenizer, language),
    ]


def _messages(
    rules: str, made: Composed, facts: str, question: str, *, in_thread: bool
) -> tuple[ChatMessage, ...]:
    """The rules; then the context, the facts and the question. `in_thread`: it shows earlier exchanges."""
    blocks = [made.text_of(name) for name in _ORDER]
    ask = f"{CURRENT_HEADING}\n{question}" if in_thread else question
    return (
        ChatMessage(role="system", content=rules),
        ChatMessage(role="user", content="\n\n".join(part for part in (*blocks, facts, ask) if part)),
    )


def _record(messages: Sequence[ChatMessage], made: Composed, tokenizer: Tokenizer) -> PromptRecord:
    """What the prompt takes, by the producer that brought it."""
    block_texts = {block.name: block.text for block in made.parts}
    return sent("answer", messages, tokenizer, block_texts, level=made.level, budget=made.budget)


def _citable(shown: frozenset[int], meeting: Meeting, foreign: Foreign) -> tuple[Utterance, ...]:
    """The utterances of a prompt, then the stand-ins for what it shows of elsewhere."""
    archive = meeting.utterances
    here = (archive[id_ - 1] for id_ in sorted(shown) if 0 < id_ <= len(archive))
    return (*here, *(passage for passage in foreign.stand_ins() if passage.id in shown))


def _headings(meeting: Meeting) -> tuple[str, ...]:
    """The names of topics that may stand in an answer: those that are no order to the model."""
    names = dict.fromkeys(segment.name for segment in meeting.segments)
    return tuple(name for name in names if not steers(name, meeting.config.agent_names))


def _asking(
    asked: Question,
    context: AgentContext,
    meeting: Meeting,
    *,
    language: str,
    zone: tzinfo,
    budget: ModelBudget,
    tokenizer: Tokenizer,
) -> tuple[str, str]:
    """The facts and the question, within the model's system share."""
    title = meeting.opened.title if meeting.opened is not None else None
    now = local(context.current_time, zone)
    facts = _FACTS["ko" if language == "ko" else "en"].format(
        now=f"{now:%Y-%m-%d %H:%M:%S}" if dated(now) else f"{now:%H:%M:%S}",
        zone=zone,
        title=quoted(title or context.meeting_id),
        topic=quoted(context.current_topic or ""),
    )
    texts = {"meeting": facts, "question": quoted(asked.text)}
    frames = {tag: tokenizer.count(block(tag, "")) + 2 for tag in texts}
    wants = {tag: tokenizer.count(text) + frames[tag] for tag, text in texts.items()}
    rooms = _ASKING.shared_out(wants, budget.system)
    fitted = {tag: fit(text, rooms[tag] - frames[tag], tokenizer) for tag, text in texts.items()}
    shown = block("meeting", fitted["meeting"]) if fitted["meeting"] else ""
    return shown, block("question", fitted["question"])


def _rules(language: str) -> str:
    tongue = "ko" if language == "ko" else "en"
    return ANSWER_RULES[tongue].format(
        rule=quoted_speech_rule(tongue), headings=", ".join(HEADINGS[tongue]), nothing=NOTHING_FOUND
    )


def _steering(
    asked: Sequence[str], context: AgentContext, meeting: Meeting, citable: Sequence[Utterance]
) -> tuple[str, ...]:
    """What stands in a prompt to steer the model, wherever it comes from."""
    title = (meeting.opened.title if meeting.opened is not None else None) or ""
    names = (one.name for one in context.participants)
    texts = (title, *names, *asked, *(line.text for line in citable))
    quoted_words = _QUOTATION.findall("\n".join(asked))  # "when did Kim say “…”?" is no evidence that she did
    return (*quoted_words, *(text for text in texts if steers(text, meeting.config.agent_names)))
