"""A turn's way, hop by hop."""

from __future__ import annotations

import pytest

from stt.track_events import Moments
from worker.monitoring.turn_latency import HOPS, TurnLatencies, TurnLatency

HEARD = Moments(voice_s=10.0, frame_s=10.5, ended_s=10.501, text_s=10.6)


def test_the_hops_are_the_whole_way() -> None:
    latency = TurnLatency(HEARD, folded_s=10.602, settled_s=10.61, shown_s=10.62)
    hops = latency.hops_s()
    assert tuple(hops) == HOPS
    assert sum(hops.values()) == pytest.approx(0.62)
    assert hops["silence"] == pytest.approx(0.5)
    assert hops["commit"] == pytest.approx(0.008)


def test_a_turn_that_was_ended_from_outside_has_no_silence() -> None:
    muted = Moments(voice_s=10.0, frame_s=None, ended_s=10.2, text_s=10.3)
    assert "silence" not in TurnLatency(muted, 10.31, 10.32, 10.33).hops_s()
    assert "cut" not in TurnLatency(muted, 10.31, 10.32, 10.33).hops_s()


def test_only_what_was_sound_has_been_heard() -> None:
    latencies = TurnLatencies()
    latencies.heard("minji@0", HEARD)
    latencies.heard("ben@0", None)
    assert latencies.shown("ben@0", folded_s=11, settled_s=11, shown_s=11).heard is None
    latency = latencies.shown("minji@0", folded_s=11, settled_s=12, shown_s=13)
    assert latency == TurnLatency(HEARD, 11, 12, 13)
    assert latencies.shown("minji@0", folded_s=11, settled_s=12, shown_s=13).heard is None, "shown once"


def test_turns_that_are_never_shown_are_forgotten() -> None:
    latencies = TurnLatencies()
    for number in range(1000):
        latencies.heard(f"minji@{number}", HEARD)
    latencies_of = [latencies.shown(f"minji@{n}", folded_s=11, settled_s=12, shown_s=13) for n in (0, 999)]
    assert [latency.heard is not None for latency in latencies_of] == [False, True]
    assert len(latencies) < 100


def test_what_was_no_sound_has_the_way_from_the_fold_on() -> None:
    latency = TurnLatency(None, folded_s=11, settled_s=12, shown_s=14)
    assert latency.hops() == [("commit", 11, 12), ("publish", 12, 14)]
    assert latency.moments() == {"folded_s": 11, "settled_s": 12, "shown_s": 14}
