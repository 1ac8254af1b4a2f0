"""What a model wrote, in the shape that it was asked for: item by item, so that a bad one costs only itself.

Keys and words of closed lists are known in whatever case and with whatever marks, and by the other names that
models have for them (`lists/reply_keys.toml`, `lists/reply_words.toml`); null is as if it were missing; a
list may stand alone, hold a single item without brackets, or be an object whose keys number its items;
wrappers are taken off. An item that cannot be read is left out, never guessed: in a row of bare verdicts, for
one, each could be another claim's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Generic, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from context.language.closed_lists import word_sets
from context.prompts.json_text import read_text

M = TypeVar("M", bound=BaseModel)

_FIGURE: Final = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?")
_FRACTION: Final = re.compile(r"(-?\d{1,9}(?:\.\d{1,9})?)\s*(?:/|점\s*/|out of)\s*(\d{1,3})(?!\d)")
_YES: Final = {
    **dict.fromkeys(("true", "yes", "예", "네", "그렇다", "참"), True),
    **dict.fromkeys(("false", "no", "아니오", "아니요", "아니다", "거짓"), False),
}
_OTHER_KEYS: Final = word_sets("reply_keys")
_OTHER_WORDS: Final = word_sets("reply_words")
_NUMBERED_CLAIM: Final = re.compile(r"\W{0,4}(?:claim|주장)?\W{0,2}(\d{1,4})(?!\d)번?\W{0,6}", re.IGNORECASE)
"""The number before an item, or the key that numbers it."""
_DETAIL: Final = re.compile(r"\s?[(（]\s?([^():：（）\n]{1,20})[:：]\s?([^():：（）\n]{1,80})[)）]")
"""`(owner: Ben)`, as prompts show it."""
_ORDINAL: Final = re.compile(r"^\s*\d{1,2}[.)]\s+")
_MAX_ERRORS: Final = 3


class UnreadableJson(ValueError):
    """Nothing of a reply can be read as what was asked for; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Read(Generic[M]):
    """A value that was read in the shape that was asked for."""

    found: M
    lost: int
    """Items that could not be read."""


def read_as(values: Sequence[Any], shape: type[M]) -> Read[M]:
    """The last of `values` that can be read: it is what the model settled on. Raises `UnreadableJson`."""
    wrong = ""
    for candidate in _candidates(values, shape):
        try:
            return _whole(candidate, shape)
        except UnreadableJson as error:
            wrong = wrong or str(error)
    raise UnreadableJson(wrong or _whats_wrong(values, shape))


