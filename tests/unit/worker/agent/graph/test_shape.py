"""The graph as LangGraph has it: its nodes, edges and keys, its drawing, its stream, and who is told of a run."""

from __future__ import annotations

import ast
import inspect
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, get_args, get_type_hints

import langsmith.utils
import pytest
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.graph import END, START
from langgraph.runtime import Runtime

from context.corpora.passage import Query, Retrieved
from context.models import Reply
from tests import graph_drawing
from tests.fakes.llm import ScriptedModel
from tests.unit.worker.agent.meetings import (
    GOOD,
    KO,
    QUESTION,
    QUOTES,
    FakeContextSettings,
    Room,
    asked,
    meeting_of,
    said,
)
from worker.agent.calls.calling import CalledModel
from worker.agent.graph import answer_writing, graph, searching, storing, understanding
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.graph.graph import EDGES, NODES, ROUTES, compiled
from worker.agent.graph.run import Run
from worker.agent.graph.stages import STAGES
from worker.agent.graph.state import AgentState
from worker.agent.graph.step_times import StepTimes
from worker.outlets import Stage

_ROOT: Final = Path(__file__).parents[5]
_SET_BEFORE: Final = {"user_text", "query"}
"""The keys that the run begins with."""


def answerer(**more: Any) -> Answerer:
    return Answerer(
        more.pop("model", None), FakeContextSettings(said(KO), QUOTES["ko"], language="ko"), **more
    )


async def answered(by: Answerer) -> Reply:
    return await by.answer(asked(QUESTION["ko"]), meeting_of(()), Room().open_reply, now_ms=lambda: 9750)


# Its shape


def test_the_state_and_the_nodes_have_the_seeds_names() -> None:
    """They are those of seed 002's and seed 000's keys that are read; docs/seeds.md names the others."""
    ours = {"query", "found_history", "stopped_because"}
    assert set(AgentState.__annotations__) - ours == {
        "user_text", "slot_out", "profile_summary", "retrieved_docs", "token_plan", "quality_score",
        "quality_feedback", "cache_hit", "cached_response", "needs_retrieval", "dynamic_k",
        "hierarchical_contexts", "iteration_count", "retrieved_docs_history", "quality_score_history",
        "required_topics", "response",
    }  # fmt: skip
    assert {
        "check_similarity", "classify_intent", "extract_slots", "store_memory", "assemble_context", "retrieve",
        "generate_answer", "refine", "quality_check", "store_response",
    } <= set(NODES)  # fmt: skip


def test_each_step_is_a_node_and_each_way_an_edge_of_langgraphs() -> None:
    drawn = compiled().get_graph()
    assert set(drawn.nodes) == {START, END, *NODES}
    plain = {(edge.source, edge.target) for edge in drawn.edges if not edge.conditional}
    decided = {
        (edge.source, edge.data or edge.target, edge.target) for edge in drawn.edges if edge.conditional
    }
    assert plain == set(EDGES)
    assert decided == {
        (step, outcome, target) for step, (_, ways) in ROUTES.items() for outcome, target in ways.items()
    }
    assert {before for before, _ in EDGES} | set(ROUTES) == {START, *NODES}, "no step is an end by omission"


@pytest.mark.parametrize(
    ("step", "state", "goes_to"),
    [
        ("check_similarity", {"cache_hit": True}, "generate_answer"),
        ("check_similarity", {"cache_hit": False}, "classify_intent"),
        ("classify_intent", {"response": "안녕하세요!"}, "generate_answer"),
        ("classify_intent", {"response": ""}, "plan_topics"),
        ("classify_intent", {}, "plan_topics"),
        ("grade", {"stopped_because": "good"}, "assemble_context"),
        ("grade", {"stopped_because": "most_rewrites"}, "assemble_context"),
        ("grade", {"stopped_because": ""}, "refine"),
        ("generate_answer", {"cache_hit": True}, "store_response"),
        ("generate_answer", {"cache_hit": False, "response": "Hello!"}, "store_response"),
        ("generate_answer", {"cache_hit": False}, "quality_check"),
        ("quality_check", {"stopped_because": "corrected"}, "store_response"),
        ("quality_check", {"stopped_because": "", "quality_feedback": {"needs_retrieval": True}}, "refine"),
        (
            "quality_check",
            {"stopped_because": "", "quality_feedback": {"needs_retrieval": False}},
            "assemble_context",
        ),
    ],
)
async def test_what_is_decided_behind_a_step(step: str, state: AgentState, goes_to: str) -> None:
    route, ways = ROUTES[step]
    assert ways[await route(state)] == goes_to


