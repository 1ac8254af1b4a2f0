"""Contradictions of a meeting's decisions, whatever topic either of the two lies in.

A topic's summary knows of the decisions that other topics had when it was begun. Of two topics that are
summarised at once neither knows the other's, so the whole meeting is read here once more, whenever its
decisions are listed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from context.evidence.facts import normal
from context.language.addressing import DEFAULT_WAKE_WORDS, without_wake_word
from context.language.spoken_sentences import split_utterances
from context.models import Contradiction, Statement, Summary, Utterance
from context.statements.ledger import contradictions_in, still_open

_READ_UTTERANCES: Final = 1000
"""So many of the newest utterances are read."""


def said_against(
    utterances: Sequence[Utterance],
    notes: Sequence[Summary],
    decisions: Sequence[Statement],
    pending: Sequence[Statement],
    wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
) -> tuple[Contradiction, ...]:
    """The contradictions of `decisions`: those that `notes` tell, and what was said in no statement.

    `utterances`: in order; those to one of `wake_words` were said to the agent.
    """
    kept = [each for summary in notes for each in summary.contradictions]
    stated: defaultdict[int, str] = defaultdict(str)
    for statement in (*decisions, *pending):
        for number in statement.evidence:
            stated[number] += normal(statement.text)
    said = [
        sentence
        for sentence in split_utterances(utterances[-_READ_UTTERANCES:])
        if normal(sentence.text) not in stated[sentence.utterance.id]
        and without_wake_word(sentence.text, wake_words) is None
    ]
    return still_open(kept, contradictions_in(said, decisions), decisions)


def of_decision(found: Sequence[Contradiction], decision: Collection[int]) -> list[Contradiction]:
    """The contradictions of `found` that go against the decision with this evidence, each utterance once."""
    against = [each for each in found if each.decision_evidence[-1] in decision]
    return list({each.evidence: each for each in against}.values())
