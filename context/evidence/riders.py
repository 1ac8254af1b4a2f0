"""Parts of a claim that its evidence does not bear out: riders, and pairs that are crossed.

A rider (`without_riders`) comes along with a claim that stands: "the bank has failed, and the fair is on
April 19th". What is cited may bear out a text as a whole and not all that is in it. A label ("Reason: …"), a
sentence and a clause are claims of their own: one that shares no word with what is cited, nor with what was
said before that, is a rider.

A crossed pair (`pairs_stand`) tells of each of two things what was said of the other: "the repair costs 4,200
and a new one 800", Ann's proposal as Ben's. Each figure, or name, was said. Two clauses of a claim that hold
one mark (a figure or a name) each are compared with the parts of the evidence that hold those marks: where
the words fit better the other way about, the pair is crossed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final, TypeVar

from context.evidence.figures import figures, figures_shared, scaled, without_labels
from context.evidence.words import FRAME, is_called, stems, without_people
from context.language.korean import has_hangul

_LEAST: Final = 2
"""Least words of a clause that says something; "as planned" says nothing."""
_LEAST_HALVES: Final = 4
"""The same in pairs of Korean syllables."""
_LEAST_SHARE: Final = 0.3
"""Least share of a sentence's words that must have been spoken."""
_SAYS_NOTHING: Final = FRAME | stems(
    "herself himself itself themselves because since still open yet thinks also however only agreed until"
    " whether when 받지 못했고 했으며 했지만 하고 않고 없고"
)
_QUOTE: Final = re.compile(r"[“\"「『][^”\"」』\n]*[”\"」』]")
_LABEL: Final = re.compile(
    r"^((?:\s*(?:\d{1,2}[.)]|[-*•])\s+)?\s*)"
    r"((?:(?:\*\*)?([^:：\n\"“]{1,80}?)(?:\*\*)?[:：](?:\*\*)?|\*\*([^*\n]{1,80})\*\*(?:\s+[—–-])?)\s+)(?=\S)"
)
"""A list item's mark, and the words before a colon, or in bold."""
_SENTENCE: Final = re.compile(r"(?<=[.!?。？！;])\s+|\n+")
CLAUSE: Final = re.compile(
    r"[,;:]\s+|(?<!\d),|(?<=[.!?。？！])\s+|\n+|(?<=\s)[—–-]\s+|\||(?<=\s)\(|\)"
    r"|\s+(?:and|but|while|where(?:as)?|although|(?:rather )?than|because|since|as)\s+"
    r"|(?<=[고며])\s|(?<=지만|으나|는데)\s"
)
_JOINS: Final = frozenset(
    ["and", "but", "while", "whereas", "although", "because", "since", "as", "so", "yet"]
)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text, taken apart at the colon of its label: "- **Reason:** the bank failed"."""

    mark: str
    """The mark of a list item ("- "); empty where there is none."""
    label: str
    """The label as it is written, with its colon; empty where there is none."""
    words: str
    """The label without its colon and asterisks."""
    rest: str
    """What stands behind the label."""


def labelled(text: str) -> Labelled:
    """Take a text apart at its label; without one all of it is `rest`."""
    found = _LABEL.match(text)
    if found is None:
        return Labelled("", "", "", text)
    return Labelled(found[1], found[2], (found[3] or found[4]).strip("* "), text[found.end() :])


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, each with the blanks behind it; a quotation is never cut."""
    return _cut(text, _SENTENCE.finditer(_masked(text)))


def own_words(text: str) -> frozenset[str]:
    """The stems of a text but those that say nothing by themselves: "Not yet." has none."""
    return stems(text) - _SAYS_NOTHING


def is_about(sentence: str, spoken: str, names: Sequence[str]) -> bool:
    """Whether enough words and figures of a sentence stand in `spoken`: what is cited and what came before.

    `names`: of the participants, who do not count as words.
    """
    own = own_words(without_people(sentence, names))
    shared = len(own & stems(spoken)) + figures_shared(sentence, spoken)
    return shared >= _LEAST_SHARE * len(own)


