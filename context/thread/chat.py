"""Seed 001's run of one turn: `summary_node` → `llm_node` ↔ `tool_node` over a `ChatState`.

For whoever drives a conversation without a meeting; the meeting's own thread (`Thread.state`) has the
same shape. Nodes take a state and give what changes, as LangGraph's do; none of them changes its input.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypedDict

from context.ports import LanguageModel
from context.thread.history import DEFAULT_RATE, SummaryEntry, target_length
from context.thread.messages import Message, chars_of
from context.thread.prompt import system_prompt
from context.thread.small_talk import small_talk
from context.thread.turns import (
    TURNS_PER_SUMMARY,
    completed_turns,
    extract_current_turn,
    should_summarize,
)
from context.thread.writing import generate_summary

MOST_TOOL_ROUNDS: Final = 8
"""A model that wants more tools than this is answered for."""


class ChatState(TypedDict):
    """One session of seed 001; `session_id` is the thread's id."""

    messages: list[Message]
    session_id: str
    summary_history: list[dict[str, Any]]
    turn_count: int
    """Of the current turn: +1 when a user message arrives, before the run."""
    compression_rate: float


class Replies(Protocol):
    """A model that may call tools."""

    async def __call__(self, messages: Sequence[Message]) -> Message:
        """The next assistant message: an answer, or the tools to be called first."""
        ...


Tool = Callable[[str], Awaitable[str]]
"""Arguments as the model wrote them → the result."""


def new_chat(session_id: str, compression_rate: float = DEFAULT_RATE) -> ChatState:
    """An empty session."""
    return ChatState(
        messages=[],
        session_id=session_id,
        summary_history=[],
        turn_count=0,
        compression_rate=compression_rate,
    )


def covered_turns(state: ChatState) -> int:
    """The last turn that a summary covers."""
    history = state["summary_history"]
    return int(history[-1]["turns"][-1]) if history else 0


async def summary_node(state: ChatState, *, model: LanguageModel | None = None) -> dict[str, Any]:
    """Summarise the turns before the current one where that is due; spans that were missed come first."""
    if not should_summarize(state["turn_count"]):
        return {}
    turns = completed_turns(state["messages"])
    history = list(state["summary_history"])
    first = covered_turns(state) + 1
    while first + TURNS_PER_SUMMARY <= state["turn_count"]:
        numbers = tuple(range(first, first + TURNS_PER_SUMMARY))
        span = [message for number in numbers if number <= len(turns) for message in turns[number - 1]]
        original, rate = chars_of(span), state["compression_rate"]
        text = await generate_summary(span, target_length(original, rate), model=model)
        entry = SummaryEntry(
            thread_id=state["session_id"],
            turns=numbers,
            turn_length=len(numbers),
            original_chars=original,
            summary_chars=len(text),
            compression_rate=rate,
            summary=text,
        )
        history.append(entry.as_history())
        first += TURNS_PER_SUMMARY
    return {"summary_history": history}


def context_messages(state: ChatState, language: str = "ko") -> list[Message]:
    """Every summary, the finished turns that none covers, and the current turn."""
    entries = [SummaryEntry.model_validate(entry) for entry in state["summary_history"]]
    raw = completed_turns(state["messages"])[covered_turns(state) :]
    return [
        Message(role="system", content=system_prompt(entries, language)),
        *(message for turn in raw for message in turn),
        *extract_current_turn(state["messages"]),
    ]


async def llm_node(state: ChatState, *, reply: Replies, language: str = "ko") -> dict[str, Any]:
    """The next assistant message."""
    return {"messages": [*state["messages"], await reply(context_messages(state, language))]}


async def tool_node(state: ChatState, *, tools: Mapping[str, Tool]) -> dict[str, Any]:
    """Carry out what the last message calls for; a tool that is not there says so."""
    results = []
    for call in state["messages"][-1].tool_calls or ():
        tool = tools.get(call.name)
        content = await tool(call.arguments) if tool else f"there is no tool {call.name!r}"
        results.append(Message(role="tool", name=call.name, content=content, id=call.id))
    return {"messages": [*state["messages"], *results]}


async def run_turn(
    state: ChatState,
    question: str,
    *,
    reply: Replies,
    tools: Mapping[str, Tool] | None = None,
    model: LanguageModel | None = None,
    language: str = "ko",
) -> ChatState:
    """The life of one turn: counted, small talk answered at once, else summarised, answered, tools used."""
    state = _with(state, {
        "messages": [*state["messages"], Message(role="user", content=question)],
        "turn_count": state["turn_count"] + 1,
    })  # fmt: skip
    if (greeting := small_talk(question)) is not None:
        return _with(state, {"messages": [*state["messages"], Message(role="assistant", content=greeting)]})
    state = _with(state, await summary_node(state, model=model))
    for _ in range(MOST_TOOL_ROUNDS):
        state = _with(state, await llm_node(state, reply=reply, language=language))
        if state["messages"][-1].ends_turn:
            return state
        state = _with(state, await tool_node(state, tools=tools or {}))
    stopped = Message(role="assistant", content="(stopped: too many tool calls)")
    return _with(state, {"messages": [*state["messages"], stopped]})


def _with(state: ChatState, changes: dict[str, Any]) -> ChatState:
    return ChatState(**{**state, **changes})  # type: ignore[typeddict-item]  # nodes give keys of the state
