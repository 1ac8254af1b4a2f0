"""One topic's summary from its last one and what was said since."""

from __future__ import annotations

from collections.abc import Sequence

from context.models import Statement, Summary, Utterance


def summarise(
    previous: Summary, utterances: Sequence[Utterance], *, language: str = "auto", max_tokens: int = 500
) -> Summary:
    """Fold `utterances` into `previous`. Deterministic; every sentence quotes its evidence."""
    _ = language
    sentences = list(previous.sentences)
    for utterance in utterances[:3]:
        sentences.append(Statement(text=utterance.text.strip(), evidence=(utterance.id,)))
    sentences = sentences[: max(1, max_tokens // 100)]
    people = dict.fromkeys([*previous.participants, *(u.speaker_id for u in utterances)])
    return Summary(
        text=" ".join(s.text for s in sentences),
        sentences=tuple(sentences),
        key_points=previous.key_points,
        decisions=previous.decisions,
        pending=previous.pending,
        participants=tuple(people),
        keywords=previous.keywords,
    )
