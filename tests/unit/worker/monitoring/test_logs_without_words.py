"""At INFO a meeting's log has ids and counts: no word that was said or asked, no topic's name, no person's."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator

import pytest
import structlog

from context.events import events
from context.events.actors import operator
from context.events.corrections import TopicFix
from context.events.erasure_target import Target
from context.fold.window import RoughTokenizer
from tests.fakes.llm import ScriptedModel
from tests.fakes.meeting import SETTINGS, meeting_at_work
from tests.fakes.virtual_time import in_virtual_time
from tests.unit.context.topic_talk import EN, KO
from worker.agent.calls.calling import CalledModel
from worker.bootstrap.language_models import LanguageModels
from worker.bootstrap.thinking import Thinking
from worker.configuration.settings import Settings
from worker.messages import Malformed, read_ask, read_dispatch, read_input
from worker.monitoring import telemetry

pytestmark = in_virtual_time

SPOKEN = {
    "ko": (KO, "서버 교체는 언제 하기로 했나요? 두루미재단", "두루미재단 일정"),
    "en": (EN, "When do we replace Heronwood?", "Heronwood schedule"),
}


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    stream = io.StringIO()
    telemetry.configure(Settings.from_env({}), stream=stream)
    yield stream
    root.handlers[:] = before[0]
    root.setLevel(before[1])
    structlog.reset_defaults()


def words_of(text: str) -> set[str]:
    """Words that no name of an event or a field is: Korean ones, and English ones of six letters and more."""
    return set(re.findall(r"[가-힣]{2,}|\b[A-Z]?[a-z]{6,}\b", text))


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize(
    "reply", ["", '{"Heronwood": "두루미재단", "required_topics": ["두루미재단 일정", 7]}']
)
async def test_a_meetings_log_has_none_of_its_words(language: str, reply: str, log: io.StringIO) -> None:
    lines, question, name = SPOKEN[language]
    called = CalledModel(ScriptedModel([reply]))
    models = LanguageModels(called, called, called) if reply else None
    thinker = Thinking(models, RoughTokenizer(), SETTINGS)
    async with meeting_at_work(language=language, thinker=thinker) as world:
        await world.say(*lines)
        world.ask(question)
        await world.settle()
        meeting = world.session.manager.meeting
        topics = [topic.name for topic in meeting.segments]
        fix = TopicFix(of="topic", topic=meeting.segments[0].id, name=name)
        world.session.post(events.Corrected(id="c1", by="minji", at_ms=world.session.now_ms(), fix=fix))
        await world.settle()
        assert await world.session.erase(
            Target(what="utterances", utterances=(1,)), id_="e", actor=operator("ops"), by="minji"
        )
        await world.settle()
    told = log.getvalue()
    assert "l1_segment_created" in told
    assert "answered" in told
    known = {"English", "Korean"}
    for word in words_of(" ".join([*lines, question, name, *topics])) - known:
        assert not re.search(rf"\b{word}\b", told), (
            word,
            [line for line in told.splitlines() if word in line],
        )
    assert "Minji" not in told
    assert not any(topic in told for topic in topics)


@pytest.mark.parametrize(
    ("read", "entry"),
    [
        (read_input, '{"id": "1", "speaker": "a", "text": ["두루미재단"], "start_ms": 1, "end_ms": 2}'),
        (read_input, '{"id": "1", "speaker": "두루미\\u0000재단", "text": "x", "start_ms": 1, "end_ms": 2}'),
        (read_ask, '{"id": "1", "by": "a", "text": {"x": "두루미재단"}}'),
        (read_dispatch, '{"meeting_id": "m", "title": ["두루미재단"]}'),
    ],
)
def test_the_reason_of_a_refused_entry_quotes_no_text(read: object, entry: str) -> None:
    assert callable(read)
    found = read(entry.encode())
    assert isinstance(found, Malformed)
    assert "두루미" not in found.reason
    assert r"\ub450" not in found.reason
    assert "given: " in found.reason
