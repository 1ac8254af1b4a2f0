from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from stt.engine.fair_queue import EngineRequest, FairQueue


def request(owner: str, number: int = 0) -> EngineRequest[str]:
    return EngineRequest(owner, f"{owner}{number}", "ko", b"\0\0")


def drain(queue: FairQueue[str]) -> list[str]:
    taken = []
    while (item := queue.take()) is not None:
        taken.append(item.id)
    return taken


def test_lines_are_served_in_turn() -> None:
    queue: FairQueue[str] = FairQueue(10)
    for number in range(3):
        queue.put(request("a", number))
    queue.put(request("b", 0))
    assert drain(queue) == ["a0", "b0", "a1", "a2"]


def test_one_that_comes_back_stands_behind_the_others() -> None:
    queue: FairQueue[str] = FairQueue(10)
    for owner in "ab":
        queue.put(request(owner, 0))
        queue.put(request(owner, 1))
    first = queue.take()
    assert first is not None
    queue.put(request(first.owner, 2))
    assert drain(queue) == ["b0", "a1", "b1", "a2"]


def test_a_full_queue_refuses_the_greedy_and_not_the_newcomer() -> None:
    queue: FairQueue[str] = FairQueue(3)
    for number in range(3):
        assert queue.put(request("greedy", number)) is None
    refused = queue.put(request("greedy", 3))
    assert refused is not None
    assert refused.id == "greedy3"
    refused = queue.put(request("newcomer"))
    assert refused is not None
    assert refused.id == "greedy2"
    assert drain(queue) == ["greedy0", "newcomer0", "greedy1"]


def test_cancelling_and_leaving_empty_the_line() -> None:
    queue: FairQueue[str] = FairQueue(10)
    for number in range(2):
        queue.put(request("a", number))
        queue.put(request("b", number))
    queue.cancel("a", "a0")
    queue.cancel("a", "unknown")
    queue.forget("b")
    queue.forget("unknown")
    assert len(queue) == 1
    assert drain(queue) == ["a1"]


@settings(deadline=None)
@given(
    st.integers(1, 6), st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["put", "take", "forget"])))
)
def test_nothing_is_lost_nor_doubled_nor_beyond_the_bound(limit: int, steps: list[tuple[str, str]]) -> None:
    queue: FairQueue[str] = FairQueue(limit)
    waiting: Counter[str] = Counter()
    for number, (owner, step) in enumerate(steps):
        if step == "put":
            waiting[f"{owner}{number}"] += 1
            if (loser := queue.put(request(owner, number))) is not None:
                waiting[loser.id] -= 1
        elif step == "take" and (taken := queue.take()) is not None:
            waiting[taken.id] -= 1
        elif step == "forget":
            queue.forget(owner)
            waiting = Counter({name: count for name, count in waiting.items() if name[0] != owner})
        assert len(queue) == sum(waiting.values()) <= limit
    waiting.subtract(drain(queue))
    assert not any(waiting.values())
