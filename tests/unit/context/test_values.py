"""The short cuts of the fold give what the long way gives."""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter, deque
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.lexical import BUCKETS, STOPWORDS, Drop, Trail, features
from context.models import Summary, TopicSegment, Utterance
from context.snapshot import stamps
from context.values import all_changed, changed, made
from context.window import LineCounter, RoughTokenizer, Window

WORDS = ("서버", "서버를", "예산", "출시", "일정", "비용은", "search", "budget", "the", "index", "2026", "네")
texts = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)


def fields(number: int, text: str = "안녕하세요") -> dict[str, Any]:
    return {
        "id": number,
        "speaker_id": "a",
        "speaker_name": "김민지",
        "text": text,
        "start_ms": number * 1000,
        "end_ms": number * 1000 + 900,
        "confidence": None,
        "absolute_timestamp": datetime(2026, 1, 5, tzinfo=UTC),
        "topic": None,
        "topic_id": None,
        "language": None,
        "key": f"k{number}",
        "source": (1, 2),
    }


def utterance(number: int, text: str = "안녕하세요") -> Utterance:
    return Utterance(**fields(number, text))


def same(one: Any, other: Any) -> bool:
    return bool(
        one == other
        and repr(one) == repr(other)
        and one.model_dump_json() == other.model_dump_json()
        and one.model_dump(exclude_unset=True) == other.model_dump(exclude_unset=True)
    )


def test_a_value_made_by_hand_is_a_validated_one() -> None:
    value = made(Utterance, fields(3))
    assert same(value, utterance(3))
    assert hash(value) == hash(utterance(3))
    with pytest.raises(ValueError, match="frozen"):
        value.text = "other"  # type: ignore[misc]  # that it cannot is the point


def test_a_changed_value_is_a_model_copy() -> None:
    segment = TopicSegment(id="t1", name="Intro", start_utterance_id=1, end_utterance_id=4)
    changes = {"end_utterance_id": 9, "notes": Summary(text="요약"), "version": 2}
    assert same(changed(segment, changes), segment.model_copy(update=changes))
    assert segment.end_utterance_id == 4
    assert "version" not in segment.model_fields_set


def test_all_are_changed_and_none_of_the_old_ones() -> None:
    sparse = Utterance(**{k: v for k, v in fields(2).items() if k not in {"topic", "topic_id", "language"}})
    old = [utterance(1), sparse, utterance(3)]
    stamp = {"topic": "예산", "topic_id": "t2"}
    new = all_changed(old, stamp)
    assert len(new) == len(old)
    assert all(same(n, o.model_copy(update=stamp)) for n, o in zip(new, old, strict=True))
    assert [u.topic for u in old] == [None, None, None]
    assert "topic" not in sparse.model_fields_set


def test_a_snapshot_tells_the_topic_of_each_utterance() -> None:
    topics = [
        {"name": "Intro", "id": "t1", "start_utterance_id": 1, "end_utterance_id": 2},
        {"name": "예산", "id": "t2", "start_utterance_id": 3, "end_utterance_id": 3},
    ]
    told = stamps({"topics": {"segments": topics}})
    assert [next(told) for _ in range(4)] == [("Intro", "t1"), ("Intro", "t1"), ("예산", "t2"), (None, None)]
    assert next(stamps({})) == (None, None)


@given(st.lists(texts, min_size=1, max_size=30), st.integers(1, 6), st.integers(1, 40), st.integers(0, 12))
def test_a_window_begins_anew_as_if_it_were_filled_anew(
    said: list[str], turns: int, tokens: int, back: int
) -> None:
    archive = [utterance(n, text) for n, text in enumerate(said, 1)]
    counter = LineCounter(RoughTokenizer(), timestamps=True)
    window = Window(counter, max_turns=turns, max_tokens=tokens)
    for each in archive:
        window.add(each)
        window.trim()
    first = max(1, len(archive) + 1 - back)
    again = Window(counter, max_turns=turns, max_tokens=tokens)
    again.refill(archive[first - 1 :])
    window.begin(first, archive)
    assert (window.utterances, window.tokens) == (again.utterances, again.tokens)
    window.trim()
    again.trim()
    assert (window.utterances, window.tokens) == (again.utterances, again.tokens)


# The boundary finder's measure, against a plain one


