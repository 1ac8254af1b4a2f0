"""An answer made of quotes, and how it is worded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from context.models import AgentCallType, Frozen, Utterance
from context.plain.record import Record
from context.prompts.answering import RESPONSE_TEMPLATE, WORDING

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


def told(
    lines: Sequence[str],
    wanted: AgentCallType,
    evidence: Iterable[int] = (),
    certainty: Certainty = "answer",
) -> QuotedAnswer:
    """An answer of these lines, which rest on the utterances of `evidence`."""
    text, rests_on = "\n".join(lines), tuple(sorted(set(evidence)))
    return QuotedAnswer(text=text, evidence=rests_on, call_type=wanted, certainty=certainty)


def quoting(
    lead: str, quotes: Sequence[Quote], record: Record, wanted: AgentCallType, certainty: Certainty = "answer"
) -> QuotedAnswer:
    """The quotes in order of time under a line that says what they are (a key of `WORDING`)."""
    ordered = sorted(quotes, key=lambda quote: quote.utterance.id)
    evidence = {quote.utterance.id for quote in ordered}
    shown = set(evidence)

    def beside(neighbour: Utterance | None) -> list[str]:
        if neighbour is None or neighbour.id in shown:
            return []
        shown.add(neighbour.id)
        return [f"  - {record.quote(neighbour.text, neighbour)}"]

    lines = [WORDING[record.language][lead]]
    for quote in ordered:
        note = f" ({quote.note})" if quote.note else ""
        line = f"- {record.quote(quote.text, quote.utterance)}{note}"
        lines += [*beside(quote.before), line, *beside(quote.behind)]
    return told(lines, wanted, evidence, certainty)


def as_changed(quotes: Sequence[Quote], record: Record, wanted: AgentCallType) -> QuotedAnswer:
    """A decision and what took its place, in seed 000's template (§5.2): analysis, quotes, suggestion."""
    wording = WORDING[record.language]
    quoted = quoting("found", quotes, record, wanted)
    text = RESPONSE_TEMPLATE[record.language].format(
        analysis=wording["changed"],
        attributed_quotes=quoted.text.partition("\n")[2],
        suggestion=wording["go_by"],
    )
    return quoted.model_copy(update={"text": text.strip()})


def nothing(record: Record, wanted: AgentCallType, why: str = "not_found") -> QuotedAnswer:
    """Say honestly that nothing was found, or nothing of a kind (`why`: a key of `WORDING`)."""
    return told([WORDING[record.language][why]], wanted, certainty="none")
