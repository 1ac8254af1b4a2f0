"""Words by the tokens they were written in, where a token is any piece of the text's bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt.providers.whisper_words import reaches, timed_words, whole, without_echo

TEXTS = [
    "안녕하세요 오늘 회의를 시작하겠습니다.",
    "뷁, 됐습니다 90%",
    "We ship it on Friday, right?",
    " 네. It's 좋아요 ",
]


class Bytes:
    """A tokenizer of pieces of bytes, each token the number of one."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = pieces
        self.tokens = list(range(len(pieces)))

    def decode(self, tokens: list[int]) -> str:
        return b"".join(self.pieces[token] for token in tokens).decode(errors="replace")


@st.composite
def cut(draw: st.DrawFn, texts: list[str] = TEXTS) -> tuple[str, Bytes]:
    """A text, and its bytes cut before each space, as Whisper's tokens are, and anywhere, also in characters."""
    text = draw(st.sampled_from(texts))
    raw = text.encode()
    spaces = {place for place, byte in enumerate(raw) if byte == ord(" ") and place}
    places = sorted(spaces | draw(st.sets(st.integers(1, len(raw) - 1))))
    return text, Bytes([raw[a:b] for a, b in zip([0, *places], [*places, len(raw)], strict=True)])


@given(cut())
def test_no_text_is_lost_and_each_word_ends_with_its_last_token(it: tuple[str, Bytes]) -> None:
    text, made = it
    words = timed_words(made.tokens, made.decode, {token: token for token in made.tokens})
    assert [word.text for word in words] == text.split()
    ends = [word.end_ms for word in words]
    assert ends == sorted(end for end in ends if end is not None)
    at, said = 0, []
    for number, piece in enumerate(made.pieces):
        at += len(piece)
        said.append((number, at))
    place = 0
    for word in words:
        place = text.index(word.text, place) + len(word.text)
        reached = len(text[:place].encode())
        assert word.end_ms == next(number for number, at in said if at >= reached)


@given(cut(), st.data())
def test_a_character_that_was_cut_off_is_not_written(it: tuple[str, Bytes], data: st.DataObject) -> None:
    text, made = it
    tokens = made.tokens[: data.draw(st.integers(0, len(made.tokens)))]
    assert text.startswith(made.decode(whole(tokens, made.decode)))


@pytest.mark.parametrize(
    ("first", "kept"), [(1, " 얼마나"), (2, " 얼마나 저"), (3, " 얼마나 저"), (4, " 얼마나 저렴")]
)
def test_all_that_is_whole_stays(first: int, kept: str) -> None:
    made = Bytes([" 얼마나".encode(), " 저".encode(), "렴".encode()[:2], "렴".encode()[2:]])
    assert made.decode(whole(made.tokens[:first], made.decode)) == kept


@pytest.mark.parametrize(
    ("said", "again"),
    [
        ("자동 갱신이 꺼져 있었습니다.", " 자동 갱신이 꺼져 있었습니다."),
        ("We ship it on Friday.", " We ship it on Friday."),
    ],
)
@given(data=st.data())
def test_the_tokens_of_an_echo_are_dropped_and_those_of_what_was_said_stay(
    said: str, again: str, data: st.DataObject
) -> None:
    _, first = data.draw(cut([said]))
    made = Bytes([*first.pieces, again.encode()])
    assert made.decode(without_echo(made.tokens, made.decode)) == said


@given(cut())
def test_a_token_reaches_no_less_far_than_the_one_before_it_and_the_last_one_to_the_end(
    it: tuple[str, Bytes],
) -> None:
    text, made = it
    ends = reaches(made.tokens, made.decode)
    assert ends == sorted(ends)
    assert ends[-1] == len(text)
