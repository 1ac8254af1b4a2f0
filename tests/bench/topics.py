"""Topics, online, beside plain methods: QMSum's meetings and Korean assembly minutes, held-back ones first.

Nothing here needs a network or a model: the fold hears each meeting as `moim replay` would play it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from context.events import events
from context.events.effects import Effect
from context.fold.meeting import Meeting
from tests.bench import segmentation as seg
from tests.bench import splits
from tests.bench.figures import Figure
from worker.errors import InputError

_NOISE: Final = re.compile(r"\{[^}]*\}")
_GLUED: Final = 5
"""Turns outside of all topics that are glued to the topic before, where there are no more of them."""
_MS_A_WORD: Final = 400
"""150 words a minute."""
_GOALS: Final = {"comp": 0.56, "F1@10": 0.43, "Pk": 0.29}
_KO_GOALS: Final = {"concat": 0.65, "qblock": 0.60}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A meeting with its boundaries: 0-based turns at which a topic begins."""

    speakers: list[str]
    texts: list[str]
    gold: list[int]


def topics(data: Path | None) -> list[Figure]:
    """QMSum test, else val: comp, F1 within 10 turns, Pk, and topics found for each labelled one."""
    label, meetings = held_back(data)
    trained = splits.split(data, "qmsum", (splits.TRAIN,), splits.TRAIN)
    words = [[seg.english(text) for text in meeting.texts] for meeting in meetings]
    # The plain method's word weights: without a train split, of the very meetings; it is flattered.
    known = [[seg.english(t) for t in m.texts] for m in _meetings(trained, _qmsum)] if trained else words
    idf = seg.weights(known, block=10)
    found = [online(meeting) for meeting in meetings]
    plain = _best_plain(
        meetings, words, idf, 10, widths=(50, 100, 200, 400), gaps=(15, 30, 60, 90), by="comp"
    )
    ours = measured(meetings, [starts for starts, _ in found], 10)
    named = "lexical drop, causal, tuned on these meetings"
    figures = [
        Figure(f"{label}, {name}", ours[name], "", goal, named, plain[name], at_least=name != "Pk")
        for name, goal in _GOALS.items()
    ]
    return [*figures, *_common(label, ours, plain, found)]


def ko_topics(data: Path | None) -> list[Figure]:
    """National Assembly minutes, two stand-ins taking turns: F1 within 3 turns, Pk, the share of topics."""
    parts = {name: path for name in _KO_GOALS if (path := _sittings(data, name))}
    if not parts:
        raise InputError(f"--data {data}: neither kna/concat_*.jsonl.gz nor kna/qblock_*.jsonl.gz in it")
    figures: list[Figure] = []
    for name, path in parts.items():
        goal, meetings = _KO_GOALS[name], _meetings(path, _assembly)
        words = [[seg.korean(text) for text in meeting.texts] for meeting in meetings]
        found = [online(meeting) for meeting in meetings]
        plain = _best_plain(
            meetings,
            words,
            seg.weights(words, block=5),
            3,
            widths=(120, 240, 480),
            gaps=(5, 10, 20),
            by="F1@3",
        )
        ours = measured(meetings, [starts for starts, _ in found], 3)
        named = "lexical drop, causal, tuned on these meetings"
        figures += [
            Figure(f"{name}, F1@3", ours["F1@3"], "", goal, named, plain["F1@3"], at_least=True),
            Figure(f"{name}, Pk", ours["Pk"], "", None, named, plain["Pk"]),
            *_common(name, ours, plain, found),
        ]
    return figures


def online(
    meeting: Labelled,
    carry_out: Callable[[Sequence[Effect]], Sequence[events.Event]] = lambda _effects: (),
    *,
    judged: bool = False,
) -> tuple[list[int], int]:
    """Where the fold began topics (0-based turns), and the longest wait for a decision, in utterances.

    `carry_out` is handed the effects of each utterance, and gives the events that are due then. `judged`:
    whether it carries out `JudgeTopic`.
    """
    fold = Meeting("bench", judge=judged)
    fold.receive(events.MeetingStarted(at=datetime(2026, 1, 1, tzinfo=UTC)))
    spoken = 0
    for turn, (speaker, text) in enumerate(zip(meeting.speakers, meeting.texts, strict=True)):
        took = _MS_A_WORD * max(1, len(text.split()))
        effects = fold.receive(
            events.UtteranceSpoken(
                key=str(turn),
                speaker_id=speaker,
                speaker_name=speaker,
                text=text or "…",
                start_ms=spoken,
                end_ms=spoken + took,
            )
        )
        spoken += took
        for event in carry_out(effects):
            fold.receive(event)
    fold.receive(events.ClosingRequested(at_ms=spoken))
    wait = max((s.decided_after - s.start_utterance_id for s in fold.segments), default=0)
    return [s.start_utterance_id - 1 for s in fold.segments[1:]], wait


