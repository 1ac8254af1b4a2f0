from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from stt.providers.openai_compatible import OpenAICompatible
from stt.segment import EngineBusy, EngineFailed, Segment
from tests.fakes import spoken
from tests.fakes.openai_stt import Mood, OpenAISpeechServer

KEY = "sk-very-secret-0123"


@pytest.fixture
async def server() -> AsyncIterator[OpenAISpeechServer]:
    async with OpenAISpeechServer().running() as server:
        yield server


@pytest.fixture
async def engine(server: OpenAISpeechServer) -> AsyncIterator[OpenAICompatible]:
    engine = OpenAICompatible(model="m", base_url=server.base_url, api_key=KEY, deadline_s=2.0)
    yield engine
    await engine.aclose()


async def ask(
    engine: OpenAICompatible, value: int = 1, language: str = "auto", terms: tuple[str, ...] = ()
) -> list[Segment]:
    stretch = spoken.stretch(value, language=language, terms=terms)
    return [segment async for segment in engine.transcribe(stretch)]


@pytest.mark.parametrize(("value", "language"), [(1, "ko"), (2, "en")])
async def test_the_request_is_a_wav_with_model_key_and_language(
    engine: OpenAICompatible, server: OpenAISpeechServer, value: int, language: str
) -> None:
    (segment,) = await ask(engine, value, language)
    assert segment == Segment(
        spoken.LINES[value][1], 0, 800, final=True, confidence=0.8187, language=language
    )
    assert server.requests == [
        {
            "model": "m",
            "language": language,
            "response_format": "verbose_json",
            "authorization": f"Bearer {KEY}",
            "rate": 16_000,
            "bytes": 800 * 32,
        }
    ]


async def test_auto_leaves_the_language_to_the_server(
    engine: OpenAICompatible, server: OpenAISpeechServer
) -> None:
    (segment,) = await ask(engine, 2)
    assert server.requests[0]["language"] is None
    assert segment.language == "en"


KO: Mapping[str, float] = {"ko": 0.95, "en": 0.05}
EN: Mapping[str, float] = {"ko": 0.05, "en": 0.95}


async def ask_expecting(
    engine: OpenAICompatible, value: int, expected: Mapping[str, float], ms: int = 800
) -> list[Segment]:
    stretch = replace(spoken.stretch(value, ms), expected=lambda: expected)
    return [segment async for segment in engine.transcribe(stretch)]


@pytest.mark.parametrize(
    ("spoken_as", "expected", "asked"),
    [
        ((2, 800), KO, [None, "ko"]),  # it answers in English
        ((1, 800), EN, [None, "en"]),
        ((1, 800), KO, [None]),
        ((2, 800), EN, [None]),
        ((2, 4000), KO, [None]),
        ((1, 4000), EN, [None]),
        ((2, 800), {"ko": 0.5, "en": 0.5}, [None]),
    ],
)
async def test_a_short_stretch_in_a_language_that_is_not_expected_is_asked_for_once_more(
    engine: OpenAICompatible,
    server: OpenAISpeechServer,
    spoken_as: tuple[int, int],
    expected: Mapping[str, float],
    asked: list[str | None],
) -> None:
    value, ms = spoken_as
    (segment,) = await ask_expecting(engine, value, expected, ms)
    assert [request["language"] for request in server.requests] == asked
    assert segment.sounded is not None
    assert max(segment.sounded, key=dict(segment.sounded).__getitem__) == spoken.LINES[value][0]


async def test_who_names_no_language_is_read_by_its_letters(
    engine: OpenAICompatible, server: OpenAISpeechServer
) -> None:
    server.accepts_verbose = False
    await ask_expecting(engine, 2, KO)
    assert [request["language"] for request in server.requests] == [None, None, "ko"]
    assert await ask_expecting(engine, spoken.SILENCE, KO) == []


async def test_a_second_question_that_fails_or_is_refused_costs_nothing_of_the_first(
    engine: OpenAICompatible, server: OpenAISpeechServer
) -> None:
    server.once = ["well", "429"]
    (segment,) = await ask_expecting(engine, 2, KO)
    assert (segment.text, segment.language) == (spoken.LINES[2][1], "en")
    server.accepts_language = False
    await ask_expecting(engine, 2, KO)
    server.requests.clear()
    (segment,) = await ask_expecting(engine, 2, KO)
    assert segment.text == spoken.LINES[2][1]
    assert len(server.requests) == 1, "it finds out by itself whatever it is told"


