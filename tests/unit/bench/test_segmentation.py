"""The measures of a division are those of the usual toolkits."""

from __future__ import annotations

import pytest

from tests.bench import segmentation as seg


def test_f1_counts_each_labelled_boundary_once() -> None:
    assert seg.f1([10, 50], [8, 12, 90], 3) == pytest.approx(2 * (1 / 3) * 0.5 / (1 / 3 + 0.5))
    assert seg.f1([], [], 3) == 1.0
    assert seg.f1([5], [], 3) == 0.0


def test_pk_and_window_diff_by_hand() -> None:
    # ten turns, one boundary labelled at 5, found at 5 and 8: windows of max(2, 10 / 2 / 2) = 2 turns
    assert seg.pk([5], [5], 10) == 0.0
    assert seg.window_diff([5], [5, 8], 10) == pytest.approx(2 / 8)
    assert seg.pk([5], [5, 8], 10) == pytest.approx(2 / 8)


def test_spans_become_boundaries_and_short_gaps_are_glued() -> None:
    assert seg.boundaries([(0, 9, 0), (12, 19, 1)], 30, 5) == [12, 20]
    assert seg.boundaries([(0, 9, 0), (18, 19, 1)], 20, 5) == [10, 18]


@pytest.mark.parametrize(
    ("turns", "border"),
    [(["서버 비용 캐시"] * 6 + ["채용 면접 지원"] * 6, 6), (["cache server"] * 6 + ["office rent"] * 6, 6)],
)
def test_the_plain_method_sees_the_words_change(turns: list[str], border: int) -> None:
    words = [seg.korean(t) if t[0] >= "가" else seg.english(t) for t in turns]
    likeness = seg.curve(words, 6, seg.weights([words], block=5))
    assert min(range(len(likeness)), key=lambda at: likeness[at]) == border
    assert border in seg.drops(likeness, 0.1, 6)
