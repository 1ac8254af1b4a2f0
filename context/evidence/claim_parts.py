"""Parts of a claim: its label, its sentences, and the words that say something."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from context.evidence.claim_words import FRAME, stems
from context.language.questions import BREAK

_SAYS_NOTHING: Final = FRAME | stems(
    "herself himself itself themselves because since still open yet thinks also however only agreed until"
    " whether when 받지 못했고 했으며 했지만 하고 않고 없고"
)
_QUOTE: Final = re.compile(r"[“\"「『][^”\"」』\n]*[”\"」』]")
_LABEL: Final = re.compile(
    r"^(?:\s*(?:\d{1,2}[.)]|[-*•])\s+)?\s*"
    r"(?:(?:\*\*)?([^:：\n\"“]{1,80}?)(?:\*\*)?[:：](?:\*\*)?|\*\*([^*\n]{1,80})\*\*(?:\s+[—–-])?)\s+(?=\S)"
)
"""A list item's mark, and the words before a colon, or in bold."""
_PART_BREAK: Final = re.compile(rf"(?<=;)\s+|{BREAK.pattern}")
"""A semicolon parts two claims of one sentence, too."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text, taken apart at the colon of its label: "- **Reason:** the bank failed"."""

    words: str
    """The label without its colon and asterisks; empty where there is none."""
    rest: str
    """The text behind the label."""


def labelled(text: str) -> Labelled:
    """Take a text apart at its label; without one all of it is `rest`."""
    found = _LABEL.match(text)
    if found is None:
        return Labelled("", text)
    return Labelled((found[1] or found[2]).strip("* "), text[found.end() :])


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, each with the blanks behind it; a quotation is never cut."""
    ends = [*(joint.end() for joint in _PART_BREAK.finditer(_masked(text))), len(text)]
    return [text[begin:end] for begin, end in zip([0, *ends], ends, strict=False) if text[begin:end].strip()]


def own_words(text: str) -> frozenset[str]:
    """The stems of a text but those that say nothing by themselves: "Not yet." has none."""
    return stems(text) - _SAYS_NOTHING


def _masked(text: str) -> str:
    """The text, as long as it is, without what stands in quotation marks."""
    return _QUOTE.sub(lambda quote: "x" * len(quote.group()), text)
