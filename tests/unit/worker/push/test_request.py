"""What the webhook gets: a body that says all, and headers that prove who sent it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import pytest
import standardwebhooks

from worker.push.queue import TranscriptSegmentRequest, headers, signature

NINE = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def request(meeting_id: str = "m-1", text: str = "We ship on Friday. 👋") -> TranscriptSegmentRequest:
    return TranscriptSegmentRequest(meeting_id, "room", None, 7, "utterance", {"id": 3, "text": text}, NINE)


@pytest.mark.parametrize("text", ["출시일은 금요일입니다.", "We ship on Friday. 👋"])
def test_a_body_says_what_it_is_and_where_it_belongs(text: str) -> None:
    body = json.loads(request(text=text).body())
    assert body == {
        "version": 1,
        "id": "m-1/7",
        "kind": "utterance",
        "tenant": "default",
        "meeting_id": "m-1",
        "room": "room",
        "title": None,
        "seq": 7,
        "recorded_at": "2026-01-05T09:00:00+00:00",
        "utterance": {"id": 3, "text": text},
    }


def test_the_signature_is_the_documented_one() -> None:
    body = request().body()
    expected = hmac.new(b"whsec", b"1767603600." + body, hashlib.sha256).hexdigest()
    assert signature("whsec", 1767603600, body) == f"v1={expected}"
    assert signature("other", 1767603600, body) != f"v1={expected}"
    assert signature("whsec", 1767603601, body) != f"v1={expected}"


def test_headers_carry_id_kind_time_and_signature_in_ascii() -> None:
    pushed = request("회의-1")
    sent = headers("whsec", pushed.body(), sent_at=NINE, push_id=pushed.id, kind=pushed.kind)
    assert sent["Moim-Kind"] == "utterance"
    assert sent["Moim-Timestamp"] == "1767603600"
    assert sent["Moim-Signature"] == signature("whsec", 1767603600, pushed.body())
    assert sent["Moim-Id"] == "%ED%9A%8C%EC%9D%98-1/7"
    assert all(value.isascii() for value in sent.values())
    assert "whsec" not in repr(sent)


@pytest.mark.parametrize("meeting_id", ["m-1", "회의.1", "a b.c/d"])
@pytest.mark.parametrize("secret", ["s3cret", "길고 아무도 모르는 글"])
def test_a_receiver_with_standard_webhooks_library_verifies_a_push(meeting_id: str, secret: str) -> None:
    pushed, now = request(meeting_id), datetime.now(UTC)
    sent = headers(secret, pushed.body(), sent_at=now, push_id=pushed.id, kind=pushed.kind)
    page = Path("docs/how-to/webhook.md").read_text("utf-8")
    (shown,) = re.findall(r"^standard = (.*)$", page, re.MULTILINE)
    hook = standardwebhooks.Webhook(eval(shown, {"base64": base64, "secret": secret}))
    assert hook.verify(pushed.body(), sent)["id"] == pushed.id
    assert "." not in sent["webhook-id"]
    assert unquote(sent["Moim-Id"]) == unquote(sent["webhook-id"]) == pushed.id
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        hook.verify(pushed.body() + b" ", sent)
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        hook.verify(pushed.body(), {**sent, "webhook-id": "another"})


@pytest.mark.parametrize(
    ("one", "other"), [("default", "acme"), ("acme", "acme/5"), ("서울", "부산"), ("a", "a@b")]
)
def test_no_two_tenants_pushes_have_the_same_id(one: str, other: str) -> None:
    """A receiver that keeps the ids it has seen would drop the words of one of them."""
    meetings = {"m-1", "m-1/7@acme", "m-1/5", f"m-1/7@{one}", f"m-1/7@{other}"}
    ids = [
        replace(request(meeting_id), tenant=tenant).id for tenant in (one, other) for meeting_id in meetings
    ]
    assert len(set(ids)) == len(ids)
