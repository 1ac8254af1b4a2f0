"""What people answer who are asked whether they may be recorded: yes, no, and whether their words shall go.

An answer is put together from closed lists (`lists/consent.toml`): a no may have thanks and the request to
delete around it. It is compared whole, without blanks, marks, case and width; a text in which
something else stands is no answer. Where yes and no stand together it is a no: nobody is heard by mistake.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from context.language.addressing import without_wake_word
from context.language.closed_lists import closed_lists

_Part = Literal["yes", "no", "erase", "own", "around"]
_BETWEEN_WORDS: Final = re.compile(r"[^\w?/']+|_+")
_MAX_CHARACTERS: Final = 120
"""Characters of an answer; whoever writes more says something else."""


class ConsentAnswer(NamedTuple):
    """What somebody answers about being recorded."""

    agreed: bool
    erase: bool
    """Whether, with a no, what they have said so far shall be deleted."""


def bare(text: str) -> str:
    """A text as answers are compared: without blanks, marks, case and width."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    return _BETWEEN_WORDS.sub("", plain)


_LISTS: Final = {name: frozenset(map(bare, said)) for name, said in closed_lists("consent").items()}
_PARTS: Final[dict[str, frozenset[_Part]]] = {}
_KINDS: Final[dict[str, _Part]] = {
    "yes": "yes", "no": "no", "plain_no": "no", "erase": "erase", "own": "own", "around": "around",
    "things": "around",
}  # fmt: skip
for _list, _kind in _KINDS.items():
    for _said in _LISTS[_list]:
        _PARTS[_said] = _PARTS.get(_said, frozenset[_Part]()) | {_kind}
_LENGTHS: Final = sorted({len(said) for said in _PARTS}, reverse=True)


def answer(text: str) -> ConsentAnswer | None:
    """What somebody answers who was asked; None where it is something else, such as a question."""
    words = bare(text)
    if words in _LISTS["short_yes"] or words in _LISTS["short_no"]:
        return ConsentAnswer(words in _LISTS["short_yes"], erase=False)
    return _sure(_readings(words)) if len(words) <= _MAX_CHARACTERS else None


def answer_of_oneself(text: str) -> ConsentAnswer | None:
    """What somebody answers about *their* words, not everybody's: 내 말은 기록하지 마; None: nothing."""
    words = bare(text)
    return _sure(way for way in _readings(words) if "own" in way) if len(words) <= _MAX_CHARACTERS else None


def answer_to(text: str, wake_words: Sequence[str]) -> str | None:
    """What stands beside the agent's name where somebody tells it whether to record them; None: nothing."""
    rest = without_wake_word(text, wake_words)
    return rest if rest and answer_of_oneself(rest) is not None else None


def _sure(ways: Iterable[frozenset[_Part]]) -> ConsentAnswer | None:
    """The answer in the ways to read a text: a no where one of them is, and nothing deleted by a guess."""
    answers = {ConsentAnswer("no" not in way, "erase" in way) for way in ways if way & {"yes", "no"}}
    return min(answers, default=None)


def plain_answer(text: str) -> bool | None:
    """Whether a line that is not addressed to the agent agrees or refuses; None: neither."""
    words = bare(text)
    if words in _LISTS["plain_yes"]:
        return True
    return False if words in _LISTS["plain_no"] else None


def is_of_any_language(text: str) -> bool:
    """Whether an answer is one that people of every language give: it does not show which one is theirs."""
    return bare(text) in _LISTS["any_language"]


@lru_cache(maxsize=1024)
def _readings(words: str) -> frozenset[frozenset[_Part]]:
    """The ways to read a bare text as parts of an answer, each as the kinds of parts that are in it."""
    ways: list[set[frozenset[_Part]]] = [set() for _ in range(len(words) + 1)]
    ways[0].add(frozenset())
    for start in range(len(words)):
        if not ways[start]:
            continue
        for length in _LENGTHS:
            for kind in _PARTS.get(words[start : start + length], ()) if start + length <= len(words) else ():
                ways[start + length] |= {way | {kind} for way in ways[start]}
    return frozenset(ways[-1])
