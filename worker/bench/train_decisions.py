"""Train the weights of `context.extractive.judge` anew: `python -m worker.bench.train_decisions`.

Numpy only, some minutes. Learnt from: the labelled English excerpts in `tests/data/decisions`, all but those
held out last, and from `tests/data/decisions/train`. A label says that something among its lines is a
decision; which of their sentences, the model says: at each round the likeliest one counts most. What
lies in an uncertain label, or in one of the other kind, says nothing. `--cv` cross-validates by excerpts.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from context.extractive.english_forms import plain_form
from context.extractive.judge import WEIGHTS, Judge, Model, picked
from context.extractive.sentences import Said, split
from context.models import Utterance
from worker.bench.decisions import LABELS, Excerpt, Found, Kind, Score, read, score

Floats = NDArray[np.float64]

_LEARNT_FROM: Final = frozenset({"develop", "held-out", "blind", "develop-2", "train"})
_KINDS: Final[tuple[Kind, Kind]] = ("decision", "action")
_KNOWN: Final = 420
_IN_SENTENCES: Final = 5
_IN_EXCERPTS: Final = 3
_PENALTY: Final = 0.5
_BAGS: Final = 6
_LEFT_OUT: Final = 0.5
_ROUNDS: Final = 3
_STEPS: Final = 120
_POSITIVE: Final = 3.0
_SMALLEST: Final = 0.02
_START: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Sample:
    """An excerpt, taken apart."""

    excerpt: Excerpt
    said: list[Said]
    features: list[frozenset[str]]


@dataclass(slots=True)
class Rows:
    """Sentences by the numbers of their features, one after the other."""

    columns: NDArray[np.int64]
    lengths: NDArray[np.int64]
    width: int

    def dot(self, weights: Floats) -> Floats:
        """The sum of each row's weights."""
        ends = np.concatenate([[0], np.cumsum(self.lengths)])
        sums = np.concatenate([[0.0], np.cumsum(weights[self.columns])])
        return np.asarray(sums[ends[1:]] - sums[ends[:-1]])

    def back(self, values: Floats) -> Floats:
        """The sum of the rows' values by feature."""
        spread = np.repeat(values, self.lengths)
        return np.asarray(np.bincount(self.columns, weights=spread, minlength=self.width), dtype=np.float64)

    def only(self, kept: NDArray[np.bool_]) -> Rows:
        """The same without some features."""
        mask = kept[self.columns]
        row = np.repeat(np.arange(len(self.lengths)), self.lengths)[mask]
        lengths = np.bincount(row, minlength=len(self.lengths)).astype(np.int64)
        return Rows(self.columns[mask], lengths, self.width)


def said_in(excerpt: Excerpt) -> list[Said]:
    """The sentences of an excerpt; an utterance's id is its line's number, from 1."""
    said: list[Said] = []
    for number, (speaker, text) in enumerate(excerpt.lines, 1):
        said += split(
            Utterance(
                id=number,
                speaker_id=speaker,
                speaker_name=speaker,
                text=text,
                start_ms=0,
                end_ms=0,
                absolute_timestamp=_START,
            )
        )
    return said


