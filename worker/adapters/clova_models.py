"""What each model of CLOVA Studio can do: the one place to change when NAVER changes it.

The windows are those of `context.budgets.tokens`; the rest is NAVER's documentation of August 2026
(docs/decisions/0029).

`simplified` writes a JSON Schema in the part of that language that CLOVA Studio's structured outputs
understand: no references, no null, no pattern. The caller still validates every answer against the whole
schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from context.budgets.tokens import budget_for

BASE_URL: Final = "https://clovastudio.stream.ntruss.com"


@dataclass(frozen=True, slots=True)
class ClovaModel:
    """One model's dialect and limits, in tokens."""

    name: str
    version: str
    """The version of its chat API, `v1` or `v3`: v1 (HCX-003, HCX-DASH-001) names parameters otherwise."""
    window: int
    """Input and output together."""
    max_input: int
    max_output: int
    reasons: bool
    """A reasoning model (HCX-007) thinks unless told not to, and takes `maxCompletionTokens` and a schema."""

    @property
    def chat_path(self) -> str:
        """The path of its chat API under the base URL."""
        return f"/{self.version}/chat-completions/{self.name}"

    @property
    def tokens_path(self) -> str:
        """The path of its token calculator under the base URL."""
        return f"/{self.version}/api-tools/chat-tokenize/{self.name}"


def is_clova(name: str) -> bool:
    """Tell whether `name` is that of a model of CLOVA Studio (`HCX-…`, in any case)."""
    return name.upper().startswith("HCX-")


def clova_model(name: str) -> ClovaModel:
    """Return what is known of a model by its name; an unknown one is a v3 model that does not reason."""
    known, window = name.upper(), budget_for(name).window
    reasons = known.startswith("HCX-007")
    return ClovaModel(
        name=name,
        version="v1" if known.startswith(("HCX-003", "HCX-DASH-001")) else "v3",
        window=window,
        max_input=min({"HCX-003": 7600, "HCX-DASH-001": 3500}.get(known, window), window),
        max_output=32768 if reasons else 4096,
        reasons=reasons,
    )


def compatible_options(name: str) -> dict[str, Any]:
    """Return the arguments of `OpenAILanguageModel` for this model on CLOVA's OpenAI-compatible route."""
    model = clova_model(name)
    return {
        "json_mode": "json_schema" if model.reasons else "prompt",
        "schema_dialect": simplified,
        "options": {"reasoning_effort": "none"} if model.reasons else {},
    }


_KNOWN_KEYWORDS: Final = frozenset(
    {"type", "description", "enum", "format", "minimum", "maximum", "minItems", "maxItems", "required"}
)


class Inexpressible(ValueError):
    """A schema that refers to itself, or to a definition that it lacks, cannot be written out."""


def simplified(schema: dict[str, Any]) -> dict[str, Any]:
    """Return `schema` with its references written out and unknown keywords and nulls left out.

    Raises `Inexpressible`.
    """
    return _plain(schema, schema.get("$defs", {}), ())


def _plain(node: dict[str, Any], definitions: dict[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
    reference = node.get("$ref")
    if reference is not None:
        name = str(reference).rpartition("/")[2]
        if name in inside or name not in definitions:
            raise Inexpressible(f"{reference} cannot be written out")
        own = {key: value for key, value in node.items() if key != "$ref"}
        return _plain({**definitions[name], **own}, definitions, (*inside, name))
    made = {key: value for key, value in node.items() if key in _KNOWN_KEYWORDS}
    if "const" in node:
        made["enum"] = [node["const"]]
    if "properties" in node:
        made["properties"] = {
            name: _plain(inner, definitions, inside) for name, inner in node["properties"].items()
        }
        made["required"] = [  # there is no null: what may be null is left out instead
            name
            for name in node.get("required", [])
            if not any(one.get("type") == "null" for one in node["properties"].get(name, {}).get("anyOf", ()))
        ]
    if isinstance(node.get("items"), dict):
        made["items"] = _plain(node["items"], definitions, inside)
    choices = [
        _plain(inner, definitions, inside)
        for inner in (*node.get("anyOf", ()), *node.get("oneOf", ()))
        if inner.get("type") != "null"
    ]
    if len(choices) == 1:
        return {**choices[0], **made}
    if choices:
        made["anyOf"] = choices
    return made
