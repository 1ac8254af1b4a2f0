"""One topic's summary from its last one and what was said since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.budget import EstimateTokenizer, fit
from context.extractive.contradictions import contradictions_in, still_open
from context.extractive.cues import Kind, kind_of
from context.extractive.importance import importance, keywords, likeness
from context.extractive.learnt import likely
from context.extractive.openings import says_nothing
from context.extractive.sentences import Said, said_in
from context.extractive.statements import Ledger
from context.extractive.subjects import normal
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.models import Statement, Summary, Utterance

MAX_SENTENCES: Final = 5
MAX_KEY_POINTS: Final = 5
_REGARDED: Final = 200
"""A summary's text is chosen among so many of the newest decisions: thousands cost no square of theirs."""
_ALIKE: Final = 0.5
_TOKENS: Final = EstimateTokenizer()


def summarise(
    previous: Summary,
    utterances: Sequence[Utterance],
    *,
    language: str = "auto",
    max_tokens: int = 500,
    before: Sequence[Utterance] = (),
    standing: Sequence[Statement] = (),
    wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
) -> Summary:
    """Fold `utterances` into `previous`. Deterministic; every statement is a quote with its evidence.

    No decision and no pending item of `previous` is lost; `text` counts at most `max_tokens`. Quotes are
    in the language in which they were said, whatever `language` says. `before`: the last that `previous`
    covers, so that a yes is heard with what it answers. `standing`: decisions of other topics, to notice
    what contradicts them. `wake_words`: what is said to the agent is not the meeting's business.
    """
    _ = language
    ledger = Ledger(list(previous.decisions), list(previous.pending), standing[-_REGARDED:])
    said, kinds, taken = _read(ledger, before, utterances, wake_words)

    points = {normal(s.text): s for s in (*previous.key_points, *previous.sentences)}
    for place, (sentence, kind) in enumerate(zip(said, kinds, strict=True)):
        if kind == "plain" and place not in taken and not says_nothing(sentence.text):
            points.setdefault(normal(sentence.text), _quote(sentence.text, sentence.utterance.id))
    for statement in (*ledger.decisions[-_REGARDED:], *ledger.pending[-_REGARDED:]):
        points.pop(normal(statement.text), None)
    plain = list(points.values())
    key_points = _best(plain, MAX_KEY_POINTS, kept=previous.key_points)
    decided = [
        d.model_copy(update={"status": None})
        for d in ledger.decisions[-_REGARDED:]
        if d.status != "superseded"
    ]
    sentences = _within(
        _best([*plain, *decided], MAX_SENTENCES, kept=(*previous.sentences, *decided)), max_tokens
    )
    against = contradictions_in(said, kinds, (*standing, *ledger.decisions[-_REGARDED:]))
    return Summary(
        text=" ".join(statement.text for statement in sentences),
        sentences=tuple(sentences),
        key_points=tuple(key_points),
        decisions=tuple(ledger.decisions),
        pending=tuple(ledger.pending),
        contradictions=still_open(previous.contradictions, against, ledger.decisions),
        participants=tuple(dict.fromkeys([*previous.participants, *(u.speaker_id for u in utterances)])),
        keywords=keywords(
            (s.text for s, kind in zip(said, kinds, strict=True) if kind != "courtesy"),
            previous.keywords,
            names={utterance.speaker_name for utterance in (*before, *utterances)},
        ),
    )


def _read(
    ledger: Ledger, before: Sequence[Utterance], utterances: Sequence[Utterance], wake_words: Sequence[str]
) -> tuple[list[Said], list[Kind], set[int]]:
    """The sentences of `utterances`, what each is, and the places of those that the ledger took in."""
    heard = said_in(before)
    said = [*heard, *said_in(utterances)]
    names = tuple(dict.fromkeys(utterance.speaker_name for utterance in (*before, *utterances)))
    kinds = [kind_of(sentence.text, names, tuple(wake_words)) for sentence in said]
    known, read_until = len(heard), before[-1].id if before else 0
    besides = likely(said, kinds, wake_words, known=known)
    taken = ledger.read(said, kinds, names, besides, read_until=read_until)
    return said[known:], kinds[known:], {place - known for place in taken if place >= known}


def _quote(text: str, utterance_id: int) -> Statement:
    return Statement(text=text, evidence=(utterance_id,))


def _best(candidates: Sequence[Statement], limit: int, kept: Sequence[Statement]) -> list[Statement]:
    """The weightiest statements, no two alike, in order of time; those in `kept` have a head start."""
    before = {normal(statement.text) for statement in kept}
    weights = importance([statement.text for statement in candidates])
    ranked = sorted(
        range(len(candidates)),
        key=lambda i: (-weights[i] - (0.2 if normal(candidates[i].text) in before else 0.0), i),
    )
    chosen: list[int] = []
    for i in ranked:
        if len(chosen) >= limit:
            break
        if weights[i] > 0 and all(likeness(candidates[i].text, candidates[c].text) < _ALIKE for c in chosen):
            chosen.append(i)
    return [candidates[i] for i in sorted(chosen, key=lambda i: (min(candidates[i].evidence, default=0), i))]


def _within(statements: Sequence[Statement], max_tokens: int) -> list[Statement]:
    """Whole sentences while they fit; a first one that is too long is cut."""
    kept: list[Statement] = []
    for statement in statements:
        text = " ".join([*(s.text for s in kept), statement.text])
        if _TOKENS.count(text) <= max_tokens:
            kept.append(statement)
    if not kept and statements:
        short = fit(statements[0].text, max_tokens, _TOKENS)
        kept = [statements[0].model_copy(update={"text": short})] if short else []
    return kept
