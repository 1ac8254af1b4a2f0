"""Training of what a sentence does, cross-validated by meetings.

First the weights of letters and words, one act against all else; then the trees that read a sentence in its
place, on what the first step says of sentences that it had not seen. A label names utterances: at each
round its sentence that looks most like the act counts most (learning from several instances, of which one at
least is positive).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from context.language.said import split_utterance
from context.reading import acts
from context.reading.acts import OWN, SETTLING, WIDTH, OwnWords, surroundings
from context.reading.linear import Trees, features_of
from tests.training import trees
from tests.training.made_rows import made_rows
from tests.training.meetings import DATA, utterances
from tests.training.talk import Talk, talks

FOLDS = 6
_ROUNDS = 3
_STRENGTH = 4.0
_POSITIVE = 3.0
"""A sentence that does it counts so many times one that doesn't: they are few."""
_LEAST = 0.3
"""A sentence of a label is taken for it where it is at least so much as likely as the likeliest."""
_HARDLY = 0.02
_OF_PARTS = 0.5
"""A row with little around it counts so much."""
_LONGEST_PART = 12
_MADE = 2400
"""Rows that are made by filling in."""
_UNSURE = 0.3
"""What the labeller was unsure of counts so much of what was sure."""
_HOW = {"n_estimators": 160, "colsample_bytree": 0.4, "reg_lambda": 3.0}

Floats = NDArray[np.float64]
Signals = NDArray[np.float32]


class Samples:
    """All sentences of all meetings, one after the other."""

    def __init__(self, meetings: Sequence[Talk]) -> None:
        self.meetings = meetings
        self.starts = np.cumsum([0, *(len(talk.said) for talk in meetings)])
        self.fold = np.repeat(
            [crc32(talk.group.encode()) % FOLDS for talk in meetings], [len(talk.said) for talk in meetings]
        )
        self.bags: dict[str, list[tuple[list[int], float]]] = {act: [] for act in OWN}
        """By act: of each label its sentences, and how much it counts."""
        self.unknown = {act: np.zeros(len(self), dtype=bool) for act in OWN}
        self.unknown["courtesy"][:] = True  # told by rows alone
        for start, talk in zip(self.starts.tolist(), meetings, strict=False):
            self._read(start, talk)

    def __len__(self) -> int:
        return int(self.starts[-1])

    def texts(self) -> list[str]:
        return [sentence.text for talk in self.meetings for sentence in talk.said]

    def _read(self, start: int, talk: Talk) -> None:
        if not talk.is_whole:
            for act in ("proposal", "acceptance", "rejection"):
                self.unknown[act][start : start + len(talk.said)] = True
        for label in talk.labels:
            places = [start + i for i, each in enumerate(talk.said) if each.utterance.id in label.lines]
            if places:
                self.bags[label.act].append((places, 1.0 if label.sure else _UNSURE))


