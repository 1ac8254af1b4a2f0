"""What was said that does not fit a decision, where nothing was decided anew."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.extractive.agreement import proposes
from context.extractive.cues import Kind, kind_of
from context.extractive.sentences import Said, said_in
from context.extractive.subjects import contradicts, facts
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.models import Contradiction, Statement, Summary, Utterance

_COMPARED: Final = 100
"""A sentence is held against so many of the newest decisions."""
_MOST: Final = 20
"""So many contradictions of one topic are kept, the newest."""
_OF_THE_PAST: Final = re.compile(
    r"\b(?:was|were|had|used to|originally|previously|last (?:week|month|year)|if|would|could|unless)\b"
    r"|원래|이전|전에는|작년|지난|였는데|이었|였습|했었|만약|[가-힣]면\s|라면|다면",
    re.IGNORECASE,
)


def contradictions_in(
    said: Sequence[Said], kinds: Sequence[Kind], decisions: Sequence[Statement]
) -> list[Contradiction]:
    """Sentences that speak against a decision made before them, each with both evidences."""
    standing = [each for each in decisions if each.status != "superseded" and each.evidence][-_COMPARED:]
    found: list[Contradiction] = []
    for sentence, kind in zip(said, kinds, strict=True):
        if kind not in {"plain", "action"} or not standing or not _asserts(sentence.text):
            continue
        for decision in reversed(standing):
            if sentence.utterance.id > decision.evidence[-1] and contradicts(sentence.text, decision.text):
                found.append(
                    Contradiction(
                        text=sentence.text,
                        evidence=(sentence.utterance.id,),
                        decision=decision.text,
                        decision_evidence=decision.evidence,
                    )
                )
                break
    return found


def with_contradictions(
    summary: Summary,
    utterances: Sequence[Utterance],
    standing: Sequence[Statement],
    *,
    wake_words: tuple[str, ...] = DEFAULT_WAKE_WORDS,
) -> Summary:
    """A summary by whomever, with what of these utterances contradicts a decision of any topic."""
    said = said_in(utterances)
    names = tuple(dict.fromkeys(utterance.speaker_name for utterance in utterances))
    kinds = [kind_of(sentence.text, names, wake_words) for sentence in said]
    decided = {i for decision in summary.decisions for i in decision.evidence}
    kinds = [
        "decision" if sentence.utterance.id in decided else kind
        for sentence, kind in zip(said, kinds, strict=True)
    ]
    fresh = contradictions_in(said, kinds, (*standing, *summary.decisions))
    return summary.model_copy(
        update={"contradictions": still_open(summary.contradictions, fresh, summary.decisions)}
    )


def _asserts(text: str) -> bool:
    """Whether a sentence says that something is so now, with a day, a figure or a denial in it."""
    if not (facts(text) or facts(text).negated):
        return False
    return not _OF_THE_PAST.search(text) and not proposes(text)


def still_open(
    kept: Sequence[Contradiction], fresh: Sequence[Contradiction], decisions: Sequence[Statement]
) -> tuple[Contradiction, ...]:
    """Old and new ones, none twice, without those whose decision has been changed since."""
    gone = {each.text for each in decisions[-_COMPARED:] if each.status == "superseded"}
    unique = {(each.text, each.decision): each for each in (*kept, *fresh) if each.decision not in gone}
    return tuple(unique.values())[-_MOST:]