@pytest.mark.parametrize("step", ROUTES)
def test_each_outcome_of_a_route_leads_somewhere(step: str) -> None:
    route, ways = ROUTES[step]
    assert set(get_args(get_type_hints(route)["return"])) == set(ways)
    assert set(ways.values()) <= set(NODES)


def test_the_drawing_in_the_docs_is_the_graph() -> None:
    """`python -m tests.graph_drawing` draws it anew."""
    page = (_ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert page == graph_drawing.redrawn(page)
    for name in NODES:
        assert re.search(rf"\b{name}\b", graph_drawing.block()), name


# Its state


def _keys_of(code: ast.AST) -> tuple[set[str], set[str]]:
    """What is read of `state` in this code, by subscript or `get`; and what its dicts and `changes[…]` set."""
    read, written = set(), set()
    for node in ast.walk(code):
        match node:
            case ast.Subscript(value=ast.Name(id="state"), slice=ast.Constant(value=str(key))):
                read.add(key)
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="state"), attr="get"),
                args=[ast.Constant(value=str(key)), *_],
            ):
                read.add(key)
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id="changes"), slice=ast.Constant(value=key))]
            ):
                written.add(key)
            case ast.Return(value=ast.Dict(keys=keys)) | ast.Assign(value=ast.Dict(keys=keys)):
                written |= {key.value for key in keys if isinstance(key, ast.Constant)}
    return read, written


def test_every_key_of_the_state_is_set_and_read_by_a_step_or_a_route() -> None:
    read, written = set[str](), set(_SET_BEFORE)
    for module in (understanding, searching, answer_writing, storing, graph):
        its_read, its_written = _keys_of(ast.parse(inspect.getsource(module)))
        read |= its_read
        written |= its_written
    keys = set(AgentState.__annotations__)
    assert read == keys
    assert keys <= written


def test_a_key_that_nobody_reads_is_seen() -> None:
    read, written = _keys_of(ast.parse("def step(state):\n    return {'b': state['a'], 'c': state.get('d')}"))
    assert (read, written) == ({"a", "d"}, {"b", "c"})


@pytest.mark.parametrize("step", NODES)
def test_a_step_is_a_node_as_langgraph_wants_them(step: str) -> None:
    hints = get_type_hints(NODES[step])
    assert list(inspect.signature(NODES[step]).parameters)[1] == "runtime"
    assert (hints["runtime"], hints["return"]) == (Runtime[Run], dict[str, Any])


async def test_a_run_sets_nothing_but_keys_of_the_state() -> None:
    """LangGraph drops what is no key of the state without a word."""
    seen: list[Mapping[str, Any]] = []
    by = answerer(model=CalledModel(ScriptedModel([GOOD["ko"]])))
    invocation, room = asked(QUESTION["ko"]), Room()
    run = by._run(
        invocation, by.context_settings.question_context(invocation, meeting_of(())), room.open_reply
    )
    begins = AgentState(user_text=invocation.text, query=invocation.text)
    async for update in compiled().astream(begins, context=run, stream_mode="updates"):
        seen += [changes for changes in update.values() if changes]
    assert {key for changes in seen for key in changes} <= set(AgentState.__annotations__)


async def test_a_run_starts_no_thread() -> None:
    """A job process is forked from one that has made answers, and no thread survives a fork."""
    before = threading.active_count()
    await answered(answerer(model=CalledModel(ScriptedModel([GOOD["ko"]]))))
    assert threading.active_count() == before


# Its stream


