r"""Citations as models write them, and the one form in which they are read: `[#12]`, `[#12-14]`.

Read as the same are other brackets (`(#12)`, `【12】`, `［＃12］`, `[[#12]]`) and marks around them
(`**[#12]**`, `\[#12\]`), and words where they can mean nothing else: `(utterance 12)`, `(12번 발언)`,
"According to utterance 12, …" and "12번 발언에 따르면 …" at the beginning of a line, `— 발언 12` at its end.
A number in square brackets without its mark, `[12]` or `[12번]`, is a citation only where it is the id of
something that was shown, and where nobody is quoted who said it so. Whatever is no `#12` becomes `[#=12]`.

Any other stays the text that it is: `(3번)` may be three times, "line 3" a line of a factory, "the third
utterance" is counted from nobody knows where, and "Ben denied utterance 3" says nothing without it.
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
_IDS: Final = r"\d{1,9}+번?+(?:\s?(?:[,，、;·–—~\s-]|and|및|과|와)\s?[#＃]?\d{1,9}+번?+){0,9}+"
_BODY: Final = rf"[#＃^]{{0,2}}\s?{_IDS}(?:†[^\]】\n]{{0,30}})?"
_UTTERANCE: Final = r"(?:utterances?|발화|발언)"
"""Words that can only mean what citations mean."""
_MEANS_ONE: Final = re.compile(_UTTERANCE, re.IGNORECASE)
_LABEL: Final = (
    rf"(?:see|cf\.|from|{_UTTERANCE}|lines?|turns?|ids?|refs?|sources?|출처|근거|참고|인용)"
    r"\s?(?:번호|no\.|numbers?)?\s?[:：]?\s?"
)
_ANY_FORM: Final = re.compile(
    rf"{_MARKS}(?:(\[{{1,2}}|［|【|〔)|[(（{{<])\s?((?:{_LABEL}){{0,2}})({_BODY})\s?(발화|발언)?"
    rf"\s?(?:참고|참조)?\s?\\?(?:\]{{1,2}}|[］】〕)）}}>]){_MARKS}",
    re.IGNORECASE,
)
_AT_END: Final = r"(?=[.!?。]?[ \t]{0,4}(?:\n|\Z))"
_BARE_MARKS: Final = re.compile(rf"(?<=[\s.!?。])[#＃]\d{{1,9}}+(?:,?\s?[#＃]\d{{1,9}}+){{0,5}}{_AT_END}")
"""`#12` at the end of a line."""
_IN_WORDS: Final = rf"(?:utterances?\s({_IDS})|(?:발화|발언)\s?({_IDS})|({_IDS})(?<=번)\s?(?:발화|발언))"
_WORDS_FIRST: Final = re.compile(
    r"(?m)^([ \t]*(?:[-*•>][ \t]+)?)(?:(?:according to|as (?:said|told|stated|decided) in|in|per|from)\s)?"
    rf"{_IN_WORDS}"
    r"(?:[:：,，]|에 ?따르면,?|에 ?의하면,?|에서는?,?)[ \t]+(?=\S)",
    re.IGNORECASE,
)
"""`According to utterance 12, …` at the beginning of a line."""
_WORDS_LAST: Final = re.compile(
    r"(?:(?<=[.!?。])\s|\s?[–—]\s?|\s-\s|,\s(?:as in|per|see|according to)\s"
    r"|((?:sources?|evidence|출처|근거|참고)\s?[:：]\s?))"
    rf"{_IN_WORDS}(?:\s(?:참고|참조))?{_AT_END}",
    re.IGNORECASE,
)
"""`… — utterance 12` at the end of a line."""
_ALONE_BEHIND: Final = re.compile(r"[.!?。,]?[ \t]{0,4}(?:[\[［【〔(（*_\n]|\Z)")
"""What stands behind `[12번]` where it is a citation, and not the beginning of `[12번] 안`."""
_OPEN_MARK: Final = re.compile(
    r"[*_`\\]{0,4}(?:(?:[\[［【〔][^\]］】〕\n]{0,60}|[(（][^()（）\]\n]{0,40})[\])）］】〕*_`\\]{0,4})?"
)
_GOES_ON: Final = tuple("*_`\\])）］】〕")
_NUMBERED_MARK: Final = re.compile(
    r"(?:[\[［【〔#＃]|\b(?:lines?|turns?|ids?|refs?|sources?))\s?(\d{1,9})", re.IGNORECASE
)
_NUMBERING_MARK: Final = re.compile(r"^(\s*(?:[-*•]\s+)?)\[#=[^\[\]\n]{1,60}\][ \t.,:]*")
_OPENED_MARK: Final = re.compile(rf"[ \t]*[(（\[]\s?(?:{_LABEL}){{0,2}}(?=[.!?。]?\s*\Z)", re.IGNORECASE)
_ITALIC: Final = re.compile(r"(?<![*\w])\*(?=[^\s*])|(?<=[^\s*])\*(?![A-Za-z0-9*])")
_WIDE_CHARACTERS: Final = str.maketrans({"＃": "#", "^": None, "번": None})
_AROUND_IDS: Final = re.compile(
    rf"(?<![^\W\d_])(?:{_LABEL}|utts?|msgs?|u|l|no|and|to)(?![^\W\d_])|제(?=\s?\d)|및|과|와|번(?:부터|까지|에서)?|\d{{1,9}}",
    re.IGNORECASE,
)
"""What may stand in a field for citations: ids, and the words around them."""
_HASHED_IDS: Final = re.compile(r"[#＃]\s?\d{1,9}(?:\s*[-–—~]\s*[#＃]?\d{1,9})?")
_IDS_IN_WORDS: Final = re.compile(_IN_WORDS, re.IGNORECASE)
_FIRST_IDS: Final = re.compile(r"[\[［【(（]\s?(\d{1,9}(?:\s?[,，–-]\s?\d{1,9}){0,9})\s?[\]］】)）]")
_DATE: Final = re.compile(r"\d\s?[/.]\s?\d|\d-\d{1,2}-\d|[$€£₩%]")
"""Numbers that stand together, or for an amount: these are no ids."""
_ID_KEYS: Final = re.compile(
    r"(?:utterance|line|turn|source)?[\s_]*(?:ids?|no|number|start|end|from|to|first|last)|utterances?|발화|발언|번호",
    re.IGNORECASE,
)
"""Keys of an object that cites under which its ids stand."""
_NO_IDS: Final = frozenset({"", "none", "null", "na", "no", "nothing", "없음", "해당없음"})


def ids_of(group: str) -> list[int]:
    """The ids in the text of citations, ranges written out."""
    ids: list[int] = []
    for first, last in _ID.findall(_CLOCK.sub("", group)):
        begin, end = int(first), int(last or first)
        ids.extend(range(begin, end + 1) if 0 <= end - begin < _LONGEST_RANGE else [begin])
    return ids


def cited_ids(value: Any) -> Any:
    """The ids in a field for citations: `12`, `"#12"`, `"12번 발언"`, `"[#12, #13]"`, `null`, lists.

    Raises `ValueError` where something else stands there: that nothing is cited must be said, and a number
    among other words ("300 dollars", "Q3") is no id.
    """
    if value is None or value is False:
        return []
    if isinstance(value, (list, tuple)):
        ids = [id_ for element in value for id_ in _lenient_ids(element)]
        if ids or not any(value):
            return list(dict.fromkeys(ids))
        raise ValueError("no ids of utterances")
    return list(dict.fromkeys(_ids_in(value)))


def _lenient_ids(value: Any) -> list[int]:
    """The numbers of one citation among several, of which one that makes no sense is left out."""
    try:
        return _ids_in(value)
    except ValueError:
        return []


def _ids_in(value: Any) -> list[int]:
    if isinstance(value, list):
        return [id_ for element in value for id_ in _lenient_ids(element)]
    if isinstance(value, dict):
        named = [element for key, element in value.items() if _ID_KEYS.fullmatch(str(key))]
        return [id_ for element in named or list(value.values())[:1] for id_ in _lenient_ids(element)]
    if isinstance(value, str):
        return _ids_in_words(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value // 1:
        raise ValueError("no ids of utterances")
    return [int(value)]


def _ids_in_words(text: str) -> list[int]:
    text = text.strip()
    marked = _HASHED_IDS.findall(text) or ["".join(groups) for groups in _IDS_IN_WORDS.findall(text)]
    first = None if marked else _FIRST_IDS.match(text)
    citing = " ".join(marked) if marked else first[1] if first else text
    ids = ids_of(citing)
    words = _AROUND_IDS.sub(" ", _CLOCK.sub(" ", citing))
    if ids and (marked or first or not any(map(str.isalnum, words))) and _DATE.search(citing) is None:
        return ids
    if ids or "".join(filter(str.isalnum, text.lower())) not in _NO_IDS:
        raise ValueError("no ids of utterances")
    return ids


def bracketed(texts: Collection[str]) -> frozenset[int]:
    """The numbers in these texts that stand in brackets, behind `#` or a word like "line": they are words."""
    return frozenset(int(number) for text in texts for number in _NUMBERED_MARK.findall(text))


def as_cited(text: str, shown: Collection[int], *, ended: bool = True) -> str:
    """`text` with all its citations in the form in which they are read.

    `shown`: the ids for which `[12]` counts. Unless it has `ended`, one at its end waits for its marks.
    """

    def read(match: re.Match[str]) -> str:
        if not ended and (match.end() == len(text) or text[match.end()] in _GOES_ON):
            return match[0]
        square, label, behind = match[1], match[2], match[4]
        body = match[3].partition("†")[0].translate(_WIDE_CHARACTERS).strip()
        if "#" in body:
            return f"[{body if body.startswith('#') else f'#{body}'}]"
        if not (behind or _MEANS_ONE.search(label)):
            counts = (
                (square or label) and match[0][0] not in "{<" and all(id_ in shown for id_ in ids_of(body))
            )
            begins = not label and "번" in match[3] and text[match.start() - 1 : match.start()] != "]"
            if not counts or (begins and not _ALONE_BEHIND.match(text, match.end())):
                return match[0]
        return f"[#={body}]"

    def read_bare(match: re.Match[str]) -> str:
        at_end = not ended and match.end() + 1 >= len(text)
        counts = not at_end and all(id_ in shown for id_ in ids_of(match[0]))
        return f"[{match[0].translate(_WIDE_CHARACTERS)}]" if counts else match[0]

    def read_words(match: re.Match[str]) -> str:
        if not ended and match.end() + 1 >= len(text):
            return match[0]
        before, *ids = match.groups()
        shown = next(filter(None, ids)).translate(_WIDE_CHARACTERS)
        blank = " " if match[0][-1:] in " \t" else ""
        return f"{' ' if before is None else before}[#={shown}]{blank}"

    text = _ANY_FORM.sub(read, text)
    return _BARE_MARKS.sub(read_bare, _WORDS_LAST.sub(read_words, _WORDS_FIRST.sub(read_words, text)))


def may_cite(text: str) -> bool:
    """Whether `text` is nothing yet, but more of it may make it a citation, or the marks behind one."""
    return _OPEN_MARK.fullmatch(text) is not None


def without_numbering(line: str) -> str:
    """A line without `[#=1]` before it if it cites otherwise, too: then that numbers an item of a list."""
    match = _NUMBERING_MARK.match(line)
    if match is None or re.search(CITATION, line[match.end() :]) is None:
        return line
    return match[1] + line[match.end() :]


def cited_in(text: str) -> list[int]:
    """The ids of all citations in `text`; numbers without their mark are none."""
    return [id_ for group in re.findall(CITATION, as_cited(text, ())) for id_ in ids_of(group)]


def without_citations(text: str) -> str:
    """`text` without the citations in it."""
    return re.sub(rf"\s*{CITATION}", "", as_cited(text, ()))


def balanced(text: str) -> str:
    """`text` without marks of bold and italic type, and a bracket at its end, that lost their other half."""
    text = _OPENED_MARK.sub("", text)
    for mark in ("**", "__"):
        if text.count(mark) % 2:
            text = text.replace(mark, "")
    return _ITALIC.sub("", text) if len(_ITALIC.findall(text)) % 2 else text
