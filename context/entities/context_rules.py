"""ConText for English: which words deny, doubt, end or date what is named around them, and how far.

The algorithm is ConText's (Harkema et al., 2009) and the rules are medspaCy's, taken as data with their
licence (`context_rules.json`, `context_rules.LICENSE`); the package itself would bring spaCy. Those rules
read a clinician's notes. How people speak of themselves ("I gave up aspirin") is in `medical_scope.toml`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

from context.language.closed_lists import closed_lists

RULES_FILE: Final = Path(__file__).with_name("context_rules.json")
_STATUS: Final = {
    "NEGATED_EXISTENCE": "denied",
    "POSSIBLE_EXISTENCE": "asked",
    "HYPOTHETICAL": "asked",
    "HISTORICAL": "past",
    "FAMILY": "family",
}
_CLITIC: Final = re.compile(r"(n't|'(?:s|m|ve|re|d|ll))$", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+(?:['./-][^\W_]+)*|[^\s\w]")
_FAR: Final = 1_000


class Token(NamedTuple):
    """A word in lower case, with its place in the text."""

    text: str
    start: int
    end: int


class Rule(NamedTuple):
    """Words that say something of what stands before or behind them."""

    status: str
    """`denied asked past experienced stopped family`; "" for what only ends a scope or says nothing."""
    direction: str
    """`FORWARD BACKWARD TERMINATE PSEUDO`."""
    words: tuple[frozenset[str], ...]
    reach: int = _FAR
    """Words at most."""
    ends: str = ""
    """Of a terminator: the only status whose scope it ends; "" for all."""


class Modifier(NamedTuple):
    """A rule as it was found: tokens `start` to `end`."""

    rule: Rule
    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    """The words and marks; isn't and I'm are two words each, as ConText's rules have them."""
    found: list[Token] = []
    for match in _WORD.finditer(text.replace("’", "'")):
        word, start = match.group().lower(), match.start()
        clitic = _CLITIC.search(word) if "'" in word else None
        if clitic is not None and clitic.start() > 0:
            cut = clitic.start()
            found.append(Token(word[:cut], start, start + cut))
            found.append(Token(word[cut:], start + cut, match.end()))
        else:
            found.append(Token(word, start, match.end()))
    return found


class Scopes:
    """A sentence's words, and what they say of what is named among them. Linear in the sentence."""

    def __init__(self, text: str) -> None:
        self.tokens = tokens_of(text)
        self._found = modifiers(self.tokens)

    def statuses(self, start: int, end: int) -> list[str]:
        """What the words say of the thing that is named from `start` to `end` (places in the text)."""
        first = bisect_right(self.tokens, start, key=lambda token: token.end)
        last = bisect_left(self.tokens, end, key=lambda token: token.start)
        before = (each for each in reversed(self._found) if each.end <= first)
        behind = (each for each in self._found if each.start >= last)
        forward = _reaching("FORWARD", ((each, first - each.end) for each in before))
        backward = _reaching("BACKWARD", ((each, each.start - last) for each in behind))
        return list(dict.fromkeys([*forward, *backward]))


def _reaching(direction: str, nearest_first: Iterable[tuple[Modifier, int]]) -> Iterable[str]:
    """A modifier reaches up to a terminator, or to the next one of its kind."""
    closed: set[str] = set()
    for (rule, _, _), words in nearest_first:
        if rule.direction == "TERMINATE":
            if not rule.ends:
                return
            closed.add(rule.ends)
        elif rule.direction == direction:
            if rule.status not in closed and words <= rule.reach:
                yield rule.status
            closed.add(rule.status)


def modifiers(tokens: Sequence[Token]) -> list[Modifier]:
    """The rules that are in a sentence; where they overlap, the longest."""
    found = [
        Modifier(rule, at, at + len(rule.words))
        for at, token in enumerate(tokens)
        for rule in _by_first_word().get(token.text, ())
        if _is_at(rule, tokens, at)
    ]
    taken: dict[int, Modifier] = {}
    longest: list[Modifier] = []
    for each in sorted(found, key=lambda one: one.start - one.end):
        there = [taken[at] for at in range(each.start, each.end) if at in taken]
        if all(_goes_with(each, other) for other in there):
            longest.append(each)
            taken |= dict.fromkeys(range(each.start, each.end), each)
    return sorted(longest, key=lambda one: one.start)


def _goes_with(one: Modifier, other: Modifier) -> bool:
    """The same words may look forward and back: stopped."""
    directions = {one.rule.direction, other.rule.direction}
    return (one.start, one.end) == (other.start, other.end) and directions == {"FORWARD", "BACKWARD"}


def _is_at(rule: Rule, tokens: Sequence[Token], at: int) -> bool:
    behind = tokens[at : at + len(rule.words)]
    return len(behind) == len(rule.words) and all(
        token.text in words for token, words in zip(behind, rule.words, strict=True)
    )


@cache
def _by_first_word() -> dict[str, tuple[Rule, ...]]:
    found: dict[str, list[Rule]] = {}
    for rule in dict.fromkeys([*_spoken(), *_clinical()]):
        for word in rule.words[0]:
            found.setdefault(word, []).append(rule)
    return {word: tuple(rules) for word, rules in found.items()}


def _clinical() -> Iterable[Rule]:
    """MedspaCy's; a word that may be missing makes two rules of one."""
    for row in json.loads(RULES_FILE.read_text("utf-8"))["context_rules"]:
        status = "" if row["direction"] == "TERMINATE" else _STATUS[row["category"]]
        if row["pattern"] is None:
            words = tuple(frozenset([token.text]) for token in tokens_of(row["literal"]))
            yield Rule(status, row["direction"], words)
            continue
        choices = [
            [(), (_words(token["LOWER"]),)] if token.get("OP") == "?" else [(_words(token["LOWER"]),)]
            for token in row["pattern"]
        ]
        for chosen in product(*choices):
            yield Rule(status, row["direction"], tuple(word for part in chosen for word in part))


def _words(lower: str | dict[str, list[str]]) -> frozenset[str]:
    return frozenset([lower] if isinstance(lower, str) else lower["IN"])


def _spoken() -> Iterable[Rule]:
    lists = closed_lists("medical_scope")
    for key, status, direction, ends in (
        ("stopped_forward", "stopped", "FORWARD", ""),
        ("stopped_backward", "stopped", "BACKWARD", ""),
        ("denied_forward", "denied", "FORWARD", ""),
        ("denied_backward", "denied", "BACKWARD", ""),
        ("possible_forward", "asked", "FORWARD", ""),
        ("possible_backward", "asked", "BACKWARD", ""),
        ("past_forward", "past", "FORWARD", ""),
        ("experienced_forward", "experienced", "FORWARD", ""),
        ("past_forward_pseudo", "", "PSEUDO", ""),
        ("terminate", "", "TERMINATE", ""),
        ("terminate_stopped", "", "TERMINATE", "stopped"),
    ):
        for phrase in lists[key]:
            said, _, reach = phrase.partition(" ~")
            words = tuple(_alternatives(part) for part in said.split())
            yield Rule(status, direction, words, int(reach) if reach else _FAR, ends)


def _alternatives(part: str) -> frozenset[str]:
    words = frozenset(part.split("|"))
    return words | {"n't"} if "not" in words else words
