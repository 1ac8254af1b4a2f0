"""The prompt of an answer: rules, what is known of the meeting, what was said, the question.

Within the model's budget: the rules and the question always, then the topics up to the L1 share (many
decisions may take half of what is left of L0, see `topic_lines`), then the thread (see `context.thread`) and
the utterances up to the L0 share. Whatever id stands in it may be cited; nothing else may. The context is the
`ContextBuilder`'s; it is written out here and not by `format_context_as_system_prompt`, because citations are
checked by id while the answer streams, and that text carries none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, tzinfo
from typing import Final

from context.budget import ModelBudget, fit
from context.language.instructions import steers
from context.meeting import EPOCH, Meeting
from context.models import AgentContext, Invocation, TopicSegment, Utterance
from context.ports import ChatMessage, Tokenizer
from context.prompts.answering import HEADINGS
from context.prompts.thread import CURRENT_HEADING
from worker.agent.besides import Beside
from worker.agent.citations import NOTHING_FOUND
from worker.agent.material import NOTHING_MORE, Extras, Prompt
from worker.agent.quoting import QUOTED_SPEECH_RULE, block, person, quoted, quoted_lines, utterance_line
from worker.agent.topic_lines import TopicLines

_RULES: Final = """\
You are Moim, the assistant of a meeting. Answer the question in {language}, from the material below alone.
{rule}