@pytest.mark.parametrize("status", [400, 404, 405, 415, 422, 500, 501])
async def test_a_server_that_refuses_verbose_json_is_asked_once_and_then_plainly(
    engine: OpenAICompatible, server: OpenAISpeechServer, status: int
) -> None:
    server.accepts_verbose, server.refusal = False, status
    for value in (1, 2):
        (segment,) = await ask(engine, value, "ko")
        assert segment == Segment(spoken.LINES[value][1], 0, 800, final=True, language="ko")
    assert [request["response_format"] for request in server.requests] == ["verbose_json", "json", "json"]


@pytest.mark.parametrize("status", [400, 422, 500])
async def test_a_server_that_refuses_the_language_finds_it_out_by_itself(
    engine: OpenAICompatible, server: OpenAISpeechServer, status: int
) -> None:
    server.accepts_language, server.refusal = False, status
    for _ in range(2):
        (segment,) = await ask(engine, 1, "ko")
        assert (segment.text, segment.language) == (spoken.LINES[1][1], "ko")
    assert [request["language"] for request in server.requests[-2:]] == [None, None]


@pytest.mark.parametrize(
    ("value", "language", "prompt"), [(1, "ko", "결제, API."), (2, "en", "API."), (2, "auto", "결제, API.")]
)
async def test_terms_are_the_prompt_as_far_as_they_fit_the_language(
    engine: OpenAICompatible, server: OpenAISpeechServer, value: int, language: str, prompt: str
) -> None:
    (segment,) = await ask(engine, value, language, ("결제", "API"))
    assert segment.text == spoken.LINES[value][1]
    await ask(engine, value, language)
    assert server.prompts == [prompt, None]


@pytest.mark.parametrize("status", [400, 422, 500])
async def test_a_server_that_refuses_a_prompt_is_asked_once_and_then_without(
    engine: OpenAICompatible, server: OpenAISpeechServer, status: int
) -> None:
    server.accepts_prompt, server.refusal = False, status
    for _ in range(2):
        (segment,) = await ask(engine, 1, "ko", ("결제",))
        assert segment.text == spoken.LINES[1][1]
    assert server.prompts[0] == "결제."
    assert server.prompts[-1] is None


@pytest.mark.parametrize(("value", "said"), [(spoken.SILENCE, []), (1, [spoken.LINES[1][1]])])
async def test_what_is_only_the_prompt_again_is_asked_for_without_it(
    engine: OpenAICompatible, server: OpenAISpeechServer, value: int, said: list[str]
) -> None:
    server.repeats_prompt = True
    assert [segment.text for segment in await ask(engine, value, "ko", ("결제 기능", "인증서"))] == said
    assert server.prompts == ["결제 기능, 인증서.", None]


async def test_the_language_that_counts_is_not_the_prompts(
    engine: OpenAICompatible, server: OpenAISpeechServer
) -> None:
    server.repeats_prompt = True  # in Korean, of a stretch in English
    stretch = spoken.stretch(2, terms=("결제 기능", "인증서"))
    (segment,) = [each async for each in engine.transcribe(replace(stretch, expected=lambda: KO))]
    assert [request["language"] for request in server.requests] == [None, None, "ko", "ko"]
    assert server.prompts == ["결제 기능, 인증서.", None] * 2
    assert segment.text == spoken.LINES[2][1]
    assert segment.sounded is not None
    assert segment.sounded["en"] > segment.sounded["ko"]


async def test_one_refused_stretch_does_not_cost_the_scores_of_all(
    engine: OpenAICompatible, server: OpenAISpeechServer
) -> None:
    with pytest.raises(EngineFailed):
        await ask(engine, spoken.BROKEN)
    (segment,) = await ask(engine, 1)
    assert segment.confidence is not None


