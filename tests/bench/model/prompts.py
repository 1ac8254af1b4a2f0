"""A prompt as an endpoint sees it: for what it was sent, and the digest by which a reply to it is kept."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

ANSWER: Final = "answer"
VERIFICATION: Final = "verification"

_MARKS: Final = {
    "verdicts": VERIFICATION,
    "topic_changed": "topic_detection",
    "completeness_score": "quality",
    "topic_name": "summary",
}
"""What a schema in words asks for, where a server takes no named one."""
_CLAIM: Final = re.compile(r"^(\d+)\. (?:\((\w+)\) )?(.*?) ?((?:\[#\d+\])*)$", re.MULTILINE)
_LINE: Final = re.compile(r"^\[#(\d+)\] ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Claimed:
    """One claim of a verification prompt."""

    number: int
    kind: str
    text: str
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sent:
    """One request."""

    purpose: str
    messages: tuple[tuple[str, str], ...]
    """Role and content."""

    @property
    def digest(self) -> str:
        """A digest of the messages: another word, another digest."""
        told = json.dumps(self.messages, ensure_ascii=False)
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    @property
    def material(self) -> str:
        """The user's message, in which everything stands that differs from one prompt to the next."""
        return next((content for role, content in self.messages if role == "user"), "")

    def block(self, tag: str) -> str:
        """What stands last between `<tag>` and its end; empty where nothing does."""
        found = re.findall(rf"<{tag}[^>]*>\n(.*?)\n</{tag}>", self.material, re.DOTALL)
        return found[-1] if found else ""

    @property
    def claims(self) -> list[Claimed]:
        """What a verifier is to judge, in order."""
        return [
            Claimed(int(number), kind, text, tuple(int(id_) for id_ in re.findall(r"\d+", ids)))
            for number, kind, text, ids in _CLAIM.findall(self.block("claims"))
        ]

    @property
    def shown(self) -> list[int]:
        """The utterances that it shows, by their ids."""
        return [int(id_) for id_ in _LINE.findall(self.material)]

    def in_words(self) -> str:
        """For whoever writes a reply to it."""
        return "\n\n".join(f"--- {role}\n{content}" for role, content in self.messages) + "\n"


def sent(body: Mapping[str, Any]) -> Sent:
    """The request of a body that speaks OpenAI's protocol."""
    messages = tuple((str(each["role"]), str(each["content"])) for each in body["messages"])
    return Sent(_purpose(body, messages), messages)


def _purpose(body: Mapping[str, Any], messages: Sequence[tuple[str, str]]) -> str:
    wanted = body.get("response_format") or {}
    if name := (wanted.get("json_schema") or {}).get("name"):
        return str(name)
    if body.get("stream"):
        return ANSWER
    told = "\n".join(content for _, content in messages)
    return next((purpose for mark, purpose in _MARKS.items() if f'"{mark}"' in told), "other")
