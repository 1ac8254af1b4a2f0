"""What an endpoint's refusals and errors say is understood, in whichever form it says it."""

from __future__ import annotations

from typing import Any

import pytest

from stt.endpoint.refusals import error_in, retry_after_s

NOW = "Wed, 21 Oct 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("told", "date", "seconds"),
    [
        ("7", NOW, 7.0), ("1.5", "", 1.5), ("0", "", 0.0), (" 3 ", "", 3.0),
        ("Wed, 21 Oct 2026 07:28:30 GMT", NOW, 30.0), ("Wed, 21 Oct 2026 16:29:00 +0900", NOW, 60.0),
        ("Wed, 21 Oct 2026 07:27:00 GMT", NOW, None), ("Wed, 21 Oct 2026 07:28:30 GMT", "", None),
        ("Wed, 21 Oct 2026 07:28:30", NOW, None), ("Wed, 99 Oct 2026 07:28:30 GMT", NOW, None),
        ("", NOW, None), ("-1", NOW, None), ("nan", NOW, None), ("inf", NOW, None), ("잠시 후", NOW, None), ("soon", "now", None),
    ],
)  # fmt: skip
def test_how_long_to_wait(told: str, date: str, seconds: float | None) -> None:
    assert retry_after_s({"retry-after": told, "date": date}) == seconds


def choice(**told: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, **told}]}


@pytest.mark.parametrize(
    ("data", "is_error"),
    [
        ({"error": "overloaded"}, True), ({"error": {"message": "죽음"}, "choices": []}, True),
        ({**choice(delta={"content": ""}, finish_reason="error"), "error": {"code": 502}}, True),
        (choice(delta={}, finish_reason="abort"), True),
        ({"error": None, **choice(delta={"content": "네"})}, False), (choice(delta={}, finish_reason="stop"), False),
        ({"error": {"message": "of the last call"}, "text": "안녕"}, False), ({"choices": [None, 7]}, False), ([], False), (None, False),
    ],
)  # fmt: skip
def test_an_error_under_200(data: Any, is_error: bool) -> None:
    assert (error_in(data) is not None) == is_error