@pytest.mark.parametrize(("number", "figure"), [(1, "이십이일로"), (2, "Friday")])
async def test_a_figure_that_the_server_is_unsure_of_is_in_doubt(
    engine: OpenAICompatible, server: OpenAISpeechServer, number: int, figure: str
) -> None:
    for probability, unclear in ((0.3, [figure]), (0.9, [])):
        words = [
            {"word": f" {word}", "start": 0.1, "probability": probability if figure in word else 0.9}
            for word in spoken.LINES[number][1].split()
        ]
        server.odd_part = {"words": words}
        (segment,) = await ask(engine, number)
        assert [segment.text[start:end] for start, end in segment.doubtful] == unclear


@pytest.mark.parametrize(
    ("odd", "odd_part"),
    [
        ({}, {"words": "none"}),
        ({}, {"words": [{"word": 12, "probability": "low"}]}),
        ({}, {"words": [{"word": "12", "probability": 7}]}),
        ({"language": 7}, {}),
        ({"language": ["ko"]}, {}),
        ({"segments": "none"}, {}),
        ({"segments": ["안녕"]}, {}),
        ({"segments": {"0": {}}}, {}),
        ({}, {"start": "the beginning"}),
        ({}, {"end": [1]}),
        ({}, {"avg_logprob": {}, "no_speech_prob": "low"}),
        ({}, {"avg_logprob": float("nan"), "start": float("inf")}),
    ],
)
async def test_an_odd_field_beside_the_text_costs_no_words(
    engine: OpenAICompatible, server: OpenAISpeechServer, odd: dict[str, Any], odd_part: dict[str, Any]
) -> None:
    server.odd, server.odd_part = odd, odd_part
    (segment,) = await ask(engine, 1, "ko")
    assert (segment.text, segment.start_ms, segment.end_ms) == (spoken.LINES[1][1], 0, 800)
    assert segment.language == "ko"


@pytest.mark.parametrize(
    ("mood", "kind", "what"),
    [
        ("500", EngineBusy, r"failed \(500\)"),
        ("429", EngineBusy, r"is busy \(429\)"),
        ("hang", EngineBusy, r"127\.0\.0\.1:\d+ did not answer in time"),
        ("hang_up", EngineBusy, "broke off"),
        ("401", EngineFailed, "check STT_API_KEY"),
        ("404", EngineFailed, "check STT_BASE_URL and STT_MODEL"),
        ("400", EngineFailed, r"refused \(400\)"),
        ("garbage", EngineBusy, "not JSON"),
        ("html", EngineBusy, "a page of HTML"),
        ("no_text", EngineFailed, "without a text"),
    ],
)
async def test_misbehaviour_is_busy_or_failed_in_one_line_and_the_next_stretch_works(
    engine: OpenAICompatible, server: OpenAISpeechServer, mood: Mood, kind: type[Exception], what: str
) -> None:
    server.once = [mood, mood]
    with pytest.raises(kind, match=what) as caught:
        await ask(engine)
    assert "\n" not in str(caught.value)
    server.once = []
    assert await ask(engine)


async def test_the_servers_word_on_when_to_come_back_is_kept(
    engine: OpenAICompatible, server: OpenAISpeechServer
) -> None:
    server.once = ["429"]
    with pytest.raises(EngineBusy) as caught:
        await ask(engine)
    assert caught.value.retry_after_s == 7
    assert len(server.requests) == 1  # the client itself does not retry


@pytest.mark.parametrize("mood", ["400", "401", "500"])
async def test_the_key_is_in_no_error_and_no_log(
    engine: OpenAICompatible, server: OpenAISpeechServer, mood: Mood, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.mood = mood
    with pytest.raises((EngineBusy, EngineFailed)) as caught:
        await ask(engine)
    assert KEY not in str(caught.value)
    assert KEY not in caplog.text


async def test_nobody_listening_is_busy() -> None:
    engine = OpenAICompatible(base_url="http://127.0.0.1:9/v1", deadline_s=2)
    with pytest.raises(EngineBusy, match=r"127\.0\.0\.1:9 can't be reached"):
        await ask(engine)
    await engine.aclose()


async def test_a_slow_server_is_waited_for(engine: OpenAICompatible, server: OpenAISpeechServer) -> None:
    server.mood = "slow"
    texts = await asyncio.gather(*(ask(engine, value) for value in (1, 2)))
    assert [text[0].text for text in texts] == [spoken.LINES[value][1] for value in (1, 2)]
