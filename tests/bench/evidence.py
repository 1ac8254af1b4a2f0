"""Evidence recall in words: how much of what an answer rests on stands in the briefing.

Meetings are read as a transcript would bring them, without a transcriber's marks. A turn of the
evidence counts, by its words, where at least 70 % of its word triples stand in the briefing's text (one
of one or two words: where its line is shown). Budgets hold by the true count of tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from context.answering.evidence_lines import Briefing, briefing
from context.budgets.tokens import ExactTokenizer
from context.language.transcriber_marks import plain
from context.models import Utterance
from context.retrieval.lexical import LexicalIndex
from tests.bench.evidence_vectors import MeetingVectors, vector_maker
from tests.bench.figures import Figure
from tests.bench.plain_evidence import PlainEvidence
from tests.bench.qmsum import LabelledMeeting, LabelledQuestion, held_back
from worker.configuration.settings import Settings
from worker.errors import InputError

DELAYS: Final = (0, 50, 150, 400, None)
"""Turns between the last of the evidence and the question; None: asked at the meeting's end."""
_SMALL: Final = 3000
_LARGE: Final = 6000
_CARRIED: Final = 0.7
_SMOOTHED: Final = "BM25 smoothed over 16 turns"
_WORDS: Final = "ours by words"
_WITH_NEWEST: Final = "a fifth for the newest turns, BM25 smoothed for the rest"


@dataclass(slots=True)
class _Recalls:
    """Recall per question: ours and the plain method's, and where there are vectors, with and by them."""

    ours: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    hybrid: list[float] = field(default_factory=list)
    dense: list[float] = field(default_factory=list)

    def figure(self, name: str, goal: float | None, baseline: str) -> Figure:
        """Their means as one row."""
        ours, plain_ = float(np.mean(self.ours)), float(np.mean(self.plain))
        return Figure(name, ours, "of the words", goal, baseline, plain_, at_least=True)

    def with_vectors(self, name: str, goal: float | None) -> list[Figure]:
        """The same with vectors, beside words alone; and by vectors alone. None without vectors."""
        if not self.hybrid:
            return []
        hybrid, words, dense = (float(np.mean(each)) for each in (self.hybrid, self.ours, self.dense))
        rows = [Figure(f"… {name}, with vectors", hybrid, "of the words", goal, _WORDS, words, at_least=True)]
        if self.dense:
            alone = f"… {name}, by vectors alone"
            rows.append(Figure(alone, dense, "of the words", None, _WORDS, words, at_least=True))
        return rows


def evidence(data: Path | None) -> list[Figure]:
    """Recall at 3,000 and 6,000 tokens asked at the end, and at 3,000 over five asking delays."""
    if data is None:
        raise InputError("moim bench evidence: give a folder of meetings with --data DIR")
    meetings = held_back(data)
    tokenizer = ExactTokenizer()
    at_end = {budget: _Recalls() for budget in (_SMALL, _LARGE)}
    delayed: dict[int | None, _Recalls] = {delay: _Recalls() for delay in DELAYS}
    vectors = vector_maker(Settings.load().process.cache_dir)
    for labelled in meetings:
        _measure(labelled, tokenizer, vectors.of(labelled) if vectors else None, at_end, delayed)
    if not at_end[_SMALL].ours:
        raise InputError(f"--data {data}: no specific question with evidence in its meetings")
    figures = [
        at_end[_SMALL].figure("evidence recall at 3,000 tokens, asked at the end", 0.80, _SMOOTHED),
        at_end[_LARGE].figure("evidence recall at 6,000 tokens, asked at the end", 0.90, _SMOOTHED),
        *at_end[_SMALL].with_vectors("at 3,000", 0.80),
        *at_end[_LARGE].with_vectors("at 6,000", 0.90),
    ]
    means = [delayed[delay].figure(f"… asked {_when(delay)}", None, _WITH_NEWEST) for delay in DELAYS]
    ours = float(np.mean([figure.value for figure in means]))
    plain_ = float(np.mean([figure.baseline_value or 0.0 for figure in means]))
    name = "evidence recall at 3,000 tokens, mean over five asking delays"
    figures.append(Figure(name, ours, "of the words", 0.84, _WITH_NEWEST, plain_, at_least=True))
    if vectors is not None:
        hybrid = float(np.mean([np.mean(delayed[delay].hybrid) for delay in DELAYS]))
        name = "… mean over five asking delays, with vectors"
        figures.append(Figure(name, hybrid, "of the words", 0.84, _WORDS, ours, at_least=True))
    return [*figures, *means]


def _measure(
    labelled: LabelledMeeting,
    tokenizer: ExactTokenizer,
    vectors: MeetingVectors | None,
    at_end: dict[int, _Recalls],
    delayed: dict[int | None, _Recalls],
) -> None:
    said = [each.model_copy(update={"text": plain(each.text)}) for each in labelled.utterances]
    meeting = replace(labelled, utterances=tuple(said))
    index = LexicalIndex(said)
    methods: dict[int, PlainEvidence] = {}
    for number, question in enumerate(meeting.questions):
        if not question.evidence:
            continue
        for delay in DELAYS:
            heard = len(said)
            if delay is not None:
                heard = min(heard, max(question.evidence) + 1 + delay)
            if heard not in methods:
                methods[heard] = PlainEvidence(labelled.utterances[:heard])
            method = methods[heard]
            for budget in (_SMALL, _LARGE) if delay is None else (_SMALL,):
                brief = briefing(
                    question.text, said[:heard], [], budget, tokenizer, index, over=heard == len(said)
                )
                ours = _recall(meeting.utterances, question, _carried(brief, said))
                if vectors is not None:
                    over = heard == len(said)
                    close = vectors.close(number, heard, over=over)
                    both = briefing(
                        question.text, said[:heard], [], budget, tokenizer, index, over=over, close=close
                    )
                    hybrid = _recall(meeting.utterances, question, _carried(both, said))
                    if budget == _SMALL:
                        delayed[delay].hybrid.append(hybrid)
                    if delay is None:
                        at_end[budget].hybrid.append(hybrid)
                        alone = method.by_rank(close, budget)
                        at_end[budget].dense.append(_recall(labelled.utterances, question, alone))
                if delay is None:
                    at_end[budget].ours.append(ours)
                    shown = method.smoothed(question.text, budget)
                    at_end[budget].plain.append(_recall(labelled.utterances, question, shown))
                if budget == _SMALL:
                    delayed[delay].ours.append(ours)
                    shown = method.with_newest(question.text, budget)
                    delayed[delay].plain.append(_recall(labelled.utterances, question, shown))


def _recall(utterances: Sequence[Utterance], question: LabelledQuestion, shown: Iterable[int]) -> float:
    there = set(shown)
    words = {place: len(utterances[place].text.split()) for place in question.evidence}
    return sum(count for place, count in words.items() if place in there) / (sum(words.values()) or 1)


def _carried(brief: Briefing, utterances: Sequence[Utterance]) -> Iterable[int]:
    shown = _triples(brief.text)
    for id_ in brief.utterances:
        own = _triples(utterances[id_ - 1].text)
        if len(own & shown) >= _CARRIED * len(own):
            yield id_ - 1


def _triples(text: str) -> set[tuple[str, str, str]]:
    words = text.split()
    return set(zip(words, words[1:], words[2:], strict=False))


def _when(delay: int | None) -> str:
    if delay is None:
        return "at the end"
    return f"{delay} turns after its evidence" if delay else "right after its evidence"