def without_riders(text: str, spoken: str, names: Sequence[str]) -> str:
    """A sentence without its riders: clauses that share no word or figure with `spoken`.

    `spoken`: what is cited and what came before. `names`: of the participants, who do not count as words.
    """
    clauses = _cut(text, CLAUSE.finditer(_masked(text)))
    if len(clauses) < 2:
        return text
    said = stems(spoken)

    def rides(clause: str) -> bool:
        rest = without_people(clause, names)
        own, least = own_words(rest), _LEAST_HALVES if has_hangul(rest) else _LEAST
        return len(own) >= least and own.isdisjoint(said) and not figures_shared(rest, spoken)

    kept = [clause for clause in clauses if not rides(clause)]
    if len(kept) == len(clauses):
        return text
    rest = "".join(kept)
    if kept and kept[0] is not clauses[0]:
        first, _, behind = rest.lstrip().partition(" ")
        rest = behind.lstrip() if first.lower() in _JOINS else rest.lstrip()
        rest = rest[:1].upper() + rest[1:] if text[:1].isupper() else rest
    if kept and kept[-1] is not clauses[-1]:  # what joined it to the last clause goes with that
        joint = list(CLAUSE.finditer(_masked(rest)))
        if joint and joint[-1].end() == len(rest):
            rest = rest[: joint[-1].start()]
        rest += "." if text.rstrip().endswith(".") else ""
    before, opened, behind = rest.rpartition("(")
    if opened and ")" not in behind:
        rest = f"{before.rstrip()} {behind.lstrip()}"
    for stop in ".!?":
        rest = rest.replace(f" {stop}", stop)
    return rest


def _masked(text: str) -> str:
    """The text, as long as it is, without what stands in quotation marks."""
    return _QUOTE.sub(lambda quote: "x" * len(quote.group()), text)


def _cut(text: str, joints: Iterable[re.Match[str]]) -> list[str]:
    ends = [*(joint.end() for joint in joints), len(text)]
    return [text[begin:end] for begin, end in zip([0, *ends], ends, strict=False) if text[begin:end].strip()]


def pairs_stand(text: str, cited: Sequence[str], names: Sequence[str]) -> bool:
    """Whether no two clauses of a claim have their figures, or their people, crossed.

    `cited`: the cited utterances, each as "name: what was said". `names`: of the participants.
    """
    said = [source.partition(": ") for source in cited]
    clauses = _clauses(text)
    if len(clauses) < 2 or len(clauses) > _MOST:
        return True
    parts = [part for _, _, spoken in said for part in _clauses(spoken)]
    of_figures = [(figures(part) | scaled(part), _words(part, names)) for part in parts]
    of_people = [({speaker}, _words(spoken, names)) for speaker, _, spoken in said]
    by_figure = [(figures(clause), clause) for clause in clauses]
    by_name = [({name for name in names if is_called(name, clause)}, clause) for clause in clauses]
    return _uncrossed(by_figure, of_figures, names) and _uncrossed(by_name, of_people, names)


def _clauses(text: str) -> list[str]:
    return [clause for clause in CLAUSE.split(text) if clause and clause.strip()]


_MOST: Final = 12
"""Most clauses of a claim that are compared; a longer one passes."""

T = TypeVar("T", float, str)


def _uncrossed(
    clauses: Sequence[tuple[set[T], str]],
    told: Sequence[tuple[set[T], frozenset[str]]],
    names: Sequence[str],
) -> bool:
    """Whether no two clauses have their marks crossed; `told`: the evidence's parts, each with its marks."""

    def fit(clause: str, mark: T) -> int:
        words = _words(clause, names)
        return max((len(words & said) for marks, said in told if mark in marks), default=0)

    heard = {mark for marks, _ in told for mark in marks}
    for (marks, one), (others, other) in combinations(clauses, 2):
        mine, yours = marks - others, others - marks
        if len(mine) == len(yours) == 1 and mine | yours <= heard:
            (my,), (your,) = mine, yours
            if fit(one, your) + fit(other, my) > fit(one, my) + fit(other, your):
                return False
    return True


@lru_cache(maxsize=2048)
def _words(text: str, names: Sequence[str]) -> frozenset[str]:
    """What a part is about: its stems without people's names, and its labels (3라인)."""
    labels, rest = without_labels(text)
    return (stems(without_people(rest, names)) - FRAME) | labels
