"""What a prompt shows of the agent's thread, within a budget: summaries, uncovered turns, recent turns.

All of it is shown where it fits. Else `select_context_to_preserve` of the budgets decides: the newest turn
stays, then summaries and uncovered turns by recency at falling levels of detail, then turns that are shown
although a summary covers them. What found no room is named in the text, so nothing is silently invisible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from context.budgets.output import TARGET_TOKENS, AgentOutput, CompressionLevel
from context.budgets.preservation import Preserved, select_context_to_preserve
from context.budgets.tokens import fit
from context.events.message import CONTEXT_CHARS, Message, line_of
from context.models import Frozen
from context.ports import Tokenizer
from context.prompts.thread_prompts import CONTEXT_HEADING, CONTEXT_OPENING, RECENT_HEADING, TURNS
from context.question import Question
from context.thread.thread import Thread
from context.thread.turn import Turn
from context.thread.turns_from_elsewhere import NOTHING_LEFT_OUT, TurnsFromElsewhere

_FRAME_TOKENS: Final = 60
"""Headings, blank lines and the line that names what is missing."""
_LEAST_TOKENS: Final = 100
"""With a smaller budget the thread is not shown: it is not worth its headings."""
_LEFT_OUT: Final = {
    "ko": "(분량 제한으로 생략한 이전 대화: {})",
    "en": "(earlier exchanges left out for want of room: {})",
}
_NAMED_COUNT: Final = 6
_SUMMARY: Final = "summary"
_KEY_TOKENS: Final = 60

Quote = Callable[[str], str]
"""Makes other people's words safe to be shown in a prompt."""


class ThreadContext(Frozen):
    """The thread as a prompt shows it, without the current message, which the caller adds."""

    case: Literal["A", "B", "C"]
    """Seed 003's cases. A: nothing to show; B: turns; C: summaries too."""
    text: str = ""
    tokens: int = 0
    left_out: tuple[str, ...] = ()
    """Names of what found no room: `turn 4`, `summary 1-3`."""


def build_context_prompt(
    thread: Thread,
    question: Question,
    *,
    budget: int,
    tokenizer: Tokenizer,
    language: str = "ko",
    quote: Quote = str.strip,
    left_out: TurnsFromElsewhere = NOTHING_LEFT_OUT,
) -> ThreadContext:
    """The thread before `question` in at most `budget` tokens: seed 003's `buildContextPrompt` (step 1).

    Case A: nothing was asked before, the thread is off, or the budget is too small: the text is "".
    B: there is no summary yet: `[RECENT MESSAGES]`. C: `[CONVERSATION CONTEXT]`, the summaries, before it.
    Shown raw are the newest messages (`ThreadPolicy.recent_messages`) and all turns that no summary covers,
    each message up to 2,000 characters. The asker's own private turns are shown to a private question only.
    What is `left_out` is not shown, and not named as missing.
    """
    policy = thread.policy
    turns = [turn for turn in thread.earlier(question) if not left_out.turn(turn)]
    entries = [entry for entry in thread.summaries.entries if not left_out.summary(entry)]
    if not policy.enabled or budget < _LEAST_TOKENS or not (turns or entries):
        return ThreadContext(case="A")
    tongue = "en" if language == "en" else "ko"
    covered = thread.summaries.covered
    first_recent = len(turns) - -(-policy.recent_messages // 2)
    shown = [t for place, t in enumerate(turns) if place >= first_recent or not 0 < t.number <= covered]
    blocks = [
        *(
            AgentOutput(
                agent_id=f"{_SUMMARY} {entry.heading}",
                content=TURNS[tongue].format(entry.heading, quote(entry.summary)),
                vs_level="full",
                has_dependents=True,
            )
            for entry in entries
        ),
        *(_turn(t, quote, covered=0 < t.number <= covered, newest=t is shown[-1]) for t in shown),
    ]
    text = _text(blocks, (), tongue)
    cut: tuple[str, ...] = ()
    if tokenizer.count(text) > budget:
        kept = _fitting(blocks, shown, budget - _FRAME_TOKENS, tokenizer, quote)
        cut = tuple(block.agent_id for block in blocks if block.agent_id in kept.dropped)
        text = fit(_text(kept.in_order(), cut, tongue), budget, tokenizer)
    case: Literal["B", "C"] = "C" if entries else "B"
    return ThreadContext(case=case, text=text, tokens=tokenizer.count(text), left_out=cut)


def _fitting(
    blocks: Sequence[AgentOutput], shown: Sequence[Turn], room: int, tokenizer: Tokenizer, quote: Quote
) -> Preserved:
    """The blocks that fit into `room` tokens, some of them shortened; `shown`: the turns among them."""
    # The room's share of the levels' sizes, but no key shorter than a line.
    scale = max(
        room / TARGET_TOKENS[CompressionLevel.FULL], _KEY_TOKENS / TARGET_TOKENS[CompressionLevel.KEY]
    )
    sizes = [int(TARGET_TOKENS[level] * scale) for level in CompressionLevel if level]
    by_name = {_name(turn): turn for turn in shown}
    ready = []
    for place, block in enumerate(blocks):
        changes: dict[str, Any] = {"recency_score": (place + 1) / len(blocks)}
        if (turn := by_name.get(block.agent_id)) is not None:
            changes["shorter"] = tuple(_at_size(turn, size, tokenizer, quote) for size in sizes)
            if block.protected and tokenizer.count(block.content) > room // 2:
                changes["content"] = _at_size(turn, room // 2, tokenizer, quote)
        ready.append(block.model_copy(update=changes))
    return select_context_to_preserve(ready, room, tokenizer=tokenizer, scale=scale)


def _at_size(turn: Turn, size: int, tokenizer: Tokenizer, quote: Quote) -> str:
    """A turn cut to `size` tokens, at most two fifths of them for the question."""
    question, *answer = _lines(turn, quote)
    asked = fit(question, size * 2 // 5, tokenizer)
    left = size - tokenizer.count(asked) - 1
    return "\n".join(line for line in (asked, *(fit(line, left, tokenizer) for line in answer)) if line)


def _text(blocks: Sequence[AgentOutput], left_out: Sequence[str], tongue: str) -> str:
    summaries = [block.content for block in blocks if block.agent_id.startswith(_SUMMARY)]
    lines = [block.content for block in blocks if not block.agent_id.startswith(_SUMMARY)]
    if left_out:
        names = ", ".join(left_out[:_NAMED_COUNT]) + (" …" if len(left_out) > _NAMED_COUNT else "")
        lines.insert(0, _LEFT_OUT[tongue].format(names))
    parts = [f"{CONTEXT_HEADING}\n{CONTEXT_OPENING}\n" + "\n".join(summaries)] if summaries else []
    if lines:
        parts.append("\n".join([RECENT_HEADING, *lines]))
    return "\n\n".join(parts)


def _turn(turn: Turn, quote: Quote, *, covered: bool, newest: bool) -> AgentOutput:
    return AgentOutput(
        agent_id=_name(turn),
        content="\n".join(_lines(turn, quote)),
        vs_level="light" if covered else "enhanced",
        relevance_score=0.0 if covered else 0.5,
        protected=newest,
    )


def _name(turn: Turn) -> str:
    return f"turn {turn.number}" if turn.number else f"private turn {turn.order}"


def _lines(turn: Turn, quote: Quote) -> list[str]:
    """Question and answer, each on its line; what tools said has gone into the answer."""
    return [
        line_of(Message(role=m.role, content=quote(m.content[: 4 * CONTEXT_CHARS]), name=quote(m.name)))
        for m in (turn.question, turn.answer)
        if m is not None
    ]
