"""Korean terms for BM25: our syllable pairs, with and without coarse twins, beside Kiwi's morphemes.

`python -m tests.bench ko-terms --data DIR`, over National Assembly minutes: of each fifth longer turn five words are a
question, their order shuffled and their particles changed for others, and the turn is to be found again
among all turns of its sitting. Found by construction, so no labels are needed and none can be tuned to; it
says which terms survive inflection and mishearing, not what people ask. Kiwi (kiwipiepy, 120 MB) is no
dependency: its rows are there where it is importable, as in `PYTHONPATH=FOLDER moim bench ko-terms …`.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from context.retrieval.lexical import exact_terms, terms
from tests.bench.figures import Figure, timed
from worker.errors import InputError

Terms = Callable[[str], Sequence[str]]
_SITTINGS: Final = 12
_LEAST_WORDS: Final = 12
_EVERY: Final = 5
_KEPT: Final = 5
_GARBLED: Final = 0.25
_PARTICLES: Final = (
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "에",
    "에서",
    "으로",
    "로",
    "의",
    "도",
    "까지",
    "부터",
    "와",
    "과",
)
_ENDING: Final = re.compile(rf"(?<=[가-힣]{{2}})(?:{'|'.join(sorted(_PARTICLES, key=len, reverse=True))})$")
_CONTENT: Final = frozenset({"NNG", "NNP", "NR", "SN", "SL", "VV", "VA", "XR", "MAG"})
_FINALS: Final = 28


def ko_terms(data: Path | None) -> list[Figure]:
    """Found first, and among the first five; and what the terms cost."""
    if data is None:
        raise InputError("moim bench ko-terms: give a folder of meetings with --data DIR")
    sittings = _sittings(data)
    ways: dict[str, Terms] = {
        "words as they stand": lambda text: re.findall(r"[가-힣]+|[a-z]+|\d+", text.lower()),
        "syllable pairs": _pairs,
        "syllable pairs and coarse twins (Moim's)": terms,
    }
    if importlib.util.find_spec("kiwipiepy") is not None:
        ways["Kiwi's morphemes"] = _kiwi()
    rows = {name: _measured(sittings, way) for name, way in ways.items()}
    plain = rows["words as they stand"]
    figures: list[Figure] = []
    for place, what in enumerate(
        (
            "inflected, the turn first",
            "inflected, among five",
            "misheard too, the turn first",
            "misheard too, among five",
        )
    ):
        figures += [
            Figure(
                f"{what}: {name}",
                row[0][place],
                "of the questions",
                None,
                "words as they stand",
                plain[0][place],
                f"{row[2]} questions",
            )
            for name, row in rows.items()
        ]
    return [
        *figures,
        *(
            Figure(f"CPU of the terms of 1,000 characters: {name}", row[1], "ms")
            for name, row in rows.items()
        ),
    ]


def _pairs(text: str) -> list[str]:
    return exact_terms(text)


def _kiwi() -> Terms:
    kiwi: Any = importlib.import_module("kiwipiepy").Kiwi(num_workers=1)

    def morphemes(text: str) -> list[str]:
        return [
            token.form.lower() for token in kiwi.tokenize(text[:4000]) if token.tag.split("-")[0] in _CONTENT
        ]

    return morphemes


def _sittings(data: Path) -> list[list[str]]:
    found: list[list[str]] = []
    for name in ("qblock_dev", "concat_dev"):
        path = next(
            (p for p in (data / "kna" / f"{name}.jsonl.gz", data / f"{name}.jsonl.gz") if p.is_file()), None
        )
        if path is None:
            raise InputError(f"{data}: no kna/{name}.jsonl.gz there")
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            found += [
                json.loads(line)["utterances"] for _, line in zip(range(_SITTINGS // 2), lines, strict=False)
            ]
    return found


def _measured(sittings: Sequence[Sequence[str]], way: Terms) -> tuple[list[float], float, int]:
    hits: list[list[bool]] = [[], [], [], []]
    spent_s, characters = 0.0, 0
    for turns in sittings:
        listed, took_s = timed(_listed, turns, way)
        spent_s, characters = spent_s + took_s, characters + sum(map(len, turns))
        index = _Index(listed)
        for place, question, misheard in _questions(turns):
            for at, text in ((0, question), (2, misheard)):
                ranks = index.ranked(way(text))
                hits[at].append(bool(ranks[:1]) and ranks[0] == place)
                hits[at + 1].append(place in ranks[:5])
    return [float(np.mean(found)) for found in hits], 1e6 * spent_s / characters, len(hits[0])


def _listed(turns: Sequence[str], way: Terms) -> list[list[str]]:
    return [list(way(turn)) for turn in turns]


def _questions(turns: Sequence[str]) -> list[tuple[int, str, str]]:
    """Place, inflected question, the same misheard."""
    found = []
    for place in range(0, len(turns), _EVERY):
        words = re.findall(r"[가-힣]{2,}", turns[place])
        if len(words) < _LEAST_WORDS:
            continue
        chance = random.Random(place)
        kept = chance.sample(words, _KEPT)
        asked = [_inflected(word, chance) for word in kept]
        found.append((place, " ".join(asked), " ".join(_misheard(word, chance) for word in asked)))
    return found


def _inflected(word: str, chance: random.Random) -> str:
    bare = _ENDING.sub("", word)
    return bare + chance.choice(_PARTICLES) if bare != word else word


def _misheard(word: str, chance: random.Random) -> str:
    """Some syllables lose their final, or get another: what a small speech model does."""
    return "".join(
        chr(ord(char) - (ord(char) - 0xAC00) % _FINALS + chance.choice((0, 0, 4, 8, 21)))
        if "가" <= char <= "힣" and chance.random() < _GARBLED
        else char
        for char in word
    )


class _Index:
    """BM25."""

    def __init__(self, listed: Sequence[Sequence[str]]) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for place, found in enumerate(listed):
            for term, often in Counter(found).items():
                self._postings.setdefault(term, []).append((place, often))
        lengths = np.array([len(found) for found in listed], dtype=float)
        self._norms = 1.2 * (0.25 + 0.75 * lengths / max(1.0, float(lengths.mean())))

    def ranked(self, asked: Sequence[str]) -> list[int]:
        """The best five, best first."""
        scores = np.zeros(len(self._norms))
        for term in dict.fromkeys(asked):
            posting = self._postings.get(term, ())
            value = math.log(1 + (len(scores) - len(posting) + 0.5) / (len(posting) + 0.5))
            for place, often in posting:
                scores[place] += value * often * 2.2 / (often + self._norms[place])
        return [int(place) for place in np.argsort(-scores, kind="stable")[:5] if scores[place] > 0]