async def test_the_trail_is_what_the_stream_tells() -> None:
    """Record, metrics and the page have the same steps in the same order, with the same times."""
    measured: list[tuple[str, float]] = []
    begun: list[tuple[str, str]] = []
    by = answerer(on_step=lambda step, took_s: measured.append((step, took_s)))
    invocation = asked(QUESTION["ko"])
    reply = await by.answer(
        invocation,
        meeting_of(()),
        Room().open_reply,
        now_ms=lambda: 9750,
        on_begin=lambda step, stage: begun.append((step, stage)),
    )
    assert reply.run is not None
    steps = [name for name in NODES if name != "refine"]
    assert [name for name, _ in measured] == list(reply.run.steps) == steps
    assert begun == [(name, STAGES[name]) for name in steps]
    assert {name: round(1000 * took_s, 3) for name, took_s in measured} == reply.run.steps


def test_each_step_has_a_stage_and_each_stage_its_words() -> None:
    assert list(STAGES) == list(NODES)
    words = (_ROOT / "worker" / "web" / "static" / "words.js").read_text(encoding="utf-8")
    for stage in get_args(Stage):
        assert words.count(f" doing_{stage}: ") == 2, "in English and in Korean"


def _times(clock: list[float]) -> tuple[StepTimes, Any, list[tuple[str, float]]]:
    told: list[tuple[str, float]] = []
    means = SimpleNamespace(clock=lambda: clock[0], on_step=lambda step, took_s: told.append((step, took_s)))
    run: Any = SimpleNamespace(means=means, account=SimpleNamespace(steps={}), on_begin=lambda _step: None)
    return StepTimes(run), run, told


def test_a_step_that_runs_again_adds_up_and_is_told_twice() -> None:
    now = [0.0]
    times, run, told = _times(now)
    for name, took_s in (("retrieve", 0.5), ("grade", 0.25), ("retrieve", 2.0)):
        times.see({"id": "1", "name": name, "input": {}, "triggers": []})
        now[0] += took_s
        times.see({"id": "1", "name": name, "error": None, "interrupts": [], "result": {}})
    times.end()
    assert run.account.steps == {"retrieve": 2500.0, "grade": 250.0}
    assert told == [("retrieve", 0.5), ("grade", 0.25), ("retrieve", 2.0)]


async def test_a_step_that_fails_or_is_cancelled_is_measured_too() -> None:
    class Broken:
        async def retrieve(self, _query: Query, **_: Any) -> Retrieved:
            raise ValueError("broken")

    measured: list[str] = []
    told = lambda step, _took_s: measured.append(step)  # noqa: E731 - shorter than a def
    model = CalledModel(ScriptedModel([GOOD["ko"]]))
    by = answerer(model=model, on_step=told, parts=AnswerParts(retriever=Broken()))
    with pytest.raises(ValueError, match="broken"):
        await by.answer(asked("펭귄 전시 예산은요?"), meeting_of(()), Room().open_reply, now_ms=lambda: 1)
    assert measured[-1] == "retrieve"


# Who is told


@pytest.mark.parametrize(
    "switches",
    [
        {"LANGSMITH_TRACING": "true"},
        {"LANGCHAIN_TRACING_V2": "true"},
        {"LANGSMITH_TRACING_V2": "true", "LANGCHAIN_VERBOSE": "true"},
        {"LANGCHAIN_TRACING": "true"},
        {"LANGCHAIN_HANDLER": "langchain"},
    ],
    ids=" ".join,
)
async def test_nobody_is_told_of_a_run_whatever_the_environment_says(
    switches: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meetings go to nobody's dashboard. The last two would end each answer with an error."""
    listening: list[Any] = []

    class Looks:
        async def retrieve(self, _query: Query, **_: Any) -> Retrieved:
            config = var_child_runnable_config.get()
            assert config is not None
            listening.append(config["callbacks"].handlers)
            return Retrieved()

    for name, value in {
        **switches,
        "LANGSMITH_API_KEY": "k",
        "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
    }.items():
        monkeypatch.setenv(name, value)
    langsmith.utils.get_env_var.cache_clear()
    langsmith.configure(enabled=None)
    compiled.cache_clear()  # as in a process that starts with such an environment
    try:
        assert langsmith.utils.tracing_is_enabled() is ("LANGCHAIN_HANDLER" not in switches)
        model = CalledModel(ScriptedModel([GOOD["ko"]]))
        reply = await answered(answerer(model=model, parts=AnswerParts(retriever=Looks())))
    finally:
        langsmith.utils.get_env_var.cache_clear()
    assert reply.evidence == (3,)
    assert set(map(len, listening)) == {0}
