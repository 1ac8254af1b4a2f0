r"""Citations as models write them, and the one form in which they are read: `[#12]`, `[#12-14]`.

Read as the same are other brackets (`(#12)`, `【12】`, `［＃12］`, `[[#12]]`) and marks around them
(`**[#12]**`, `\[#12\]`). A number in square brackets without its mark, `[12]`, is a citation only where it is
the id of something that was shown, and where nobody is quoted who said it so; it becomes `[#=12]`. Any other
stays the text that it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final

CITATION: Final = r"\[\s{0,3}#[^\[\]\n]{0,60}\]"
"""The pattern of a citation in the form in which it is read."""
_ID: Final = re.compile(r"(\d{1,9})(?:\s*[-–—~]\s*[#＃]?(\d{1,9}))?")
_CLOCK: Final = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_LONGEST_RANGE: Final = 20
_MARKS: Final = r"[*_`\\]{0,4}"
_BODY: Final = (
    r"[#＃^]{0,2}\s?\d{1,9}+(?:\s?(?:[,，、;·–—~\s-]|and|및)\s?[#＃]?\d{1,9}+){0,9}(?:†[^\]】\n]{0,30})?"
)
_LABEL: Final = (
    r"(?:see|cf\.|from|utterances?|lines?|ids?|refs?|sources?|발화|출처|근거|참고|인용)\s?[:：]?\s?"
)
_ANY_FORM: Final = re.compile(
    rf"{_MARKS}(?:(\[{{1,2}}|［|【|〔)|[(（{{<])\s?({_LABEL})?({_BODY})\s?\\?"
    rf"(?:\]{{1,2}}|[］】〕)）}}>]){_MARKS}",
    re.IGNORECASE,
)
_BARE: Final = re.compile(
    r"(?<=[\s.!?。])[#＃]\d{1,9}+(?:,?\s?[#＃]\d{1,9}+){0,5}(?=[.!?。]?[ \t]{0,4}(?:\n|\Z))"
)
"""`#12` at the end of a line."""
_OPEN: Final = re.compile(
    r"[*_`\\]{0,4}(?:(?:[\[［【〔][^\]］】〕\n]{0,60}|[(（]\s?(?:[#＃][\d\s,，#＃~–-]{0,60})?)[\])）］】〕*_`\\]{0,4})?"
)
_GOES_ON: Final = tuple("*_`\\])）］】〕")
_NUMBERED: Final = re.compile(r"[\[［【〔#＃]\s?(\d{1,9})")
_LEAST_SURE: Final = re.compile(r"^(\s*(?:[-*•]\s+)?)\[#=[^\[\]\n]{1,60}\][ \t.,:]*")
_OPENED: Final = re.compile(rf"[ \t]*[(（\[]\s?(?:{_LABEL})?(?=[.!?。]?\s*\Z)", re.IGNORECASE)
_ITALIC: Final = re.compile(r"(?<![*\w])\*(?=[^\s*])|(?<=[^\s*])\*(?![A-Za-z0-9*])")
_WIDE: Final = str.maketrans({"＃": "#", "^": None})
_EMPTY: Final = frozenset({"", "none", "null", "na", "no", "nothing", "없음", "해당없음"})


def ids_of(group: str) -> list[int]:
    """The ids in the text of citations, ranges written out."""
    found: list[int] = []
    for first, last in _ID.findall(_CLOCK.sub("", group)):
        begin, end = int(first), int(last or first)
        found.extend(range(begin, end + 1) if 0 <= end - begin < _LONGEST_RANGE else [begin])
    return found


def cited_ids(value: Any) -> Any:
    """The ids in a field for citations: `12`, `"#12"`, `"[#12, #13]"`, `null`, or a list of these.

    Raises `ValueError` where something else stands there: that nothing is cited must be said.
    """
    if value is None or value is False:
        return []
    if isinstance(value, (list, tuple)):
        found = [id_ for each in value for id_ in _lenient_ids(each)]
        if found or not any(value):
            return list(dict.fromkeys(found))
        raise ValueError("no ids of utterances")
    return list(dict.fromkeys(_ids_in(value)))


def _lenient_ids(value: Any) -> list[int]:
    """Those of one citation among several, of which one that makes no sense is left out."""
    try:
        return _ids_in(value)
    except ValueError:
        return []


def _ids_in(value: Any) -> list[int]:
    if isinstance(value, (dict, list)):
        inner = value.values() if isinstance(value, dict) else value
        return [id_ for each in inner for id_ in _lenient_ids(each)]
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError("no ids of utterances")  # noqa: TRY004 - pydantic takes a ValueError for a fault
    if not isinstance(value, str):
        return [int(value)]
    marked = re.findall(r"[#＃]\s?\d{1,9}(?:\s*[-–—~]\s*[#＃]?\d{1,9})?", value)
    found = ids_of(" ".join(marked) if marked else value)
    if not found and "".join(filter(str.isalnum, value.lower())) not in _EMPTY:
        raise ValueError("no ids of utterances")
    return found


def bracketed(texts: Collection[str]) -> frozenset[int]:
    """The numbers that stand in brackets, or behind `#`, in these texts: given back, they are words."""
    return frozenset(int(number) for text in texts for number in _NUMBERED.findall(text))


def as_cited(text: str, shown: Collection[int], *, ended: bool = True) -> str:
    """`text` with all its citations in the form in which they are read.

    `shown`: the ids for which `[12]` counts. Unless it has `ended`, one at its end waits for its marks.
    """

    def read(found: re.Match[str]) -> str:
        if not ended and (found.end() == len(text) or text[found.end()] in _GOES_ON):
            return found[0]
        square, label, body = found[1], found[2], found[3].partition("†")[0].translate(_WIDE).strip()
        if "#" in body:
            return f"[{body if body.startswith('#') else f'#{body}'}]"
        counts = (square or label) and found[0][0] not in "{<" and all(id_ in shown for id_ in ids_of(body))
        return f"[#={body}]" if counts else found[0]

    def read_bare(found: re.Match[str]) -> str:
        at_end = not ended and found.end() + 1 >= len(text)
        counts = not at_end and all(id_ in shown for id_ in ids_of(found[0]))
        return f"[{found[0].translate(_WIDE)}]" if counts else found[0]

    return _BARE.sub(read_bare, _ANY_FORM.sub(read, text))


def may_cite(text: str) -> bool:
    """Whether `text` is nothing yet, but more of it may make it a citation, or the marks behind one."""
    return _OPEN.fullmatch(text) is not None


def without_numbering(line: str) -> str:
    """A line without `[#=1]` before it if it cites otherwise, too: then that numbers an item of a list."""
    found = _LEAST_SURE.match(line)
    if found is None or re.search(CITATION, line[found.end() :]) is None:
        return line
    return found[1] + line[found.end() :]


def cited_in(text: str) -> list[int]:
    """The ids of all citations in `text`; numbers without their mark are none."""
    return [id_ for group in re.findall(CITATION, as_cited(text, ())) for id_ in ids_of(group)]


def without_citations(text: str) -> str:
    """`text` without the citations in it."""
    return re.sub(rf"\s*{CITATION}", "", as_cited(text, ()))


def balanced(text: str) -> str:
    """`text` without marks of bold and italic type, and a bracket at its end, that lost their other half."""
    text = _OPENED.sub("", text)
    for mark in ("**", "__"):
        if text.count(mark) % 2:
            text = text.replace(mark, "")
    return _ITALIC.sub("", text) if len(_ITALIC.findall(text)) % 2 else text
