"""Key points of the engine without a language model, against hand marks of what is worth a note.

A key point is right where its last sentence is marked as noteworthy, or settles something: then the lists have
missed it. A noteworthy sentence is found where a key point ends in it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

from context.language.spoken_sentences import split_utterances
from tests.bench.decisions import Excerpt, Score, folded
from tests.bench.figures import Figure

LABELS: Final = Path(__file__).parents[2] / "tests" / "data" / "key_points"
PRECISION: Final = 0.85
RECALL: Final = 0.60


def key_points(data: Path | None = None) -> list[Figure]:
    """Precision and recall of key points, by half and language."""
    folder = data / "key_points" if data is not None and (data / "key_points").is_dir() else LABELS
    totals: dict[str, Score] = defaultdict(Score)
    for path in sorted(folder.glob("*.json")):
        found = json.loads(path.read_text("utf-8"))
        for part in (found["split"], f"{found['split']}, {found['language']}"):
            totals[part] += _score(found)
    return [figure for part, score in sorted(totals.items()) for figure in _figures(part, score)]


def _score(found: dict[str, Any]) -> Score:
    lines = tuple((line["speaker"], line["text"]) for line in found["lines"])
    meeting = folded(Excerpt(found["id"], found["split"], found["language"], lines, labels=()))
    noteworthy, settled, unsure = (
        {(each["line"], each["text"]) for each in found[kind]} for kind in ("noteworthy", "settled", "unsure")
    )
    told: set[tuple[int, str]] = set()
    for point in (point for segment in meeting.segments for point in segment.notes.key_points):
        last = point.text.splitlines()[-1]
        said = split_utterances([meeting.utterances[point.evidence[-1] - 1]])
        told.add(next((each.utterance.id, each.text) for each in reversed(said) if last.endswith(each.text)))
    right, hit = len(told & (noteworthy | settled)), len(told & noteworthy)
    wrong = len(told - noteworthy - settled - unsure)
    return Score(right=right, wrong=wrong, hit=hit, missed=len(noteworthy) - hit)


def _figures(part: str, score: Score) -> list[Figure]:
    shares = (
        ("precision", score.precision, PRECISION, score.right, score.right + score.wrong),
        ("recall", score.recall, RECALL, score.hit, score.hit + score.missed),
    )
    return [
        Figure(f"key points, {name} ({part})", share, "", goal, note=f"{count} of {all_}", at_least=True)
        for name, share, goal, count, all_ in shares
    ]
