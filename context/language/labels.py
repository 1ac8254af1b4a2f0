"""Labels in front of words: what they look like. `Hana Lee: …` names who speaks, `The plan: …` does not.

By its form alone no label is sure; whoever reads a whole file knows more (`stt.files.speakers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from context.language.closed_lists import word_sets
from context.primitives.text import MAX_NAME_CHARS, one_line

_WORDS: Final = word_sets("labels")
_ENDINGS: Final = tuple(_WORDS["endings_ko"])
_LAST_FIRST: Final = re.compile(r"[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?, [A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*)?")
"""Reed, Tom."""
SPEAKER_DASH: Final = re.compile(r"\s*(?:>>+\s*|[-–—•]\s*(?=[^\W\d_]))")
"""The dash in front of a line of captions: here another one speaks."""
_BRACKETED_LABEL: Final = re.compile(r"(?:\[([^\[\]\n]+)\]|【([^【】\n]+)】|\(([^()\n]+)\))\s*([:：])?\s*")
_COLON: Final = re.compile(r"[:：]")
_IN_BRACKETS: Final = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）")
_LIST_NUMBER: Final = re.compile(r"\A\d{1,3}[.)]\s+(?=\S)")
_PHONE: Final = re.compile(
    r"\+\d[\d\s().-]{6,}\d|0\d{1,3}[-. ]\d{3,4}[-. ]\d{4}|\(\d{2,4}\)\s?\d{3,4}[-. ]\d{4}|\d{10,15}"
)
_MAIL: Final = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_NUMBERED_LABEL: Final = re.compile(
    rf"(?i:{'|'.join(sorted(_WORDS['numbered']))})(?:[\s_#-]*\d{{1,3}}|[\s_#-]+[A-Z])"
)
_TIME_WITHIN: Final = re.compile(r"\d:\d\d|\d{4}[-./]\s?\d{1,2}[-./]|\d\s*[~∼]\s*\d|\d[분초]")
_SENTENCE: Final = re.compile(r"[?!;…\"“”。？！]|[a-z]{3,}\.\s|[가-힣]\.\s")
_TITLE: Final = re.compile(rf"\A(?:(?:{'|'.join(sorted(_WORDS['titles_en']))})\.\s+)+", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_](?:[\w.'’·-]*\w)?")
_PARTICLES: Final = ("은", "는", "이", "가", "도")
_MOST_COLONS: Final = 3
_MOST_WORDS: Final = 8
_MOST_SYLLABLES: Final = 12
_NAME_SYLLABLES_KO: Final = 3
"""Syllables of a whole Korean name."""


class Form(IntEnum):
    """The form of a label by itself: a name, or something else."""

    NONE = 0
    """No label: a part of a sentence, or a time."""
    HEADING = 1
    """It heads a paragraph or a figure, as a rule."""
    DOUBTFUL = 2
    """It may begin a sentence."""
    NAME = 3
    """It may be a name."""
    WHOLE = 4
    """It looks like somebody's whole name, or a name with a title."""
    CERTAIN = 5
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
    bare = one_line(_IN_BRACKETS.sub(" ", label)) or label.strip()
    if _PHONE.fullmatch(bare) or _NUMBERED_LABEL.fullmatch(bare) or _MAIL.fullmatch(bare):
        return Form.CERTAIN
    words = _WORD.findall(bare)
    ends = _SENTENCE.search(_TITLE.sub("", bare))
    if ends or _TIME_WITHIN.search(label) or not _may_be_named(label, bare, words):
        return Form.NONE
    if words[-1].lower() in _WORDS["headings"] or _heads_with_particle(words[-1]):
        return Form.HEADING
    long = len(words) > _MOST_WORDS
    if long or _begins_a_sentence(words) or ("," in bare and not _LAST_FIRST.fullmatch(bare)):
        return Form.DOUBTFUL
    return Form.WHOLE if _is_whole(words) else Form.NAME


