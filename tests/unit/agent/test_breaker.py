"""Closed, open, half-open, by an injected clock."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from worker.agent.calling import LONGEST_REST_S, Breaker


class Time:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_opens_after_failures_in_a_row_only() -> None:
    breaker = Breaker(threshold=3, clock=Time())
    for _ in range(2):
        breaker.failed()
    breaker.succeeded()
    for _ in range(2):
        breaker.failed()
    assert breaker.admit()
    breaker.failed()
    assert breaker.is_open
    assert not breaker.admit()


def test_after_the_cool_down_one_trial_passes() -> None:
    time = Time()
    breaker = Breaker(threshold=1, cooldown_s=30, clock=time)
    breaker.failed()
    time.now_s += 29
    assert not breaker.admit()
    time.now_s += 1
    assert breaker.admit()
    assert not breaker.admit(), "one trial at a time"
    breaker.failed()
    assert not breaker.admit()
    time.now_s += 30
    assert breaker.admit()
    breaker.succeeded()
    assert breaker.admit()
    assert breaker.admit()


def test_a_trial_that_never_reports_blocks_for_one_cool_down() -> None:
    time = Time()
    breaker = Breaker(threshold=1, cooldown_s=30, clock=time)
    breaker.failed()
    time.now_s += 31
    assert breaker.admit()
    time.now_s += 30
    assert breaker.admit()


@given(st.lists(st.sampled_from(["ok", "bad", "wait"]), max_size=60))
def test_a_success_always_closes_and_waiting_always_helps(steps: list[str]) -> None:
    time = Time()
    breaker = Breaker(threshold=2, cooldown_s=10, clock=time)
    for step in steps:
        if step == "wait":
            time.now_s += 10
        elif breaker.admit():
            (breaker.succeeded if step == "ok" else breaker.failed)()
            if step == "ok":
                assert not breaker.is_open
    time.now_s += 10
    assert breaker.admit()


def test_a_server_that_asks_to_be_left_alone_is_for_a_minute_at_most() -> None:
    time = Time()
    breaker = Breaker(threshold=3, clock=time)
    breaker.rest(7)
    assert breaker.is_open
    assert not breaker.admit()
    time.now_s += 7
    assert breaker.admit()
    breaker.rest(3600)
    time.now_s += LONGEST_REST_S
    assert breaker.admit()