def train(folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Write the weights and the trees; their scores."""
    samples = Samples(talks(folders))
    table, rarity = _table(samples.texts())
    rows, row_table = _rows(rarity)
    own = np.zeros((len(samples), len(OWN)), dtype=np.float32)
    weights = np.zeros((WIDTH, len(OWN)), dtype=np.float32)
    bias = np.zeros(len(OWN), dtype=np.float32)
    for place, act in enumerate(OWN):
        held, whole = _first_step(act, samples, table, rows, row_table)
        own[:, place] = held
        weights[:, place], bias[place] = whole.coef_[0], whole.intercept_[0]
    size = _keep_words(OwnWords(rarity, weights, bias))
    signals = _signals(samples, own)
    parts = _in_parts(samples, own)
    alone = _alone(OwnWords(rarity, weights, bias))
    kept: dict[str, Trees] = {}
    likely: dict[str, Floats] = {}
    for act in SETTLING:
        held, kept[f"{act}_"] = _second_step(act, samples, own[:, OWN.index(act)], signals, parts, alone)
        likely[act] = held
    size += trees.kept(kept, acts.IN_TALK)
    return {
        "meetings": len(samples.meetings),
        "sentences": len(samples),
        "bytes": size,
        **figures(samples, likely, own),
    }


def _table(texts: Sequence[str]) -> tuple[sp.csr_matrix, NDArray[np.float32]]:
    found = [features_of(text, WIDTH, with_endings=True) for text in texts]
    have = np.zeros(WIDTH)
    for features, _ in found:
        have[features] += 1
    rarity = (np.log((1 + len(texts)) / (1 + have)) + 1).astype(np.float32)
    rarity[have < 2] = 0
    return _weighed(found, rarity), rarity


def _weighed(found: Sequence[tuple[Any, Any]], rarity: NDArray[np.float32]) -> sp.csr_matrix:
    starts = np.cumsum([0, *(len(features) for features, _ in found)])
    values = [often * rarity[features] for features, often in found]
    cells = np.concatenate([each / (np.linalg.norm(each) or 1.0) for each in values])
    columns = np.concatenate([features for features, _ in found])
    return sp.csr_matrix((cells, columns, starts), shape=(len(found), WIDTH))


def _rows(rarity: NDArray[np.float32]) -> tuple[list[str], sp.csr_matrix]:
    """The acts of single rows, and their table. They are in no fold: nobody is scored on them."""
    found = [
        json.loads(line)
        for name in ("acts.jsonl", "acts_of_rules.jsonl", "courtesies.jsonl")
        for line in (DATA / "labels" / "rows" / name).read_text("utf-8").splitlines()
    ]
    rows = [(each["text"], each["act"]) for each in found] + list(made_rows(_MADE))
    table = _weighed([features_of(text, WIDTH, with_endings=True) for text, _ in rows], rarity)
    return [act for _, act in rows], table


def _first_step(
    act: str, samples: Samples, table: sp.csr_matrix, rows: Sequence[str], row_table: sp.csr_matrix
) -> tuple[Floats, LogisticRegression]:
    counts = _even(samples, act)
    held = np.zeros(len(samples))
    if act == "courtesy":  # the weak teacher's rows; other rows' acts are none
        said = np.array([each == act for each in rows])
        whole = LogisticRegression(C=_STRENGTH, solver="liblinear").fit(row_table, said)
        return whole.decision_function(table), whole

    def fit(seen: NDArray[np.bool_]) -> LogisticRegression:
        gold, other = seen & (counts > 0), seen & (counts == 0) & ~samples.unknown[act]
        known = np.array([each != "courtesy" for each in rows])
        said = np.array([each == act for each in rows])[known]
        return LogisticRegression(C=_STRENGTH, max_iter=60, solver="liblinear").fit(
            sp.vstack([table[gold], table[other], row_table[known]]),
            np.concatenate([np.ones(gold.sum()), np.zeros(other.sum()), said]),
            sample_weight=np.concatenate(
                [_POSITIVE * counts[gold], np.ones(other.sum()), np.where(said, _POSITIVE / 2, 1.0)]
            ),
        )

    for _ in range(_ROUNDS):
        for fold in range(FOLDS):
            held[samples.fold == fold] = fit(samples.fold != fold).decision_function(
                table[samples.fold == fold]
            )
        counts = _likeliest(samples, act, held)
    return held, fit(np.ones(len(samples), dtype=bool))


def _second_step(  # noqa: PLR0917 -- what is trained on comes from four sides
    act: str,
    samples: Samples,
    first: Floats,
    signals: Signals,
    parts: Signals,
    alone: tuple[Signals, list[str]],
) -> tuple[Floats, Trees]:
    """The chances of sentences in meetings that were not seen, and trees of all.

    `parts`: the same sentences with less of the talk around them. `alone`: sentences without any, and their acts.
    """
    held = first.astype(float)
    by_itself, acts_alone = alone
    gold_alone = np.array([each == act for each in acts_alone])
    for _ in range(_ROUNDS - 1):
        counts = _likeliest(samples, act, held)
        gold = counts > _HARDLY
        use = ~samples.unknown[act] & ((counts == 0) | gold)
        weight = np.where(gold, 2 * counts, 1.0)

        def fit(seen: NDArray[np.bool_], weight: Floats = weight, gold: NDArray[np.bool_] = gold) -> Trees:
            return trees.told_apart(
                np.concatenate([signals[seen], parts[seen], by_itself]),
                np.concatenate([gold[seen], gold[seen], gold_alone]),
                np.concatenate([weight[seen], _OF_PARTS * weight[seen], np.full(len(by_itself), _OF_PARTS)]),
                **_HOW,
            )

        held = np.zeros(len(samples))
        for fold in range(FOLDS):
            out = samples.fold == fold
            held[out] = fit(use & ~out).scores(signals[out])
    scale = LogisticRegression(C=1e3).fit(held[use][:, None], gold[use])
    slope, shift = float(scale.coef_[0, 0]), float(scale.intercept_[0])
    return 1 / (1 + np.exp(-(slope * held + shift))), trees.scaled(fit(use), slope, shift)


def _even(samples: Samples, act: str) -> Floats:
    counts = np.zeros(len(samples))
    for bag, much in samples.bags[act]:
        counts[bag] = np.maximum(counts[bag], much * len(bag) ** -0.5)
    return counts


def _likeliest(samples: Samples, act: str, sums: Floats) -> Floats:
    """How much each sentence counts for the act: 1 for a label's likeliest, hardly anything for its others."""
    counts = np.zeros(len(samples))
    for bag, much in samples.bags[act]:
        beside = np.exp(sums[bag] - sums[bag].max())
        counts[bag] = np.maximum(counts[bag], np.where(beside > _LEAST, much * beside, _HARDLY / 2))
    return counts


def _signals(samples: Samples, own: NDArray[np.float32]) -> Signals:
    return np.concatenate(
        [
            surroundings(talk.said, own[start : start + len(talk.said)])
            for start, talk in zip(samples.starts.tolist(), samples.meetings, strict=False)
            if len(talk.said)
        ]
    )


def _in_parts(samples: Samples, own: NDArray[np.float32]) -> Signals:
    """The same rows, as they are where little has been said: meetings cut into short stretches."""
    dice = np.random.default_rng(0)
    rows: list[Signals] = []
    for start, talk in zip(samples.starts.tolist(), samples.meetings, strict=False):
        at = 0
        while at < len(talk.said):
            end = min(len(talk.said), at + int(dice.integers(1, _LONGEST_PART)))
            rows.append(surroundings(talk.said[at:end], own[start + at : start + end]))
            at = end
    return np.concatenate(rows)


def _alone(words: OwnWords) -> tuple[Signals, list[str]]:
    """Plain sentences with nothing around them."""
    made = list(made_rows(_MADE, seed=1))
    said = [
        sentence
        for text, _ in made
        for sentence in split_utterance(utterances([{"speaker": "a", "text": text}])[0])[:1]
    ]
    rows = [surroundings([each], words.log_odds(each.text)[None]) for each in said]
    return np.concatenate(rows), [act for _, act in made]


def _keep_words(words: OwnWords) -> int:
    with acts.BY_ITSELF.open("wb") as file:
        np.savez_compressed(
            file,
            rarity=words.rarity.astype(np.float16),
            weights=words.weights.astype(np.float16),
            bias=words.bias,
        )
        return file.tell()


def figures(samples: Samples, likely: dict[str, Floats], own: NDArray[np.float32]) -> dict[str, Any]:
    """Precision and recall of decisions and tasks at several thresholds, by kind of meeting."""
    table = np.stack([likely[act] for act in SETTLING], axis=1)
    likely = dict(zip(SETTLING, acts.with_outright(table, own).T, strict=True))
    parts = {
        "teams ko": lambda talk: talk.is_team and talk.language == "ko",
        "teams en": lambda talk: talk.is_team and talk.language == "en",
        "teams": lambda talk: talk.is_team,
        "teams, excerpts": lambda talk: talk.is_team and not talk.set.startswith(("trials", "labels")),
        "develop-7": lambda talk: talk.set in {"develop-7", "after-7-teams"},
        "develop-8": lambda talk: talk.set == "develop-8",
        "after-8-teams": lambda talk: talk.set == "after-8-teams",
        "labels-ko": lambda talk: talk.set == "labels-ko",
        "labels-en": lambda talk: talk.set == "labels-en",
        "qmsum": lambda talk: talk.id.startswith(("ami", "com", "icsi")),
        "held-out-2": lambda talk: talk.set == "held-out-2",
    }
    scores: dict[str, Any] = {
        name: {str(least): _score(samples, likely, chosen, least) for least in (0.6, 0.65, 0.7, 0.8)}
        for name, chosen in parts.items()
    }
    scores["open points, teams"] = {
        str(least): _score(samples, likely, parts["teams"], least, [("open", "decision")])
        for least in (0.2, 0.3, 0.4, 0.5)
    }
    return scores


def _score(
    samples: Samples,
    likely: dict[str, Floats],
    chosen: Any,
    least: float,
    acts: Sequence[tuple[str, str]] = (("decision", "task"), ("task", "decision")),
) -> list[Any]:
    """Precision, recall and how many labels; `acts`: each with the one that it must be likelier than."""
    right = wrong = hit = of = 0
    for start, talk in zip(samples.starts.tolist(), samples.meetings, strict=False):
        if not chosen(talk):
            continue
        lines = [each.utterance.id for each in talk.said]
        odds = {act: likely[act][start : start + len(lines)] for act in SETTLING}
        for act, other in acts:
            labels = [label for label in talk.labels if label.act == act]
            left = [label for label in labels if label.sure]
            of += len(left)
            for line in _picked(lines, odds[act], odds[other], least):
                touched = [label for label in labels if line in label.lines]
                right += any(label.sure for label in touched)
                wrong += not touched
                found = next((label for label in left if line in label.lines), None)
                if found is not None:
                    left.remove(found)
                    hit += 1
    return [round(right / max(1, right + wrong), 3), round(hit / max(1, of), 3), of]


def _picked(lines: Sequence[int], odds: Floats, others: Floats, least: float) -> list[int]:
    """The likeliest of the lines, no two side by side, that are likelier than the other act."""
    picked: list[int] = []
    for place in np.argsort(-odds, kind="stable").tolist():
        if odds[place] < least:
            break
        if odds[place] >= others[place] and all(abs(lines[place] - line) > 1 for line in picked):
            picked.append(lines[place])
    return picked