def _may_be_named(label: str, bare: str, words: Sequence[str]) -> bool:
    """Whether it has letters, is not too long, has its brackets in pairs, and is no clause: "yes, at 10"."""
    if len(label) > MAX_NAME_CHARS or not any(char.isalpha() for char in bare):
        return False
    clause = "," in bare and (words[0].islower() or words[0].lower() in _WORDS["openers"])
    return not clause and not any(sign in bare for sign in "()[]{}")


def _heads_with_particle(word: str) -> bool:
    return word[-1] in _PARTICLES and word[:-1] in _WORDS["headings"]


def _begins_a_sentence(words: Sequence[str]) -> bool:
    if words[0].lower() in _WORDS["openers"]:
        return True
    last = words[-1]
    if last.isascii():
        lower = [
            word for word in words if word.isascii() and word.islower() and word not in _WORDS["of_names"]
        ]
        return len(words) > 1 and bool(lower)
    ends = len(last) >= _NAME_SYLLABLES_KO and last.endswith(_ENDINGS)
    return (ends and not _is_whole(words)) or sum(map(len, words)) > _MOST_SYLLABLES


def _is_whole(words: Sequence[str]) -> bool:
    """Whether it is a Korean name of three syllables or with a title, or English words in large letters."""
    if words[-1].isascii():
        return len(words) > 1 and all(word[0].isupper() for word in words if word not in _WORDS["of_names"])
    first = words[0]
    if len(words) > 1 and words[-1] in _WORDS["titles_ko"]:
        return True
    titled = any(first.endswith(title) and len(first) > len(title) + 1 for title in _WORDS["titles_ko"])
    return titled or (
        len(words) == 1 and len(first) == _NAME_SYLLABLES_KO and first[0] in _WORDS["surnames_ko"]
    )


def typed_label(line: str) -> Label | None:
    """The label of a line that somebody types as `Name: text`, judged alone; None: it names nobody."""
    label = label_of(line)
    if label is None or label.form >= Form.NAME:
        return label
    return label if label.form is Form.DOUBTFUL and len(label.name.split()) == 1 else None  # A:, Will:


def label_of(line: str) -> Label | None:
    """The first label of a line that may be one; None: it has none."""
    return next((label for label in labels_of(line) if label.form > Form.NONE), None)


def form_before(name: str, text: str) -> Form:
    """What `name: text` looks like; NONE where another label than the name could be read in it."""
    if not name[:1].isalnum() or _COLON.search(name) or any(label.form for label in labels_of(text)):
        return Form.NONE
    return form(name)


def labels_of(line: str) -> Iterator[Label]:
    """The possible labels at the beginning of a line, the shortest first."""
    begins = SPEAKER_DASH.match(line)
    text = line[begins.end() :] if begins else line.lstrip()
    if (label := _in_brackets(text)) is not None:
        yield label
        return
    for place, colon in enumerate(_COLON.finditer(text[: MAX_NAME_CHARS + 1])):
        at = colon.start()
        if place >= _MOST_COLONS:
            return
        before, after = text[at - 1 : at], text[at + 1 :]
        if not text[:at].strip() or (before.isdigit() and after[:1].isdigit()) or after.startswith("//"):
            continue  # a time of day, an address
        name = _LIST_NUMBER.sub("", one_line(text[:at]), 1)
        glued = bool(after) and after[0].isascii() and not after[0].isspace() and colon[0] == ":"
        shape = min(form(name), Form.DOUBTFUL) if glued else form(name)  # re:invent
        yield Label(name, after.strip(), shape)


def _in_brackets(text: str) -> Label | None:
    """The label in brackets at the beginning of a text; without a colon it has to look like one."""
    match = _BRACKETED_LABEL.match(text)
    if match is None:
        return None
    name = one_line(match[1] or match[2] or match[3])
    shape = form(name)
    if shape > Form.HEADING:
        shape = max(shape, Form.NAME) if match[4] else shape if shape >= Form.WHOLE else Form.DOUBTFUL
    return Label(name, text[match.end() :], shape) if match[4] or shape > Form.HEADING else None