def known_words(excerpts: Sequence[Excerpt]) -> frozenset[str]:
    """The words that are common in every sort of meeting: those of talk itself."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for excerpt in excerpts:
        for sentence in said_in(excerpt):
            counts[_domain(excerpt)].update(_plain_words(sentence.text))
    totals = {domain: sum(found.values()) for domain, found in counts.items()}
    everywhere = set.intersection(*(set(found) for found in counts.values()))
    share = {word: min(counts[domain][word] / totals[domain] for domain in counts) for word in everywhere}
    return frozenset(sorted(share, key=lambda word: (-share[word], word))[:_KNOWN])


def _plain_words(text: str) -> list[str]:
    return [word for word in plain_form(text).split() if word.replace("'", "").isalpha()]


def _domain(excerpt: Excerpt) -> str:
    name = excerpt.id.removeprefix("train-")
    return "product" if name.startswith("ami") else "academic" if name.startswith("icsi") else "committee"


def samples(excerpts: Sequence[Excerpt], known: frozenset[str]) -> list[Sample]:
    """The excerpts with their features."""
    reader = Judge(known, Model(0.0, {}), Model(0.0, {}))
    made = []
    for excerpt in excerpts:
        said = said_in(excerpt)
        made.append(Sample(excerpt, said, reader.features(said)))
    return made


def vocabulary(taken: Sequence[Sample]) -> dict[str, int]:
    """Numbers for the features that are not too rare."""
    sentences: Counter[str] = Counter()
    excerpts: Counter[str] = Counter()
    for sample in taken:
        found = Counter(name for features in sample.features for name in features)
        sentences.update(found)
        excerpts.update(found.keys())
    kept = (n for n in sentences if sentences[n] >= _IN_SENTENCES and excerpts[n] >= _IN_EXCERPTS)
    return {name: number for number, name in enumerate(sorted(kept))}


def rows(sample: Sample, numbers: dict[str, int]) -> Rows:
    """A sample's features as numbers."""
    columns = [[numbers[name] for name in sorted(each) if name in numbers] for each in sample.features]
    flat = np.array([number for row in columns for number in row], dtype=np.int64)
    return Rows(flat, np.array([len(row) for row in columns], dtype=np.int64), len(numbers))


