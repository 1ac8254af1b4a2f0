"""Random lives of a meeting: how many are tried, under which bounds, and what two equal ones share."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, settings

from context.config import ContextConfig
from context.fold.meeting import Meeting

TIGHT = ContextConfig(
    l0_max_turns=6,
    l0_max_tokens=200,
    l0_topic_buffer_max_turns=10,
    l1_update_turn_threshold=7,
    speaker_buffer_max_per_speaker=3,
)
few = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def state(meeting: Meeting, *, besides: tuple[str, ...] = ()) -> dict[str, Any]:
    """Everything that two equal meetings share: the snapshot, the archive, and the windows as shown.

    `besides`: parts of the snapshot in which they may differ.
    """
    snapshot = json.loads(json.dumps(meeting.snapshot()))
    return {
        "snapshot": {key: value for key, value in snapshot.items() if key not in besides},
        "archive": meeting.utterances,
        "window": list(meeting.window.utterances),
        "buffer": list(meeting.buffer.utterances),
        "tokens": (meeting.window.tokens, meeting.buffer.tokens),
        "speakers": {k: list(v) for k, v in meeting.speakers.speaker_buffers.items()},
        "keys": meeting.keys,
    }
