"""Train `context.topics.phrases.nouns`: `python -m tests.training.nouns`.

The labels are sentences of `tests/data/labels/rows/plain_*.jsonl` and of Korean meetings, tagged by Kiwi (Korean)
and spaCy's `en_core_web_sm` (English): teachers, not people. An averaged perceptron learns from them; every tenth
sentence is held out and says how often it agrees with its teacher. What it learnt is kept in a byte a weight.
"""

from __future__ import annotations

import gzip
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

import context.topics.phrases
from context.language.korean import final
from context.topics.phrases import nouns

TAGGED: Final = Path(__file__).parents[1] / "data" / "labels" / "nouns"
_ROUNDS: Final = 6
_HELD_OUT: Final = 10
_RAISED: Final[tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...]] = (
    ((), "", (".",)), ((), "요", (".",)), (("그리고",), "", (".",)), ((), "", ("얘기", "좀", "할게요")),
    (("자", ",", "다음", ","), "", (".",)), ((), "부터", ("보시죠", ".")), (("아", ",", "그리고"), "도요", (".",)),
    (("다음은",), "", (".",)), (("참", ","), "", ("말인데", ",")), ((), "", ("건은", "어떻게", "됐어요", "?")),
    (("그럼",), "", ("?",)), ((), "이요", (".",)), ((), "은요/는요", ("?",)), (("그",), "은/는", ("어떻게", "할까요", "?")),
    ((), "도", ("말씀드리려고", "했는데")), (("우리",), "을/를", ("정해야", "해요", ".")), ((), "이/가", ("또", "문제예요", ".")),
    (("그리고",), "에서", ("연락이", "왔어요", ".")), ((), "은/는", ("누가", "해요", "?")), ((), "이/가", ("또", "고장", "났어요")),
    ((), "의", ("결과를", "봐야", "합니다")), (("우리",), "의", ("문제는",)), ((), "과/와", ("함께", "논의하겠습니다")),
    ((), "에", ("대해서", "말씀드리면")), ((), "으로/로", ("바꾸면", "어때요", "?")),
)  # fmt: skip
"""What stands before a noun that is raised, hangs on it, and stands behind it."""
Choice = tuple[list[list[int]], int]
"""The features of each reading of a word, and the place of the right one."""


def main() -> int:
    """Train on nine sentences of ten, say how the tenth is read; then train on all, and keep that."""
    sentences = list(_sentences())
    choices = [list(_choices(*sentence)) for sentence in sentences]
    made = [list(_choices(*sentence)) for sentence in _made(sentences)]
    seen = [each for place, each in enumerate(choices) if place % _HELD_OUT] + made
    held = choices[::_HELD_OUT]
    weights = _trained([choice for sentence in seen for choice in sentence])
    right = [_best(weights, readings) == gold for sentence in held for readings, gold in sentence]
    print(f"{sum(right) / len(right):.4f} of {len(right)} held-out words as the teacher reads them")
    path = Path(context.topics.phrases.__path__[0]) / "nouns.npz"
    np.savez_compressed(
        path, weights=_trained([choice for sentence in choices + made for choice in sentence])
    )
    print(f"{path.stat().st_size} bytes")
    return 0


def _sentences() -> Iterator[tuple[str, list[str], list[str]]]:
    """Language, words and tags of each sentence."""
    for path in sorted(TAGGED.glob("*.tsv.gz")):
        for block in _told(path).strip().split("\n\n"):
            pairs = [line.split("\t") for line in block.splitlines() if "\t" in line]
            yield path.name[:2], [word for word, _ in pairs], [tag for _, tag in pairs]


def _told(path: Path) -> str:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read()


def _made(
    sentences: Sequence[tuple[str, list[str], list[str]]],
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Korean sentences that only name a matter, as people raise one; the labelled ones hardly ever do.

    Nouns put together of two were never seen: of these the ends and the words beside have to tell.
    """
    known = dict.fromkeys(
        word[: int(tag[1:])]
        for language, words, tags in sentences
        for word, tag in zip(words, tags, strict=True)
        if language == "ko" and tag != nouns.OTHER_TAG
    )
    two = [noun for noun in known if len(noun) > 1]
    two += [one + two[place * 11 % len(two)][:3] for place, one in enumerate(two) if len(one) == 2]
    for place, noun in enumerate([*two, *two]):
        before, tail, after = _RAISED[(place * 3 + place // len(two)) % len(_RAISED)]
        other = [two[place * 7 % len(two)]] if place % 3 == 0 else []
        tail = tail.split("/")[0 if final(noun[-1]) else -1]
        words = [*before, *other, noun + tail, *after]
        tags = [nouns.OTHER_TAG] * len(before) + [f"N{len(each)}" for each in (*other, noun)]
        yield "ko", words, tags + [nouns.OTHER_TAG] * len(after)
    for word in _none_alone(sentences):
        yield "ko", [word, "."], [nouns.OTHER_TAG] * 2


def _none_alone(sentences: Sequence[tuple[str, list[str], list[str]]]) -> Iterator[str]:
    """Korean words that are no nouns: people say them alone as well, 고마워요, 달자."""
    tagged = [pair for language, *both in sentences if language == "ko" for pair in zip(*both, strict=True)]
    words = [word for word, tag in tagged if tag == nouns.OTHER_TAG and word[0] >= "가"]
    yield from dict.fromkeys([*words, *_told(TAGGED / "ko_verbs.txt.gz").split()])


def _choices(language: str, words: Sequence[str], tags: Sequence[str]) -> Iterator[Choice]:
    for place, (word, tag) in enumerate(zip(words, tags, strict=True)):
        if language == "ko" and "가" <= word[0] <= "힣":
            lengths = nouns.lengths(word)
            readings = [
                nouns.features_of_none(words, place),
                *(nouns.features_of_noun(words, place, length) for length in lengths),
            ]
            length = int(tag[1:]) if tag != nouns.OTHER_TAG else 0
            if length == 0 or length in lengths:
                yield readings, lengths.index(length) + 1 if length else 0
        elif language == "en" and word[0].isalpha():
            own = list(nouns.english_features(words, place))
            kinds = [[nouns.hashed(f"{kind} {each}") for each in own] for kind in nouns.TAGS_EN]
            yield kinds, nouns.TAGS_EN.index(tag)


def _trained(choices: list[Choice]) -> nouns.Weights:
    """An averaged perceptron's weights, in bytes."""
    dice = random.Random(7)
    weights, sums = [0.0] * nouns.FEATURE_BUCKETS, [0.0] * nouns.FEATURE_BUCKETS
    step = 1
    for _ in range(_ROUNDS):
        dice.shuffle(choices)
        for readings, gold in choices:
            worths = [sum([weights[each] for each in reading]) for reading in readings]
            worths[gold] -= 1.0  # right, but only just, is learnt too
            best = max(range(len(worths)), key=worths.__getitem__)
            if best != gold:
                for each in readings[gold]:
                    weights[each] += 1.0
                    sums[each] += step
                for each in readings[best]:
                    weights[each] -= 1.0
                    sums[each] -= step
            step += 1
    mean = np.array(weights) - np.array(sums) / step
    scale = 127 / np.quantile(np.abs(mean[mean != 0]), 0.999)
    return np.clip(np.rint(mean * scale), -127, 127).astype(np.int8)


def _best(weights: nouns.Weights, readings: Sequence[list[int]]) -> int:
    worths = [int(weights[reading].sum(dtype=np.int64)) for reading in readings]
    return max(range(len(worths)), key=worths.__getitem__)


if __name__ == "__main__":
    sys.exit(main())
