"""`python -m tests.bench answer-cache`: what it reads, and what it says of a cache that would serve anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from context.ports import Refused
from tests.bench import answer_cache
from worker.errors import InputError


def test_a_folder_without_pairs_leaves_our_own(tmp_path: Path) -> None:
    assert answer_cache.read(tmp_path) == answer_cache.read()


def test_broken_pairs_are_named(tmp_path: Path) -> None:
    for name in ("near_misses", "paraphrases"):
        (tmp_path / f"{name}.jsonl").write_text('{"stored": "a"}\n', "utf-8")
    with pytest.raises(InputError, match="near_misses"):
        answer_cache.read(tmp_path)


def test_figures_without_an_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(self: object, text: str) -> None:
        raise Refused("not installed")

    monkeypatch.setattr("worker.embeddings.embedding_client.OwnEmbedder.embed_query", away)
    row = '"language": "en", "split": "fresh"'
    (tmp_path / "near_misses.jsonl").write_text(
        f'{{{row}, "guard": "topic", "stored": "Who builds the login page?", "asked": "Who builds the cart?"}}\n',
        "utf-8",
    )
    (tmp_path / "paraphrases.jsonl").write_text(
        f'{{{row}, "stored": "What was decided?", "asked": "What did we decide?"}}\n', "utf-8"
    )
    figures = {figure.name: figure for figure in answer_cache.answer_cache(tmp_path)}
    assert figures["near-misses served (fresh)"].value == 0.0
    assert figures["paraphrases hit (fresh)"].value == 0.0, "other words are a matter of vectors"
    assert figures["paraphrases hit (fresh)"].baseline_value is None
    assert "paraphrases hit (develop)" not in figures
