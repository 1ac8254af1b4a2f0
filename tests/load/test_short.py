"""The short form of the load: everything is delivered once, and what grows is bounded. No speed is asserted."""

from __future__ import annotations

import json
from itertools import islice, pairwise
from typing import Any

import asyncpg
import pytest

from tests.conftest import Database
from tests.load.claims import claims, hold
from tests.load.goals import goals
from tests.load.place import Side
from tests.load.rooms import RoomRow
from tests.load.talk import talk
from tests.load.text import text
from worker.adapters.sql import statements
from worker.fleet.dispatcher import LATE_S, RETRY_AFTER_S, STANDBY_AFTER_S

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(900)]

_MB_PER_MEETING = 12.0
"""Some 1.5 here; a leak of a connection's buffers or of a model for each meeting would be more."""


async def test_twelve_text_meetings_lose_and_double_nothing_and_cost_little_each() -> None:
    row = await text(12, 6.0, history=3, durable=False, environment={"EMBED_ENGINE": "none"})
    assert row.turns >= 12, "everybody spoke"
    assert (row.lost, row.doubled) == (0, 0)
    assert row.rss_mb_per_meeting < _MB_PER_MEETING
    assert json.loads(json.dumps(row.fields()))["meetings"] == 12


def test_the_talk_is_real_in_both_languages_and_the_same_every_time() -> None:
    for number, letters in ((0, "가나다라"), (1, "abcd")):
        lines = list(islice(talk(number, seed=6), 300))
        assert lines == list(islice(talk(number, seed=6), 300))
        assert 2 <= len({line.speaker for line in lines}) <= 4
        assert any(letter in line.text for line in lines for letter in letters)
        assert all(before.end_ms <= after.start_ms for before, after in pairwise(lines))
        assert 4_000 <= (lines[-1].end_ms - lines[0].end_ms) / 299 <= 6_000


@pytest.mark.parametrize(
    ("named", "statement", "parameters"),
    [
        ("registry", "claim_unheld", (50, RETRY_AFTER_S, False)),
        ("standbys", "claim_unguarded", (50, STANDBY_AFTER_S, False, LATE_S)),
    ],
)
async def test_a_look_for_what_nobody_holds_does_not_go_through_what_is_held(
    named: str, statement: str, parameters: tuple[Any, ...], database: Database
) -> None:
    await hold(database.admin_url, 300, text=False)
    server = await asyncpg.connect(database.url)
    async with server.transaction():
        await server.execute(statements("registry")["tenant"].replace("$1", "'default'"))
        plan = await server.fetchval(
            f"EXPLAIN (ANALYZE, FORMAT JSON) {statements(named)[statement]}", "default", *parameters
        )
    await server.close()

    def passed(node: dict[str, Any]) -> float:
        """Rows of tables that one step hands to the next."""
        rows: float = node["Actual Rows"] * node["Actual Loops"] if "Relation Name" in node else 0
        return rows + sum(passed(step) for step in node.get("Plans", ()))

    assert passed(json.loads(plan)[0]["Plan"]) < 10, "of 300"


async def test_looking_for_what_nobody_holds_is_measured_where_all_are_held() -> None:
    took = await claims(300)
    assert set(took) == {"meetings", "unheld_rooms_ms", "unheld_text_ms", "unguarded_ms"}
    assert all(figure > 0 for figure in took.values())


def row(side: Side, rooms: int, cpu: float, p95_s: float, missing: int = 0) -> RoomRow:
    return RoomRow(
        side=side, rooms=rooms, seconds=35, entered=rooms, cpu_per_room=cpu, cpu_jobs=cpu * rooms, cpu_main=0,
        cpu_record=0, cpu_sfu=0, pss_mb_per_job=50, lines=6 * rooms, delivered=6 * rooms - missing,
        line_s_p50=p95_s, line_s_p95=p95_s, line_s_max=p95_s, asked=9, cpu_crowd=0, cpu_rest=0, late_s=0,
    )  # fmt: skip


def test_rooms_are_judged_by_the_most_that_a_side_serves_whole() -> None:
    starved = row("example", 8, 0.218, 22.1, missing=32)
    rows = [row("moim", 1, 0.147, 0.52), row("example", 1, 0.336, 0.77), row("example", 4, 0.352, 2.47)]
    met = [goal.met for goal in goals([*rows, row("moim", 8, 0.116, 0.63), starved])]
    assert met == [True, True, True]
    late = [goal.met for goal in goals([*rows, row("moim", 8, 0.116, 1.6), starved])]
    assert late == [True, False, True]
    lost = [goal.met for goal in goals([*rows, row("moim", 8, 0.116, 0.63, missing=1), starved])]
    assert lost == [True, False, False], "0.147 core by one room"
    dear = [goal.met for goal in goals([*rows, row("moim", 8, 0.12, 0.63), starved])]
    assert dear == [True, True, False]
    assert list(goals([starved, row("example", 1, 0.336, 0.77)])) == [], "nothing of ours to judge"
