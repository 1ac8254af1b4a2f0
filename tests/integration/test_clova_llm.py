"""CLOVA Studio's adapter against a local studio that behaves, misbehaves and refuses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import SecretStr

from context.budgets.tokens import EstimateTokenizer
from context.ports import ChatMessage, Refused, Unavailable
from context.topic_detector import TopicChangeResult
from tests.fakes.clova_studio import ClovaStudio, Failure
from worker.adapters.chat_replies import Usage
from worker.adapters.clova_llm import ClovaLanguageModel
from worker.adapters.clova_models import compatible_options
from worker.adapters.clova_wire import ClovaWire
from worker.adapters.openai_llm import OpenAILanguageModel
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.structured import Unusable, ask
from worker.agent.summaries.summary_draft import SummaryDraft
from worker.configuration.settings import Settings
from worker.diagnostics.diagnosis import diagnose

SCHEMA: dict[str, Any] = {
    "title": "Topic",
    "type": "object",
    "properties": {"topic": {"type": "string", "title": "Topic"}},
    "required": ["topic"],
}
TOKENS = EstimateTokenizer()
ASKED = [
    ChatMessage(role="system", content="규칙: 짧게."),
    ChatMessage(role="user", content="What did we decide? 무엇을 결정했나요?"),
]
MODELS = ("HCX-003", "HCX-005", "HCX-007", "HCX-DASH-002")


@pytest.fixture
async def studio() -> AsyncIterator[ClovaStudio]:
    async with ClovaStudio() as running:
        yield running


@pytest.fixture
async def wire(studio: ClovaStudio) -> AsyncIterator[ClovaWire]:
    made = ClovaWire(base_url=studio.base_url, api_key=SecretStr(studio.key))
    yield made
    await made.aclose()


@pytest.fixture
async def impatient(studio: ClovaStudio) -> AsyncIterator[ClovaWire]:
    """One whose studio has a second between two words: for studios that say nothing any more."""
    made = ClovaWire(base_url=studio.base_url, api_key=SecretStr(studio.key), read_timeout_s=1.0)
    yield made
    await made.aclose()


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest, wire: ClovaWire) -> ClovaLanguageModel:
    return ClovaLanguageModel(wire, model=request.param)


async def read(model: ClovaLanguageModel | OpenAILanguageModel, max_tokens: int = 40) -> str:
    return "".join([piece async for piece in model.stream(ASKED, max_tokens=max_tokens)])


async def collect(model: ClovaLanguageModel, got: list[str]) -> None:
    async for piece in model.stream(ASKED, max_tokens=40):
        got += [piece]


async def structured(model: ClovaLanguageModel | OpenAILanguageModel, schema: dict[str, Any] = SCHEMA) -> str:
    return await model.structured(ASKED, schema=schema, name="topic", max_tokens=40)


async def test_counts_tokens_by_purpose(studio: ClovaStudio, wire: ClovaWire) -> None:
    usage: list[Usage] = []
    for name in ("HCX-003", "HCX-007"):
        model = ClovaLanguageModel(wire, model=name, on_usage=usage.append)
        studio.will("결정", "했습니다")
        studio.will('{"topic":"x"}')
        assert await read(model) == "결정했습니다"
        await structured(model)
    assert [(used.purpose, used.model) for used in usage] == [
        ("answer", "HCX-003"), ("topic", "HCX-003"), ("answer", "HCX-007"), ("topic", "HCX-007"),
    ]  # fmt: skip
    assert all(used.prompt_tokens > 20 and used.completion_tokens > 5 for used in usage)


async def test_hcx_007_does_not_think_and_its_thoughts_are_never_said(
    studio: ClovaStudio, wire: ClovaWire
) -> None:
    model = ClovaLanguageModel(wire, model="HCX-007")
    studio.will("대답", fault="thinks")
    studio.will('{"topic": "x"}', fault="thinks")
    assert await read(model) == "대답"
    assert await structured(model) == '{"topic": "x"}'
    for chat in studio.chats:
        assert chat["thinking"] == {"effort": "none"}
        assert chat["maxCompletionTokens"] == 40


async def test_only_hcx_007_is_given_the_schema(studio: ClovaStudio, model: ClovaLanguageModel) -> None:
    studio.will('{"topic": "x"}')
    await structured(model)
    [sent] = studio.chats
    in_words = '"topic"' in sent["messages"][-1]["content"]
    assert ("responseFormat" in sent, in_words) == (model.name == "HCX-007", model.name != "HCX-007")
    assert sum(message["role"] == "system" for message in sent["messages"]) == 1


async def test_our_own_schemas_pass(studio: ClovaStudio, model: ClovaLanguageModel) -> None:
    studio.will('{"topic_changed": true, "current_topic": "예산", "confidence": 0.9}')
    verdict = await ask(
        CalledModel(model), ASKED, TopicChangeResult, name="topic_detection", max_tokens=300, tokenizer=TOKENS
    )
    assert (verdict.topic_changed, verdict.current_topic) == (True, "예산")
    said = {"text": "출시는 12월 22일입니다.", "evidence": [3]}
    studio.will(json.dumps({"summary": [said], "key_points": [], "decisions": [said], "pending": []}))
    draft = await ask(
        CalledModel(model), ASKED, SummaryDraft, name="summary", max_tokens=1500, tokenizer=TOKENS
    )
    assert draft.decisions[0].evidence == [3]


async def test_a_refused_schema_is_told_in_words_from_then_on(studio: ClovaStudio, wire: ClovaWire) -> None:
    model = ClovaLanguageModel(wire, model="HCX-007")
    studio.refuses_schemas = True
    for _ in range(2):
        studio.will('{"topic": "x"}')
        assert await structured(model) == '{"topic": "x"}'
    assert ["responseFormat" in chat for chat in studio.chats] == [True, False, False]


async def test_several_system_messages_become_one_and_empty_ones_go(
    studio: ClovaStudio, model: ClovaLanguageModel
) -> None:
    asked = [
        ChatMessage(role="system", content="one"),
        ChatMessage(role="user", content="질문"),
        ChatMessage(role="assistant", content=" "),
        ChatMessage(role="system", content="two"),
    ]
    assert "".join([piece async for piece in model.stream(asked, max_tokens=9)]) == "네"
    assert studio.chats[0]["messages"] == [
        {"role": "system", "content": "one\n\ntwo"}, {"role": "user", "content": "질문"},
    ]  # fmt: skip


@pytest.mark.parametrize(("failure", "error"), [
    (Failure(401, "40104"), Refused), (Failure(401, "40170"), Refused), (Failure(403, "40300"), Refused),
    (Failure(400, "40001"), Refused), (Failure(400, "40003"), Refused), (Failure(400, "40005"), Refused),
    (Failure(400, "40082"), Refused), (Failure(404, "40400"), Refused), (Failure(501, "50100"), Refused),
    (Failure(408, "40800"), Unavailable), (Failure(429, "42900"), Unavailable), (Failure(429, "42902"), Unavailable),
    (Failure(500, "50000"), Unavailable), (Failure(504, "50400"), Unavailable), (Failure(500, "64424"), Unavailable),
    (Failure(429, "64429"), Unavailable), (Failure(502, "?"), Unavailable),
    (Failure(429, "42901", under_200=True), Unavailable), (Failure(401, "40104", under_200=True), Refused),
])  # fmt: skip
async def test_codes(studio: ClovaStudio, wire: ClovaWire, failure: Failure, error: type[Exception]) -> None:
    model = ClovaLanguageModel(wire, model="HCX-005")
    for call in (read, structured):
        studio.will(failure)
        with pytest.raises(error) as caught:
            await call(model)
        assert isinstance(caught.value, error)
    assert len(studio.chats) == 2, "retrying is the caller's"


@pytest.mark.parametrize(
    ("sent", "seconds"), [("7", 7.0), ("1.5", 1.5), (None, None), ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("nan", None)]
)  # fmt: skip
async def test_429_says_how_long(
    studio: ClovaStudio, wire: ClovaWire, sent: str | None, seconds: float | None
) -> None:
    studio.will(Failure(429, "42901", retry_after=sent))
    with pytest.raises(Unavailable) as caught:
        await read(ClovaLanguageModel(wire, model="HCX-005"))
    assert caught.value.retry_after_s == seconds


@pytest.mark.parametrize("fault", ["garbage", "cut", "error_event", "overload_event"])
async def test_a_stream_that_fails_is_unavailable(
    studio: ClovaStudio, model: ClovaLanguageModel, fault: Any
) -> None:
    studio.will("결정된 ", "내용은", fault=fault)
    got: list[str] = []
    with pytest.raises(Unavailable):
        await collect(model, got)
    assert "결정된 내용은".startswith("".join(got))
    if fault != "cut":
        assert got == ["결정된 ", "내용은"], "what came before the fault is not lost"


@pytest.mark.parametrize("name", MODELS)
async def test_a_studio_that_falls_silent_is_unavailable(
    studio: ClovaStudio, impatient: ClovaWire, name: str
) -> None:
    model, got = ClovaLanguageModel(impatient, model=name), list[str]()
    studio.will("결정된 ", "내용은", fault="hang")
    with pytest.raises(Unavailable):
        await collect(model, got)
    assert got == ["결정된 ", "내용은"], "what came before the silence is not lost"
    studio.will("x" * 50, fault="hang")
    with pytest.raises(Unavailable):
        await structured(model)


@pytest.mark.parametrize("fault", ["garbage", "empty", "page", "cut"])
async def test_a_whole_answer_that_fails_is_unavailable(
    studio: ClovaStudio, model: ClovaLanguageModel, fault: Any
) -> None:
    studio.will("x" * 50, fault=fault)
    with pytest.raises(Unavailable):
        await structured(model)


async def test_a_page_instead_of_a_stream(studio: ClovaStudio, model: ClovaLanguageModel) -> None:
    studio.will(fault="page")
    with pytest.raises(Unavailable, match="a page of HTML"):
        await read(model)


@pytest.mark.parametrize("fault", ["drip", "only_result", "no_result"])
async def test_odd_streams_are_read(studio: ClovaStudio, model: ClovaLanguageModel, fault: Any) -> None:
    # A line separator within the text is no end of a line of the protocol.
    studio.will("출시일은 ", "12월\u2028 22일 🎉", fault=fault)
    assert await read(model) == "출시일은 12월\u2028 22일 🎉"


async def test_truncated_json_is_repaired_once(studio: ClovaStudio, model: ClovaLanguageModel) -> None:
    studio.will('{"topic_changed": true, "current_to')
    studio.will('```json\n{"topic_changed": false}\n```')
    verdict = await ask(
        CalledModel(model), ASKED, TopicChangeResult, name="topic_detection", max_tokens=300, tokenizer=TOKENS
    )
    assert verdict.topic_changed is False
    assert [message["role"] for message in studio.chats[-1]["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    studio.will('{"topic')
    studio.will('{"topic')
    with pytest.raises(Unusable):
        await ask(
            CalledModel(model),
            ASKED,
            TopicChangeResult,
            name="topic_detection",
            max_tokens=300,
            tokenizer=TOKENS,
        )


async def test_cancelling_ends_the_request(studio: ClovaStudio, model: ClovaLanguageModel) -> None:
    studio.will("첫", fault="hang")
    task = asyncio.ensure_future(read(model))
    async with asyncio.timeout(5):
        while not studio.chats:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while not studio.gone:
            await asyncio.sleep(0.005)


async def test_a_wrong_model_says_what_to_check(wire: ClovaWire) -> None:
    for name in ("HCX-999", "HCX-DASH-001"):
        with pytest.raises(Refused, match=r"40080.*check LLM_MODEL"):
            await read(ClovaLanguageModel(wire, model=name))


async def test_nobody_listens() -> None:
    async with ClovaStudio() as gone:
        address = gone.base_url
    wire = ClovaWire(base_url=address, api_key=SecretStr("nv-x"))
    with pytest.raises(Unavailable, match="LLM_BASE_URL"):
        await read(ClovaLanguageModel(wire, model="HCX-005"))
    await wire.aclose()


async def test_the_key_is_in_no_error(studio: ClovaStudio) -> None:
    wire = ClovaWire(base_url=studio.base_url, api_key=SecretStr("nv-very-secret"))
    with pytest.raises(Refused, match="LLM_API_KEY") as caught:
        await read(ClovaLanguageModel(wire, model="HCX-005"))
    assert "nv-very-secret" not in repr(caught.value.__cause__ or "") + str(caught.value)
    await wire.aclose()


class TestTheWindow:
    """A budget is a bound: our own count first, the token calculator where it decides."""

    LONG = "예산 집행 계획을 다시 검토하고 다음 주까지 보고합니다. "

    def asked(self, times: int) -> list[ChatMessage]:
        return [ChatMessage(role="user", content=self.LONG * times)]

    async def test_a_short_prompt_asks_no_calculator(
        self, studio: ClovaStudio, model: ClovaLanguageModel
    ) -> None:
        await read(model)
        assert studio.counts == 0

    async def test_where_our_bound_is_too_coarse_the_calculator_decides_and_is_remembered(
        self, studio: ClovaStudio, wire: ClovaWire
    ) -> None:
        model = ClovaLanguageModel(wire, model="HCX-003")
        asked = self.asked(400)
        ours, theirs = await model.prompt_tokens(asked)
        assert theirs < 7600 < ours
        for _ in range(3):
            assert [piece async for piece in model.stream(asked, max_tokens=500)] == ["네"]
        assert studio.counts == 1
        assert studio.chats[-1]["maxTokens"] == 500

    async def test_the_answer_gets_what_the_window_leaves(self, studio: ClovaStudio, wire: ClovaWire) -> None:
        model = ClovaLanguageModel(wire, model="HCX-003")
        asked = self.asked(400)
        _, theirs = await model.prompt_tokens(asked)
        assert [piece async for piece in model.stream(asked, max_tokens=4096)] == ["네"]
        assert studio.chats[-1]["maxTokens"] == 8192 - theirs

    async def test_what_does_not_fit_is_not_sent(self, studio: ClovaStudio, wire: ClovaWire) -> None:
        model = ClovaLanguageModel(wire, model="HCX-003")
        with pytest.raises(Refused, match="larger window"):
            [piece async for piece in model.stream(self.asked(900), max_tokens=500)]
        assert studio.chats == []

    async def test_without_its_calculator_our_bound_holds(self, studio: ClovaStudio, wire: ClovaWire) -> None:
        studio.calculator_fails = True
        model = ClovaLanguageModel(wire, model="HCX-003")
        with pytest.raises(Refused, match="does not fit"):
            [piece async for piece in model.stream(self.asked(400), max_tokens=500)]

    async def test_the_schema_counts(self, studio: ClovaStudio, wire: ClovaWire) -> None:
        model = ClovaLanguageModel(wire, model="HCX-007")
        ours, theirs = await model.prompt_tokens(ASKED)
        ours_with, theirs_with = await model.prompt_tokens(ASKED, {"type": "object"})
        assert (ours_with > ours, theirs_with > theirs) == (True, True)

    async def test_a_bound_that_was_too_low_is_raised(
        self, studio: ClovaStudio, wire: ClovaWire, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Should NAVER's tokenizer cut finer than anything we know, the first answer teaches us."""
        monkeypatch.setattr("tests.fakes.clova_studio_rules.tokens", lambda text: len(text.encode()))
        model = ClovaLanguageModel(wire, model="HCX-005")
        before, theirs = await model.prompt_tokens(ASKED)
        await read(model)
        after, _ = await model.prompt_tokens(ASKED)
        assert before < theirs <= after <= theirs + 1


