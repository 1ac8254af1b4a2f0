"""The spans of a meeting: where the time of its turns and answers went, and none of its words."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest

from context.fold.window import RoughTokenizer
from context.models import AgentCallType, QuestionChannel
from stt.track_events import Moments
from tests.fakes.llm import Hang, ScriptedModel
from tests.fakes.meeting import SETTINGS, LoopClock, World, asked, meeting_at_work
from tests.fakes.spans import KeptSpans
from tests.fakes.store import FakeStore
from tests.fakes.virtual_time import in_virtual_time
from worker.agent.calls.calling import CalledModel
from worker.agent.graph.answer_parts import AnswerParts
from worker.bootstrap.language_models import LanguageModels
from worker.bootstrap.thinking import Thinking
from worker.monitoring.metric_labels import STEPS
from worker.monitoring.metrics import Metrics
from worker.monitoring.spans import ATTRIBUTES, Span, Trace
from worker.monitoring.tracing import TracingObserver
from worker.monitoring.turn_latency import HOPS

pytestmark = in_virtual_time

SAID = "출시일은 11월 20일로 결정하겠습니다. The release is on 20 November."
QUESTION = {"ko": "출시일이 언제로 결정됐어?", "en": "When is the release?"}
CITED = {"ko": "출시일은 11월 20일입니다 [#1].", "en": "The release is on 20 November [#1]."}
CLOSED = {
    *get_args(QuestionChannel),
    *get_args(AgentCallType),
    *("given", "superseded", "cancelled", "failed"),
    *("answer", "closest", "none"),
}


def observing(spans: KeptSpans, epoch: int = 1) -> Callable[[Any], TracingObserver]:
    return lambda meeting: TracingObserver(
        Metrics(), spans, meeting, tenant="acme", epoch=epoch, clock=LoopClock()
    )


@asynccontextmanager
async def traced(**how: Any) -> AsyncIterator[tuple[World, KeptSpans]]:
    spans = KeptSpans()
    async with meeting_at_work(observer_of=observing(spans), **how) as world:
        yield world, spans


def told_of(spans: KeptSpans) -> str:
    """All that a collector is told, as text: what a trace is about makes its ids, and is not among it."""
    return repr([(span.attributes, span.parts, f"{span.trace.trace_id:x}") for span in spans.kept])


def in_order(span: Span) -> None:
    """Its parts follow one another within it."""
    assert span.began_ns <= span.ended_ns
    for part in span.parts:
        assert span.began_ns <= part.began_ns <= part.ended_ns <= span.ended_ns, part
    for one, next_ in pairwise(span.parts):
        assert one.ended_ns <= next_.began_ns, (one, next_)


async def test_a_turn_is_told_hop_by_hop() -> None:
    async with traced() as (world, spans):
        now_s = asyncio.get_running_loop().time()
        world.session.latencies.heard("k1", Moments(now_s - 2, now_s - 1.5, now_s - 1.4, now_s - 0.25))
        world.speak(SAID, key="k1")
        await world.settle()
    (turn,) = spans.of("turn")
    assert [part.name for part in turn.parts] == ["silence", "cut", "engine", "fold", "commit", "publish"]
    in_order(turn)
    assert turn.ended_ns - turn.began_ns == pytest.approx(2e9, abs=1e6)
    assert (turn.parts[2].ended_ns - turn.parts[2].began_ns) == pytest.approx(1.15e9, abs=1e6)
    assert turn.attributes == {
        "moim.meeting": "m-test",
        "moim.epoch": 1,
        "moim.utterance": 1,
        "moim.speech_ms": 900,
        "moim.durable": True,
    }


async def test_a_turn_that_was_text_begins_with_the_fold() -> None:
    async with traced() as (world, spans):
        await world.say(SAID)
    assert [[part.name for part in turn.parts] for turn in spans.of("turn")] == [["commit", "publish"]]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("by_model", [False, True])
async def test_an_answer_is_told_step_by_step_and_links_to_what_it_cites(
    language: str, *, by_model: bool
) -> None:
    called = CalledModel(ScriptedModel([CITED[language]]))
    models = LanguageModels(called, called, called) if by_model else None
    async with traced(thinker=Thinking(models, RoughTokenizer(), SETTINGS)) as (world, spans):
        await world.say(SAID)
        await asyncio.sleep(5)  # they ask five seconds after the meeting has begun
        world.ask(QUESTION[language])
        await world.settle()
        (reply,) = world.session.manager.meeting.replies
    (answer,) = spans.of("answer")
    names = [part.name for part in answer.parts]
    assert names[0] == "read"
    assert names[-2:] == ["commit", "publish"]
    assert set(names[1:-2]) <= set(STEPS)
    assert {"retrieve", "assemble_context", "generate_answer", "quality_check"} <= set(names)
    assert reply.run is not None
    assert list(dict.fromkeys(names[1:-2])) == list(reply.run.steps)
    in_order(answer)
    assert answer.cites == reply.evidence == (1,)
    assert answer.attributes["moim.outcome"] == "given"
    assert answer.attributes["moim.via"] == "chat"


def test_a_link_finds_the_turn_whoever_has_shown_it() -> None:
    turn = Trace("acme", "m-test", "turn", "1")
    again = Trace("acme", "m-test", "turn", "1")
    assert (turn.trace_id, turn.span_id()) == (again.trace_id, again.span_id())
    others = [
        Trace("acme", "m-test", "turn", "2"),
        Trace("acme", "m-test", "answer", "1"),
        Trace("acme", "m-other", "turn", "1"),
        Trace("other", "m-test", "turn", "1"),
    ]
    assert len({each.trace_id for each in (turn, *others)}) == 5
    assert len({turn.span_id(place) for place in range(100)}) == 100
    assert 0 < turn.trace_id < 2**128
    assert 0 < turn.span_id() < 2**64


@pytest.mark.parametrize("id_", ["\ud800", "김민지:TR_x@100", "a\0b", ""])
def test_any_id_makes_a_trace(id_: str) -> None:
    assert Trace("acme", id_, "answer", id_).trace_id


async def test_a_question_that_is_superseded_is_told_as_that() -> None:
    hanging = CalledModel(ScriptedModel([Hang]))
    thinker = Thinking(LanguageModels(hanging, hanging, hanging), RoughTokenizer(), SETTINGS)
    async with traced(thinker=thinker) as (world, spans):
        await world.say(SAID)
        await asyncio.sleep(5)
        world.ask(QUESTION["ko"], "q1")
        await asyncio.sleep(1)
        world.ask(QUESTION["en"], "q2")
        await world.settle()
    first, second = spans.of("answer")
    assert [each.attributes["moim.outcome"] for each in (first, second)] == ["superseded", "given"]
    assert not first.failed
    assert first.parts[-1].ended_ns == first.ended_ns
    assert second.attributes["moim.degraded"] is True
    in_order(first)
    in_order(second)


async def test_what_an_error_quotes_is_told_to_nobody() -> None:
    class Broken:
        async def retrieve(self, *_: Any, **__: Any) -> Any:
            raise ValueError("두루미재단 said Heronwood")

    called = CalledModel(ScriptedModel([CITED["ko"]]))
    models = LanguageModels(called, called, called)
    thinker = Thinking(models, RoughTokenizer(), SETTINGS, parts=AnswerParts(retriever=Broken()))
    async with traced(thinker=thinker) as (world, spans):
        await world.say(SAID)
        world.ask("두루미재단 예산은요?")
        await world.settle()
    (answer,) = spans.of("answer")
    assert answer.failed
    assert answer.attributes["moim.outcome"] == "failed"
    assert answer.parts[-1].name == "retrieve"
    assert "두루미" not in told_of(spans)
    assert "Heronwood" not in told_of(spans)


async def test_an_answer_to_a_question_of_a_holder_before_is_told_by_its_successor() -> None:
    store = FakeStore()
    hanging = CalledModel(ScriptedModel([Hang]))
    thinker = Thinking(LanguageModels(hanging, hanging, hanging), RoughTokenizer(), SETTINGS)
    async with meeting_at_work(store, thinker=thinker) as world:
        await world.say(SAID)
        world.ask(QUESTION["ko"], "q1")
        await asyncio.sleep(1)
        await world.kill()
    spans = KeptSpans()
    epoch = store.record.open_meeting("m-test")
    async with meeting_at_work(store, epoch=epoch, observer_of=observing(spans, epoch)) as world:
        await world.settle()
    (answer,) = spans.of("answer")
    assert answer.attributes["moim.epoch"] == epoch
    assert "read" not in [part.name for part in answer.parts]
    assert answer.parts[-1].name == "publish"


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("reply", ["", '{"Heronwood": "두루미재단", "required_topics": ["두루미재단"]}'])
async def test_spans_have_numbers_ids_and_words_of_closed_lists_alone(language: str, reply: str) -> None:
    called = CalledModel(ScriptedModel([reply]))
    models = LanguageModels(called, called, called) if reply else None
    async with traced(thinker=Thinking(models, RoughTokenizer(), SETTINGS)) as (world, spans):
        world.session.human_seen("kim.minji@example.com", "김민지")
        world.speak(
            f"{SAID} 두루미재단 Heronwood", "kim.minji@example.com", key="kim.minji@example.com:TR_1@0"
        )
        await world.settle()
        for number, via in enumerate(get_args(QuestionChannel)):
            id_ = f"voice:kim.minji@example.com:TR_{number}@0"
            world.session.post(
                asked(
                    f"{QUESTION[language]} 두루미재단 Heronwood {number}",
                    id_,
                    f"kim.minji{number}@example.com",
                    via=via,
                )
            )
            await world.settle()
    assert len(spans.of("answer")) == len(get_args(QuestionChannel))
    assert len(spans.of("turn")) == 1
    for span in spans.kept:
        assert set(span.attributes) <= set(ATTRIBUTES)
        words = {value for value in span.attributes.values() if isinstance(value, str)} - {"m-test"}
        assert words <= CLOSED
        assert {part.name for part in span.parts} <= {*STEPS, "read", "commit", "publish"}
        assert not re.search("두루미|Heronwood|kim|김민지|출시|release", told_of(spans))


def test_the_page_names_every_attribute_and_no_other() -> None:
    page = Path("docs/how-to/traces.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(moim\.[a-z_]+)` \| (.+) \|$", page, re.MULTILINE))
    assert rows == ATTRIBUTES
    for hop in HOPS:
        assert f"`{hop}`" in page
