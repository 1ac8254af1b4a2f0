"""Who may have words taken out, what they may name, and the receipt."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.web.server import Site
from tests.unit.web.test_sharing import made, opened

ID = "m-1"


@pytest.fixture(autouse=True)
async def meeting(site: Site) -> None:
    await site.registry.want("회의실", meeting_id=ID)


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
    assert (await site.call("GET", "/v1/erasures/none"))[0] == 404


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        ({}, "utterances"),
        ({"utterances": []}, "utterances"),
        ({"person": "a", "everything": True}, "utterances"),
        ({"utterances": [0]}, "utterances.0"),
        ({"utterances": ["3"]}, "utterances.0"),
        ({"person": " "}, "person"),
    ],
)
async def test_what_is_none_is_named(site: Site, wish: dict[str, Any], field: str) -> None:
    status, answer = await site.call("POST", f"/v1/meetings/{ID}/erasures", {"by": "b", **wish})
    assert status == 400
    assert answer["error"]["field"] == field


async def test_a_link_to_edit_erases_turns_and_no_more(site: Site) -> None:
    _, theirs = await opened(site, (await made(site, edit=True))["path"])
    wish = {"by": "b", "utterances": [1]}
    assert (await site.call("POST", f"/v1/meetings/{ID}/erasures", wish, token=None, headers=theirs))[
        0
    ] == 202
    for path, body in (
        (f"/v1/meetings/{ID}/erasures", {"by": "b", "everything": True}),
        (f"/v1/meetings/{ID}/erasures", {"by": "b", "person": "a"}),
        ("/v1/erasures", {"by": "b", "person": "a"}),
    ):
        assert (await site.call("POST", path, body, token=None, headers=theirs))[0] == 403, path
