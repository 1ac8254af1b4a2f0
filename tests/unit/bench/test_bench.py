"""The arithmetic of `python -m tests.bench`; nothing here is timed."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.bench import hops, latency
from tests.bench.figures import Figure, percentile
from tests.bench.processes import cpu_of, cpu_s, family, memory_of, pss_mb, threads_cpu_s

SMAPS = """\
55e0c0000000-55e0c0400000 rw-p 00000000 00:00 0                          [heap]
Size:               4096 kB
Pss:                2048 kB
Pss_Dirty:          2048 kB
7f0000000000-7f0000100000 rw-p 00000000 00:00 0
Pss:                1024 kB
7f1000000000-7f1000100000 r-xp 00000000 08:01 4711                       /usr/lib/libbig.so
Pss:               90000 kB
7f1000100000-7f1000101000 rw-p 00100000 08:01 4711                       /usr/lib/libbig.so
Pss:                 512 kB
7f2000000000-7f2000001000 rw-s 00000000 08:01 4712                       /run/counter.db
Pss:                 512 kB
"""
STAT = "4711 (a) b (c) S 1 4711 4711 0 -1 4194560 100 0 0 0 250 75 0 0 20 0 5 0 1 0 0"


@pytest.mark.parametrize(
    ("values", "share", "wanted"),
    [
        ([7.0], 0.95, 7.0),
        (list(range(1, 101)), 0.95, 96),
        (list(range(1, 101)), 0.5, 51),
        (list(range(20, 0, -1)), 0.95, 20),
        ([3.0, 1.0, 2.0], 0.0, 1.0),
    ],
)
def test_a_percentile_is_one_of_the_values(values: list[float], share: float, wanted: float) -> None:
    assert percentile(values, share) == wanted


def test_memory_is_the_processes_share_in_mb_program_files_apart() -> None:
    assert memory_of(SMAPS) == 4.0
    assert memory_of("") == 0.0


def test_cpu_counts_user_and_system_time_whatever_the_name() -> None:
    assert cpu_of(STAT, 100) == 3.25


def test_a_family_is_a_process_and_its_children() -> None:
    says_it_runs = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(says_it_runs, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()  # before, it is a fork without memory of its own
        try:
            assert {os.getpid(), child.pid} <= set(family(os.getpid()))
            assert (
                pss_mb([os.getpid(), child.pid]) > pss_mb([child.pid]) > 1
            )  # ours shrinks where pages are shared
        finally:
            child.kill()


def test_who_is_gone_costs_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
        assert pss_mb([child.pid]) == 0.0
        assert family(child.pid) == [child.pid]


def test_the_main_thread_is_part_of_its_process() -> None:
    assert 0.0 < threads_cpu_s(os.getpid())["main"] <= cpu_s(os.getpid()) + 0.01


def test_a_goal_is_met_up_to_its_figure() -> None:
    assert Figure("f", 50.0, "ms", 50.0).met is True
    assert Figure("f", 50.1, "ms", 50.0).met is False
    assert Figure("f", 3.0, "ms", baseline="b", baseline_value=2.0).ratio == 1.5


def test_a_line_gets_loud_where_its_sound_does() -> None:
    quiet, loud = np.zeros(1600, np.int16), np.full(1600, 8000, np.int16)
    pcm = np.concatenate([quiet, loud, quiet]).tobytes()
    assert latency.onset_s(pcm) == pytest.approx(0.1)


def test_a_line_that_gets_loud_by_and_by_has_no_such_moment() -> None:
    assert latency.onset_s(np.linspace(0, 8000, 8000).astype(np.int16).tobytes()) is None


def test_the_way_of_a_turn_is_read_from_the_log() -> None:
    moments = {"voice_s": 12.5, "frame_s": 13.0, "ended_s": 13.1, "text_s": 13.2}
    moments |= {"folded_s": 13.3, "settled_s": 13.4, "shown_s": 13.5}
    log = f"""{json.dumps({"event": "turn_shown", "key": "minji@3000", **moments})}
{json.dumps({"event": "turn_shown", "key": "ben@4900", **moments, "voice_s": None})}
worker: {json.dumps({"event": "turn_shown", "key": "ben@8700", "level": "debug", **moments})}
{{"event": "room_left"}}
"""
    engine = """instant engine listens
{"began_s": 12.9, "done_s": 12.95}
{"began_s": 13.12, "done_s": 13.15}"""
    listener = """{"listens": true}
{"segment": "m-1/minji@3000", "received_s": 13.6}
{"trip_s": 0.01}
{"segment": "m-1/ben@4900", "received_s": 13.6}"""
    found = hops.ways(log, engine, listener)
    assert found == {"minji@3000": hops.Way(moments, (13.12, 13.15), 13.6)}
    assert hops.trips_s(listener) == [0.01]


def test_the_hops_of_a_turn_are_all_that_is_ours() -> None:
    moments = {"voice_s": 12.5, "frame_s": 13.05, "ended_s": 13.06, "text_s": 13.2}
    moments |= {"folded_s": 13.21, "settled_s": 13.22, "shown_s": 13.5}
    way = hops.Way(moments, (13.1, 13.15), 13.25)
    took = dict(way.hops_s())
    assert took["silence, beyond its window"] == pytest.approx(0.05)
    took.popitem()  # the publication goes on beside the text's way
    assert sum(took.values()) == pytest.approx(way.ours_s(12.5)) == pytest.approx(0.2)


def test_turns_alternate_and_never_touch() -> None:
    cuts = [latency.Cut(bytes(2), 0.0, 1.5)] * 5
    lines = latency.spread(cuts)
    assert [line.speaker for line in lines] == ["minji", "ben", "minji", "ben", "minji"]
    assert all(later.at_s - line.at_s >= line.cut.end_s for line, later in itertools.pairwise(lines))


def test_each_hop_stands_beside_its_median_and_what_it_cannot_be_without() -> None:
    moments = {"voice_s": 0.0, "frame_s": 0.5, "ended_s": 0.5, "text_s": 0.52, "folded_s": 0.52}
    found = [
        hops.Way({**moments, "settled_s": 0.52 + ms / 1000, "shown_s": 0.7}, (0.5, 0.51), 0.6)
        for ms in range(100)
    ]
    rows = {row.name: row for row in hops.figures(found, disk_s=[0.001, 0.002], trips_s=[0.004, 0.02])}
    commit = rows["hop: commit, p95"]
    assert (commit.value, commit.baseline_value) == (pytest.approx(95), pytest.approx(50))
    assert commit.note == "the disk alone, one page: median 2.0, p95 2.0"
    assert rows["hop: text to the client, p95"].note == "half an echo: median 10.0, p95 10.0"
    beside = rows["end of speech (as it came in) to text, p95, without the commit"]
    assert beside.value == pytest.approx(600 - 500 - 10 - 4), "the quickest commit leaves most to the rest"