- The first sentence answers the question. Short sentences or a list, one item a line; no preamble, no \
closing remark, no advice of your own.
- End every sentence and item with the ids of all utterances that it rests on, also those that name its \
subject, its figures and its people, e.g. The release is on May 3. [#12][#15]
- A sentence without such an id, or that its utterances do not bear out, is thrown away. Never cite an id \
that you were not shown.
- Keep numbers, dates, names and negations exactly; leave "tomorrow" and "next week" as they were said.
- What was decided last holds. A proposal, an opinion or a question is no decision: say whose it is.
- Put only literal words of an utterance in quotation marks.
- A heading or a label is the name of a topic or one of these: {headings}.
- <thread> holds what was asked and answered before: it says what a question refers to, and is no evidence.
- Where the material holds no answer, write {nothing} and nothing else."""

_FACTS: Final = {
    "ko": """\
현재 시각: {now} (모든 시각은 {zone} 기준)
회의: {title}
현재 주제: {topic}
참석자: {people}""",
    "en": """\
Now: {now} (all times are {zone})
Meeting: {title}
Topic now: {topic}
People: {people}""",
}
_QUOTED: Final = re.compile(r"[“\"「『‘']([^”\"」』’'\n]{4,})[”\"」』’']")
_ASKED: Final = 50
"""Earlier questions that a thread or a memory may show."""
_SUMMARIES_MARGIN: Final = 40
"""Tokens for tags, blank lines and the message frames."""


def prompt_for(
    invocation: Invocation,
    context: AgentContext,
    meeting: Meeting,
    passages: Iterable[Utterance],
    *,
    language: str,
    budget: ModelBudget,
    tokenizer: Tokenizer,
    thread: str = "",
    extras: Extras = NOTHING_MORE,
    zone: tzinfo = UTC,
) -> Prompt:
    """`passages`: most wanted first; that one and as many as fit are shown, in order of time, told in `zone`.

    `thread`: the earlier exchanges as they are to be shown, within their share of L0; may be empty.
    """
    archive = meeting.utterances
    question = fit(quoted(invocation.text), budget.system // 2, tokenizer)
    beside = Beside(extras, tokenizer, zone)
    talked = block("thread", thread) if thread else ""
    around = _around(beside, extras, budget)
    taken = sum(tokenizer.count(part) for part in (talked, *around) if part)
    room = budget.l0 - _SUMMARIES_MARGIN - taken - (_SUMMARIES_MARGIN if taken else 0)
    most = budget.l1 - _SUMMARIES_MARGIN
    topics = TopicLines(meeting.segments, tokenizer).told(most, spare=room // 2, wanted=extras.topics)
    shown = _fitting(
        passages if extras.evidence else (), room - max(0, topics.tokens - most), zone, tokenizer
    )
    parts = [
        block("topics", topics.text) if topics.text else "",
        block("utterances", "\n".join(shown[id_] for id_ in sorted(shown))) if shown else "",
        *around,
        talked,
        # Behind all that stays the same from one question to the next: servers keep what they have read.
        beside.block("meeting", _facts(context, meeting, language, zone), budget.system // 4),
        f"{CURRENT_HEADING}\n{block('question', question)}" if talked else block("question", question),
    ]
    ids = {*topics.cited, *shown}
    citable = (*(archive[id_ - 1] for id_ in sorted(ids) if 0 < id_ <= len(archive)), *beside.shown)
    messages = (
        ChatMessage(role="system", content=_rules(language)),
        ChatMessage(role="user", content="\n\n".join(part for part in parts if part)),
    )
    return Prompt(
        messages=messages,
        shown=citable,
        context=context,
        thread=thread,
        steering=_steering(invocation.text, context, meeting, citable),
        headings=_headings(meeting),
        tokens=sum(tokenizer.count(message.content) for message in messages),
        cited_as=beside.cited_as,
    )


def _rules(language: str) -> str:
    spoken = "Korean (한국어)" if language == "ko" else "English"
    headings = ", ".join(HEADINGS["ko" if language == "ko" else "en"])
    return _RULES.format(language=spoken, rule=QUOTED_SPEECH_RULE, headings=headings, nothing=NOTHING_FOUND)


def _around(beside: Beside, extras: Extras, budget: ModelBudget) -> list[str]:
    """Beside the meeting's own words: who asks, what is remembered, other sources."""
    return [
        beside.block("asker", quoted_lines(extras.profile), budget.l0 // 10),
        beside.block("memory", quoted_lines(extras.memory), budget.l0 // 10),
        beside.sources(budget.l0 // 3),
        beside.first_answer(budget.l0 // 10),
    ]


def _steering(
    question: str, context: AgentContext, meeting: Meeting, citable: Sequence[Utterance]
) -> tuple[str, ...]:
    """What stands in a prompt to steer the model, wherever it comes from."""
    title = (meeting.opened.title if meeting.opened is not None else None) or ""
    names = (one.name for one in context.participants)
    asked = (question, *(reply.question for reply in meeting.replies[-_ASKED:]))
    texts = (title, *names, *asked, *(said.text for said in citable))
    quoted_words = _QUOTED.findall("\n".join(asked))  # "when did Kim say “…”?" is no evidence that she did
    return (*quoted_words, *(text for text in texts if steers(text, meeting.config.agent_names)))


def _headings(meeting: Meeting) -> tuple[str, ...]:
    """The topics' names, but those that are meant to steer whoever reads them."""
    names = dict.fromkeys(segment.name for segment in meeting.segments)
    return tuple(name for name in names if not steers(name, meeting.config.agent_names))


def _facts(context: AgentContext, meeting: Meeting, language: str, zone: tzinfo) -> str:
    title = meeting.opened.title if meeting.opened is not None else None
    people = (
        f"{person(one.name, one.user_id)} ({role})"
        if (role := context.speaker_roles.get(one.user_id))
        else person(one.name, one.user_id)
        for one in context.participants
    )
    now = context.current_time.astimezone(zone)
    dated = now.year > EPOCH.year + 1  # a file that is replayed knows no date
    return _FACTS["ko" if language == "ko" else "en"].format(
        now=f"{now:%Y-%m-%d %H:%M:%S}" if dated else f"{now:%H:%M:%S}",
        zone=zone,
        title=quoted(title or context.meeting_id),
        topic=quoted(context.current_topic or ""),
        people=", ".join(people),
    )


def all_topics_fit(segments: Sequence[TopicSegment], budget: ModelBudget, tokenizer: Tokenizer) -> bool:
    """Whether a prompt shows all topics that have something to show."""
    if len(segments) < 2:
        return True
    return TopicLines(segments, tokenizer).whole_tokens <= budget.l1 - _SUMMARIES_MARGIN


def _fitting(
    passages: Iterable[Utterance], budget: int, zone: tzinfo, tokenizer: Tokenizer
) -> dict[int, str]:
    """Lines by id: the first whatever its length, cut to half of the budget, the others where they fit."""
    lines: dict[int, str] = {}
    left = budget
    for said in passages:
        if said.id in lines:
            continue
        line = utterance_line(said, zone)
        tokens = tokenizer.count(line) + 1
        if tokens > left // 2 and not lines:
            line = fit(line, left // 2, tokenizer)
            tokens = tokenizer.count(line) + 1
        if tokens > left or not line:
            if left < budget // 10:
                break
            continue
        lines[said.id] = line
        left -= tokens
    return lines