class TestTheCompatibleRoute:
    """`LLM_ENGINE=openai` with `LLM_BASE_URL=…/v1/openai`."""

    @pytest.fixture(params=MODELS)
    async def route(
        self, studio: ClovaStudio, request: pytest.FixtureRequest
    ) -> AsyncIterator[OpenAILanguageModel]:
        made = OpenAILanguageModel(
            base_url=f"{studio.base_url}/v1/openai",
            api_key=SecretStr(studio.key),
            model=request.param,
            **compatible_options(request.param),
        )
        yield made
        await made.aclose()

    async def test_learns_that_streams_report_no_usage(
        self, studio: ClovaStudio, route: OpenAILanguageModel
    ) -> None:
        for _ in range(2):
            studio.will("출시일은 ", "22일")
            assert await read(route) == "출시일은 22일"
        assert ["stream_options" in chat for chat in studio.chats] == [True, False, False]
        assert ("reasoning_effort" in studio.chats[-1]) == (route.name == "HCX-007")

    async def test_our_own_schemas_pass(self, studio: ClovaStudio, route: OpenAILanguageModel) -> None:
        studio.will('{"topic_changed": true}')
        verdict = await ask(
            CalledModel(route),
            ASKED,
            TopicChangeResult,
            name="topic_detection",
            max_tokens=300,
            tokenizer=TOKENS,
        )
        assert verdict.topic_changed
        assert len(studio.chats) == 1, "nothing had to be learnt from a refusal"
        assert ("response_format" in studio.chats[0]) == (route.name == "HCX-007")

    async def test_a_prompt_that_is_too_long_is_refused_at_once(self, studio: ClovaStudio) -> None:
        made = OpenAILanguageModel(
            base_url=f"{studio.base_url}/v1/openai", api_key=SecretStr(studio.key), model="HCX-003"
        )
        studio.will(Failure(400, "40003", "Context length exceeded"))
        with pytest.raises(Refused, match="Context length"):
            await made.structured(ASKED, schema={}, name="x", max_tokens=9)
        await made.aclose()


