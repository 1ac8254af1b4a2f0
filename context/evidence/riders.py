"""What rides along with a cited claim: "the bank has failed, and the fair is on April 19th".

What is cited may bear out a text as a whole and not all that is in it. A label ("Reason: …"), a sentence and
a clause are claims of their own: where one shares no word with what is cited, nor with what that was said
to, nothing bears it out.

Two things told of each other's: "the repair costs 4,200 and a new one 800", Ann's proposal told as Ben's.

Each of the two figures, or names, was said, so nothing is missing; only what is said of them is crossed. Two
clauses of a claim with one mark each are laid against the parts of the evidence that hold those marks: where
the words fit better the other way about, the claim has them crossed.
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
"""Words of a clause that says something; "as planned" says nothing."""
_LEAST_HALVES: Final = 4
"""The same in halves of Korean words."""
_LEAST_SHARE: Final = 0.3
"""Of the words of a sentence that stands beside a cited one."""
_SAYS_NOTHING: Final = FRAME | stems(
    "herself himself itself themselves because since still open yet thinks also however only agreed until"
    " whether when 받지 못했고 했으며 했지만 하고 않고 없고"
)
_QUOTE: Final = re.compile(r"[“\"「『][^”\"」』\n]*[”\"」』]")
_LABEL: Final = re.compile(
    r"^((?:\s*(?:\d{1,2}[.)]|[-*•])\s+)?\s*)"
    r"((?:(?:\*\*)?([^:：\n\"“]{1,80}?)(?:\*\*)?[:：](?:\*\*)?|\*\*([^*\n]{1,80})\*\*(?:\s+[—–-])?)\s+)(?=\S)"
)
"""A list's mark, and words before a colon, or in bold."""
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
    """A text, taken apart at the colon of its label."""

    mark: str
    """Of a list's item."""
    label: str
    """As it is written, with its colon; empty where there is none."""
    words: str
    """The same without marks."""
    rest: str


def labelled(text: str) -> Labelled:
    """The label of a text and what stands behind it."""
    found = _LABEL.match(text)
    if found is None:
        return Labelled("", "", "", text)
    return Labelled(found[1], found[2], (found[3] or found[4]).strip("* "), text[found.end() :])


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, each with the blanks behind it; none ends within a quotation."""
    return _cut(text, _SENTENCE.finditer(_masked(text)))


def own_words(text: str) -> frozenset[str]:
    """The words of a text but those that say nothing by themselves: "Not yet." has none."""
    return stems(text) - _SAYS_NOTHING


def is_about(sentence: str, spoken: str, names: Sequence[str]) -> bool:
    """Whether a sentence has enough words, or figures, of `spoken`: what is cited and what came before."""
    own = own_words(without_people(sentence, names))
    shared = len(own & stems(spoken)) + figures_shared(sentence, spoken)
    return shared >= _LEAST_SHARE * len(own)


def without_riders(text: str, spoken: str, names: Sequence[str]) -> str:
    """A sentence without its clauses that share nothing with `spoken`: what is cited and what came before."""
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

    `cited`: each as "name: what was said". `names`: of the participants.
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
    return _stand(by_figure, of_figures, names) and _stand(by_name, of_people, names)


def _clauses(text: str) -> list[str]:
    return [clause for clause in CLAUSE.split(text) if clause and clause.strip()]


_MOST: Final = 12
"""Clauses of one claim that are compared."""

T = TypeVar("T", float, str)


def _stand(
    clauses: Sequence[tuple[set[T], str]],
    told: Sequence[tuple[set[T], frozenset[str]]],
    names: Sequence[str],
) -> bool:
    """Whether no two clauses have a mark each crossed; `told`: the parts of the evidence by their marks."""

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
    """What a part is about: its words, and what it numbers (3라인), without people."""
    labels, rest = without_labels(text)
    return (stems(without_people(rest, names)) - FRAME) | labels
