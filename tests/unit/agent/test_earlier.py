"""What a meeting leaves to the next one in its room: kept in tiers, read by prompts, and never too much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from context.budget import EstimateTokenizer, budget_for
from context.budgets.configuration import BudgetConfig
from context.corpora.passage import Passage, PassageCutter
from context.manager import ContextManager
from context.meeting import Meeting
from context.models import Statement, Summary
from context.ports import Unavailable
from context.topic_events import SummaryReady
from tests.fakes.llm import ScriptedModel
from tests.fakes.passages import FakePassages
from tests.unit.agent.meetings import LINES, START, meeting_of, put
from worker.adapters.context_cache_files import ContextCacheFiles
from worker.agent.calling import CalledModel
from worker.agent.desk import DeskSettings
from worker.agent.earlier import EarlierMeetings
from worker.agent.graph.answering import Answerer
from worker.agent.graph.parts import AnswerParts
from worker.passages.store import Scope

TOKENS = EstimateTokenizer()
BOTH = pytest.mark.parametrize("language", ["ko", "en"])
DECIDED = {
    "ko": (Statement(text="출시일은 십이월 이십이일이다.", evidence=(3,), status="decided"), "출시일이 언제예요?"),
    "en": (
        Statement(text="A second server is added this week.", evidence=(3,), status="decided"),
        "When is a second server added?",
    ),
}  # fmt: skip
OPEN = {
    "ko": Statement(text="결제 테스트 계획을 공유한다.", evidence=(4,), owner="박준호", due="금요일"),
    "en": Statement(text="Order the server and report.", evidence=(4,), owner="Ben", due="Thursday"),
}
SENTENCE = {
    "ko": Statement(text="출시일의 위험을 이야기했다.", evidence=(1, 2)),
    "en": Statement(text="The price of a second server was discussed.", evidence=(1, 2)),
}
ORDER = {
    "ko": Statement(text="십이월 십오일 출시로 한다.", evidence=(1,), status="superseded"),
    "en": Statement(text="No second server is bought.", evidence=(1,), status="superseded"),
}


@dataclass
class Counted(FakePassages):
    """Counts how often it is read, and may be away."""

    reads: int = 0
    away: bool = False
    now: datetime = START + timedelta(hours=1)
    scopes: list[Scope] = field(default_factory=list)

    async def readable(self, scope: Scope, *, limit: int = 20_000) -> list[Passage]:
        self.reads += 1
        self.scopes.append(scope)
        if self.away:
            raise Unavailable("the database is away")
        return await super().readable(scope, limit=limit)


def meeting(language: str, meeting_id: str, room: str | None = "weekly") -> ContextManager:
    """A meeting whose only topic is summarised."""
    manager = meeting_of(
        LINES[language], opened={"meeting_id": meeting_id, "room": room, "title": "주간 회의"}
    )
    content = Summary(
        text=SENTENCE[language].text, sentences=(SENTENCE[language],),
        decisions=(DECIDED[language][0], ORDER[language]), pending=(OPEN[language],),
    )  # fmt: skip
    topic = manager.meeting.segments[-1]
    manager.receive(
        SummaryReady(
            topic_id=topic.id, version=1, reason="closing", covered_until=5, content=content, engine="m"
        )
    )
    return manager


async def indexed(store: FakePassages, manager: ContextManager, *access: str) -> None:
    """Its passages, as the indexer leaves them."""
    cutter = PassageCutter(manager.meeting_id, "주간 회의")
    cut = [passage for said in manager.meeting.utterances for passage in cutter.add(said)]
    rest = cutter.rest()
    await store.put(
        [each.model_copy(update={"access": access}) for each in (*cut, *([rest] if rest else []))]
    )


@dataclass
class Reading:
    """With a bound that hardly ever holds."""

    here: EarlierMeetings

    async def passages(
        self, manager: ContextManager, question: str, *, reader: str = "", within: int = 2_000
    ) -> Sequence[Passage]:
        return await self.here.passages(manager.meeting, question, reader=reader, within=within)

    async def keep(self, meeting: Meeting) -> None:
        await self.here.keep(meeting)


def earlier(
    store: Counted, folder: Path, tenant: str = "default", budgets: BudgetConfig | None = None
) -> Reading:
    files = ContextCacheFiles(folder).within(tenant)
    return Reading(EarlierMeetings(files.within, store, TOKENS, now=lambda: store.now, budgets=budgets))


async def kept(language: str, folder: Path, *access: str) -> Counted:
    """A store and a disk behind one meeting that has ended."""
    store, before = Counted(), meeting(language, "m-1")
    await indexed(store, before, *access)
    await earlier(store, folder).keep(before.meeting)
    return store


@BOTH
async def test_what_was_written_once_is_read_by_the_next_meeting_in_the_room(
    language: str, tmp_path: Path
) -> None:
    store = await kept(language, tmp_path)
    decision, question = DECIDED[language]
    (found,) = await earlier(store, tmp_path).passages(meeting(language, "m-2"), question)
    assert decision.text in found.text
    assert OPEN[language].text in found.text
    assert SENTENCE[language].text in found.text
    assert ORDER[language].text not in found.text, "it stands no longer"
    assert (found.corpus, found.source_id) == ("earlier", "m-1")
    assert found.citation.startswith("주간 회의 2026-03-02")


@BOTH
async def test_everybody_may_be_told_what_everybody_may_read(language: str, tmp_path: Path) -> None:
    store = await kept(language, tmp_path)
    here = earlier(store, tmp_path).here
    (told,) = await here.told_to_all(meeting(language, "m-2").meeting)
    assert DECIDED[language][0].text in told
    assert await here.told_to_all(meeting(language, "m-3", room=None).meeting) == []
    hidden = await kept(language, tmp_path / "hidden", "minji")
    assert await earlier(hidden, tmp_path / "hidden").here.told_to_all(meeting(language, "m-2").meeting) == []
    store.away = True
    with pytest.raises(Unavailable):
        await earlier(store, tmp_path).here.told_to_all(meeting(language, "m-2").meeting)


@BOTH
async def test_after_a_week_the_decisions_are_left(language: str, tmp_path: Path) -> None:
    store = await kept(language, tmp_path)
    store.now += timedelta(days=8)
    decision, question = DECIDED[language]
    (found,) = await earlier(store, tmp_path).passages(meeting(language, "m-2"), question)
    assert decision.text in found.text
    assert OPEN[language].text not in found.text
    assert SENTENCE[language].text not in found.text


@BOTH
async def test_with_little_room_it_comes_shorter(language: str, tmp_path: Path) -> None:
    store = await kept(language, tmp_path)
    _, question = DECIDED[language]
    now, here = meeting(language, "m-2"), earlier(store, tmp_path)
    (whole,) = await here.passages(now, question)
    room = TOKENS.count(whole.text)
    assert TOKENS.count((await here.passages(now, question, within=room + 2))[0].text) == room
    for less in range(room + 2):
        found = await here.passages(now, question, within=less)
        assert sum(TOKENS.count(each.text) for each in found) <= less


@BOTH
async def test_a_users_template_says_what_is_kept(language: str, tmp_path: Path) -> None:
    budgets = BudgetConfig.from_mapping(
        {"templates": {"level_1_detailed": {"format": "[{id}] {decision} / {next_agents}: {reason}"}}}
    )
    store, before = Counted(), meeting(language, "m-1")
    await indexed(store, before)
    here = earlier(store, tmp_path, budgets=budgets)
    await here.keep(before.meeting)
    decision, question = DECIDED[language]
    (found,) = await here.passages(meeting(language, "m-2"), question)
    topic, owner = before.meeting.segments[-1].name, OPEN[language].owner
    assert found.text == f"[{topic}] {decision.text} / {owner}: {OPEN[language].text}"


@BOTH
async def test_it_is_for_the_room_the_tenant_and_what_is_asked_about(language: str, tmp_path: Path) -> None:
    store = await kept(language, tmp_path)
    question = DECIDED[language][1]
    here = earlier(store, tmp_path)
    assert await here.passages(meeting(language, "m-2", room="another"), question) == ()
    assert await here.passages(meeting(language, "m-2", room=None), question) == ()
    assert await here.passages(meeting(language, "m-1"), question) == (), "its own are not earlier"
    assert await here.passages(meeting(language, "m-2"), "점심 메뉴는 뭐예요? And the lunch menu?") == ()
    for tenant in ("other", "..", "default/../default"):
        assert await earlier(store, tmp_path, tenant).passages(meeting(language, "m-2"), question) == ()


@BOTH
async def test_what_only_some_may_read_is_shown_to_them_alone(language: str, tmp_path: Path) -> None:
    store, before = Counted(), meeting(language, "m-1")
    await indexed(store, before)
    here = earlier(store, tmp_path)
    await here.keep(before.meeting)
    await indexed(store, before, "alice")  # closed to others since
    question, now = DECIDED[language][1], meeting(language, "m-2")
    assert await here.passages(now, question) == ()
    assert await here.passages(now, question, reader="ben") == ()
    assert len(await here.passages(now, question, reader="alice")) == 1
    assert await here.passages(now, question) == (), "what she read is not left to the others"


@BOTH
@pytest.mark.parametrize("what", ["corrected", "erased", "gone"])
async def test_what_the_record_says_no_longer_is_not_told(language: str, what: str, tmp_path: Path) -> None:
    store = await kept(language, tmp_path)
    key, passage = next(iter(store.rows.items()))
    if what == "gone":
        await store.cut("meeting", "m-1")
    else:
        said = LINES[language][2][2]
        assert said in passage.text
        text = passage.text.replace(said, "" if what == "erased" else "아니요, 취소합니다. No, cancelled.")
        store.rows[key] = passage.model_copy(update={"text": text})
    assert await earlier(store, tmp_path).passages(meeting(language, "m-2"), DECIDED[language][1]) == ()


@BOTH
async def test_the_blocks_are_read_once_for_a_session(language: str, tmp_path: Path) -> None:
    store = await kept(language, tmp_path)
    here, now, question = earlier(store, tmp_path), meeting(language, "m-2"), DECIDED[language][1]
    store.reads = 0
    first = await here.passages(now, question)
    assert await here.passages(now, question) == first
    assert store.reads == 1
    assert await here.passages(meeting(language, "m-3"), question) == first
    assert store.reads == 2, "another meeting has a session of its own"


@BOTH
async def test_what_is_erased_while_a_meeting_runs_is_told_for_a_minute_at_most(
    language: str, tmp_path: Path
) -> None:
    store = await kept(language, tmp_path)
    here, now, question = earlier(store, tmp_path), meeting(language, "m-2"), DECIDED[language][1]
    assert len(await here.passages(now, question)) == 1
    await store.cut("meeting", "m-1")
    store.now += timedelta(minutes=1)
    assert await here.passages(now, question) == ()


@BOTH
async def test_where_the_store_is_away_nothing_is_kept_and_nothing_told(
    language: str, tmp_path: Path
) -> None:
    store = await kept(language, tmp_path)
    store.away = True
    question = DECIDED[language][1]
    assert await earlier(store, tmp_path).passages(meeting(language, "m-2"), question) == ()
    await earlier(store, tmp_path / "other").keep(meeting(language, "m-1").meeting)
    assert not (tmp_path / "other").exists()
    store.away = False
    assert len(await earlier(store, tmp_path).passages(meeting(language, "m-2"), question)) == 1


async def test_a_rooms_folder_holds_its_newest_blocks_and_nothing_that_has_expired(tmp_path: Path) -> None:
    store = await kept("ko", tmp_path)
    store.now += timedelta(days=8)
    here = earlier(store, tmp_path)
    await here.passages(meeting("ko", "m-2"), DECIDED["ko"][1])
    tiers = {path.parent.name for path in tmp_path.rglob("*.json")}
    assert tiers == {"persistent"}, "the week's are gone from the disk"


@BOTH
async def test_an_answer_of_a_model_may_cite_them(language: str, tmp_path: Path) -> None:
    store = await kept(language, tmp_path)
    decision, question = DECIDED[language]
    manager = meeting_of((), opened={"meeting_id": "m-2", "room": "weekly"})
    model = ScriptedModel([f"{decision.text} [#900001]\n"], name="scripted")
    parts = AnswerParts(earlier=earlier(store, tmp_path).here)
    answerer = Answerer(CalledModel(model), DeskSettings(TOKENS, budget=budget_for("scripted")), parts=parts)
    reply, _ = await put(answerer, manager, question, "ben")
    assert decision.text in model.calls[0][-1].content
    assert decision.text.rstrip(".") in reply.text
    assert [source.startswith("주간 회의 2026-03-02") for source in reply.sources] == [True]
