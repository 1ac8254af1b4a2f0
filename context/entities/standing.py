"""The status of what a clause names: denied, stopped, past, only asked, or simply so.

English goes by the ConText algorithm (Harkema et al., 2009): which words deny, doubt, end or date what is
named around them, and how far. The rules are medspaCy's, taken as data with their licence
(`context_rules.json`, `context_rules.LICENSE`); the package itself would bring spaCy. Those rules read a
clinician's notes. How people speak of themselves ("I gave up aspirin") is in `medical_scope.toml`, and so is
Korean, which says it behind the thing.
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

from context.entities.clauses import Clause, is_owned
from context.language.closed_lists import closed_lists, word_sets
from context.language.korean import has_hangul

_LISTS: Final = closed_lists("medical_scope")
_SETS: Final = word_sets("medical_scope")
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
"""Words; reaches through any clause."""


class Token(NamedTuple):
    """A word in lower case, with its place in the text."""

    text: str
    start: int
    end: int


class Rule(NamedTuple):
    """A rule of ConText: words that say something of what stands before or behind them."""

    status: str
    """`denied asked past experienced stopped family`; "" for what only ends a scope or says nothing."""
    direction: str
    """`FORWARD BACKWARD TERMINATE PSEUDO`; the last only looks like another rule and says nothing."""
    words: tuple[frozenset[str], ...]
    """The words in a row, each with its alternatives."""
    reach: int = _FAR
    """How many words farther it still says something, at most."""
    ends: str = ""
    """Of a terminator: the only status whose scope it ends; "" for all."""


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
    for rule in dict.fromkeys([*_spoken(), *_clinical()]):
        for word in rule.words[0]:
            found.setdefault(word, []).append(rule)
    return {word: tuple(rules) for word, rules in found.items()}


def _clinical() -> Iterable[Rule]:
    """The rules of medspaCy; a word that may be missing makes two rules of one."""
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
        ("past_forward_pseudo", ""),
        ("terminate", ""),
        ("terminate_stopped", ""),
    ):
        direction = next(each for each in ("pseudo", "terminate", "forward", "backward") if each in key)
        for phrase in _LISTS[key]:
            said, _, reach = phrase.partition(" ~")
            choices = (frozenset(part.split("|")) for part in said.split())
            words = tuple(each | {"n't"} if "not" in each else each for each in choices)
            ends = "stopped" if key == "terminate_stopped" else ""
            yield Rule(status, direction.upper(), words, int(reach) if reach else _FAR, ends)


_TRIM: Final = ".,:;!?()[]\"'“”‘’…~-/*"
_TAKEN_UNITS: Final = ("mg", "mcg", "ml", "g")


class Standing:
    """Gives the status of each thing that a text names. Things are named by where they start and end."""

    def __init__(self, text: str, parts: Sequence[Clause], named: Sequence[tuple[int, int]]) -> None:
        """`parts`: the text's clauses; `named`: start and end of each thing that it names."""
        self.text, self._parts = text, parts
        self._named = named
        self._scopes = [Scopes(part.text) for part in parts]

    def part(self, start: int) -> int:
        """The index of the clause that a place of the text is in."""
        return next((i for i, part in enumerate(self._parts) if part.start <= start < part.end), 0)

    def of(self, start: int, end: int, kind: str) -> str:
        """The status of a thing: `denied stopped past asked`, or "" where it is simply so.

        `kind`: of the entity. A medicine that nobody is said to take is only asked about.
        """
        place = self.part(start)
        part = self._parts[place]
        if part.asked:
            return "" if self.owned(start) else "asked"
        said = self._scopes[place].statuses(start - part.start, end - part.start)
        if not said:
            said = self._said_of_it(place)
        if has_hangul(part.text):
            said = said or _korean(part.text[: start - part.start], self.behind(start, end), kind)
        status = _settled(said, kind)
        spoken_of = kind == "medications" and not status and not self._is_taken(start, end)
        return "asked" if spoken_of else status

    def _is_taken(self, start: int, end: int) -> bool:
        """Whether somebody takes a medicine. Not: 아스피린은 위에 나빠요; aspirin is bad for the stomach."""
        part = self._parts[self.part(start)]
        told = part.text[: start - part.start] + self.behind(start, end)
        said = {token.text for token in self._scopes[self.part(start)].tokens}
        return (
            any(verb in told for verb in _LISTS["taken_ko"])
            or not _SETS["taken_en"].isdisjoint(said)
            or any(word.endswith(_TAKEN_UNITS) and word[0].isdigit() for word in said)
            or self.owned(start)
        )

    def owned(self, start: int) -> bool:
        """Whether a thing is said to be the speaker's own; what stands before another thing is that one's."""
        part = self._parts[self.part(start)]
        since = max((end for _, end in self._named if end <= start), default=0)
        return is_owned(self.text[max(part.start, since) : start])

    def behind(self, start: int, end: int) -> str:
        """What stands behind a thing in its clause, and the next clause where that goes on about it."""
        place = self.part(start)
        behind = self.text[end : self._parts[place].end]
        after = self._goes_on(place)
        if after is None or not has_hangul(after.text) or _has_a_noun(after.text):
            return behind
        return behind + after.text

    def _said_of_it(self, place: int) -> list[str]:
        """The statuses that the next clause gives to a thing by a pronoun: … but I haven't started it."""
        after = self._goes_on(place)
        if after is None:
            return []
        told = self._scopes[place + 1]
        it = next((token for token in told.tokens if token.text in _SETS["pronouns_en"]), None)
        return [] if it is None else [each for each in told.statuses(it.start, it.end) if each != "asked"]

    def _goes_on(self, place: int) -> Clause | None:
        """The next clause of the same sentence, where it names nothing of its own."""
        after = self._parts[place + 1] if place + 1 < len(self._parts) else None
        if after is None or after.sentence != self._parts[place].sentence:
            return None
        return None if any(after.start <= begin < after.end for begin, _ in self._named) else after


