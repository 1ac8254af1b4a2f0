"""A JSON Schema in the part of the language that CLOVA Studio's structured outputs understand.

They know string, number, boolean, integer, object, array; enum, anyOf, format, minimum, maximum,
items, minItems, maxItems, properties, required. No references, no null, no pattern. What is left out
here is still checked: the caller validates every answer against the whole schema.
"""

from __future__ import annotations

from typing import Any, Final

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
        made["required"] = [name for name in node.get("required", []) if not _may_be_null(node, name)]
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


def _may_be_null(node: dict[str, Any], name: str) -> bool:
    """There is no null: what may be null is left out instead."""
    return any(choice.get("type") == "null" for choice in node["properties"].get(name, {}).get("anyOf", ()))
