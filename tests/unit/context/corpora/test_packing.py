"""Packing, fusing, cutting: bounds that always hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from context.corpora.passage import Passage
from context.corpora.sources import RRF_K, pack, rrf_fusion, with_sources
from context.models import Utterance
from context.primitives.values import changed
from context.retrieval.index_terms import weigh
from tests.fakes.passages import passages_of
from tests.unit.context.samples import utter


def said(lines: list[tuple[str, str]]) -> list[Utterance]:
    return [utter(number, name, text) for number, (name, text) in enumerate(lines, 1)]


def words(text: str) -> int:
    return len(text.split())


@st.composite
def passages(draw: st.DrawFn) -> list[Passage]:
    texts = draw(
        st.lists(
            st.sampled_from(["가격은 이만 원", "the price is two", "네", "one two three four five"]),
            max_size=30,
        )
    )
    return [
        Passage(source_id=draw(st.sampled_from(["m-1", "d-1"])), position=place, text=f"{text} {place % 7}")
        for place, text in enumerate(texts)
    ]


@given(passages(), st.integers(0, 20), st.integers(0, 60))
def test_never_above_the_bounds_and_none_twice(found: list[Passage], k: int, budget: int) -> None:
    known = {passage.id: passage for passage in found}
    packed = pack([(each, 1.0) for each in found], k=k, budget_tokens=budget, count=words, known=known)
    assert len(packed.passages) <= k
    assert packed.tokens == sum(words(each.searched) for each in packed.passages) <= budget
    assert len({each.id for each in packed.passages}) == len(packed.passages)
    assert len({each.text for each in packed.passages}) == len(packed.passages)
    assert len(packed.scores) == len(packed.passages)


def test_neighbours_fill_what_is_left() -> None:
    three = [Passage(source_id="m-1", position=place, text=f"문장 number {place}") for place in range(3)]
    known = {each.id: each for each in three}
    packed = pack([(three[1], 1.0)], k=3, budget_tokens=100, count=words, known=known)
    assert [each.position for each in packed.passages] == [1, 2, 0]
    assert [
        each.position
        for each in pack([(three[1], 1.0)], k=1, budget_tokens=100, count=words, known=known).passages
    ] == [1]


def test_a_long_passage_is_passed_over_for_a_short_one() -> None:
    long, short = (
        Passage(source_id="a", position=0, text="x " * 50),
        Passage(source_id="b", position=0, text="짧은 글"),
    )
    packed = pack([(long, 2.0), (short, 1.0)], k=5, budget_tokens=10, count=words)
    assert packed.passages == (short,)


def test_rrf_is_the_seeds() -> None:
    assert RRF_K == 60
    both = dict(rrf_fusion([["a", "b"], ["b", "c"]]))
    assert both == {"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62}
    assert rrf_fusion([["a", "b"], ["b", "c"]])[0][0] == "b"
    assert rrf_fusion([]) == []


def test_a_likely_source_is_raised() -> None:
    ranked = [("x:0", 1.0), ("y:0", 0.95), ("y:1", 0.4)]
    raised = with_sources(ranked, {"x:0": "x", "y:0": "y", "y:1": "y"}, {"x": 0.1, "y": 0.9})
    assert [key for key, _ in raised] == ["y:0", "x:0", "y:1"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["김민지", "Ben"]), st.text(alphabet="가나 다라마 abc. def ", max_size=900)
        ),
        max_size=25,
    )
)
def test_passages_hold_everything_that_was_said_once(lines: list[tuple[str, str]]) -> None:
    meeting = said(lines)
    cut = passages_of(meeting, "m-1", "주간 회의")
    assert [each.position for each in cut] == list(range(len(cut)))
    told = "".join("".join(each.text.split()) for each in cut)
    for name in ("김민지:", "Ben:"):
        told = told.replace(name, "")
    assert told == "".join("".join(each.text.split()) for each in meeting)
    assert all(weigh(each.text) < 320 for each in cut)


def test_a_passage_says_where_it_stands() -> None:
    lines = said([("김민지", "출시일을 정합시다."), ("Ben", "Agreed.")])
    in_topic = [changed(each, {"topic_id": "t-1"}) for each in lines]
    cut = passages_of(in_topic, "m-1", "주간 회의", topics={"t-1": "출시"})
    assert cut[0].prefix == "주간 회의 · 출시 · 김민지, Ben · 2025-01-14 14:30"
    assert cut[0].citation == "주간 회의 2025-01-14 14:30"
    assert cut[0].utterances == (1, 2)
    assert cut[0].searched.endswith("김민지: 출시일을 정합시다.\nBen: Agreed.")
