"""Bytes of a reply, however they are cut, become the same values."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt.endpoint.reply_reader import MOST_BYTES, Event, PlainText, ReplyReader, UnreadableReply, text_of

VALUES = [{"a": "출시일은 22일"}, {"b": "👋 \u2028 x"}, [1, None]]
NAMED = "".join(
    f": 살아 있음\nevent: token\nid: {n}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"
    for n, value in enumerate(VALUES)
)
TWO_LINES = 'data: {"a":\ndata: 1}\n\n'


def read(body: bytes, cuts: list[int], kind: str = "") -> list[Event]:
    reader = ReplyReader(kind)
    got: list[Event] = []
    places = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    for start, end in pairwise(places):
        got += reader.feed(body[start:end])
    return got if reader.done else [*got, *reader.finish()]


CUTS = st.lists(st.integers(0, 300), max_size=20)


@given(cuts=CUTS, end=st.sampled_from(["\n", "\r\n", "\r"]), mark=st.sampled_from(["", "\ufeff", "\n \n"]))
def test_a_stream_is_the_same_however_it_is_cut(cuts: list[int], end: str, mark: str) -> None:
    body = (mark + NAMED.replace("\n", end)).encode()
    assert read(body, cuts) == [Event("token", value) for value in VALUES]
    assert read(body + b"data: [DONE]\n\ndata: {\n\n", cuts) == [Event("token", value) for value in VALUES]


@given(
    cuts=CUTS, kind=st.sampled_from(["", "application/json", "text/event-stream", "text/html", "text/plain"])
)
def test_a_whole_is_the_same_however_it_is_cut_and_called(cuts: list[int], kind: str) -> None:
    body = json.dumps(VALUES[0], ensure_ascii=False).encode()
    assert read(body, cuts, kind) == [Event("", VALUES[0])]


@given(text=st.text(min_size=1).filter(lambda text: text.strip()), cuts=CUTS)
def test_text_is_text(text: str, cuts: list[int]) -> None:
    text = f"네. {text}"
    (event,) = read(text.encode("utf-8", "replace"), cuts, "text/plain; charset=utf-8")
    assert isinstance(event.data, PlainText)
    assert event.data == text.encode("utf-8", "replace").decode()


@given(
    body=st.binary(max_size=200),
    cuts=CUTS,
    kind=st.sampled_from(["", "application/json", "text/event-stream"]),
)
def test_any_bytes_are_values_or_unreadable(body: bytes, cuts: list[int], kind: str) -> None:
    with suppress(UnreadableReply):
        assert isinstance(read(body, cuts, kind), list)


def test_data_of_several_lines_is_one_value() -> None:
    assert read(TWO_LINES.encode(), []) == [Event("", {"a": 1})]


@pytest.mark.parametrize("begin", [b"{", b"data: ", b"  "])
def test_a_reply_is_bounded(begin: bytes) -> None:
    reader = ReplyReader()
    for _ in range(MOST_BYTES // 131072):
        list(reader.feed(begin + b" " * 65536))
    with pytest.raises(UnreadableReply, match="more than 16 MB"):
        list(reader.feed(b" " * MOST_BYTES))


@given(
    content=st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists)
    | st.dictionaries(st.text(), st.text())
)
def test_the_text_of_any_content_is_text(content: object) -> None:
    text = text_of(content)
    assert isinstance(text, str)
    text.encode()
