"""Training of what a sentence does, cross-validated by meetings.

First the weights of letters and words, one act against all else; then the trees that read a sentence in its
place, on what the first step says of sentences that it had not seen. A label names utterances: at each
round its sentence that looks most like the act counts most (learning from several instances, of which one at
least is positive). Single sentences with a label (`tests.training.act_rows`) teach both steps, the second one
between lines of small talk.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter
from zlib import crc32

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils.parallel import Parallel, delayed

from context.plain.statements import MIN_CHANCE
from context.reading import acts
from context.reading.acts import ACTS, FEATURE_BUCKETS, SETTLING_ACTS, ActHead, DialogueAct, context_signals
from context.reading.linear import Trees, feature_words, features_of
from tests.training import asking, trees
from tests.training.act_rows import Row, placed, read_rows
from tests.training.talk import Talk, exchanges, talks

FOLDS = 6
_ROUNDS = 2
_STRENGTH = 12.0
_PASSES = 60
_POSITIVE = 3.0
"""A sentence that does it counts so many times one that doesn't: they are few."""
_BALANCE = 0.5
"""All examples of an act together count so much of all others, though some acts are rare."""
_LEAST = 0.3
"""A sentence of a label is taken for it where it is at least so much as likely as the likeliest."""
_HARDLY = 0.02
_OF_PARTS = 0.5
"""A sentence of a meeting with little around it counts so much."""
_OF_PLACED = 1.0
"""So much does a row between lines of small talk, of which there are several."""
_OF_ROWS = 8.0
"""A labelled row counts so many times a sentence of a meeting, of which hardly any settles something."""
_OF_ROWS_IN_MEETINGS = 0.5
"""The same where meetings are to say how they talk, in which hardly a sentence settles something."""
_COMMON = 300
"""So many words make frames."""
_LONGEST_PART = 12
_UNSURE = 0.3
"""What the labeller was unsure of counts so much of what was sure."""
_HOW = {"n_estimators": 160, "colsample_bytree": 0.4, "reg_lambda": 3.0}

Floats = NDArray[np.float64]
Signals = NDArray[np.float32]
Mask = NDArray[np.bool_]


class Samples:
    """All sentences of all meetings, one after the other."""

    def __init__(self, meetings: Sequence[Talk]) -> None:
        self.meetings = meetings
        self.starts = np.cumsum([0, *(len(talk.said) for talk in meetings)])
        self.fold = np.repeat(
            [crc32(talk.group.encode()) % FOLDS for talk in meetings], [len(talk.said) for talk in meetings]
        )
        self.bags: dict[str, list[tuple[list[int], float]]] = {act: [] for act in ACTS}
        """By act: of each label its sentences, and how much it counts."""
        self.unknown = {act: np.zeros(len(self), dtype=bool) for act in ACTS}
        self.unknown["courtesy"][:] = True  # told by rows alone
        for start, talk in zip(self.starts.tolist(), meetings, strict=False):
            self._read(start, talk)

    def __len__(self) -> int:
        return int(self.starts[-1])

    def texts(self) -> list[str]:
        return [sentence.text for talk in self.meetings for sentence in talk.said]

    def labels(self, acts: Sequence[str]) -> Iterator[tuple[list[int], float]]:
        """The sentences of each label of one of `acts`, and how much it counts."""
        for act in acts:
            yield from self.bags[act]

    def is_unknown(self, acts: Sequence[str]) -> Mask:
        """Whether nobody has said of a sentence that it does one of `acts`, or does not [sentences]."""
        return np.any([self.unknown[act] for act in acts], axis=0)

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
    samples, rows = Samples([*talks(folders), *exchanges()]), read_rows()
    own, own_rows, head, told_asking = _first_step(samples, rows)
    size = _keep_words(head)
    talk = _Signals(_signals(samples, own), _in_parts(samples, own), *placed(rows, own_rows))
    kept: dict[str, Trees] = {}
    likely: dict[str, Floats] = {}
    scores: dict[str, Any] = {}
    for act in SETTLING_ACTS:
        print(f"in talk: {act}", file=sys.stderr)
        first = own[:, len(ACTS) + SETTLING_ACTS.index(act)]
        likely[act], scores[act], kept[f"{act}_"] = _second_step(act, samples, first, rows, talk)
    size += trees.kept(kept, acts.CONTEXT_TREES)
    return {
        "meetings": len(samples.meetings),
        "sentences": len(samples),
        "rows": len(rows),
        "bytes": size,
        "questions without their marks (area under the ROC curve)": round(told_asking, 3),
        "rows in small talk": _of_rows(rows, talk.of_row, scores),
        **figures(samples, likely),
    }


