"""What texts are cut into, to be found by."""

from __future__ import annotations

from context.retrieval.index_terms import COARSE_BASE, coarse


def test_syllables_of_like_sound_have_one_twin() -> None:
    assert coarse("출시일") == coarse("줄씨일")
    assert coarse("각") == coarse("까") == coarse("카")
    assert coarse("가") != coarse("나")


def test_each_syllable_has_a_twin_and_nothing_else_has() -> None:
    syllables = "".join(map(chr, range(0xAC00, 0xD7A4)))
    assert {ord(twin) // 0x100 for twin in coarse(syllables)} == {COARSE_BASE // 0x100}
    assert len(coarse(syllables)) == len(syllables)
    plain = "release 3.14, ㅋㅋ 漢字 😀"
    assert coarse(plain) == plain
