"""What the values of a chat reply say: a whole one, or a piece of a stream. The types are hopes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from context.ports import CutOff, PortError, Refused, Unavailable
from stt.endpoint.reply_reader import text_of


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one call, as the server counted them."""

    purpose: str
    """What the call was for: the `name` that it was given, e.g. `answer` or `topic_detection`."""
    model: str
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    """How many of the prompt's tokens came from the server's cache, where it says so."""


@dataclass(slots=True)
class ChatReply:
    """What came of one reply so far, value by value."""

    finished: str = ""
    """Why it ended, as the server says; "" while it goes on, and where the server never says."""
    refusal: str = ""
    tool: str = ""
    """What the model called instead of answering."""
    thought: bool = False
    """Whether the model thought aloud, in a field of its own or between markers."""
    begun: bool = False
    """Whether there was any text."""
    usage: tuple[int, int, int] | None = None
    """Tokens of the prompt, of the reply, and of the prompt those that were cached."""

    def take(self, data: Any) -> str:
        """Fold one value; gives its text, "" where it has none."""
        if not isinstance(data, dict):
            return ""
        if isinstance(data.get("usage"), dict):
            self.usage = _usage(data["usage"])
        choice = _choice(data)
        # Some servers repeat beside each piece all that there is so far.
        keys = ("delta", "message") if self.begun else ("message", "delta")
        part = next((choice[key] for key in keys if isinstance(choice.get(key), dict)), choice)
        finished = choice.get("finish_reason")
        self.finished = self.finished or (finished if isinstance(finished, str) else "")
        self.refusal += text_of(part.get("refusal"))
        self.tool = self.tool or _tool(part)
        self.thought |= any(
            part.get(key) for key in ("reasoning_content", "reasoning", "thinking", "thinkingContent")
        )
        text = text_of(part.get("content")) or text_of(choice.get("text"))
        self.begun |= bool(text)
        return text

    def instead(self, model: str, most_tokens: int) -> PortError:
        """The error of a reply that ended without a word: what came instead of an answer."""
        if self.refusal:
            return Refused(f"{model} declined to answer: {' '.join(self.refusal.split())[:200]}")
        if self.finished == "content_filter":
            return Refused(f"{model}'s answer was withheld by a content filter")
        if self.tool:
            return Refused(f"{model} called a tool ({self.tool[:60]}) instead of answering")
        if self.finished == "length":
            spent = "its thoughts took" if self.thought else "it spent"
            return CutOff(f"{model} gave no answer: {spent} all of its {most_tokens} tokens")
        if self.thought:
            return Unavailable(f"{model} gave no answer: it thought and said nothing")
        if self.finished:
            return Unavailable(f"{model} gave no answer: its reply was empty")
        return Unavailable(f"{model} gave no answer: what it sent holds no reply")


def _choice(data: dict[str, Any]) -> dict[str, Any]:
    choices = data.get("choices")
    if isinstance(choices, list):
        return next((choice for choice in choices if isinstance(choice, dict)), {})
    # Ollama's own API has the message at the top.
    return {"message": data["message"]} if isinstance(data.get("message"), dict) else {}


def _tool(part: dict[str, Any]) -> str:
    calls = part.get("tool_calls")
    call = calls[0] if isinstance(calls, list) and calls else part.get("function_call")
    if not isinstance(call, dict):
        return ""
    function = call.get("function")
    name = function.get("name") if isinstance(function, dict) else call.get("name")
    return name if isinstance(name, str) and name else "unnamed"


def _usage(usage: dict[str, Any]) -> tuple[int, int, int]:
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    return count(usage.get("prompt_tokens")), count(usage.get("completion_tokens")), count(cached)


def count(value: Any) -> int:
    """A count as it stands in a reply; 0 where it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
