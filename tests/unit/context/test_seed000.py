"""Seed 000's names, defaults and behaviour."""

from __future__ import annotations

import inspect
import os
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from pydantic import ValidationError

import context
from context import AgentCallType, ContextConfig, ContextManager, SpeakerStats, TopicSegment, Utterance
from context.config import ConfigError
from context.models import AgentContext, Participant
from tests.fakes.store import FakeStore
from tests.unit.cases import cases

DEFAULTS = {
    "l0_max_turns": 25, "l0_max_tokens": 3000, "l0_include_timestamps": True, "l0_topic_buffer_max_turns": 100,
    "l0_topic_buffer_max_tokens": 10000, "l1_topic_check_interval_turns": 5, "l1_update_turn_threshold": 25,
    "l1_update_interval_minutes": 15, "l1_min_new_utterances_for_time_trigger": 5, "l1_summary_max_tokens": 500,
    "summary_model_name": "HCX-007", "topic_detection_model_name": "HCX-003", "topic_quick_check_enabled": True,
    "speaker_buffer_max_per_speaker": 25, "db_sync_interval_seconds": 5, "db_sync_utterance_threshold": 10,
}  # fmt: skip


def said(number: int, text: str = "서버 비용 이야기입니다.", speaker: str = "a") -> Utterance:
    return Utterance(
        id=0, speaker_id=speaker, speaker_name=speaker.upper(), text=f"{text} {number}", start_ms=number * 5_000,
        end_ms=number * 5_000 + 3_000, confidence=0.9, absolute_timestamp=datetime(2026, 1, 5, tzinfo=UTC) + timedelta(seconds=5 * number),
    )  # fmt: skip


def test_every_name_of_the_seed_can_be_imported_from_the_package() -> None:
    names = {
        "ContextConfig", "ContextManager", "TopicDetector", "TopicChangeResult", "SpeakerContext", "SpeakerStats",
        "AgentCallType", "AgentContext", "Utterance", "Participant", "TopicSegment",
    }  # fmt: skip
    assert names < set(context.__all__)
    for name in context.__all__:
        assert getattr(context, name).__module__.startswith(("context.", "typing"))
    with pytest.raises(AttributeError, match="no attribute 'Nobody'"):
        _ = context.Nobody


def test_models_have_the_seeds_fields() -> None:
    assert set(Utterance.model_fields) >= {
        "id", "speaker_id", "speaker_name", "text", "start_ms", "end_ms", "confidence", "absolute_timestamp", "topic", "topic_id",
    }  # fmt: skip
    assert set(TopicSegment.model_fields) >= {
        "id", "name", "summary", "start_utterance_id", "end_utterance_id", "key_points", "keywords", "key_decisions",
        "pending_items", "participants",
    }  # fmt: skip
    assert set(Participant.model_fields) == {"user_id", "name", "role"}
    assert set(AgentContext.model_fields) == {
        "meeting_id", "current_time", "call_type", "recent_utterances", "current_topic", "topic_segments", "pending_items",
        "participants", "speaker_roles",
    }  # fmt: skip
    assert set(SpeakerStats.model_fields) >= {
        "user_id", "name", "utterance_count", "question_count", "statement_count", "total_words", "avg_utterance_length",
    }  # fmt: skip
    assert set(get_args(AgentCallType)) == {"IMMEDIATE_RESPONSE", "SUMMARY", "ACTION_EXTRACTION", "SEARCH"}


def test_settings_have_the_seeds_names_and_defaults_and_are_frozen() -> None:
    assert ContextConfig().model_dump() == DEFAULTS
    with pytest.raises(ValidationError):
        ContextConfig().l0_max_turns = 3


def test_constructing_settings_reads_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTEXT_L0_MAX_TURNS", "7")
    assert ContextConfig().l0_max_turns == 25
    assert ContextConfig.from_env(os.environ).l0_max_turns == 7


def test_both_spellings_of_the_model_names_are_accepted() -> None:
    short = ContextConfig.from_env({"CONTEXT_SUMMARY_MODEL": "m1", "CONTEXT_TOPIC_DETECTION_MODEL": "m2"})
    long = ContextConfig.from_env(
        {"CONTEXT_SUMMARY_MODEL_NAME": "m1", "CONTEXT_TOPIC_DETECTION_MODEL_NAME": "m2"}
    )
    assert short == long == ContextConfig(summary_model_name="m1", topic_detection_model_name="m2")
    empty = {"CONTEXT_L0_MAX_TURNS": " ", "CONTEXT_L0_MAX_TURN": "3"}
    assert ContextConfig.from_env(empty) == ContextConfig(), "empty counts as unset"
    with pytest.raises(ConfigError, match="its other spelling"):
        ContextConfig.from_env({"CONTEXT_SUMMARY_MODEL": "m1", "CONTEXT_SUMMARY_MODEL_NAME": "m2"})


