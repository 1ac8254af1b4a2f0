"""Who may put something right, what they may put right, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.leases import FakeLeases
from tests.unit.web.server import Site
from worker.ports import Holder

ID = "m-1"
UTTERANCE = {
    "of": "utterance",
    "utterance": 2,
    "text": "예산은 이백만 원입니다.",
    "was": "예산은 이만 원입니다.",
}
FIXES: list[dict[str, Any]] = [
    UTTERANCE,
    {"of": "person", "person": "phone-1", "name": "박지훈"},
    {"of": "topic", "topic": "t2", "name": "Hiring"},
    {
        "of": "statement",
        "topic": "t1",
        "list": "decisions",
        "evidence": [3],
        "was": "x",
        "status": "rejected",
    },
    {
        "of": "statement",
        "topic": "t1",
        "list": "pending",
        "evidence": [3],
        "was": "x",
        "owner": "",
        "due": "금요일",
    },
]


@pytest.fixture(autouse=True)
async def meeting(site: Site) -> None:
    await site.registry.want("회의실", meeting_id=ID)
    epoch = await FakeLeases(site.registry.record).acquire(ID, Holder(host="a", worker_pid=1, job_pid=2), 60)
    assert epoch is not None
    await site.registry.mark_live(ID, epoch, None)


@pytest.mark.parametrize("fix", FIXES, ids=lambda fix: fix["of"])
async def test_it_is_taken(site: Site, fix: dict[str, Any]) -> None:
    status, answer = await site.call("PATCH", f"/v1/meetings/{ID}", {"by": "김민지", "fix": fix})
    assert (status, answer["by"], answer["id"]) == (202, "김민지", "c1")
    (seen,) = site.corrections.seen
    assert seen.fix.model_dump(mode="json").items() >= fix.items()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"text": ""}, "fix.utterance.text"),
        ({"text": "x" * 20_001}, "fix.utterance.text"),
        ({"utterance": "two"}, "fix.utterance.utterance"),
        ({"of": "everything"}, "fix"),
    ],
)
async def test_what_is_none_is_named(site: Site, change: dict[str, Any], field: str) -> None:
    status, answer = await site.call(
        "PATCH", f"/v1/meetings/{ID}", {"by": "b", "fix": {**UTTERANCE, **change}}
    )
    assert status == 400
    assert answer["error"]["field"] == field
    assert site.corrections.seen == []


async def test_there_must_be_something_to_put_right(site: Site) -> None:
    await site.registry.want("회의실 2", meeting_id="m-2")
    for meeting_id, wanted in (("m-2", 409), ("m-none", 404)):
        body = {"by": "b", "fix": UTTERANCE}
        assert (await site.call("PATCH", f"/v1/meetings/{meeting_id}", body))[0] == wanted