def _candidates(values: Sequence[Any], shape: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """Objects with fields of `shape`, the last one first; then lists, which stand for its first list."""
    yield from filter(None, (_object(value, shape) for value in reversed(values)))
    if any(value == {} for value in values):
        yield {}
    field = next(
        (name for name, field_info in shape.model_fields.items() if _item(field_info) is not None), None
    )
    if field is None:
        return
    single = [value for value in values if isinstance(value, dict)]
    numbered = (value for value in single if value and all(map(_NUMBERED_CLAIM.fullmatch, value)))
    for items in (*sorted(_lists(values), key=len, reverse=True), single, *numbered):
        if items:
            yield {field: items}


def _object(value: Any, shape: type[BaseModel], within: int = 2) -> dict[str, Any]:
    """The fields of `shape` in an object, or in one that it wraps where that has more; {} for none."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = next(iter(read_text(value).values), None)  # as the arguments of a tool are sent
    if not isinstance(value, dict):
        return {}
    fields = _by_field(value, shape)
    for inner in reversed(value.values()) if within else ():
        wrapped = _object(inner, shape, within - 1)
        fields = wrapped if len(wrapped) > len(fields) else fields
    return fields


def _by_field(value: Mapping[str, Any], shape: type[BaseModel]) -> dict[str, Any]:
    """What an object tells by the names of `shape`; lists under several names of one are one list."""
    fields: dict[str, Any] = {}
    own, names = _names(shape)
    for key, content in sorted(value.items(), key=lambda pair: _letters(pair[0]) not in own):
        name = names.get(_letters(key))
        if name is None or content is None:
            continue
        if name in fields and _item(shape.model_fields[name]) is not None:
            fields[name] = [*_as_list(fields[name]), *_as_list(content)]
        else:
            fields.setdefault(name, content)
    return fields


@cache
def _names(shape: type[BaseModel]) -> tuple[frozenset[str], Mapping[str, str]]:
    """The letters of a shape's own names; and its names by the letters of these, and of others for them."""
    own = {_letters(name): name for name in shape.model_fields}
    other = {letters: name for name in shape.model_fields for letters in _OTHER_KEYS.get(name, ())}
    return frozenset(own), other | own


def list_named(heading: str, shape: type[BaseModel]) -> str | None:
    """The list of items that a heading names; "" where that is another field, None where it is nothing."""
    name = _names(shape)[1].get(_letters(heading))
    return name if name is None or name in lists_of_items(shape) else ""


def lists_of_items(shape: type[BaseModel]) -> list[str]:
    """The names of the lists of objects in a shape."""
    items = ((name, _item(field)) for name, field in shape.model_fields.items())
    return [name for name, item in items if item is not None and issubclass(item, BaseModel)]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _lists(values: Sequence[Any]) -> Iterator[list[Any]]:
    """Lists that stand alone, or are the only one of an object."""
    for value in values:
        if isinstance(value, list):
            yield value
        elif isinstance(value, dict):
            inner = [part for part in value.values() if isinstance(part, (list, dict))]
            yield from _lists(inner) if len(inner) == 1 else ()


def _whole(values: Mapping[str, Any], shape: type[M]) -> Read[M]:
    """Raises `UnreadableJson` where what is missing nothing stands in for, or no item can be read."""
    lost: list[Any] = []
    fields = _fields(values, shape, lost)
    required = {name for name, field in shape.model_fields.items() if field.is_required()}
    lists = {name for name, field in shape.model_fields.items() if _item(field) is not None}
    if required and required.isdisjoint(fields):
        fields = {}
    elif required <= lists:
        fields = {**{name: [] for name in required}, **fields}
        if lost and not any(fields.get(name) for name in required or lists):
            raise UnreadableJson(f"none of its {len(lost)} items can be read: {_form_of(lost[0])}")
    for _ in range(len(fields) + 1):
        try:
            return Read(shape.model_validate(fields), len(lost))
        except ValidationError as error:
            spare = {str(fault["loc"][0]) for fault in error.errors() if fault["loc"]} - required
            if spare.isdisjoint(fields):
                raise UnreadableJson(in_words(error)) from error
            lost += [fields.pop(name) for name in spare & fields.keys()]
    raise AssertionError("each turn takes a field out, or ends it")


def _fields(values: Mapping[str, Any], shape: type[BaseModel], lost: list[Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, field in shape.model_fields.items():
        value = values.get(name)
        if value is None:
            continue
        item = _item(field)
        if item is None:
            fields[name] = _single(value, field)
        else:
            items = [
                read
                for element in _listed(value, item)
                if (read := _read_item(element, item, lost)) is not None
            ]
            fields[name] = items[: _most(field)]
    return fields


def _listed(value: Any, item: type[BaseModel | str]) -> list[Any]:
    """The items of a list; also where one stands alone, or where they are numbered by their keys."""
    if isinstance(value, str):
        if value.lstrip().startswith(("[", "{")) and (inner := read_text(value).values):
            return _listed(inner[0], item)  # JSON within a text of JSON
        return [part for part in map(str.strip, value.split("," if item is str else "\n")) if part]
    if isinstance(value, list):
        return [part for element in value for part in (element if isinstance(element, list) else [element])]
    if not isinstance(value, dict):
        return [value]
    if not issubclass(item, BaseModel):
        return list(value)
    if _by_field(value, item):
        return [value]
    first, *others = item.model_fields
    if item.model_fields[first].annotation is not int or not others:
        return list(value.values())
    second = others[0]
    return [
        {first: key, **(element if isinstance(element, dict) else {second: element})}
        for key, element in value.items()
    ]


def _from_line(line: str, item: type[BaseModel]) -> Any:
    """An item that is written as a line, `3: supported` or `They order it. (owner: Ben)`; else the line."""
    first, *others = item.model_fields
    if item.model_fields[first].annotation is int:
        match = _NUMBERED_CLAIM.match(line) if others else None
        return _fields({first: match[1], others[0]: line[match.end() :]}, item, []) if match else line
    line = _ORDINAL.sub("", line)
    known = [
        detail
        for detail in _DETAIL.finditer(line)
        if _names(item)[1].get(_letters(detail[1]), first) != first
    ]
    for detail in known:
        line = line.replace(detail[0], "")
    details = _by_field({detail[1]: detail[2] for detail in known}, item)
    return _fields({first: line, **details}, item, []) if known else line


def _read_item(value: Any, item: type[BaseModel | str], lost: list[Any]) -> Any:
    """The item; None where it cannot be read, of which `lost` takes note."""
    if not issubclass(item, BaseModel):
        only = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value
        if isinstance(only, str):
            return only
    else:
        fields = _fields(_by_field(value, item), item, []) if isinstance(value, dict) else value
        if isinstance(value, str):
            fields = _from_line(value, item)
        try:
            return item.model_validate(fields)
        except ValidationError:
            pass
    if value not in (None, "", {}, []):
        lost.append(value)
    return None


def _item(field: FieldInfo) -> type[BaseModel | str] | None:
    """What a list holds, if that are texts or objects; None for other fields, and lists read as a whole."""
    arguments = get_args(field.annotation)
    if get_origin(field.annotation) is not list or not isinstance(arguments[0], type):
        return None
    return arguments[0] if issubclass(arguments[0], str | BaseModel) else None


def _most(field: FieldInfo) -> int | None:
    return next((mark.max_length for mark in field.metadata if hasattr(mark, "max_length")), None)


def _single(value: Any, field: FieldInfo) -> Any:
    """A value in the form that its field wants, where it can be told; else as it is."""
    wanted = field.annotation
    if isinstance(value, (list, dict)) and len(value) == 1 and wanted in (int, float, bool, str):
        value = next(iter(value.values() if isinstance(value, dict) else value))
    if get_origin(wanted) is Literal:
        return _one_of(get_args(wanted), value)
    if isinstance(value, list) and (wanted is str or str in get_args(wanted)):
        return ", ".join(map(str, value))
    if not isinstance(value, str):
        return value
    if wanted is bool:
        return _YES.get(_letters(value), value)
    return _number(value, field) if wanted in (int, float) else value


def _one_of(allowed: Sequence[str], value: Any) -> Any:
    """The value of a closed list that is meant: by itself, else by another word for it; else as it is."""
    letters = _letters(value)
    own = [name for name in allowed if _letters(name) == letters]
    other = [name for name in allowed if letters in _OTHER_WORDS.get(name, ())]
    return next(iter(own or other), value)


def _number(text: str, field: FieldInfo) -> Any:
    """The only number of a text; of `9/10` and `90%` what they come to within the field's bound."""
    top = next((mark.le for mark in field.metadata if hasattr(mark, "le")), None)
    if (part := _FRACTION.search(text)) is not None and len(_FIGURE.findall(text)) == 2:
        counted, of = float(part[1]), float(part[2])
        return counted if top in (None, of) or not of else counted / of * top
    figures = _FIGURE.findall(text)
    if len(figures) != 1:
        return text
    number = float(figures[0])
    if "%" in text and top == 1:
        number /= 100
    return int(number) if field.annotation is int and number.is_integer() else number


def _letters(value: Any) -> str:
    return "".join(filter(str.isalnum, str(value).lower()))


def _whats_wrong(values: Sequence[Any], shape: type[BaseModel]) -> str:
    if not values:
        return "there is no JSON in it"
    try:
        shape.model_validate(values[-1])
    except ValidationError as error:
        return in_words(error)
    return "it has none of the fields that were asked for"


def in_words(error: ValidationError) -> str:
    """The first few faults, each with its place; never the input, which may be long."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)[:_MAX_ERRORS]
    return "; ".join(
        f"{'.'.join(str(part) for part in fault['loc']) or 'whole'}: {fault['msg']}" for fault in faults
    )[:500]


def _form_of(value: Any) -> str:
    """The form of an item, without its words: also its keys may be what people said."""
    return f"an object with {len(value)} other keys" if isinstance(value, dict) else type(value).__name__