@cases
def test_a_wrong_value_is_one_line_with_name_and_value(name: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ContextConfig.from_env({name: value, "PATH": "/bin"})
    line = str(caught.value)
    assert line.startswith(f"{name}={value!r} must be ")
    assert "\n" not in line


def test_a_new_manager_is_empty_and_its_topic_is_intro() -> None:
    manager = ContextManager("m")
    assert (manager.meeting_id, manager.current_topic, manager.config) == ("m", "Intro", ContextConfig())
    assert (list(manager.l0_buffer), list(manager.l0_topic_buffer), manager.l1_segments) == ([], [], [])
    assert manager._last_summarized_utterance_id is None
    assert list(inspect.signature(ContextManager).parameters)[:2] == ["meeting_id", "config"]


async def test_utterances_are_numbered_and_the_windows_keep_their_limits() -> None:
    manager = ContextManager("m")
    for i in range(1, 31):
        await manager.add_utterance(said(i))
    assert [u.id for u in manager.l0_buffer] == list(range(6, 31))
    assert [u.id for u in manager.get_l0_utterances(5)] == [26, 27, 28, 29, 30]
    assert manager.get_l0_utterances(0) == []
    assert len(manager.get_l0_utterances()) == 25
    assert [u.id for u in manager.get_topic_utterances()] == list(range(1, 31))
    assert manager.speaker_context.speaker_stats["a"].utterance_count == 30
    first = manager.l0_topic_buffer[0]
    assert first.absolute_timestamp == said(1).absolute_timestamp
    assert (first.topic, first.topic_id) == (manager.current_topic, "t1")


async def test_one_segment_per_topic_is_updated_not_doubled() -> None:
    manager = ContextManager("m")
    for i in range(1, 76):
        await manager.add_utterance(said(i))
        if i == 25:
            assert [s.end_utterance_id for s in manager.l1_segments] == [25]
            assert manager._last_summarized_utterance_id == 25
    (segment,) = manager.l1_segments
    assert (segment.version, segment.covered_until) == (3, 75)
    assert (segment.start_utterance_id, segment.end_utterance_id) == (1, 75)
    assert segment.summary


@pytest.mark.parametrize(
    "cue",
    [
        "그럼 다음 안건으로 넘어가겠습니다. 내년 예산 이야기를 해 보죠.",
        "Okay, let us move on to the office move.",
    ],
)
async def test_a_topic_change_closes_the_segment_clears_the_buffer_and_renames(cue: str) -> None:
    manager = ContextManager("m")
    for i in range(1, 8):
        await manager.add_utterance(said(i))
    await manager.add_utterance(said(8, cue).model_copy(update={"text": cue}))
    (closed,) = manager.get_l1_segments()
    assert (closed.start_utterance_id, closed.end_utterance_id, closed.closed) == (1, 7, True)
    assert closed.summary
    assert [u.id for u in manager.l0_topic_buffer] == [8]
    assert manager.current_topic in {"내년 예산", "office move"}
    copied = manager.get_l1_segments()
    copied.clear()
    assert manager.l1_segments


@pytest.mark.parametrize(("environ", "every"), [({}, 10), ({"CONTEXT_DB_SYNC_UTTERANCE_THRESHOLD": "4"}, 4)])
async def test_restore_from_db_goes_on_where_the_record_ends(environ: dict[str, str], every: int) -> None:
    store = FakeStore()
    epoch = store.record.open_meeting("m")
    manager = ContextManager("m", ContextConfig.from_env(environ), store=store, epoch=epoch)
    assert await manager.restore_from_db() is False
    written = []
    for i in range(1, 37):
        await manager.add_utterance(said(i))
        if not manager.unsynced:
            written.append(i)
    assert written == list(range(every, 37, every))
    await store.append("m", epoch, manager.unsynced)
    second = ContextManager("m", manager.config, store=store, epoch=epoch)
    assert await second.restore_from_db() is True
    assert second.snapshot() == manager.snapshot()
    assert second.get_l0_utterances() == manager.get_l0_utterances()
    await second.add_utterance(said(37))
    assert second.get_l0_utterances(1)[0].id == 37


@pytest.mark.parametrize(
    "text", ["서버 비용은 지난해보다 삼십 퍼센트 늘었습니다", "Server costs are up by thirty percent"]
)
async def test_time_stamps_take_their_room_in_l0_where_they_are_shown(text: str) -> None:
    shown = {}
    for stamps in ("true", "false"):
        manager = ContextManager(
            "m",
            ContextConfig.from_env({"CONTEXT_L0_INCLUDE_TIMESTAMPS": stamps, "CONTEXT_L0_MAX_TOKENS": "300"}),
        )
        for i in range(1, 26):
            await manager.add_utterance(said(i, text))
        shown[stamps] = len(manager.l0_buffer)
    assert 1 < shown["true"] < shown["false"] < 25
