"""CLOVA Speech's JSON: the configuration of a stream, and the replies with text or errors.

Pure. Its documentation and its clients disagree about where a reply keeps its text and its errors, so
several places are accepted; the constants name them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from stt.endpoint.reply_reader import UnreadableReply, json_of, text_of
from stt.segment import EngineBusy, EngineFailed

LANGUAGES: Final = ("ko", "en", "ja")
"""Those that the streaming recogniser knows."""
DEFAULT_LANGUAGE: Final = "ko"
"""Stands in for `auto`: the recogniser detects no language, and its Korean one takes English words too."""
MAX_KEYWORDS: Final = 1_000
SUCCESS: Final = "success"

_WEIGHT: Final = 2.0
"""How much words are boosted, of 5."""

_TEXT_PLACES: Final = ("transcription", "recognize", "config")
_ERROR_PLACES: Final = ("recognize", "error")
_SUB_STATUSES: Final = ("keywordBoosting", "forbidden", "semanticEpd")
_PASSING_FAULTS: Final = (
    "no more slot",
    "too many",
    "lifespan",
    "try again",
    "exhausted",
    "timeout",
    "overload",
)
"""What an error's text holds where the same may work a moment later."""

_SPLITTING: Final = {
    # An empty answer must come too: it may be the one that carries the echo of the flush.
    "skipEmptyText": False,
    "useWordEpd": True,
    "usePeriodEpd": True,
    "gapThreshold": 700,
    "durationThreshold": 8000,
    "syllableThreshold": 80,
}
"""Where the server settles a piece. Our own detector ends the stretch 500 ms after the voice."""


@dataclass(frozen=True, slots=True)
class ClovaReply:
    """One reply of the server, read."""

    config: str | None = None
    """Only in the reply to CONFIG: empty where it was accepted, else why not."""
    config_parts: tuple[str, ...] = ()
    """Parts of an accepted configuration that were refused, e.g. `keywordBoosting: …`."""
    text: str = ""
    """A settled piece of the speech; empty where the reply brings none."""
    position: int = 0
    """The place of the text's first character in everything that this stream has said."""
    start_ms: int | None = None
    """Counted from the stream's first sample; None where not given."""
    end_ms: int | None = None
    confidence: float | None = None
    """0-1; None where not given."""
    flushed: bool = False
    """Whether it echoes a flush: all that was sent before that has been answered."""
    seq: int = 0
    """The number of the flush that it echoes."""


def configuration(language: str, words: Sequence[str] = ()) -> dict[str, Any]:
    """Make the CONFIG of a stream, in which `words` are boosted if there are any."""
    config: dict[str, Any] = {
        "transcription": {"language": language if language in LANGUAGES else DEFAULT_LANGUAGE},
        "semanticEpd": dict(_SPLITTING),
    }
    if words:
        config["keywordBoosting"] = {"boostings": [{"words": ",".join(words), "weight": _WEIGHT}]}
    return config


def keywords(words: Iterable[str]) -> tuple[str, ...]:
    """Choose the first 1,000 words that the server boosts: of two letters or more, each once."""
    chosen: dict[str, None] = {}
    for word in words:
        plain = " ".join(word.replace(",", " ").split())
        if sum(char.isalnum() for char in plain) >= 2:
            chosen[plain] = None
    return tuple(chosen)[:MAX_KEYWORDS]


def read(contents: str) -> ClovaReply:
    """Read the JSON of one reply. Raises `EngineBusy` or `EngineFailed` where it is an error or no reply."""
    answer = _object(contents)
    named = answer.get("responseType")
    kinds = named if isinstance(named, list) else [named]
    part_with_text = next((part for key in _TEXT_PLACES if "text" in (part := _part(answer, key))), None)
    if part_with_text is not None:
        return _spoken(part_with_text)
    if "config" in kinds:
        return _configured(_part(answer, "config"))
    if "error" in kinds or any("status" in _part(answer, key) for key in _ERROR_PLACES):
        raise _error(answer)
    return ClovaReply()  # a kind that we know nothing of says nothing


def _object(contents: str) -> Mapping[str, Any]:
    try:
        answer = json_of(contents)
    except UnreadableReply:
        length = f"{len(contents)} characters"
        raise EngineFailed(f"CLOVA Speech answered something that is not JSON: {length}") from None
    if not isinstance(answer, dict):
        raise EngineFailed(f"CLOVA Speech answered something that is no object: a {type(answer).__name__}")
    return answer


def _spoken(part: Mapping[str, Any]) -> ClovaReply:
    confidence = _number(part, "confidence")
    return ClovaReply(
        text=text_of(part.get("text")).strip(),
        position=int(_number(part, "position") or 0),
        start_ms=_ms(part, "startTimestamp"),
        end_ms=_ms(part, "endTimestamp"),
        confidence=confidence if confidence is not None and 0 < confidence <= 1 else None,
        flushed=bool(part.get("epFlag")),
        seq=int(_number(part, "seqId") or 0),
    )


def _error(answer: Mapping[str, Any]) -> EngineBusy | EngineFailed:
    part = next((error for key in _ERROR_PLACES if (error := _part(answer, key))), answer)
    status = part.get("status") or part.get("message") or answer.get("message") or part
    text = " ".join(str(status).split())[:200]
    passing = any(word in text.lower() for word in _PASSING_FAULTS)
    return (EngineBusy if passing else EngineFailed)(f"CLOVA Speech: {text}")


def _configured(config: Mapping[str, Any]) -> ClovaReply:
    status = str(config.get("status") or "")
    parts = {name: str(_part(config, name).get("status") or SUCCESS) for name in _SUB_STATUSES}
    refused = tuple(f"{name}: {outcome}" for name, outcome in parts.items() if outcome.lower() != SUCCESS)
    if status.lower() == SUCCESS or (not status and not refused):
        return ClovaReply(config="", config_parts=refused)
    return ClovaReply(config="; ".join((status or "no status", *refused)), config_parts=refused)


def _part(answer: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = answer.get(key)
    return part if isinstance(part, dict) else {}


def _number(part: Mapping[str, Any], key: str) -> float | None:
    value = part.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return value if math.isfinite(value) else None


def _ms(part: Mapping[str, Any], key: str) -> int | None:
    number = _number(part, key)
    return None if number is None else max(0, int(number))
