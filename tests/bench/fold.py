"""What an utterance costs the fold, and what it costs beside the fold, in a short and in a long meeting."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from typing import Final

from context.budgets.tokens import ExactTokenizer
from context.events import effects, events
from context.fold.meeting import Meeting
from tests.bench.corpus import spoken
from tests.bench.figures import Figure, percentile, timed
from tests.bench.lives import grown, summary

LONG: Final = 20_000
SHORT: Final = 100
_MEASURED: Final = 1000
_RUNS: Final = 5
_US: Final = 1_000_000.0
_CPU: Final = "CPU time"


@dataclass(frozen=True, slots=True)
class Costs:
    """µs of CPU time, one entry each."""

    utterances: list[float] = field(default_factory=list)
    """To fold an utterance."""
    returned: list[float] = field(default_factory=list)
    """To fold what comes back for it: summaries, topics that were found."""
    beside: list[float] = field(default_factory=list)
    """Beside the fold: to score topics and to count speakers and tokens."""


def fold() -> list[Figure]:
    """Folding one utterance at 100 and at 20,000 utterances: p99 of 1,000 of them each, in five runs."""
    tokenizer = ExactTokenizer()
    tokenizer.count("warm up")
    short = costs(grown(SHORT, tokenizer), SHORT)
    long = costs(grown(LONG, tokenizer), LONG)
    lines = [event.text for event in spoken(_MEASURED)]
    count_us = percentile([timed(tokenizer.count, line)[1] * _US for line in lines], 0.99)
    count = "one exact token count of the same line, p99"
    short_p99, long_p99 = (percentile(each.utterances, 0.99) for each in (short, long))
    return [
        Figure("fold an utterance, p99, at 100", short_p99, "µs", 200, count, count_us, _CPU),
        Figure("fold an utterance, p99, at 20,000", long_p99, "µs", 200, count, count_us, _CPU),
        Figure(
            "growth of that from 100 to 20,000",
            long_p99 / short_p99,
            "×",
            1.3,
            note=f"medians {_median(short.utterances):.0f} and {_median(long.utterances):.0f} µs; {_CPU}",
        ),
        Figure(
            "fold what comes back (summaries, topics), p99, at 20,000",
            percentile(long.returned, 0.99),
            "µs",
            note=f"{len(long.returned)} of them, median {_median(long.returned):.0f}; {_CPU}",
        ),
        Figure(
            "beside the fold (topics, speakers, tokens), mean, at 20,000",
            sum(long.beside) / len(long.beside),
            "µs",
            note=f"p99 {percentile(long.beside, 0.99):.0f} µs; no utterance waits for it; {_CPU}",
        ),
    ]


def costs(meeting: Meeting, size: int) -> Costs:
    """The costs of 1,000 utterances on top of `size` of them, each the median of five runs.

    The fold is deterministic, so what differs between the runs is the machine: who else computes on it.
    """
    state, archive = meeting.snapshot(), list(meeting.utterances)
    runs = []
    for _ in range(_RUNS):
        again = Meeting.restore(
            meeting.meeting_id, meeting.config, state, archive, tokenizer=meeting.tokenizer
        )
        runs.append(_run(again, size))
    return Costs(
        *(
            [_median(list(times)) for times in zip(*lists, strict=True)]
            for lists in zip(*((run.utterances, run.returned, run.beside) for run in runs), strict=True)
        )
    )


def _run(meeting: Meeting, size: int) -> Costs:
    found = Costs()
    gc.collect()
    gc.disable()  # a collection is the process's cost, not the fold's
    try:
        for event in spoken(_MEASURED, first=size + 1):
            _take(meeting, event, found, found.utterances)
    finally:
        gc.enable()
    return found


def _take(meeting: Meeting, event: events.Event, found: Costs, times: list[float]) -> None:
    wanted, took_s = timed(meeting.receive, event)
    times.append(took_s * _US)
    for effect in wanted:
        if isinstance(effect, effects.Summarise):
            _take(meeting, summary(effect), found, found.returned)
        elif isinstance(effect, effects.ScoreTopics):
            _score(meeting, found)


def _score(meeting: Meeting, found: Costs) -> None:
    steps = meeting.changes.score()
    while meeting.changes.boundaries.detector.heard < len(meeting.utterances):
        boundary, took_s = timed(next, steps, None)
        _, counting_s = timed(meeting.catch_up)
        found.beside.append((took_s + counting_s) * _US)
        if boundary is not None:
            _take(meeting, boundary, found, found.returned)


def _median(values: list[float]) -> float:
    return percentile(values, 0.5)
