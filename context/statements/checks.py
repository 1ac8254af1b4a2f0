"""What is certainly wrong with a statement that cites utterances, whatever it means; no model is asked.

Certain are citations of nothing, quotations, links and calls that nobody said, figures with their units, days
and names that were not heard, a question told as a fact, and that it rests on nothing but what somebody
wanted of the agent. What a statement means, and who said it, a verifier judges
(`context.statements.verdicts`); what nobody verified is marked as that.

*Sources* are texts that may be cited, by utterance id, each as `name: text` (`sources_of`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from context.evidence.claim_words import (
    forms_stand,
    is_named,
    letters,
    names_stand,
    quotes_stand,
    same_script,
    stems,
)
from context.evidence.figures import days_heard, figures_heard
from context.evidence.units import units_heard
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.language.to_agent import marked, tells_of_asking, without_marked
from context.models import Statement, Summary, Utterance

Fault = Literal[
    "no_evidence", "unknown_utterance", "form", "quote", "order", "question", "number", "date", "name",
    "unrelated",
]  # fmt: skip
"""What is wrong with a statement; `form`: a mention, link or call that was not said; `quote`: quotation marks
around what was not said; `order`: it rests on what somebody wanted of the agent; `question`: it states
nothing; `unrelated`: it is in another language than what it cites.
"""

_FILLER: Final = re.compile(r"\b(?:uh|um|uhm|er|erm)\b,?\s*", re.IGNORECASE)
_DIGITS: Final = re.compile(r"\d+")
_NOTHING: Final = Summary()
_NEIGHBOUR_UTTERANCES: Final = 8
"""Utterances before and behind a cited one that its figures and names may come from."""
_RUN_LETTERS: Final = 4
_NEARLY_ALL_SHARE: Final = 0.85
_MAX_CHARACTERS: Final = 8000
"""Characters of one utterance that a statement is held against."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A summary without the statements that failed the check, and why those failed."""

    summary: Summary
    dropped: tuple[tuple[str, Fault], ...]
    """The text that was dropped (a statement, an owner, a due moment), and its fault."""


def certain_fault(
    text: str,
    evidence: Sequence[int],
    sources: Mapping[int, str],
    names: Sequence[str] = (),
    *,
    may_ask: bool = False,
) -> Fault | None:
    """The fault of `text` as a claim that rests on the ids in `evidence`; None leaves it to a verifier.

    `sources`: what may be cited, by id. `names`: of the participants, none of whom a claim may bring in where
    nobody named them. `may_ask`: it is an open point, which a question tells best.
    """
    if not evidence or not sources.keys() >= set(evidence):
        return "unknown_utterance" if evidence else "no_evidence"
    text = _compatible(text)
    cited = "\n".join(_compatible(sources[id_]) for id_ in evidence)
    if (fault := _fault_of_form(text, cited)) is not None:
        return fault
    asking = tells_of_asking(text)
    if not asking and all(_is_command(sources[id_]) for id_ in evidence):
        return "order"
    if is_near_quote(text, cited if asking else without_marked(cited)):
        return None
    if not may_ask and text.rstrip(" \"'”’)").endswith("?"):
        return "question"  # it states nothing, unless somebody is quoted who asked it
    return _fault_of_fact(text, evidence, sources, names, until=max(evidence) + asking)


def _fault_of_form(text: str, cited: str) -> Literal["form", "quote"] | None:
    if not forms_stand(text, cited):
        return "form"
    return None if quotes_stand(text, cited) else "quote"


def _fault_of_fact(
    text: str, evidence: Sequence[int], sources: Mapping[int, str], names: Sequence[str], *, until: int
) -> Literal["number", "date", "name"] | None:
    """The fault where a figure or a day was not heard near what is cited, or a name nowhere; else None."""
    near = dict.fromkeys(
        id_ + step for id_ in evidence for step in range(-_NEIGHBOUR_UTTERANCES, _NEIGHBOUR_UTTERANCES + 1)
    )
    # What somebody wanted of the agent counts only as what a later utterance, cited beside it, answers to.
    heard = (
        sources[id_] if id_ in evidence and id_ < until else without_marked(sources[id_])
        for id_ in near
        if id_ in sources
    )
    around = "\n".join(map(_compatible, heard))
    if not figures_heard(text, around, len(evidence)) or not units_heard(text, around):
        return "number"
    if not days_heard(text, around):
        return "date"
    return None if names_stand(text, "\n".join(sources.values()), names) else "name"


