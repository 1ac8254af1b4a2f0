"""`python -m tests.bench answers` on three small meetings of QMSum's shape."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench import answers as bench
from worker.errors import InputError

TALK = {
    ("ES1", "Product"): ("remote control", "The rubber buttons of the remote control cost four euros each."),
    ("Bed1", "Academic"): (
        "speech overlap",
        "The transcribers mark speech overlap in the digits recordings.",
    ),
    ("edu1", "Committee"): ("teacher training", "We fund teacher training in every school of Wales."),
}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = []
    for (id_, domain), (topic, line) in TALK.items():
        turns = [
            {"speaker": "A" if number % 2 else "B", "content": f"{line} Point {number} of it."}
            for number in range(120)
        ]
        asked = {
            "query": f"What did they say about {topic}?",
            "answer": "",
            "relevant_text_span": [["3", "9"]],
        }
        rows.append(
            {
                "id": id_,
                "domain": domain,
                "meeting_transcripts": turns,
                "topic_list": [],
                "specific_query_list": [asked],
            }
        )
    (tmp_path / "val.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    monkeypatch.setattr(bench, "vector_maker", lambda _cache: None)
    return tmp_path


def test_every_meeting_is_found(data: Path) -> None:
    figures = {figure.name: figure for figure in bench.answers(data)}
    first = next(figure for name, figure in figures.items() if name.startswith("the right meeting first"))
    recall = next(figure for name, figure in figures.items() if name.startswith("evidence recall"))
    assert (first.value, first.baseline_value) == (1.0, 1.0)
    assert recall.value > 0.9


def test_without_data_it_says_what_it_needs() -> None:
    with pytest.raises(InputError, match="--data DIR"):
        bench.answers(None)
