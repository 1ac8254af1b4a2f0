"""Captured commands, questions and wishes count once. All of it: `python -m tests.security doors --only commands`."""

from __future__ import annotations

import pytest

from tests.security.doors.commands import attack
from worker.adapters.redis_signatures import Signer
from worker.participants.text_input import TextInput

pytestmark = pytest.mark.postgres


async def test_no_copy_is_obeyed_and_no_word_is_lost() -> None:
    outcome = await attack(20260105)
    assert outcome.got_in == ()
    assert outcome.tried > 50
    assert outcome.figures["obeyed"] == 5, "what was to be obeyed was"


async def test_the_attack_would_notice_commands_that_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the record of obeyed commands a copy that comes soon is one more command."""
    monkeypatch.setattr(TextInput, "_was_obeyed", lambda _self, _id: False)
    outcome = await attack(1, patience_s=1.0, whole=False)
    assert any("a copy at *" in line for line in outcome.got_in)


def test_who_has_no_token_can_neither_change_nor_move_a_command() -> None:
    signer, other = Signer("token"), Signer("another")
    entry = signer.signed("moim:a:ask:m", {"id": "q1", "by": "a", "text": "/pause"})
    now = f"{entry['at']}-0"
    assert signer.fault("moim:a:ask:m", now, entry) is None
    for stream in ("moim:b:ask:m", "moim:a:ask:n", "moim:a:in:m", "moim:ask:m", "moim:a:dispatch"):
        assert signer.fault(stream, now, entry) is not None
    assert other.fault("moim:a:ask:m", now, entry) is not None
    for name in ("id", "by", "text", "at"):
        assert signer.fault("moim:a:ask:m", now, {**entry, name: "x"}) is not None
        assert signer.fault("moim:a:ask:m", now, {n: v for n, v in entry.items() if n != name}) is not None
