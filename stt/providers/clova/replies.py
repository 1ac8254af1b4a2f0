"""What CLOVA Speech is asked and what it answers, as JSON: configuration, settled pieces, errors.

Pure. The documentation and the clients disagree about where a reply keeps its text and its errors, so
several places are accepted; each of those assumptions is one line here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from stt.segment import EngineBusy, EngineFailed

LANGUAGES: Final = ("ko", "en", "ja")
DEFAULT_LANGUAGE: Final = "ko"
"""For `auto`: the streaming recogniser detects no language, and its Korean one takes English words too."""
MAX_KEYWORDS: Final = 1_000
SUCCESS: Final = "success"

_TEXT_PLACES: Final = ("transcription", "recognize", "config")
_ERROR_PLACES: Final = ("recognize", "error")
_SUB_STATUSES: Final = ("keywordBoosting", "forbidden", "semanticEpd")
_PASSING: Final = ("no more slot", "too many", "lifespan", "try again", "exhausted", "timeout", "overload")
"""In an error's text: the same may work a moment later."""

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
class Reply:
    """One answer of the server."""

    config: str | None = None
    """Set for the answer to CONFIG: empty where all went well, else what did not."""
    config_parts: tuple[str, ...] = ()
    """Parts of an accepted configuration that were refused, e.g. `keywordBoosting: …`."""
    text: str = ""
    position: int = 0
    """The place of the text's first character in everything that this stream has said."""
    start_ms: int | None = None
    """On the stream's clock; None where not given."""
    end_ms: int | None = None
    confidence: float | None = None
    flushed: bool = False
    """The echo of a flush: all that was sent before it has been answered."""
    seq: int = 0


def configuration(language: str, words: Sequence[str] = (), weight: float = 0.0) -> dict[str, Any]:
    """The CONFIG of a stream. `weight` 0–5; without words or weight nothing is boosted."""
    config: dict[str, Any] = {
        "transcription": {"language": language if language in LANGUAGES else DEFAULT_LANGUAGE},
        "semanticEpd": dict(_SPLITTING),
    }
    if words and weight > 0:
        config["keywordBoosting"] = {"boostings": [{"words": ",".join(words), "weight": weight}]}
    return config


def keywords(words: Iterable[str]) -> tuple[str, ...]:
    """Those that the server takes: two letters or more, no commas, each once, the newest thousand."""
    kept: dict[str, None] = {}
    for word in words:
        plain = " ".join(word.replace(",", " ").split())
        if sum(char.isalnum() for char in plain) >= 2:
            kept.pop(plain, None)
            kept[plain] = None
    return tuple(kept)[-MAX_KEYWORDS:]


def read(contents: str) -> Reply:
    """One answer. Raises `EngineBusy` or `EngineFailed` for an error, and for what is no answer at all."""
    try:
        answer = json.loads(contents)
    except ValueError:
        raise EngineFailed(f"CLOVA Speech answered something that is not JSON: {contents[:80]!r}") from None
    if not isinstance(answer, dict):
        raise EngineFailed(f"CLOVA Speech answered something that is no object: {contents[:80]!r}")
    named = answer.get("responseType")
    kinds = named if isinstance(named, list) else [named]
    said = next((part for key in _TEXT_PLACES if "text" in (part := _part(answer, key))), None)
    if said is not None:
        confidence = _number(said, "confidence")
        return Reply(
            text=str(said.get("text") or "").strip(),
            position=int(_number(said, "position") or 0),
            start_ms=_ms(said, "startTimestamp"),
            end_ms=_ms(said, "endTimestamp"),
            confidence=confidence if confidence is not None and 0 < confidence <= 1 else None,
            flushed=bool(said.get("epFlag")),
            seq=int(_number(said, "seqId") or 0),
        )
    if "config" in kinds:
        return _configured(_part(answer, "config"))
    if "error" in kinds or any("status" in _part(answer, key) for key in _ERROR_PLACES):
        part = next((found for key in _ERROR_PLACES if (found := _part(answer, key))), answer)
        status = part.get("status") or part.get("message") or answer.get("message") or part
        text = " ".join(str(status).split())[:200]
        passing = any(word in text.lower() for word in _PASSING)
        raise (EngineBusy if passing else EngineFailed)(f"CLOVA Speech: {text}")
    return Reply()  # a kind that we know nothing of says nothing


def _configured(config: Mapping[str, Any]) -> Reply:
    status = str(config.get("status") or "")
    parts = {name: str(_part(config, name).get("status") or SUCCESS) for name in _SUB_STATUSES}
    refused = tuple(f"{name}: {said}" for name, said in parts.items() if said.lower() != SUCCESS)
    if status.lower() == SUCCESS or (not status and not refused):
        return Reply(config="", config_parts=refused)
    return Reply(config="; ".join((status or "no status", *refused)), config_parts=refused)


def _part(answer: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = answer.get(key)
    return part if isinstance(part, dict) else {}


def _number(said: Mapping[str, Any], key: str) -> float | None:
    value = said.get(key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _ms(said: Mapping[str, Any], key: str) -> int | None:
    number = _number(said, key)
    return None if number is None else max(0, int(number))
