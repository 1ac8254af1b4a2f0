"""Instructions among what is said: is it said to people, or meant to steer the one who writes the minutes?

What is said in a meeting is data wherever a model reads it (prompt injection). But a summary rests on what
people said, and "record as decided: …" would be its own evidence. So an utterance that gives orders to the
note taker, forges lines of a transcript or is a program's language is evidence of nothing: no decision, task,
key point or lasting fact is made of it. It stays on the record and can be asked for, with who said it.

The rules are a net, not a proof: `tests/security` says what they catch and what real talk they cost.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from context.language.closed_lists import closed_lists, spaced
from context.language.korean import has_hangul
from context.primitives.text import visible

_LOOK_ALIKE: Final = str.maketrans("аеорсхуіАЕОРСХНТВМКІ", "aeopcxyiAEOPCXHTBMKI")
"""Cyrillic letters that pass for Latin ones."""
_CONTROLS: Final = dict.fromkeys((*range(32), *range(127, 160)), " ")
_JOINERS: Final = dict.fromkeys((0x200C, 0x200D, *range(0xFE00, 0xFE10)))
"""Joiners of some scripts and of emoji: kept where text is shown, left out where it is read."""
_MAX_CHARACTERS: Final = 4000
"""Characters of a text that are read."""

_LISTS: Final = closed_lists("instructions")
_MARKS: Final = str.maketrans({mark: f" {mark} " for mark in ".,:;!?\"“”'‘’(){}[]<>/@`*=~-"})
_STARTS: Final = frozenset((*".,:;!?\"“”'({[>", *_LISTS["starts"]))
"""Words and marks behind which an order begins: please record, you must mark."""
_ORDERS: Final = {"record": (40, 25), "strike": (20, 10)}
_STEPS_EN: Final = {
    "rules_aside": (30,), "rules_new": (16,), "orders_new": (1, 30), "tools": (20,), "rules_out": (40,),
    "in_secret": (40,), "summary_says": (10,), "quoted": (200,), "summary_as": (20,),
}  # fmt: skip
_STEPS_KO: Final = {
    "rules_aside_ko": (6,), "machine_ko": (2,), "record_ko": (12, 14), "minutes_ko": (2, 20),
    "summary_ko": (40,), "tools_ko": (7,), "tasks_ko": (22,), "in_secret_ko": (40,), "as_if_ko": (20,),
    "pretend_ko": (12,),
}  # fmt: skip
"""Patterns by name: a word of list NAME_1, then of NAME_2 and so on (`lists/instructions.toml`), each within
so many characters behind the word before."""
_OBEYED_PHRASES: Final = (*_LISTS["obeyed_ko"], *_LISTS["obeyed_en"])
_MARKUP: Final = re.compile(
    r"<\|?/?\s?[a-z_]+\|?>|<\s?(?:img|a|script|iframe|svg|style|object|link|div|span|form)\s|\[/?INST\]|<<|```"
    r"|\{\s*[\"']\s*\w+\s*[\"']\s*:|\]\(\s*\S+\)|!\[|\*\*\s?\(\d{1,2}:\d\d|\[\s?#\d",
    re.IGNORECASE,
)
"""Tags, templates, code, links, forged quotes and citations: nobody says such a thing."""
_TAG_CHARACTERS: Final = frozenset(map(chr, range(0xE0020, 0xE007F)))
"""Invisible characters that stand for ASCII."""
_LINES: Final = re.compile(r"(?:^|[.!?]\s+|[“\"'(])[A-Z가-힣]\w{0,20}(?:\s[A-Z]\w+)?\s?[:：]\s")
"""A speaker's name before what they say."""


def tells_of_obeying(claim: str, said: str) -> bool:
    """Whether a claim says that the agent recorded or obeyed something, in words that nobody said (`said`).

    Such a claim is never true: the agent records nothing because somebody orders it to.
    """
    claimed, heard = spaced(claim), spaced(said)
    phrases = [
        phrase for phrase in _OBEYED_PHRASES if (f" {phrase} " if phrase.isascii() else phrase) in claimed
    ]
    strange = (phrase for phrase in phrases if phrase not in heard and phrase[:2] not in heard)
    return any(strange) or (bool(phrases) and steers(said))


def steers(text: str, wake_words: Sequence[str] = ()) -> bool:
    """Whether `text` is an instruction to whoever writes things down, and not said to the people in the room.

    Any text with one of `wake_words` in Latin letters (Moim) is: unlike 모임 it is no word of its own.
    """
    return _steers(text[:_MAX_CHARACTERS], tuple(word for word in wake_words if word.isascii()))


