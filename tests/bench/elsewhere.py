"""Passages of other meetings: whether unrelated ones stay out, and whether those that answer come in.

Each trial of `tests/data/trials` is a meeting of its own, all of one tenant. A question that names what it is
about is asked in its own meeting, where whatever comes from elsewhere is unrelated, and in another one, where
the passage with the needed line is what should come. Retrieval is the product's own, by words and, where the
packaged model is installed, by vectors. The baseline is the same retrieval without the floor
(`context.corpora.sources.unrelated`).
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Final

from context.budgets.tokens import ExactTokenizer
from context.corpora.passage import Passage, Query
from context.retrieval.question_subject import topic_words
from tests.bench.ablation import folded
from tests.bench.evidence_vectors import vector_maker
from tests.bench.figures import Figure
from tests.bench.meeting_passages import KeptEmbedder, MeetingPassages
from tests.bench.needed import joined, trials
from worker.configuration.settings import Settings
from worker.passages.retrieving import CorporaRetriever

_EVERY: Final = 3
"""One question in so many is asked."""
_NAMES_IT: Final = 2
"""Topic words from which on a question stands by itself."""


@dataclass(slots=True)
class Tally:
    """What came from elsewhere."""

    unrelated: list[int] = field(default_factory=list)
    """Passages, by question that its own meeting answers."""
    strangers: list[int] = field(default_factory=list)
    """Passages of neither meeting, by question that another meeting answers."""
    answering: list[bool] = field(default_factory=list)
    """Whether the passage with the needed line came, where another meeting has it."""


def elsewhere(_data: Path | None = None) -> list[Figure]:
    """Unrelated passages a question, and answering ones that come, beside the same without the floor."""
    maker = vector_maker(Settings.load().process.cache_dir)
    figures: list[Figure] = []
    for name, embedder in (
        ("by words", None),
        *([("with vectors", KeptEmbedder(maker))] if maker is not None else []),
    ):
        print(f"elsewhere: {name} …", file=sys.stderr, flush=True)
        with_floor, without = asyncio.run(_asked(embedder))
        for what, mine, before in (
            ("unrelated passages, asked in its own meeting", with_floor.unrelated, without.unrelated),
            ("unrelated passages, asked in another meeting", with_floor.strangers, without.strangers),
            ("answering passage found, asked in another", with_floor.answering, without.answering),
        ):
            figures.append(
                Figure(
                    f"{what}, {name}",
                    fmean(mine),
                    "",
                    baseline="without the floor",
                    baseline_value=fmean(before),
                    note=f"{len(mine)} questions",
                )
            )
    return figures


async def _asked(embedder: KeptEmbedder | None) -> tuple[Tally, Tally]:
    labelled = [joined([trial]) for trial in trials()]
    languages = [trial["language"] for trial in trials()]
    passages = MeetingPassages([folded(each) for each in labelled], embedder)
    await passages.index()
    retriever = CorporaRetriever(passages, ExactTokenizer(), embedder=embedder)
    tallies = (Tally(), Tally())
    for place, meeting in enumerate(labelled):
        same = [
            each for each, language in zip(labelled, languages, strict=True) if language == languages[place]
        ]
        other = same[(same.index(meeting) + 1) % len(same)]
        asked = [each for each in meeting.questions if len(topic_words(each.text)) >= _NAMES_IT]
        for question in asked[::_EVERY]:
            needed = max(question.evidence) + 1
            for tally, is_question in zip(tallies, (True, False), strict=True):
                query = Query(text=question.text, meeting_id=meeting.id, is_question=is_question)
                found = _foreign((await retriever.retrieve(query)).passages)
                tally.unrelated.append(len(found))
                query = query.model_copy(update={"meeting_id": other.id})
                found = _foreign((await retriever.retrieve(query)).passages)
                tally.strangers.append(sum(each.source_id != meeting.id for each in found))
                tally.answering.append(
                    any(each.source_id == meeting.id and needed in each.utterances for each in found)
                )
    return tallies


def _foreign(passages: Sequence[Passage]) -> list[Passage]:
    return [each for each in passages if each.corpus != "meeting"]