def _is_command(source: str) -> bool:
    """Whether nothing of a source is left but what somebody wanted of the agent."""
    left = without_marked(source)
    _, colon, said = left.partition(":")
    said = said if colon else left
    return not any(map(str.isalnum, said))


def is_near_quote(text: str, spoken: str) -> bool:
    """Whether most runs of four letters of `text`, and all of its numbers, stand in `spoken`."""
    said, told = letters(spoken), letters(text)
    runs = [told[at : at + _RUN_LETTERS] for at in range(len(told) - _RUN_LETTERS + 1)]
    if not runs or not set(_DIGITS.findall(text)) <= set(_DIGITS.findall(spoken)):
        return False
    return sum(run in said for run in runs) >= _NEARLY_ALL_SHARE * len(runs)


def _compatible(text: str) -> str:
    """`text` with wide and joined letters as the usual ones (NFKC)."""
    return unicodedata.normalize("NFKC", text)


def sources_of(
    utterances: Iterable[Utterance],
    previous: Summary = _NOTHING,
    wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
) -> dict[int, str]:
    """The sources of a summary, by id: the utterances, and for older ones what `previous` says of them.

    What is said to the agent, by one of `wake_words`, is marked in them (`context.language.to_agent`).
    """
    carried: dict[int, list[str]] = {}
    for statement in statements_of(previous):
        for id_ in statement.evidence:
            carried.setdefault(id_, []).append(statement.text)
    sources = {id_: "\n".join(dict.fromkeys(texts)) for id_, texts in carried.items()}
    for said in marked(utterances, wake_words):
        name = said.speaker_name.replace(":", " ")  # it ends at the colon behind it
        sources[said.id] = f"{name}: {said.text[:_MAX_CHARACTERS]}"
    return sources


def checked(
    summary: Summary,
    sources: Mapping[int, str],
    names: Sequence[str] = (),
    *,
    settled: Iterable[Statement] = (),
) -> Checked:
    """The summary without the statements that are certainly wrong, and without owners and moments unheard of.

    `settled`: statements, the very objects, that were judged already and stay.
    """
    dropped: list[tuple[str, Fault]] = []
    known = {id(statement) for statement in settled}

    def standing(statements: Sequence[Statement]) -> tuple[Statement, ...]:
        kept = []
        for statement in statements:
            if id(statement) in known:
                kept.append(statement)
                continue
            asks = statement.kind == "open"
            wrong = certain_fault(statement.text, statement.evidence, sources, names, may_ask=asks)
            if wrong is None:
                kept.append(_without_unnamed(statement, sources, dropped))
            else:
                dropped.append((statement.text, wrong))
        return tuple(kept)

    sentences = standing(summary.sentences)
    content = summary.model_copy(
        update={
            "text": " ".join(sentence.text for sentence in sentences),
            "sentences": sentences,
            "key_points": standing(summary.key_points),
            "decisions": standing(summary.decisions),
            "pending": standing(summary.pending),
        }
    )
    return Checked(content, tuple(dropped))


def _without_unnamed(
    statement: Statement, sources: Mapping[int, str], dropped: list[tuple[str, Fault]]
) -> Statement:
    """The statement without an owner or a due moment that its evidence doesn't bear out."""
    spoken = "\n".join(without_marked(sources[id_]) for id_ in statement.evidence)
    taken_off: dict[str, None] = {}
    if statement.owner and not _owner_stands(statement.owner, _FILLER.sub("", spoken)):
        dropped.append((statement.owner, "name"))
        taken_off["owner"] = None
    if statement.due and not _due_stands(statement.due, spoken):
        dropped.append((statement.due, "date"))
        taken_off["due"] = None
    return statement.model_copy(update=taken_off)


def _owner_stands(owner: str, spoken: str) -> bool:
    """Whether the evidence names the owner (also by their office, 간사님), or is theirs.

    A name in other letters, as 준호 and Junho are, can't be compared.
    """
    called = any(f"{part}님" in spoken for part in owner.split())
    return is_named(owner, spoken) or called or not same_script(owner, spoken)


def _due_stands(due: str, spoken: str) -> bool:
    """Whether the evidence names the moment: its numbers, days, and some word of it."""
    if not figures_heard(due, spoken, counts=()) or not days_heard(due, spoken):
        return False
    words = stems(due)
    return not words or not same_script(due, spoken) or bool(words & stems(spoken))


def statements_of(summary: Summary) -> tuple[Statement, ...]:
    """All statements of a summary: its sentences, key points, decisions and pending items."""
    return (*summary.sentences, *summary.key_points, *summary.decisions, *summary.pending)
