"""Labels in front of words: what they look like. `Hana Lee: …` names who speaks, `The plan: …` does not.

By its form alone no label is sure; whoever reads a whole file knows more (`stt.files.speakers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from context.language.closed_lists import word_sets
from context.text import LONGEST_NAME, one_line

_WORDS: Final = word_sets("labels")
DASHED: Final = re.compile(r"\s*(?:>>+\s*|[-–—•]\s+)")
"""In front of a line of captions: here another one speaks."""
_BRACKETED: Final = re.compile(r"(?:\[([^\[\]\n]+)\]|【([^【】\n]+)】|\(([^()\n]+)\))\s*([:：])?\s*")
_COLON: Final = re.compile(r"[:：]")
_IN_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）")
_PHONE: Final = re.compile(r"\+?\(?\d[\d\s().-]{5,}\d")
_DATE: Final = re.compile(r"\d{2,4}[-./]\s?\d{1,2}[-./]\s?\d{1,4}\.?")
_MAIL: Final = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_NUMBERED: Final = re.compile(
    rf"(?:{'|'.join(sorted(_WORDS['numbered']))})[\s_#-]*(?:\d{{1,3}}|[A-Z])", re.IGNORECASE
)
_SENTENCE: Final = re.compile(r"[?!;…\"“”。？！]|[^\W\d_]{4,}\.\s")
_WORD: Final = re.compile(r"[^\W_](?:[\w.'’·-]*\w)?")
_PARTICLES: Final = ("은", "는", "이", "가", "도")
_MOST_COLONS: Final = 3
_MOST_WORDS: Final = 8
_MOST_SYLLABLES: Final = 12
_LEAST_DIGITS: Final = 7


class Form(IntEnum):
    """What a label looks like by itself."""

    NONE = 0
    """No label: a part of a sentence, or a time."""
    DOUBTFUL = 1
    """It may head a paragraph as well as name somebody."""
    NAME = 2
    """It may be a name."""
    CERTAIN = 3
    """A number that a program gave a speaker, a telephone number, an address."""


class Label(NamedTuple):
    """A possible label of a line, and what stands behind it."""

    name: str
    rest: str
    form: Form

    @property
    def key(self) -> str:
        """The form in which labels are compared: people write a name in large letters, too."""
        return self.name.casefold()


def form(label: str) -> Form:
    """What a label looks like, in Korean or English."""
    bare = _IN_BRACKETS.sub(" ", label).strip() or label.strip()
    if _PHONE.fullmatch(bare) and not _DATE.fullmatch(bare):
        return Form.CERTAIN if sum(map(str.isdigit, bare)) >= _LEAST_DIGITS else Form.NONE
    if _NUMBERED.fullmatch(bare) or _MAIL.fullmatch(bare):
        return Form.CERTAIN
    words = _WORD.findall(bare)
    if len(label) > LONGEST_NAME or len(words) > _MOST_WORDS or _SENTENCE.search(bare):
        return Form.NONE
    if not any(char.isalpha() for char in bare):
        return Form.NONE
    if "," in bare and (words[0].islower() or words[0].lower() in _WORDS["openers"]):
        return Form.NONE
    return Form.DOUBTFUL if "," in bare or _tells_something(words) else Form.NAME


def _tells_something(words: Sequence[str]) -> bool:
    """Whether these words may be the beginning of a sentence, or the heading of what follows."""
    small = [word.lower() for word in words]
    if small[0] in _WORDS["openers"] or small[-1] in _WORDS["headings"]:
        return True
    last = words[-1]
    if last.isascii():
        lower = [
            word for word in words if word.isascii() and word[0].islower() and word not in _WORDS["of_names"]
        ]
        return len(words) > 1 and bool(lower)
    if last[-1] in _PARTICLES and last[:-1] in _WORDS["headings"]:
        return True
    ends = len(last) > 2 and any(last.endswith(ending) for ending in _WORDS["endings_ko"])
    return ends or sum(len(word) for word in words) > _MOST_SYLLABLES


def label_of(line: str) -> Label | None:
    """The label of a line that stands alone (somebody types `Name: text`), by its form; None: it has none."""
    return next((each for each in labels_of(line) if each.form > Form.NONE), None)


def is_plain(name: str, text: str) -> bool:
    """Whether `name: text` is read as what it is, whatever else stands in the file."""
    whole = form(name) >= Form.NAME and name[0].isalnum()
    return whole and not _COLON.search(name) and all(each.form is Form.NONE for each in labels_of(text))


def labels_of(line: str) -> Iterator[Label]:
    """The possible labels at the beginning of a line, the shortest first."""
    begins = DASHED.match(line)
    text = line[begins.end() :] if begins else line.lstrip()
    if (found := _BRACKETED.match(text)) is not None:
        name = one_line(found[1] or found[2] or found[3])
        shape = form(name)
        if found[4] and shape and name.lower() not in _WORDS["headings"]:
            shape = max(shape, Form.NAME)
        if found[4] or shape is Form.CERTAIN:
            yield Label(name, text[found.end() :], shape)
            return
    for place, colon in enumerate(_COLON.finditer(text[: LONGEST_NAME + 1])):
        at = colon.start()
        if place >= _MOST_COLONS:
            return
        if text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit():
            continue  # a time of day
        if text.startswith("//", at + 1) or not text[:at].strip():
            continue
        name = one_line(text[:at].strip())
        shape = form(name)
        glued = colon[0] == ":" and text[at + 1 : at + 2].isascii() and not text[at + 1 : at + 2].isspace()
        if glued and text[at + 1 :]:  # re:invent
            shape = min(shape, Form.DOUBTFUL)
        yield Label(name, text[at + 1 :].strip(), shape)
