"""What CLOVA Speech's JSON means, and where its domains are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stt.providers.clova.domains import DomainAddress, parse_domain
from stt.providers.clova.replies import ClovaReply, configuration, keywords, read
from stt.segment import EngineBusy, EngineFailed, SpeechError

PIECE = {
    "uid": "u",
    "responseType": ["transcription"],
    "transcription": {
        "text": "입니다.",
        "position": 4,
        "epFlag": True,
        "seqId": 7,
        "epdType": "durationThreshold",
        "startTimestamp": 190,
        "endTimestamp": 840,
        "confidence": 0.997,
        "alignInfos": [{"word": "입", "start": 190, "end": 340, "confidence": 0.99}],
    },
}


def test_a_piece_is_text_with_its_place_and_times() -> None:
    assert read(json.dumps(PIECE)) == ClovaReply(
        text="입니다.", position=4, start_ms=190, end_ms=840, confidence=0.997, flushed=True, seq=7
    )


@pytest.mark.parametrize("place", ["transcription", "recognize", "config"])
def test_a_piece_is_found_wherever_the_documentation_puts_it(place: str) -> None:
    answer = {"responseType": ["transcription"], place: {"text": "Good morning", "position": 0}}
    assert read(json.dumps(answer)).text == "Good morning"


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"status": "Success"}, ClovaReply(config="")),
        ({"status": "success", "semanticEpd": {"status": "Success"}}, ClovaReply(config="")),
        ({}, ClovaReply(config="")),
        (
            {"status": "Success", "keywordBoosting": {"status": "Invalid weight"}},
            ClovaReply(config="", config_parts=("keywordBoosting: Invalid weight",)),
        ),
        (
            {"status": "Failure", "keywordBoosting": {"status": "Invalid weight"}},
            ClovaReply(
                config="Failure; keywordBoosting: Invalid weight",
                config_parts=("keywordBoosting: Invalid weight",),
            ),
        ),
    ],
)
def test_every_part_of_the_answer_to_a_configuration_is_looked_at(
    config: dict[str, object], expected: ClovaReply
) -> None:
    assert read(json.dumps({"responseType": ["config"], "config": config})) == expected


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ({"responseType": ["error"], "error": {"message": "decoder fault"}}, EngineFailed),
        ({"responseType": ["recognize"], "recognize": {"status": "Invalid audio", "seqId": 1}}, EngineFailed),
        ({"responseType": ["error"], "recognize": {"status": "No more slot"}}, EngineBusy),
        ({"responseType": "error", "error": {"status": "Lifespan expired"}}, EngineBusy),
    ],
)
def test_errors_are_told_apart_by_whether_they_pass(
    answer: dict[str, object], kind: type[SpeechError]
) -> None:
    with pytest.raises(kind):
        read(json.dumps(answer))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "responseType",
                    "transcription",
                    "config",
                    "recognize",
                    "error",
                    "text",
                    "status",
                    "position",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_JSON | st.text(max_size=20))
def test_whatever_comes_is_a_reply_or_a_speech_error(answer: object) -> None:
    try:
        reply = read(answer if isinstance(answer, str) else json.dumps(answer))
    except SpeechError:
        return
    assert isinstance(reply.text, str)
    assert isinstance(reply.position, int)


def test_keywords_are_those_that_the_server_takes() -> None:
    assert keywords(["메트포르민", "당뇨병", "콕", " ", "!", "메트포르민", "a", "API", "1,2"]) == (
        "메트포르민",
        "당뇨병",
        "API",
        "1 2",
    )
    many = keywords(f"word{n}" for n in range(1500))
    assert len(many) == 1000
    assert many[-1] == "word999"


def test_a_configuration_boosts_only_where_there_is_something_to_boost() -> None:
    assert configuration("ko", ("당뇨병", "API"))["keywordBoosting"] == {
        "boostings": [{"words": "당뇨병,API", "weight": 2.0}]
    }
    assert "keywordBoosting" not in configuration("en")
    assert configuration("auto")["transcription"] == {"language": "ko"}


@pytest.mark.parametrize(
    ("pair", "address"),
    [
        (
            "https://clovaspeech-gw.ncloud.com/external/v1/1234/abcdef|k3y",
            DomainAddress("clovaspeech-gw.ncloud.com:50051", "k3y"),
        ),
        ("clovaspeech-gw.ncloud.com:50051|k3y", DomainAddress("clovaspeech-gw.ncloud.com:50051", "k3y")),
        ("clova.example.com | k3y ", DomainAddress("clova.example.com:50051", "k3y")),
        ("http://127.0.0.1:4000|k|3y", DomainAddress("127.0.0.1:4000", "k|3y", tls=False)),
        ("https://[::1]:4000/x|k3y", DomainAddress("[::1]:4000", "k3y")),
    ],
)
def test_a_domain_is_the_consoles_url_or_host_and_port(pair: str, address: DomainAddress) -> None:
    assert parse_domain(pair) == address
    assert "k3y" not in repr(parse_domain(pair))


@pytest.mark.parametrize(
    "pair",
    [
        "", "k3y", "https://a|", "|k3y", "ftp://a|k3y", "https://|k3y", "https://a:99999|k3y", "https://[::1|k3y",
        "https://a|k 3y", "https://a|비밀k3y",
    ],
)  # fmt: skip
def test_what_is_no_domain_is_refused_without_showing_the_secret(pair: str) -> None:
    with pytest.raises(ValueError, match="must be") as caught:
        parse_domain(pair)
    assert "3y" not in str(caught.value)