def _settled(said: Sequence[str], kind: str) -> str:
    """The one status of an entity of this kind of which several are said; "" where none holds of it."""
    for status in ("asked", "denied"):
        if status in said:
            return status
    if "stopped" in said:
        return "stopped" if kind == "medications" else "past"
    return "past" if "experienced" in said or ("past" in said and kind == "conditions") else ""


def _korean(before: str, behind: str, kind: str) -> list[str]:
    """The statuses that a Korean clause gives to a thing, mostly by what stands behind it."""
    own = behind.split(maxsplit=1)[0] if behind.strip() and not behind[0].isspace() else ""
    if any(phrase in behind for phrase in (*_LISTS["never"], *_LISTS["taken_for"])):
        return ["denied"]
    if any(phrase in behind for phrase in _LISTS["not_denied"]):
        return []
    has_ended = _has(_LISTS["gone"], behind) and kind != "medications"
    if has_ended or _has(_LISTS["stopped"], behind) or _is_left(own, behind, kind):
        return ["stopped"]
    if _is_denied(behind):
        return ["stopped" if _has(_LISTS["no_longer"], before + behind) else "denied"]
    for key, status, where in (
        ("possible", "asked", behind),
        ("experienced", "experienced", behind),
        ("past", "past", before + behind),
    ):
        if _has(_LISTS[key], where):
            return [status]
    return []


def _has(phrases: Sequence[str], text: str) -> bool:
    said = f" {' '.join(text.split())} "
    return any(phrase in said for phrase in phrases)


def _is_left(own: str, behind: str, kind: str) -> bool:
    """Whether a medicine was left for another: 심바스타틴 먹다가 …; 심바스타틴에서 리피토로 바꿨어요."""
    if kind != "medications":
        return False
    until = any(word.strip(_TRIM) in _LISTS["until"] for word in behind.split())
    return until or (own.startswith("에서") and _has(_LISTS["swapped"], behind))


def _is_denied(behind: str) -> bool:
    """Whether the Korean words behind a thing deny it, and not another thing."""
    said = [word.strip(_TRIM) for word in behind.split()]
    for place, word in enumerate(said):
        if word in _LISTS["not_this"] and place <= 1:
            return True
        after = said[place + 1] if place + 1 < len(said) else ""
        negated = (
            (word in _LISTS["not"] and not after.startswith(_LISTS["not_well"]))
            or word.startswith(_LISTS["not_joined"])
            or any(part in word for part in _LISTS["denied"])
        )
        attached = place == 0 and bool(behind) and not behind[0].isspace()
        if negated and (place == 0 or attached or not _is_another_noun(said[place - 1], place - 1, behind)):
            return True
    return False


def _is_another_noun(word: str, place: int, behind: str) -> bool:
    """Whether another noun is denied: 힘이 없어요; not so 열은 없어요, 어지럽지는 않아요, 적이 없어요."""
    if place == 0 and behind and not behind[0].isspace():
        return False  # the particle of the thing itself
    if word in _LISTS["denied_noun"] or word in _LISTS["when"] or word.endswith(_LISTS["verbs_denied"]):
        return False
    return len(word) > 1 and word.endswith(_LISTS["particles"])


def _has_a_noun(text: str) -> bool:
    said = [word.strip(_TRIM) for word in text.split()]
    return any(
        len(word) > 1 and word.endswith(_LISTS["particles"]) and word not in _LISTS["when"] for word in said
    )
