"""What lies in a `--data` folder: held-back meetings go first, one part alone is enough, junk is named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench import splits
from tests.bench.evidence import evidence
from tests.bench.figures import Figure
from tests.bench.topics import ko_topics, topics
from worker.errors import InputError

BUDGET = "The budget for the office and the rent is what we talk about, money again."
KEYS = "The keyboard has keys and a screen, the screen shows keys, number {}."
KO = ("예산과 임대료를 이야기하겠습니다. 예산이 부족합니다.", "시험 일정과 시험장은 어떻게 됩니까?")


def put(path: Path, *rows: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    written = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(written) if path.suffix == ".gz" else written)


def english() -> dict[str, Any]:
    turns = [BUDGET] * 30 + [KEYS.format(n) for n in range(30)]
    return {
        "meeting_transcripts": [{"speaker": "AB"[n % 2], "content": text} for n, text in enumerate(turns)],
        "topic_list": [
            {"topic": "budget", "relevant_text_span": [["0", "29"]]},
            {"topic": "keys", "relevant_text_span": [["30", "59"]]},
        ],
        "specific_query_list": [],
    }


def korean() -> dict[str, Any]:
    texts = [KO[0]] * 20 + [KO[1]] * 20
    return {"id": "1", "utterances": texts, "speakers": ["A"] * 40, "boundaries": [0, 20]}


def names(figures: list[Figure]) -> set[str]:
    return {figure.name.split(",")[0] for figure in figures}


def test_held_back_goes_before_what_one_develops_on(tmp_path: Path) -> None:
    for name in ("train", "other", "val", "test"):
        put(tmp_path / "qmsum" / f"{name}.jsonl.gz", english())
        found = splits.split(tmp_path, "qmsum", ("test", "val"), "*")
        assert (found and splits.name_of(found)) == (None if name == "train" else name)


@pytest.mark.parametrize("file", ["qmsum/val.jsonl.gz", "test.jsonl", "qmsum/heldback.jsonl.gz"])
def test_topics_need_no_train_split(tmp_path: Path, file: str) -> None:
    put(tmp_path / file, english())
    figures = topics(tmp_path)
    assert names(figures) == {f"QMSum {splits.name_of(Path(file))}"}
    assert all(figure.baseline_value is not None for figure in figures if "wait" not in figure.name)


@pytest.mark.parametrize(
    ("files", "parts"),
    [
        (("qblock_dev.jsonl.gz",), {"qblock"}),
        (("concat_test.jsonl.gz",), {"concat"}),
        (("concat_heldback.jsonl", "qblock_heldback.jsonl"), {"concat", "qblock"}),
    ],
)
def test_korean_topics_of_the_parts_there_are(
    tmp_path: Path, files: tuple[str, ...], parts: set[str]
) -> None:
    for file in files:
        put(tmp_path / "kna" / file, korean())
    assert names(ko_topics(tmp_path)) == parts


@pytest.mark.parametrize("measure", [topics, ko_topics, evidence])
def test_what_cannot_be_measured_on_is_named(tmp_path: Path, measure: Any) -> None:
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(InputError, match=str(folder)):
            measure(folder)
    for file in ("qmsum/val.jsonl.gz", "kna/concat_dev.jsonl.gz"):
        put(tmp_path / file, {"a": 1})
    with pytest.raises(InputError, match=r"(val|concat_dev)\.jsonl\.gz:1: not a labelled meeting"):
        measure(tmp_path)


def test_meetings_without_questions_have_no_evidence_to_find(tmp_path: Path) -> None:
    put(tmp_path / "qmsum" / "val.jsonl.gz", english())
    with pytest.raises(InputError, match="no specific question"):
        evidence(tmp_path)
