"""What each model of CLOVA Studio can do: the one place to change when NAVER changes it.

The windows are those of the table of budgets; the rest is NAVER's documentation of August 2026
(docs/decisions/0029).

And a JSON Schema in the part of the language that CLOVA Studio's structured outputs understand: no
references, no null, no pattern. The caller still validates every answer against the whole schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from context.budget import budget_for

BASE_URL: Final = "https://clovastudio.stream.ntruss.com"


@dataclass(frozen=True, slots=True)
class ClovaModel:
    """One model's dialect and limits, in tokens."""

    name: str
    version: str
    """Of Chat Completions: v1 (HCX-003, HCX-DASH-001) has other names for the same parameters and results."""
    window: int
    """Input and output together."""
    max_input: int
    max_output: int
    reasons: bool
    """Thinks before it answers unless told not to, names its token limit otherwise, and holds to a schema."""

    @property
    def chat_path(self) -> str:
        """Give the path at which the model answers."""
        return f"/{self.version}/chat-completions/{self.name}"

    @property
    def tokens_path(self) -> str:
        """Where its tokens are counted."""
        return f"/{self.version}/api-tools/chat-tokenize/{self.name}"


def is_clova(name: str) -> bool:
    """Is this the name of a model of CLOVA Studio?"""
    return name.upper().startswith("HCX-")


def clova_model(name: str) -> ClovaModel:
    """The model of that name; one that we don't know is taken for a newer one without special gifts."""
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
    """How the OpenAI-compatible route has to be spoken to for this model: see `OpenAILanguageModel`."""
    model = clova_model(name)
    return {
        "json_mode": "json_schema" if model.reasons else "prompt",
        "schema_dialect": simplified,
        "options": {"reasoning_effort": "none"} if model.reasons else {},
    }


_KEPT: Final = frozenset(
    {"type", "description", "enum", "format", "minimum", "maximum", "minItems", "maxItems", "required"}
)


class Inexpressible(ValueError):
    """The schema refers to itself: there is no way to write it out."""


def simplified(schema: dict[str, Any]) -> dict[str, Any]:
    """`schema` without references and unknown keywords. Raises `Inexpressible`."""
    return _plain(schema, schema.get("$defs", {}), ())


def _plain(node: dict[str, Any], definitions: dict[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
    reference = node.get("$ref")
    if reference is not None:
        name = str(reference).rpartition("/")[2]
        if name in inside or name not in definitions:
            raise Inexpressible(f"{reference} cannot be written out")
        own = {key: value for key, value in node.items() if key != "$ref"}
        return _plain({**definitions[name], **own}, definitions, (*inside, name))
    made = {key: value for key, value in node.items() if key in _KEPT}
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
