"""What CLOVA Studio refuses, and how it counts: as NAVER's documentation says, told to a local server."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from context.budgets.tokens import ExactTokenizer

WINDOWS: Final = {"HCX-003": (8192, 7600), "HCX-005": (128000, 128000), "HCX-007": (128000, 128000),
                  "HCX-DASH-002": (32000, 32000)}  # fmt: skip
"""Input and output together; input alone."""
OLD: Final = frozenset({"HCX-003"})
_COMMON: Final = frozenset({"messages", "topP", "topK", "temperature", "seed", "includeAiFilters"})
_V1: Final = _COMMON | {"repeatPenalty", "stopBefore", "maxTokens"}
_V3: Final = _COMMON | {
    "repetitionPenalty",
    "stop",
    "maxTokens",
    "maxCompletionTokens",
    "thinking",
    "responseFormat",
}
_SCHEMA_WORDS: Final = frozenset({
    "type", "description", "format", "minimum", "maximum", "minItems", "maxItems", "items", "properties",
    "required", "enum", "anyOf",
})  # fmt: skip
_TYPES: Final = frozenset({"string", "number", "boolean", "integer", "object", "array"})
_WRAPPING: Final = 5
"""Tokens around a message: the most by which a published count lies above o200k's of its text."""


@cache
def published() -> dict[str, Any]:
    """The counts that NAVER's examples show."""
    path = Path(__file__).parent.parent / "data" / "clova" / "tokens.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@cache
def _known() -> dict[str, int]:
    return {item["text"]: item["count"] for item in published()["messages"]}


def tokens(text: str) -> int:
    """A message's tokens: the published count, else OpenAI's newest encoding and what wraps a message."""
    return _known().get(text) or ExactTokenizer().count(text) + _WRAPPING


def schema_tokens(schema: dict[str, Any]) -> int:
    """A schema's tokens; the one published example has 86 where o200k has 112."""
    if schema == published()["schema"]["schema"]:
        return int(published()["schema"]["count"])
    return ExactTokenizer().count(json.dumps(schema, ensure_ascii=False))


def prompt_tokens(body: dict[str, Any]) -> int:
    """What a request's input counts."""
    total = sum(tokens(message["content"]) for message in body["messages"])
    schema = (body.get("responseFormat") or {}).get("schema")
    return total + (schema_tokens(schema) if schema else 0)


Refusal = tuple[int, str, str]
"""HTTP status, code, message."""


def refusal(model: str, api: str, body: dict[str, Any]) -> Refusal | None:
    """Why a chat request is refused; None where it is good."""
    if model not in WINDOWS:
        return 400, "40080", "Model not found"
    if (model in OLD) != (api == "v1"):
        return 400, "40084", "Unsupported API for model"
    unknown = set(body) - (_V1 if api == "v1" else _V3)
    if unknown:
        return 400, "40001", f"Invalid parameter: {', '.join(sorted(unknown))}"
    return _messages(body) or _limits(model, api, body) or _shape(model, body) or _length(model, body)


def _messages(body: dict[str, Any]) -> Refusal | None:
    messages = body.get("messages")
    if not messages:
        return 400, "40001", "Invalid parameter: messages"
    for message in messages:
        if message.get("role") not in {"system", "user", "assistant"}:
            return 400, "40001", "Invalid parameter: role"
        if not str(message.get("content", "")).strip():
            return 400, "40004", "Text empty"
    if sum(message["role"] == "system" for message in messages) > 1:
        return 400, "40001", "Invalid parameter: messages - only one system message"
    return None


def _limits(model: str, api: str, body: dict[str, Any]) -> Refusal | None:
    if model == "HCX-007" and "maxTokens" in body:
        return 400, "40001", "Invalid parameter: maxTokens"
    if "thinking" in body and model != "HCX-007":
        return 400, "40001", "Invalid parameter: thinking"
    most = 32768 if model == "HCX-007" else 4096
    if not 0 < _limit(model, body) <= most:
        return 400, "40001", "Invalid parameter: maxTokens"
    lowest = 0.01 if api == "v1" else 0
    if not lowest <= body.get("temperature", 0.5) <= 1:
        return 400, "40001", "Invalid parameter: temperature"
    return None


def _limit(model: str, body: dict[str, Any]) -> int:
    thinks = (body.get("thinking") or {"effort": "low"})["effort"] != "none"
    default = (5120 if thinks else 512) if model == "HCX-007" else 100
    return int(body.get("maxCompletionTokens", body.get("maxTokens", default)))


def _shape(model: str, body: dict[str, Any]) -> Refusal | None:
    wanted = body.get("responseFormat")
    if wanted is None:
        return None
    if model != "HCX-007":
        return 400, "40009", "Unsupported function"
    if (body.get("thinking") or {"effort": "low"})["effort"] != "none":
        return 400, "40001", "Invalid parameter: thinking, responseFormat"
    if wanted.get("type") != "json" or not schema_is_known(wanted.get("schema")):
        return 400, "40055", "Invalid response format schema"
    return None


def schema_is_known(schema: Any) -> bool:
    """Is every word of this schema one that structured outputs understand?"""
    if not isinstance(schema, dict) or set(schema) - _SCHEMA_WORDS:
        return False
    if "type" in schema and schema["type"] not in _TYPES:
        return False
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    return all(schema_is_known(item) for item in (*inner, *([schema["items"]] if "items" in schema else [])))


def _length(model: str, body: dict[str, Any]) -> Refusal | None:
    window, most_input = WINDOWS[model]
    used = prompt_tokens(body)
    if used > most_input or used + _limit(model, body) > window:
        return 400, "40003", "Context length exceeded"
    return None