class TestCheck:
    """`moim check` says what is wrong and how to mend it."""

    def settings(self, studio: ClovaStudio, **change: str) -> Settings:
        environ = {
            "LLM_ENGINE": "clova", "LLM_MODEL": "HCX-005", "LLM_API_KEY": studio.key, "LLM_BASE_URL": studio.base_url,
        }  # fmt: skip
        return Settings.from_env({**environ, **change})

    async def test_each_model_that_is_used_is_asked_for(self, studio: ClovaStudio) -> None:
        found, *_trials = await diagnose(self.settings(studio), ["llm"])
        assert found.state == "ok"
        assert all(name in found.text for name in ("HCX-005", "HCX-007", "HCX-003"))
        assert "12 tokens" in found.text

    @pytest.mark.parametrize(("change", "state", "said"), [
        ({"LLM_API_KEY": "nv-wrong"}, "wrong", "check LLM_API_KEY"),
        ({"CONTEXT_SUMMARY_MODEL": "HCX-008"}, "wrong", "CONTEXT_SUMMARY_MODEL='HCX-008'"),
        ({"LLM_BASE_URL": "http://127.0.0.1:9"}, "unreachable", "check LLM_BASE_URL"),
    ])  # fmt: skip
    async def test_what_is_wrong(
        self, studio: ClovaStudio, change: dict[str, str], state: str, said: str
    ) -> None:
        [found] = await diagnose(self.settings(studio, **change), ["llm"])
        assert (found.state, said in found.text, "\n" in found.text) == (state, True, False)
        assert "nv-" not in found.text

    async def test_the_compatible_route_lists_its_models(self, studio: ClovaStudio) -> None:
        route = f"{studio.base_url}/v1/openai"
        settings = self.settings(studio, LLM_ENGINE="openai", LLM_BASE_URL=route)
        found, *_trials = await diagnose(settings, ["llm"])
        assert (found.state, "with HCX-005" in found.text) == ("ok", True)
