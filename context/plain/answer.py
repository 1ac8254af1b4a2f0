"""Answers made of quotes, and their wording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from context.models import AgentCallType, Frozen, Utterance
from context.plain.record import Record
from context.prompts.answer_prompts import RESPONSE_TEMPLATE, WORDING

Certainty = Literal["answer", "closest", "none"]
"""Whether an answer is given, only the places that come closest, told as that, or none."""


class QuotedAnswer(Frozen):
    """An answer in the meeting's own words."""

    text: str
    evidence: tuple[int, ...]
    """The utterances that are quoted, in order of time."""
    call_type: AgentCallType
    certainty: Certainty = "answer"
    likely: float = 1.0
    """How likely what is quoted holds the answer, 0 to 1, as far as is known."""
    sources: tuple[str, ...] = ()
    """The citations of what is quoted from outside this meeting."""

    @property
    def declined(self) -> bool:
        """Whether nothing was found."""
        return self.certainty == "none"


@dataclass(frozen=True, slots=True)
class Quote:
    """What somebody said, to be quoted, with the utterance that it is from."""

    text: str
    utterance: Utterance
    note: str = ""
    """A remark behind the quote, for example that it was changed later."""
    label: str = ""
    """The kind of statement that it is, in front of the quote, for example a decision with its day."""
    before: Utterance | None = None
    behind: Utterance | None = None
    """The utterances before and behind it, where they are shown."""


def answer_of_lines(
    lines: Sequence[str],
    call_type: AgentCallType,
    evidence: Iterable[int] = (),
    certainty: Certainty = "answer",
) -> QuotedAnswer:
    """An answer of these lines, which rest on the utterances of `evidence` (ids in any order)."""
    text, rests_on = "\n".join(lines), tuple(sorted(set(evidence)))
    return QuotedAnswer(text=text, evidence=rests_on, call_type=call_type, certainty=certainty)


def answer_of_quotes(
    lead: str,
    quotes: Sequence[Quote],
    record: Record,
    call_type: AgentCallType,
    certainty: Certainty = "answer",
) -> QuotedAnswer:
    """An answer of quotes in order of time, under a line that says what they are, `lead` of `WORDING`."""
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
        label = f"{quote.label} " if quote.label else ""
        line = f"- {label}{record.quote(quote.text, quote.utterance)}{note}"
        lines += [*beside(quote.before), line, *beside(quote.behind)]
    return answer_of_lines(lines, call_type, evidence, certainty)


def answer_of_change(quotes: Sequence[Quote], record: Record, call_type: AgentCallType) -> QuotedAnswer:
    """An answer of decisions and what took their place, by seed 000's template (§5.2)."""
    wording = WORDING[record.language]
    quoted = answer_of_quotes("found", quotes, record, call_type)
    text = RESPONSE_TEMPLATE[record.language].format(
        analysis=wording["changed"],
        attributed_quotes=quoted.text.partition("\n")[2],
        suggestion=wording["go_by"],
    )
    return quoted.model_copy(update={"text": text.strip()})


def no_answer(record: Record, call_type: AgentCallType, why: str = "not_found") -> QuotedAnswer:
    """An answer that says that nothing was found, or nothing of a kind (`why`: a key of `WORDING`)."""
    return answer_of_lines([WORDING[record.language][why]], call_type, certainty="none")
