# ruff: noqa: E501  # patterns and lists of words read better unbroken
"""What one English sentence is by its form: which words of talk it has, which cues, which set phrases.

Words that say what a meeting is about are left out of the features: what decides in talk on remote
controls has to decide in talk on budgets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from context.extractive import english_cues as english
from context.extractive import english_requests as asking
from context.extractive import english_tasks as tasks
from context.extractive.cue_words import LONGEST, PHRASES
from context.extractive.english_forms import plain_form
from context.extractive.moments import due_in
from context.language.questions import is_question

_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+")
_LENGTHS: Final = (2, 4, 7, 12, 20, 35)
_OPENING: Final = frozenset(  # a list of words is no easier to read
    [
        "so",
        "okay",
        "ok",
        "then",
        "alright",
        "well",
        "right",
        "and",
        "but",
        "yeah",
        "yes",
        "no",
        "now",
        "oh",
        "good",
        "great",
        "'kay",
        "also",
        "mm",
        "because",
    ]
)
_FUNCTION: Final = """
a an the and or but of to in on at for with from by as is are was be it this that so then there here i you we they
he she my your our its do does did have has had not no yes if what which who how when where why just also very
really too more some any all one two uh um well okay yeah right like can could would will should shall may might
must about into up out over than them us me him her been being because know think mean say see get got go going
want need i'm it's that's we're don't i'll we'll you're they're there's i've we've
"""
_NO_CONTENT: Final = frozenset(_FUNCTION.split())
_ASSENT: Final = re.compile(
    r"^(?:yeah|yes|yep|yup|okay|ok|'kay|sure|right|agreed|i agree|good|great|fine|sounds (?:good|great|fine)|alright"
    r"|cool|absolutely|definitely|perfect|exactly|that's (?:fine|good|great|okay|right|true)|why not|of course"
    r"|brilliant|fair enough|no problem|mm-hmm|mm hmm|true|i think so|nice|excellent|me too|same here)\b"
)
_VERBAL: Final = frozenset(
    [
        "future",
        "must",
        "should",
        "could",
        "would",
        "want",
        "use",
        "drop",
        "stick",
        "go_for",
        "decide",
        "errand",
        "past",
        "present",
        "opinion",
        "need",
    ]
)
_PAIRS: Final = """
we+go_for we+use we+drop we+stick we+must we+should we+want we+need we+could we+decide we_will+use we_will+errand
we+errand lets+errand i+errand mine+errand you+errand give+errand it+future it+must it+should we+perfect
mine+deliverable give+deliverable mine+due give+due we+due future+due errand+due errand+deliverable we+negation
role+future role+errand we+hedge should+hedge suggest+use we+recap past+decide errand+condition go_for+condition
use+condition i+would future+errand must+errand should+errand could+errand
"""
_TOGETHER: Final = tuple((first, second) for first, second in (pair.split("+") for pair in _PAIRS.split()))


@dataclass(frozen=True, slots=True)
class Reading:
    """One sentence, read once."""

    features: frozenset[str]
    """What it is by itself."""
    words: int
    content: frozenset[str]
    """The words that say what it is about."""
    cues: frozenset[str]
    rules: frozenset[str]
    asks: bool
    assents: bool
    objects: bool
    bare: bool
    """A noun phrase, no sentence."""
    concludes: bool
    """It begins with so, okay so, alright then."""


@lru_cache(maxsize=128)
def read(text: str, known: frozenset[str]) -> Reading:
    """`known`: the words of talk whose sequences count as features; all others are one blank."""
    form = plain_form(text)
    words = _WORD.findall(form)
    opening = next((place for place, word in enumerate(words) if word not in _OPENING), len(words))
    first = _cues(words, opening)
    content = frozenset(word for word in words if len(word) > 2 and word not in _NO_CONTENT)
    bare = bool(content) and not (_VERBAL & first.keys()) and "'" not in form and len(words) - opening <= 7
    asks = is_question(text)
    rules = _rules(text, form)
    features = {*_sequences(words, known), *(f"r:{rule}" for rule in rules)}
    for cue, place in first.items():
        features.add(f"c:{cue}")
        if place <= 4:
            features.add(f"s:{cue}" if place <= 1 else f"e:{cue}")
    features.update(f"x:{one}+{other}" for one, other in _TOGETHER if one in first and other in first)
    features.add(f"len{sum(len(words) > length for length in _LENGTHS)}")
    features.add(f"nc{min(len(content), 5)}")
    if opening:
        features.add(f"open{min(opening, 2)}")
    concludes = bool(words) and (words[0] == "so" or words[1:2] in (["so"], ["then"]))
    marks = {"?": "?" in text, "q": asks, "bare": bare, "so": concludes}
    features.update(name for name, holds in marks.items() if holds)
    if words and words[-1] in {"then", "right"}:
        features.add(f"end:{words[-1]}")
    return Reading(
        features=frozenset(features),
        words=len(words),
        content=content,
        cues=frozenset(first),
        rules=rules,
        asks=asks,
        assents=_ASSENT.match(form) is not None,
        objects="objects" in rules,
        bare=bare,
        concludes=concludes,
    )


def _cues(words: list[str], opening: int) -> dict[str, int]:
    """The classes of phrases, each with the place of its first one after the opening."""
    found: dict[str, int] = {}
    for place in range(len(words)):
        for size in range(1, min(LONGEST, len(words) - place) + 1):
            for name in PHRASES.get(tuple(words[place : place + size]), ()):
                found.setdefault(name, max(0, place - opening))
    return found


def _sequences(words: list[str], known: frozenset[str]) -> set[str]:
    """Words, pairs and triples of talk, what they talk about blanked out."""
    said = ["^"]
    for word in words:
        masked = "#" if word[0].isdigit() else word if word in known else "_"
        if masked != "_" or said[-1] != "_":
            said.append(masked)
    said.append("$")
    return {
        *(f"u:{word}" for word in said if word not in "^$_"),
        *(f"b:{one} {two}" for one, two in pairwise(said)),
        *(f"t:{one} {two} {three}" for one, two, three in zip(said, said[1:], said[2:], strict=False)),
    }


_RULES: Final = (
    ("decides", english.decides),
    ("proposes", english.proposes),
    ("requests", asking.requests),
    ("echo", english.is_echo),
    ("open", english.is_open),
    ("courtesy", english.is_courtesy),
    ("assents", english.assents),
    ("objects", english.objects),
    ("motion", english.is_motion),
)


def _rules(text: str, form: str) -> frozenset[str]:
    found = {name for name, holds in _RULES if holds(form)}
    if tasks.gives_task(form, ()):
        found.add("task")
    if due_in(text):
        found.add("due")
    return frozenset(found)