def plain_features(text: str) -> tuple[list[int], int]:
    text = text.lower()
    pairs = re.findall(r"(?=([가-힣][가-힣]))", text)
    hashed = [((ord(a) * 65_599 + ord(b)) * 2_654_435_761) % 2**32 >> 20 for a, b in pairs]
    words = [word for word in re.findall(r"[a-z][a-z']{2,}|\d{3,}", text) if word not in STOPWORDS]
    hashed += [zlib.crc32(word[:6].encode()) % BUCKETS for word in words]
    return hashed, 3 * len(pairs) + 10 * len(words)


class PlainTrail:
    """What `Trail` measures, row by row."""

    def __init__(self, width: int, least: int) -> None:
        self.width, self.least = width * 10, least * 10
        self.rows: deque[tuple[int, list[int], int]] = deque(maxlen=80)
        self.blocks: list[set[int]] = []
        self.open: list[list[int]] = []

    def add(self, number: int, text: str) -> None:
        found, filled = plain_features(text)
        self.rows.append((number, found, filled))
        self.open.append(found)
        if len(self.open) == 5:
            self.blocks.append({feature for row in self.open for feature in row})
            self.open = []

    def drop(self, start: int, at: int | None = None) -> Drop | None:
        rows = [row for row in self.rows if row[0] >= start]
        right: list[tuple[int, list[int], int]] = []
        while rows and (sum(r[2] for r in right) < self.width if at is None else rows[-1][0] >= at):
            right.append(rows.pop())
        left: list[tuple[int, list[int], int]] = []
        while rows and sum(r[2] for r in left) < self.width:
            left.append(rows.pop())
        if sum(r[2] for r in left) < self.least or sum(r[2] for r in right) < self.least:
            return None
        return Drop(right[-1][0], self.likeness(left, right))

    def likeness(self, left: Any, right: Any) -> float:
        blocks = max(1, len(self.blocks))
        spread = Counter(feature for block in self.blocks for feature in block)

        def side(rows: Any) -> dict[int, float]:
            counts = Counter(feature for row in rows for feature in row[1])
            return {
                f: math.log1p(n) * math.log(1 + 1 / (spread[f] / blocks + 1 / max(4, len(self.blocks))))
                for f, n in counts.items()
            }

        a, b = side(left), side(right)
        norm = math.sqrt(sum(x * x for x in a.values()) * sum(x * x for x in b.values()))
        return sum(x * b.get(f, 0.0) for f, x in a.items()) / norm if norm else 0.0


@given(st.text(alphabet="가나다라 abcdefg0123'!Ⅷé中", max_size=40))
def test_features_are_pairs_of_syllables_and_words(text: str) -> None:
    found, filled = features(text)
    assert (sorted(found.tolist()), filled) == (sorted(plain_features(text)[0]), plain_features(text)[1])


@settings(deadline=None, max_examples=40)
@given(st.lists(texts, min_size=1, max_size=40), st.integers(1, 30), st.integers(1, 6))
def test_a_drop_is_what_a_plain_measure_finds(said: list[str], start: int, repeated: int) -> None:
    fast, plain = Trail(width=12, least=4), PlainTrail(12, 4)
    for number, text in enumerate(said * repeated, 1):
        fast.add(number, text)
        plain.add(number, text)
        assert alike(fast.drop(start), plain.drop(start))
    last = len(said) * repeated
    borders = range(max(start, last - 6), last + 1)
    deepest = min(
        (drop for at in borders if (drop := plain.drop(start, at)) is not None),
        key=lambda drop: drop.similarity,
        default=None,
    )
    found = fast.deepest(start, borders)
    assert (found is None) == (deepest is None)
    if found is not None and deepest is not None:
        assert found.similarity == pytest.approx(deepest.similarity, abs=1e-9)


@given(st.lists(texts, min_size=1, max_size=40), st.integers(1, 8), st.integers(0, 400))
@settings(deadline=None, max_examples=30)
def test_a_trail_from_a_snapshot_goes_on_exactly(said: list[str], repeated: int, cut: int) -> None:
    said = said * repeated
    cut = min(cut, len(said))
    whole, before = Trail(width=12, least=4), Trail(width=12, least=4)
    for number, text in enumerate(said[:cut], 1):
        whole.add(number, text)
        before.add(number, text)
    dumped = before.dump()
    after = Trail(width=12, least=4)
    first = dumped["first"]
    after.load(dumped, list(enumerate(said[first - 1 : cut], first)) if first else [])
    for number, text in enumerate(said[cut:], cut + 1):
        whole.add(number, text)
        after.add(number, text)
        assert after.drop(1) == whole.drop(1)
    assert after.dump() == whole.dump()


def alike(one: Drop | None, other: Drop | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.at == other.at and math.isclose(one.similarity, other.similarity, abs_tol=1e-9)
