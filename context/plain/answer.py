"""An answer made of quotes, and how it is worded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from context.models import AgentCallType, Frozen, Utterance
from context.plain.record import Record
from context.plain.statements import Response
from context.prompts.answering import WORDING

Certainty = Literal["answer", "closest", "none"]
"""An answer; the places that come closest, told as that; nothing in this meeting."""


class QuotedAnswer(Frozen):
    """An answer in the meeting's own words. `evidence`: the utterances quoted, in order of time."""

    text: str
    evidence: tuple[int, ...]
    call_type: AgentCallType
    certainty: Certainty = "answer"
    sources: tuple[str, ...] = ()
    """What is quoted from outside this meeting, as it is cited."""

    @property
    def declined(self) -> bool:
        """Whether the meeting has nothing to say to it."""
        return self.certainty == "none"


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence that somebody said, with the number of the utterance that it is from."""

    text: str
    utterance: Utterance
    note: str = ""
    """What is to be known of it: decided, changed later."""
    before: Utterance | None = None
    behind: Utterance | None = None
    """What was said around it, where that is shown."""


def told(lines: Sequence[str], wanted: AgentCallType, evidence: Iterable[int] = ()) -> QuotedAnswer:
    """An answer of these lines, which rest on the utterances of `evidence`."""
    return QuotedAnswer(text="\n".join(lines), evidence=tuple(sorted(set(evidence))), call_type=wanted)


def quoting(
    lead: str, quotes: Sequence[Quote], record: Record, wanted: AgentCallType, certainty: Certainty = "answer"
) -> QuotedAnswer:
    """The quotes in order of time under a line that says what they are (a key of `WORDING`)."""
    ordered = sorted(quotes, key=lambda quote: quote.utterance.id)
    lines = [WORDING[record.language][lead]]
    shown: set[int] = {quote.utterance.id for quote in ordered}
    for quote in ordered:
        lines += [_beside(quote.before, record)] if _is_new(quote.before, shown) else []
        note = f" ({quote.note})" if quote.note else ""
        lines.append(f"- {record.quote(quote.text, quote.utterance)}{note}")
        lines += [_beside(quote.behind, record)] if _is_new(quote.behind, shown) else []
    answer = told(lines, wanted, (quote.utterance.id for quote in ordered))
    return answer if certainty == "answer" else answer.model_copy(update={"certainty": certainty})


def as_changed(quotes: Sequence[Quote], record: Record, wanted: AgentCallType) -> QuotedAnswer:
    """A decision and what took its place, in seed 000's template: analysis, quotes, suggestion."""
    wording = WORDING[record.language]
    quoted = quoting("found", quotes, record, wanted)
    response = Response(
        analysis=wording["changed"],
        attributed_quotes=quoted.text.partition("\n")[2],
        suggestion=wording["go_by"],
    )
    return quoted.model_copy(update={"text": response.rendered(record.language)})


def nothing(record: Record, wanted: AgentCallType) -> QuotedAnswer:
    """Say honestly that nothing was found."""
    text = WORDING[record.language]["not_found"]
    return QuotedAnswer(text=text, evidence=(), call_type=wanted, certainty="none")


def _is_new(utterance: Utterance | None, shown: set[int]) -> bool:
    """Whether a neighbour is not shown yet; then it is from now on."""
    if utterance is None or utterance.id in shown:
        return False
    shown.add(utterance.id)
    return True


def _beside(utterance: Utterance | None, record: Record) -> str:
    return "" if utterance is None else f"  - {record.quote(utterance.text, utterance)}"
