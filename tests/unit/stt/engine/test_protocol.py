from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stt.engine.protocol import (
    MAX_BODY_BYTES,
    MAX_HEADER_BYTES,
    FrameDecoder,
    ProtocolError,
    decode_segments,
    encode,
    encode_segments,
)
from stt.segment import Segment

messages = st.lists(
    st.tuples(st.sampled_from(["transcribe", "result"]), st.text(max_size=20), st.binary(max_size=200))
)


@settings(deadline=None)
@given(messages, st.lists(st.integers(1, 64), min_size=1))
def test_frames_come_out_as_they_went_in_however_they_are_cut(
    sent: list[tuple[str, str, bytes]], cuts: list[int]
) -> None:
    stream = b"".join(encode(kind, id=name, body=body) for kind, name, body in sent)
    decoder, got, at, turn = FrameDecoder(), [], 0, 0
    while at < len(stream):
        size = cuts[turn % len(cuts)]
        got += list(decoder.feed(stream[at : at + size]))
        at, turn = at + size, turn + 1
    assert [(frame.kind, frame.id, frame.body) for frame in got] == sent


@pytest.mark.parametrize(
    "nonsense",
    [
        struct.pack(">I", MAX_HEADER_BYTES + 1),
        struct.pack(">I", 4) + b"nope",
        struct.pack(">I", 2) + b"[]",
        encode("transcribe", id="1").replace(b'"id":"1"', b'"body":-1'),
        struct.pack(">I", len(raw := b'{"body":%d}' % (MAX_BODY_BYTES + 1))) + raw,
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_nonsense_is_refused_without_being_kept(nonsense: bytes) -> None:
    with pytest.raises(ProtocolError):
        list(FrameDecoder().feed(nonsense))


@pytest.mark.parametrize("text", ["출시일은 금요일입니다. 👋", "The second server", "שלום"])
def test_segments_survive_the_socket(text: str) -> None:
    segments = [
        Segment(text, 10, 900, final=True, confidence=0.5, language="ko", doubtful=((0, 3), (4, 6))),
        Segment(text, 900, 950, final=True, sounded={"ko": 0.7, "en": 0.3}),
        Segment("", 0, 0, final=True),
    ]
    (frame,) = FrameDecoder().feed(encode("result", id="1", **encode_segments(segments)))
    assert decode_segments(frame.header) == segments


@pytest.mark.parametrize("items", [None, [{"text": "x"}], ["x"], 5])
def test_what_is_no_segment_is_refused(items: object) -> None:
    with pytest.raises(ProtocolError):
        decode_segments({"segments": items})


@pytest.mark.parametrize("doubtful", [5, None, [["a", "b"]], [[1]], [1]])
def test_what_are_no_spans_is_refused(doubtful: object) -> None:
    (segment,) = encode_segments([Segment("12", 0, 900, final=True)])["segments"]
    with pytest.raises(ProtocolError):
        decode_segments({"segments": [{**segment, "doubtful": doubtful}]})


@pytest.mark.parametrize("sounded", [5, "ko", ["ko"], {"ko": "much"}])
def test_what_are_no_shares_is_refused(sounded: object) -> None:
    (segment,) = encode_segments([Segment("12", 0, 900, final=True)])["segments"]
    with pytest.raises(ProtocolError):
        decode_segments({"segments": [{**segment, "sounded": sounded}]})