def _joined(parts: Sequence[Rows]) -> Rows:
    return Rows(
        np.concatenate([part.columns for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        parts[0].width,
    )


def _targets(sample: Sample, kind: Kind) -> tuple[list[list[int]], Floats]:
    """The sentences of each sure label, and a weight of 1 for what is surely nothing of the kind."""
    labels = [label for label in sample.excerpt.labels if label.kind == kind]
    mine = {line for label in labels for line in label.lines}
    lines = [sentence.utterance.id - 1 for sentence in sample.said]
    groups = [
        [i for i, line in enumerate(lines) if line in label.lines and len(sample.said[i].text.split()) >= 2]
        for label in labels
        if label.sure
    ]
    return [group for group in groups if group], np.array([0.0 if line in mine else 1.0 for line in lines])


def _fit(inputs: Rows, wanted: Floats, weigh: Floats, start: Floats) -> Floats:
    """Logistic regression by Adam; the last value is the bias."""
    theta, first, second = start.copy(), np.zeros_like(start), np.zeros_like(start)
    total = float(weigh.sum())
    for step in range(1, _STEPS + 1):
        chance = 1.0 / (1.0 + np.exp(-np.clip(inputs.dot(theta[:-1]) + theta[-1], -30, 30)))
        error = (chance - wanted) * weigh
        slope = np.append(inputs.back(error) + _PENALTY * theta[:-1], error.sum()) / total
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        pace = 0.08 if step < 80 else 0.03 if step < 105 else 0.01
        theta -= pace * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-6)
    return theta


def _learn(taken: Sequence[Sample], parts: Sequence[Rows], kind: Kind) -> Floats:
    inputs = _joined(parts)
    offset, groups, weights = 0, [], []
    for sample in taken:
        found, weight = _targets(sample, kind)
        groups += [[offset + i for i in group] for group in found]
        weights.append(weight)
        offset += len(sample.said)
    nothing = np.concatenate(weights)
    theta = np.append(np.zeros(inputs.width), -3.0)
    scores: Floats | None = None
    for _ in range(_ROUNDS):
        wanted, weigh = np.zeros(offset), nothing.copy()
        for group in groups:
            share = (
                np.ones(len(group)) if scores is None else np.exp(2 * (scores[group] - scores[group].max()))
            )
            wanted[group] = 1.0
            weigh[group] = np.maximum(weigh[group], _POSITIVE * share / share.sum())
        theta = _fit(inputs, wanted, weigh, theta)
        scores = inputs.dot(theta[:-1]) + theta[-1]
    return theta


def bagged(taken: Sequence[Sample], numbers: dict[str, int], kind: Kind, seed: int, bags: int) -> Floats:
    """The mean of models on excerpts drawn with replacement, each with half of the features."""
    random = np.random.default_rng(seed)
    parts = [rows(sample, numbers) for sample in taken]
    total = np.zeros(len(numbers) + 1)
    for _ in range(bags):
        kept = random.random(len(numbers)) > _LEFT_OUT
        chosen = random.choice(len(taken), len(taken))
        total += _learn([taken[i] for i in chosen], [parts[i].only(kept) for i in chosen], kind)
    return np.asarray(total / bags)


def model(theta: Floats, numbers: dict[str, int]) -> Model:
    """The weights by name, without those that do next to nothing."""
    weights = {name: round(float(theta[i]), 3) for name, i in numbers.items() if abs(theta[i]) >= _SMALLEST}
    return Model(round(float(theta[-1]), 3), weights)


def cross_validated(taken: Sequence[Sample], folds: int, bags: int) -> list[tuple[Floats, Floats]]:
    """Scores for each excerpt by models that have not seen it."""
    order = np.random.default_rng(1).permutation(len(taken))
    scores: dict[int, tuple[Floats, Floats]] = {}
    for fold in range(folds):
        out = set(order[fold::folds].tolist())
        inside = [sample for i, sample in enumerate(taken) if i not in out]
        numbers = vocabulary(inside)
        thetas = [bagged(inside, numbers, kind, 10 * fold + n, bags) for n, kind in enumerate(_KINDS)]
        for i in out:
            inputs = rows(taken[i], numbers)
            decision, action = (inputs.dot(theta[:-1]) + theta[-1] for theta in thetas)
            scores[i] = (decision, action)
    return [scores[i] for i in range(len(taken))]


def found_at(sample: Sample, scores: tuple[Floats, Floats], least: tuple[float, float]) -> list[Found]:
    """What the scores alone would say."""
    return [
        Found(kind, sample.said[i].text, frozenset({sample.said[i].utterance.id - 1}))
        for kind, of_kind, floor in zip(_KINDS, scores, least, strict=True)
        for i in picked(sample.said, of_kind.tolist(), floor)
    ]


def _report(taken: Sequence[Sample], scores: Sequence[tuple[Floats, Floats]]) -> None:
    for kind_number, kind in enumerate(_KINDS):
        for floor in np.arange(-3.0, 2.1, 0.5):
            least = (float(floor), 99.0) if kind_number == 0 else (99.0, float(floor))
            total = Score()
            for sample, each in zip(taken, scores, strict=True):
                total += score(sample.excerpt, found_at(sample, each, least), (kind,))
            print(
                f"{kind} from {floor:5.2f}: precision {total.precision:.2f} recall {total.recall:.2f} {total}"
            )


def main() -> None:
    """Train and write the weights, or cross-validate."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cv", action="store_true", help="cross-validate instead of writing weights")
    options.add_argument("--bags", type=int, default=_BAGS)
    given = options.parse_args()
    excerpts = [
        excerpt
        for excerpt in [*read(), *read(LABELS / "train")]
        if excerpt.language == "en" and excerpt.split in _LEARNT_FROM
    ]
    known = known_words(excerpts)
    taken = samples(excerpts, known)
    if given.cv:
        _report(taken, cross_validated(taken, 6, given.bags))
        return
    numbers = vocabulary(taken)
    written: dict[str, Any] = {"known": " ".join(sorted(known))}
    for place, kind in enumerate(_KINDS):
        learnt = model(bagged(taken, numbers, kind, place, given.bags), numbers)
        written[kind] = {"bias": learnt.bias, "weights": dict(sorted(learnt.weights.items()))}
    WEIGHTS.write_text(json.dumps(written, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