def _first_step(samples: Samples, rows: Sequence[Row]) -> tuple[Signals, Signals, ActHead, float]:
    """The log odds of sentences and of rows by their own words while unseen [sentences, columns]; the weights.

    Last: how well questions are told without their marks.
    """
    common, texts = _common(rows), [*samples.texts(), *(row.text for row in rows)]
    table, rarity = _table(texts, common)
    columns: list[tuple[tuple[DialogueAct, ...], float]] = [
        *(((act,), _OF_ROWS) for act in ACTS),
        *(((act,), _OF_ROWS_IN_MEETINGS) for act in SETTLING_ACTS),
        # "We agreed that Kim takes the rota" is surely one of the two, and neither alone.
        (("decision", "task"), _OF_ROWS),
    ]
    steps = [
        _FirstStep(each, of_rows, samples, table[: len(samples)], rows, table[len(samples) :])
        for each, of_rows in columns
    ]
    learnt = list(Parallel(n_jobs=-1, verbose=10)(delayed(_FirstStep.learn)(step) for step in steps))
    fold = np.concatenate([samples.fold, [row.fold for row in rows]])
    plain = _weighed([_features(text, common) for text in asking.unmarked(texts)], rarity)
    asks, weights, told = asking.learn(texts, plain, fold)
    learnt.append((asks[: len(samples)], asks[len(samples) :], weights))
    own, own_rows = (
        np.stack(each, axis=1).astype(np.float32) for each in list(zip(*learnt, strict=True))[:2]
    )
    wholes = [whole for *_, whole in learnt]
    head = ActHead(
        frame_words=common,
        rarity=rarity,
        weights=np.stack([whole.coef_[0] for whole in wholes], axis=1).astype(np.float32),
        bias=np.array([whole.intercept_[0] for whole in wholes], dtype=np.float32),
    )
    return own, own_rows, head, told


def _common(rows: Sequence[Row]) -> frozenset[str]:
    """The words that the most rows have."""
    have = Counter(word for row in rows if row.act for word in set(feature_words(row.text)))
    return frozenset(word for word, _ in have.most_common(_COMMON))


def _table(texts: Sequence[str], common: frozenset[str]) -> tuple[sp.csr_matrix, NDArray[np.float32]]:
    """The features of the texts, and how much each feature tells."""
    found = [_features(text, common) for text in texts]
    have = np.zeros(FEATURE_BUCKETS)
    for features, _ in found:
        have[features] += 1
    rarity = (np.log((1 + len(found)) / (1 + have)) + 1).astype(np.float32)
    rarity[have < 2] = 0
    return _weighed(found, rarity), rarity


