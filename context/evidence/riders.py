"""What rides along with a cited claim: "the bank has failed, and the fair is on April 19th".

What is cited may bear out a text as a whole and not all that is in it. A label ("Reason: …"), a sentence and
a clause are claims of their own: where one shares no word with what is cited, nor with what that was said
to, nothing bears it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from context.evidence.figures import figures_shared
from context.evidence.names import without_people
from context.evidence.pairing import CLAUSE
from context.evidence.words import FRAME, stems
from context.language.korean import has_hangul

_LEAST: Final = 2
"""Words of a clause that says something; "as planned" says nothing."""
_LEAST_HALVES: Final = 4
"""The same in halves of Korean words."""
_LEAST_SHARE: Final = 0.3
"""Of the words of a sentence that stands beside a cited one."""
_SAYS_NOTHING: Final = FRAME | stems(
    "herself himself itself themselves because since still open yet thinks also however only agreed until whether when"  # noqa: E501 - a pattern reads better unbroken
    " 받지 못했고 했으며 했지만 하고 않고 없고"
)
_SENTENCE: Final = re.compile(r"(?<=[.!?。？！;])\s+|\n+")
_QUOTE: Final = re.compile(r"[“\"「『][^”\"」』\n]*[”\"」』]")
_LABEL: Final = re.compile(
    r"^((?:\s*(?:\d{1,2}[.)]|[-*•])\s+)?\s*)"
    r"((?:(?:\*\*)?([^:：\n\"“]{1,80}?)(?:\*\*)?[:：](?:\*\*)?|\*\*([^*\n]{1,80})\*\*(?:\s+[—–-])?)\s+)(?=\S)"
)
"""A list's mark, and words before a colon, or in bold."""
_UNCLOSED: Final = re.compile(r"\s*\((?![^()]*\))\s*")
_BEFORE_STOP: Final = re.compile(r"\s+(?=[.!?])")
_JOINS: Final = re.compile(
    r"^\s*(?:and|but|while|whereas|although|because|since|as|so|yet)\s+", re.IGNORECASE
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
    kept = [clause for clause in clauses if not _rides(without_people(clause, names), said, spoken)]
    if len(kept) == len(clauses):
        return text
    rest = "".join(kept)
    if kept and kept[0] is not clauses[0]:
        rest = _JOINS.sub("", rest.lstrip())
        rest = rest[:1].upper() + rest[1:] if text[:1].isupper() else rest
    if kept and kept[-1] is not clauses[-1]:  # what joined it to the last clause goes with that
        joint = list(CLAUSE.finditer(_masked(rest)))
        if joint and joint[-1].end() == len(rest):
            rest = rest[: joint[-1].start()]
        rest += "." if text.rstrip().endswith(".") else ""
    return _BEFORE_STOP.sub("", _UNCLOSED.sub(" ", rest))


def _rides(clause: str, said: frozenset[str], spoken: str) -> bool:
    own = own_words(clause)
    least = _LEAST_HALVES if has_hangul(clause) else _LEAST
    return len(own) >= least and own.isdisjoint(said) and not figures_shared(clause, spoken)


def _masked(text: str) -> str:
    """The text, as long as it is, without what stands in quotation marks."""
    return _QUOTE.sub(lambda quote: "x" * len(quote.group()), text)


def _cut(text: str, joints: Iterable[re.Match[str]]) -> list[str]:
    ends = [*(joint.end() for joint in joints), len(text)]
    return [text[begin:end] for begin, end in zip([0, *ends], ends, strict=False) if text[begin:end].strip()]