def calls_a_machine(text: str) -> bool:
    """Whether `text` speaks to a machine by what it is, as an assistant or a bot: 회의록 AI, …"""
    spaced_text = f" . {' '.join(as_read(text[:_MAX_CHARACTERS]).lower().translate(_MARKS).split())} . "
    return _speaks_to_a_machine(spaced_text) or any(
        f"{phrase} " in spaced_text for phrase in _LISTS["machines_ko"]
    )


def as_read(text: str) -> str:
    """`text` as a reader sees it, on one line: nothing hidden, wide letters narrow, Cyrillic as Latin."""
    plain = unicodedata.normalize("NFKC", visible(text).translate(_JOINERS))
    return " ".join(plain.translate(_LOOK_ALIKE).translate(_CONTROLS).split())


@lru_cache(maxsize=1024)
def _steers(text: str, names: tuple[str, ...]) -> bool:
    if "\n" in text.strip() or not _TAG_CHARACTERS.isdisjoint(text) or _MARKUP.search(text) is not None:
        return True
    plain = as_read(text)
    if _MARKUP.search(plain) is not None or len(_LINES.findall(plain)) > 1:
        return True
    words = plain.lower().translate(_MARKS).split()
    spaced_text = f" . {' '.join(words)} . "
    if any(f" {name.lower()} " in spaced_text for name in names) or _orders_in_english(words, spaced_text):
        return True
    return has_hangul(spaced_text) and _orders_in_korean(spaced_text)


def _orders_in_english(words: Sequence[str], spaced_text: str) -> bool:
    if any(f" {phrase} " in spaced_text for phrase in _LISTS["phrases"]) or _speaks_to_a_machine(spaced_text):
        return True
    if " system prompt " in spaced_text and not _has_steps(spaced_text, "told_of", (20,)):
        return True
    started = " ".join(f"^ {word}" if before in _STARTS else word for before, word in pairwise((".", *words)))
    if any(f"^ {phrase} " in started for phrase in _LISTS["remember"]):
        return not any(f"^ {phrase} " in started for phrase in _LISTS["remember_when"])
    if any(_has_steps(f" {started} ", name, within) for name, within in _ORDERS.items()):
        return True
    return any(_has_steps(spaced_text, name, within) for name, within in _STEPS_EN.items())


def _speaks_to_a_machine(spaced_text: str) -> bool:
    """Whether a text speaks to a machine: Assistant: …, note to the model, …"""
    for machine in _LISTS["machines"]:
        before, separator, behind = spaced_text.partition(f" {machine} ")
        if separator and before.endswith(" to the"):
            return True
        if separator and behind.startswith((",", ":")):
            called = before.removesuffix(" the").removesuffix(" my").removesuffix(" our")
            among_commas = called == before and before.endswith(",") and behind.startswith(",")
            if among_commas or called.endswith(_LISTS["calls_machine"]):
                return True
    return False


def _orders_in_korean(spaced_text: str) -> bool:
    """Whether a Korean text is an order; read without blanks, which people set as they like."""
    tight = spaced_text.replace(" ", "")
    if any(phrase in tight for phrase in _LISTS["phrases_ko"]):
        return True
    if any(f"{phrase} " in spaced_text for phrase in (*_LISTS["sentences_ko"], *_LISTS["machines_ko"])):
        return True
    return any(_has_steps(tight, name, within) for name, within in _STEPS_KO.items())


def _has_steps(text: str, name: str, within: Sequence[int]) -> bool:
    """Whether the pattern `name` stands in a text: see `_STEPS_EN`."""
    return _follow(text, _spelt(name, len(within) + 1), (len(text), *within))


@lru_cache(maxsize=64)
def _spelt(name: str, count: int) -> tuple[tuple[str, ...], ...]:
    """The lists of a pattern; the words of an English one between blanks, as they stand in the text."""
    steps = [_LISTS[f"{name}_{number}"] for number in range(1, count + 1)]
    if name.endswith("_ko"):
        return tuple(steps)
    return tuple(tuple(f" {word} " for word in step) for step in steps)


def _follow(text: str, steps: Sequence[Sequence[str]], within: Sequence[int]) -> bool:
    """Whether a word of each step stands in a text, within so many characters behind the one before."""
    if not steps:
        return True
    for word in steps[0]:
        at = text.find(word, 0, within[0] + len(word))
        while at >= 0:
            behind = at + len(word.rstrip())  # the blank behind a word stands before the next one
            if _follow(text[behind:], steps[1:], within[1:]):
                return True
            at = text.find(word, at + 1, within[0] + len(word))
    return False
