"""ConText (Harkema et al., 2009): which English words deny, doubt, end or date what is named around them.

The rules are a closed list, `medical_scope.toml`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple

from context.language.closed_lists import closed_lists

_LISTS: Final = closed_lists("medical_scope")
_CLITIC: Final = re.compile(r"(n't|'(?:s|m|ve|re|d|ll))$", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+(?:['./-][^\W_]+)*|[^\s\w]")
_FAR_WORDS: Final = 1_000
"""Words; reaches through any clause."""


class Token(NamedTuple):
    """A word in lower case, with its place in the text."""

    text: str
    start: int
    end: int


class Rule(NamedTuple):
    """A rule of ConText: words that say something of what stands before or behind them."""

    status: str
    """`denied asked past experienced stopped`; "" for what only ends a scope or says nothing."""
    direction: str
    """`FORWARD BACKWARD TERMINATE PSEUDO`; the last only looks like another rule and says nothing."""
    words: tuple[frozenset[str], ...]
    """The words in a row, each with its alternatives."""
    reach: int = _FAR_WORDS
    """How many words farther it still says something, at most."""
    ends: str = ""
    """The only status whose scope a terminator ends; "" for all."""


class Modifier(NamedTuple):
    """A rule that was found in a sentence, at the tokens from `start` to before `end`."""

    rule: Rule
    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    """The words and marks of a text; isn't and I'm are two words each, as ConText's rules have them."""
    found: list[Token] = []
    for match in _WORD.finditer(text.replace("’", "'")):
        word, start = match.group().lower(), match.start()
        clitic = _CLITIC.search(word)
        cut = clitic.start() if clitic is not None and clitic.start() > 0 else len(word)
        found.append(Token(word[:cut], start, start + cut))
        if word[cut:]:
            found.append(Token(word[cut:], start + cut, match.end()))
    return found


class Scopes:
    """A sentence's words, and the modifiers among them."""

    def __init__(self, text: str) -> None:
        self.tokens = tokens_of(text)
        self._found = modifiers(self.tokens)

    def statuses(self, start: int, end: int) -> list[str]:
        """What the words say of the thing from `start` to before `end`, places in the text; none twice."""
        first = bisect_right(self.tokens, start, key=lambda token: token.end)
        last = bisect_left(self.tokens, end, key=lambda token: token.start)
        before = (each for each in reversed(self._found) if each.end <= first)
        behind = (each for each in self._found if each.start >= last)
        forward = _reaching("FORWARD", ((each, first - each.end) for each in before))
        backward = _reaching("BACKWARD", ((each, each.start - last) for each in behind))
        return list(dict.fromkeys([*forward, *backward]))


def _reaching(direction: str, nearest_first: Iterable[tuple[Modifier, int]]) -> Iterable[str]:
    """The statuses that reach a thing: up to a terminator, or to the next modifier of the same status."""
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
    """The rules that a sentence holds, in order; where they overlap, only the longest.

    Unless two are the same words, of which one looks forward and the other back: stopped.
    """
    words = [token.text for token in tokens]
    found = [
        Modifier(rule, at, at + len(rule.words))
        for at, word in enumerate(words)
        for rule in _by_first_word().get(word, ())
        if at + len(rule.words) <= len(words)
        and all(said in choice for said, choice in zip(words[at:], rule.words, strict=False))
    ]
    taken: dict[int, Modifier] = {}
    longest: list[Modifier] = []
    for each in sorted(found, key=lambda one: one.start - one.end):
        there = [taken[at] for at in range(each.start, each.end) if at in taken]
        both_ways = ({"FORWARD", "BACKWARD"} == {each.rule.direction, one.rule.direction} for one in there)
        if all(one[1:] == each[1:] for one in there) and all(both_ways):
            longest.append(each)
            taken |= dict.fromkeys(range(each.start, each.end), each)
    return sorted(longest, key=lambda one: one.start)


@cache
def _by_first_word() -> dict[str, tuple[Rule, ...]]:
    found: dict[str, list[Rule]] = {}
    for rule in dict.fromkeys(_rules()):
        for word in rule.words[0]:
            found.setdefault(word, []).append(rule)
    return {word: tuple(rules) for word, rules in found.items()}


def _rules() -> Iterable[Rule]:
    """The rules of `medical_scope.toml`: words, `|` between alternatives, and ~3 for how far they reach."""
    for key, status in (
        ("stopped_forward", "stopped"),
        ("stopped_backward", "stopped"),
        ("denied_forward", "denied"),
        ("denied_backward", "denied"),
        ("possible_forward", "asked"),
        ("possible_backward", "asked"),
        ("past_forward", "past"),
        ("experienced_forward", "experienced"),
        ("pseudo", ""),
        ("terminate", ""),
        ("terminate_stopped", ""),
    ):
        direction = next(each for each in ("pseudo", "terminate", "forward", "backward") if each in key)
        for phrase in _LISTS[key]:
            said, _, reach = phrase.partition(" ~")
            choices = (frozenset(part.split("|")) for part in said.split())
            words = tuple(each | {"n't"} if "not" in each else each for each in choices)
            ends = "stopped" if key == "terminate_stopped" else ""
            yield Rule(status, direction.upper(), words, int(reach) if reach else _FAR_WORDS, ends)