def _features(text: str, common: frozenset[str]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    return features_of(text, FEATURE_BUCKETS, frame_words=common)


def _weighed(found: Sequence[tuple[Any, Any]], rarity: NDArray[np.float32]) -> sp.csr_matrix:
    starts = np.cumsum([0, *(len(features) for features, _ in found)])
    values = [often * rarity[features] for features, often in found]
    cells = np.concatenate([each / (np.linalg.norm(each) or 1.0) for each in values])
    columns = np.concatenate([features for features, _ in found])
    return sp.csr_matrix((cells, columns, starts), shape=(len(found), FEATURE_BUCKETS))


@dataclass(eq=False)
class _FirstStep:
    """The weights of the words of one act, or of two of which a sentence does either."""

    acts: tuple[DialogueAct, ...]
    of_rows: float
    """A labelled row counts so many times a sentence of a meeting."""
    samples: Samples
    table: sp.csr_matrix
    rows: Sequence[Row]
    row_table: sp.csr_matrix

    def learn(self) -> tuple[Floats, Floats, LogisticRegression]:
        """The log odds of sentences and of rows by weights that had not seen their fold, and those of all."""
        folds = np.array([row.fold for row in self.rows])
        held, held_rows = np.zeros(len(self.samples)), np.zeros(len(self.rows))
        counts = _even(self.samples, self.acts)
        for _ in range(1 if "courtesy" in self.acts else _ROUNDS):
            for fold in range(FOLDS):
                fit = self._fit(counts, self.samples.fold != fold, folds != fold)
                out, out_rows = self.samples.fold == fold, folds == fold
                held[out] = fit.decision_function(self.table[out])
                held_rows[out_rows] = fit.decision_function(self.row_table[out_rows])
            counts = _likeliest(self.samples, self.acts, held)
        everything = np.ones(len(self.samples), dtype=bool), np.ones(len(self.rows), dtype=bool)
        return held, held_rows, self._fit(counts, *everything)

    def _fit(self, counts: Floats, seen: Mask, seen_rows: Mask) -> LogisticRegression:
        unknown = self.samples.is_unknown(self.acts)
        gold, other = seen & (counts > 0) & ~unknown, seen & (counts == 0) & ~unknown
        known = seen_rows & np.array([row.tells.issuperset(self.acts) for row in self.rows])
        said = np.array([row.act in self.acts for row in self.rows])[known]
        much = np.array([row.counts for row in self.rows])[known]
        right = np.concatenate([np.ones(gold.sum()), np.zeros(other.sum()), said]).astype(bool)
        weight = np.concatenate([_POSITIVE * counts[gold], np.ones(other.sum()), self.of_rows * much])
        weight[right] *= _BALANCE * weight[~right].sum() / weight[right].sum()
        table = sp.vstack([self.table[gold], self.table[other], self.row_table[known]])
        # The dual: within .1 of the primal's log odds, in two fifths of its time.
        fit = LogisticRegression(C=_STRENGTH, max_iter=_PASSES, solver="liblinear", dual=True, random_state=1)
        with catch_warnings():
            simplefilter("ignore", ConvergenceWarning)
            return fit.fit(table, right, sample_weight=weight)


@dataclass(frozen=True, slots=True, eq=False)
class _Signals:
    """What the trees see: of sentences in their meetings, in parts of these, and of rows in small talk."""

    whole: Signals
    parts: Signals
    placed: Signals
    of_row: NDArray[np.intp]
    """Which row each of `placed` is."""


def _second_step(
    act: DialogueAct, samples: Samples, first: Floats, rows: Sequence[Row], talk: _Signals
) -> tuple[Floats, Floats, Trees]:
    """The chances of sentences in meetings that were not seen, of rows that were not, and trees of all."""
    held = first.astype(float)
    row_fold = np.array([row.fold for row in rows])[talk.of_row]
    row_gold = np.array([row.act == act for row in rows])[talk.of_row]
    row_known = np.array([act in row.tells_in_talk for row in rows])[talk.of_row]
    held_rows = np.zeros(len(row_gold))
    for _ in range(_ROUNDS - 1):
        counts = _likeliest(samples, [act], held)
        gold = counts > _HARDLY
        use = ~samples.unknown[act] & ((counts == 0) | gold)
        weight = np.where(gold, 2 * counts, 1.0)

        def fit(seen: Mask, seen_rows: Mask, weight: Floats = weight, gold: Mask = gold) -> Trees:
            return trees.told_apart(
                np.concatenate([talk.whole[seen], talk.parts[seen], talk.placed[seen_rows]]),
                np.concatenate([gold[seen], gold[seen], row_gold[seen_rows]]),
                np.concatenate(
                    [weight[seen], _OF_PARTS * weight[seen], np.full(seen_rows.sum(), _OF_PLACED)]
                ),
                **_HOW,
            )

        held = np.zeros(len(samples))
        for fold in range(FOLDS):
            out, out_rows = samples.fold == fold, row_fold == fold
            grown = fit(use & ~out, row_known & ~out_rows)
            held[out] = grown.scores(talk.whole[out])
            held_rows[out_rows] = grown.scores(talk.placed[out_rows])
    scale = LogisticRegression(C=1e3).fit(
        np.concatenate([held[use], held_rows[row_known]])[:, None],
        np.concatenate([gold[use], row_gold[row_known]]),
    )
    slope, shift = float(scale.coef_[0, 0]), float(scale.intercept_[0])
    likely, likely_rows = (1 / (1 + np.exp(-(slope * each + shift))) for each in (held, held_rows))
    return likely, likely_rows, trees.scaled(fit(use, row_known), slope, shift)


def _even(samples: Samples, acts: Sequence[str]) -> Floats:
    counts = np.zeros(len(samples))
    for bag, much in samples.labels(acts):
        counts[bag] = np.maximum(counts[bag], much * len(bag) ** -0.5)
    return counts


def _likeliest(samples: Samples, acts: Sequence[str], sums: Floats) -> Floats:
    """How much each sentence counts for the acts: 1 for a label's likeliest, hardly anything for its others."""
    counts = np.zeros(len(samples))
    for bag, much in samples.labels(acts):
        beside = np.exp(sums[bag] - sums[bag].max())
        counts[bag] = np.maximum(counts[bag], np.where(beside > _LEAST, much * beside, _HARDLY / 2))
    return counts


def _signals(samples: Samples, own: NDArray[np.float32]) -> Signals:
    return np.concatenate(
        [
            context_signals(talk.said, own[start : start + len(talk.said)])
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
            rows.append(context_signals(talk.said[at:end], own[start + at : start + end]))
            at = end
    return np.concatenate(rows)


def _keep_words(words: ActHead) -> int:
    with acts.SENTENCE_HEAD.open("wb") as file:
        np.savez_compressed(
            file,
            common=np.array(sorted(words.frame_words)),
            rarity=words.rarity.astype(np.float16),
            weights=words.weights.astype(np.float16),
            bias=words.bias,
        )
        return file.tell()


def _of_rows(
    rows: Sequence[Row], of_row: NDArray[np.intp], likely: dict[str, Floats]
) -> dict[str, dict[str, float]]:
    """The share of rows of each act, in small talk and unseen, that is read as each (`MIN_CHANCE`), by language."""
    table = np.stack([likely[act] - MIN_CHANCE[act] for act in SETTLING_ACTS], axis=1)
    read = np.where(table.max(axis=1) >= 0, table.argmax(axis=1), len(SETTLING_ACTS))
    names = [*SETTLING_ACTS, "nothing"]
    found: dict[str, dict[str, float]] = {}
    for language in ("ko", "en"):
        for act in (*ACTS[:4], "rejection", "none"):
            part = np.array([rows[i].language == language and rows[i].act == act for i in of_row])
            shares = {name: round(float((read[part] == i).mean()), 3) for i, name in enumerate(names)}
            found[f"{language} {act} ({int(part.sum())})"] = shares
    return found


def figures(samples: Samples, likely: dict[str, Floats]) -> dict[str, Any]:
    """Precision and recall of decisions and tasks at several thresholds, by kind of meeting."""
    parts = {
        "teams ko": lambda talk: talk.is_team and talk.language == "ko",
        "teams en": lambda talk: talk.is_team and talk.language == "en",
        "teams": lambda talk: talk.is_team,
        "teams, excerpts": lambda talk: talk.is_team and not talk.set.startswith(("trials", "labels")),
        "develop-7": lambda talk: talk.set in {"develop-7", "after-7-teams"},
        "develop-8": lambda talk: talk.set == "develop-8",
        "after-8-teams": lambda talk: talk.set == "after-8-teams",
        "exchanges ko": lambda talk: talk.set == "exchanges" and talk.language == "ko",
        "exchanges en": lambda talk: talk.set == "exchanges" and talk.language == "en",
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
        odds = {act: likely[act][start : start + len(lines)] for act in SETTLING_ACTS}
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