def _common(
    name: str, ours: dict[str, float], plain: dict[str, float], found: Sequence[tuple[list[int], int]]
) -> list[Figure]:
    waits = float(max(wait for _, wait in found))
    return [
        Figure(f"{name}, found per labelled", ours["found"], "×", 2.0, "the same method's", plain["found"]),
        Figure(f"{name}, longest wait for a decision", waits, "utterances", 40),
    ]


def _best_plain(
    meetings: Sequence[Labelled],
    words: Sequence[list[list[str]]],
    idf: dict[str, float],
    tolerance: int,
    *,
    widths: Sequence[int],
    gaps: Sequence[int],
    by: str,
) -> dict[str, float]:
    """The causal lexical drop with the parameters that suit these very meetings best: it is flattered."""
    best: dict[str, float] = {}
    for width in widths:
        curves = [seg.curve(spoken, width, idf) for spoken in words]
        for below in (0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3):
            for gap in gaps:
                found = [seg.drops(curve, below, gap) for curve in curves]
                this = measured(meetings, found, tolerance)
                if not best or this[by] > best[by]:
                    best = this
    return best


def measured(meetings: Sequence[Labelled], found: Sequence[list[int]], tolerance: int) -> dict[str, float]:
    """comp, F1 within `tolerance` turns, Pk and found per labelled."""

    def mean(measure: Callable[[Labelled, list[int]], float]) -> float:
        return sum(measure(m, f) for m, f in zip(meetings, found, strict=True)) / len(meetings)

    f1 = mean(lambda m, f: seg.f1(m.gold, f, tolerance))
    pk = mean(lambda m, f: seg.pk(m.gold, f, len(m.texts)))
    wd = mean(lambda m, f: seg.window_diff(m.gold, f, len(m.texts)))
    return {
        "comp": 0.5 * f1 + 0.25 * (1 - pk) + 0.25 * (1 - wd),
        f"F1@{tolerance}": f1,
        "Pk": pk,
        "found": sum(map(len, found)) / max(1, sum(len(m.gold) for m in meetings)),
    }


def held_back(data: Path | None) -> tuple[str, list[Labelled]]:
    """QMSum's test meetings, else those of val: what they are called, and themselves."""
    path = splits.demanded(data, "qmsum", ("test", "val"), "*")
    return f"QMSum {splits.name_of(path)}", _meetings(path, _qmsum)


def qmsum_meetings(data: Path | None, split: str) -> list[Labelled]:
    """QMSum's meetings of a split."""
    return _meetings(splits.demanded(data, "qmsum", (split,), split), _qmsum)


def assembly_meetings(data: Path | None, name: str) -> list[Labelled]:
    """`concat` or `qblock` of those one develops on, speakers hidden."""
    return _meetings(splits.demanded(data, "kna", (f"{name}_dev",), f"{name}_dev"), _assembly)


def _sittings(data: Path | None, name: str) -> Path | None:
    return splits.split(data, "kna", (f"{name}_test", f"{name}_dev"), f"{name}*")


def _meetings(path: Path, read: Callable[[Mapping[str, Any], int], Labelled]) -> list[Labelled]:
    meetings = list(splits.rows(path, read))
    if not meetings:
        raise InputError(f"{path}: no meeting in it")
    return meetings


def _qmsum(row: Mapping[str, Any], _number: int) -> Labelled:
    turns = row["meeting_transcripts"]
    count = len(turns)
    spans = sorted(
        (int(begin), min(int(end), count - 1), number)
        for number, topic in enumerate(row["topic_list"])
        for begin, end in topic["relevant_text_span"]
    )
    return Labelled(
        speakers=[turn["speaker"] for turn in turns],
        texts=[_NOISE.sub(" ", turn["content"]).strip() for turn in turns],
        gold=seg.boundaries(spans, count, _GLUED),
    )


def _assembly(row: Mapping[str, Any], _number: int) -> Labelled:
    texts = row["utterances"]
    return Labelled(
        speakers=["AB"[turn % 2] for turn in range(len(texts))],
        texts=texts,
        gold=[turn for turn in row["boundaries"] if turn > 0],
    )
