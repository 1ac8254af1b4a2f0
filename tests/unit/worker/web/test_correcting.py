"""Who may put right or take out what was said, what they may name, and the receipt."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.worker.web.fixes import FIXES, UTTERANCE
from tests.unit.worker.web.links import made, opened
from tests.unit.worker.web.server import ID, Site


@pytest.mark.parametrize(
    ("wish", "target"),
    [
        ({"utterances": [3, 5]}, {"what": "utterances", "utterances": [3, 5]}),
        ({"person": "김민지"}, {"what": "person", "person": "김민지"}),
        ({"everything": True}, {"what": "meeting"}),
    ],
)
async def test_a_wish_is_taken_and_its_receipt_can_be_had(
    site: Site, wish: dict[str, Any], target: dict[str, Any]
) -> None:
    status, taken = await site.call("POST", f"/v1/meetings/{ID}/erasures", {"by": "민지", **wish})
    assert (status, taken["by"], taken["target"], taken["done"]) == (202, "민지", target, False)
    assert await site.call("GET", f"/v1/erasures/{taken['id']}") == (200, taken)


async def test_a_person_everywhere(site: Site) -> None:
    status, taken = await site.call("POST", "/v1/erasures", {"by": "DPO", "person": "ben"})
    assert (status, taken["target"]) == (202, {"what": "person", "person": "ben"})
    assert await site.status("GET", "/v1/erasures/none") == 404


async def test_a_link_to_edit_erases_nobodys_words(site: Site) -> None:
    _, theirs = await opened(site, (await made(site, edit=True))["path"])
    wish = {"by": "b", "utterances": [1]}
    assert await site.status("POST", f"/v1/meetings/{ID}/erasures", wish, token=None, headers=theirs) == 404
    assert site.erasures.asked == {}, "it reaches nothing, and nothing waits"
    site.erasures.spoken = {1: "ben"}
    assert await site.status("POST", f"/v1/meetings/{ID}/erasures", wish, token=None, headers=theirs) == 403
    for path, body in (
        (f"/v1/meetings/{ID}/erasures", {"by": "b", "everything": True}),
        (f"/v1/meetings/{ID}/erasures", {"by": "b", "person": "a"}),
        ("/v1/erasures", {"by": "b", "person": "a"}),
    ):
        assert await site.status("POST", path, body, token=None, headers=theirs) == 403, path


@pytest.fixture(autouse=True)
async def meeting(site: Site) -> None:
    await site.hold(ID)


@pytest.mark.parametrize("fix", FIXES, ids=lambda fix: fix["of"])
async def test_it_is_taken(site: Site, fix: dict[str, Any]) -> None:
    status, answer = await site.call("PATCH", f"/v1/meetings/{ID}", {"by": "김민지", "fix": fix})
    assert (status, answer["by"], answer["id"]) == (202, "김민지", "c1")
    (seen,) = site.corrections.seen
    assert seen.fix.model_dump().items() >= fix.items()


async def test_there_must_be_something_to_put_right(site: Site) -> None:
    await site.registry.want("회의실 2", meeting_id="m-2")
    for meeting_id, wanted in (("m-2", 409), ("m-none", 404)):
        body = {"by": "b", "fix": UTTERANCE}
        assert await site.status("PATCH", f"/v1/meetings/{meeting_id}", body) == wanted
