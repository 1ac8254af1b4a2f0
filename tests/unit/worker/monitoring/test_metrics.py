"""Figures: the seeds' names, and right sums across processes."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import yaml

from context.events.events import AnswerGiven, GapNoted
from stt.track_events import Moments
from tests.contracts.events import answered
from tests.unit.cases import beside
from tests.unit.worker.metrics import exercise, said, samples, summarised
from worker.monitoring.metric_labels import CHECKS, MISSED_REASONS, PURPOSES, STEPS
from worker.monitoring.metrics import Metrics
from worker.monitoring.observer import MeetingObserver
from worker.monitoring.turn_latency import TurnLatency
from worker.pressure import YIELDING

ROOT = Path(__file__).parents[4]
NAMES = frozenset(beside(__file__)["NAMES"])


def test_every_promised_name_is_there_and_right() -> None:
    metrics = Metrics()
    exercise(metrics)
    found = samples(metrics.render().decode())
    assert {name for name, _ in found} >= NAMES
    for name, labels, value in beside(__file__)["FIGURES"]:
        assert found[name, tuple(sorted(labels.items()))] == pytest.approx(value), name
    metrics.meeting_gone("m1")
    assert samples(metrics.render().decode())["moim_degraded", (("part", "stt"),)] == 1
    assert samples(metrics.render().decode())["moim_degraded", (("part", "llm"),)] == 0
    metrics.meeting_gone("m1")
    assert samples(metrics.render().decode())["moim_jobs", ()] == 1


def test_what_gives_way_is_counted_by_meetings_until_it_does_no_more() -> None:
    metrics = Metrics()

    def giving_way() -> dict[str, float]:
        found = samples(metrics.render().decode())
        return {what: found["moim_giving_way", (("what", what),)] for what in YIELDING}

    assert giving_way() == dict.fromkeys(YIELDING, 0)
    metrics.meeting_gives_way("m1", YIELDING)
    metrics.meeting_gives_way("m2", ["interims"])
    assert giving_way() == {"interims": 2, "embeddings": 1, "summaries": 1, "meetings": 0}
    metrics.meeting_gives_way("m1", ())
    metrics.meeting_gone("m2")
    assert giving_way() == dict.fromkeys(YIELDING, 0)


def test_what_models_are_asked_for_counts_from_zero() -> None:
    found = samples(Metrics().render().decode())
    for purpose in PURPOSES:
        of = ("purpose", purpose)
        series = [("calls", (of,)), ("cached_tokens", (of,))]
        series += [("tokens", (("kind", kind), of)) for kind in ("prompt", "completion")]
        series += [("useless_replies", (("fault", fault), of)) for fault in CHECKS]
        series += [("repairs", (("outcome", outcome), of)) for outcome in ("repaired", "failed")]
        series += [("missed", (of, ("reason", reason))) for reason in MISSED_REASONS]
        assert {found[f"moim_llm_{name}_total", labels] for name, labels in series} == {0}


def test_no_figure_carries_a_meeting() -> None:
    metrics = Metrics()
    exercise(metrics)
    assert re.search(r"m1|m2|meeting=", metrics.render().decode()) is None


def test_the_observer_counts_what_the_fold_sees() -> None:
    metrics = Metrics()
    observer = MeetingObserver(metrics)
    observer.folded(summarised("turn_limit", 1500), [])
    observer.folded(GapNoted(participant_id="a", start_ms=1000, end_ms=3500, reason="stt_timeout"), [])
    reply = answered(1)[1].reply.model_copy(update={"call_type": "SUMMARY"})
    observer.folded(AnswerGiven(reply=reply), [])
    observer.published(said(1, "끝"), now_ms=1040)
    way = TurnLatency(Moments(10.0, 10.5, 10.5, 10.6), folded_s=10.6, settled_s=10.625, shown_s=10.7)
    observer.published(said(2, "The end"), now_ms=1040, latency=way)
    found = samples(metrics.render().decode())
    assert found["moim_context_l1_update_count_total", (("reason", "turn_limit"),)] == 1
    assert found["moim_context_l1_summary_latency_sum", ()] == 1.5
    assert found["moim_gap_seconds_total", (("reason", "stt_timeout"),)] == 2.5
    assert found["moim_context_agent_call_type_count_total", (("call_type", "SUMMARY"),)] == 1
    assert found["moim_utterances_total", ()] == 2
    assert round(found["moim_ingest_lag_seconds_sum", ()], 6) == 0.08
    assert round(found["moim_turn_hop_seconds_sum", (("hop", "commit"),)], 6) == 0.025
    assert found["moim_turn_hop_seconds_count", (("hop", "silence"),)] == 1


def test_processes_add_up_and_the_dead_keep_their_counters_only() -> None:
    """The worker's way: a directory before the import, jobs forked from it, one of them killed."""
    script = """
        import os, sys
        from worker.monitoring import multiproc
        directory = multiproc.own_directory()
        from worker.monitoring.metrics import forget_process, process_metrics
        from tests.unit.worker.metrics import exercise
        main = process_metrics()
        pids = []
        for _ in range(2):
            pid = os.fork()
            if pid == 0:
                exercise(process_metrics())
                os._exit(0)
            os.waitpid(pid, 0)
            pids.append(pid)
        print(main.render().decode(), "=====", sep="")
        forget_process(pids[0])
        print(main.render().decode(), "=====", directory, sep="")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    both, one, directory = done.stdout.split("=====")
    before, after = samples(both), samples(one)
    assert {name for name, _ in before} >= NAMES
    assert before["moim_jobs", ()] == 4
    assert before["moim_utterances_total", ()] == 2
    assert before["moim_durable_lag_seconds", ()] == 0.4, "a lag is the worst one, not a sum"
    assert after["moim_jobs", ()] == 2
    assert after["moim_utterances_total", ()] == 2
    assert not Path(directory.strip()).exists(), "the directory goes with its process"


def test_the_directory_comes_too_late_after_the_import() -> None:
    script = "import prometheus_client\nfrom worker.monitoring import multiproc\nmultiproc.own_directory()"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert "before its directory was set" in done.stderr


def test_no_panel_is_empty_in_health() -> None:
    """Each series that the dashboard asks for is there before anything has happened."""
    known = {sample.name for family in Metrics().registry.collect() for sample in family.samples}
    recorded = {
        rule["record"]: rule["expr"]
        for group in yaml.safe_load(Path("deploy/prometheus/recording.yml").read_text("utf-8"))["groups"]
        for rule in group["rules"]
    }
    board = Path("deploy/grafana/moim.json").read_text("utf-8")
    asked = {query for found in re.findall(r'"expr": "((?:[^"\\]|\\.)*)"', board) for query in names(found)}
    assert len(asked) > 30
    for name in asked:
        assert name in known or names(recorded.get(name, "")) & known, f"{name} has no series at the start"


def names(query: str) -> set[str]:
    return set(re.findall(r"\bmoim[_:][\w:]+", query))


def test_the_steps_that_are_counted_are_those_of_the_graph() -> None:
    from worker.agent.graph.graph import NODES

    assert tuple(NODES) == STEPS
