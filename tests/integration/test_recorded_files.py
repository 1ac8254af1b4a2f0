"""`moim replay --record`: dates that are true or none, and passages that are complete, now or later."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import pytest

from context.events.actors import operator
from context.events.erasure_target import Target
from tests.integration.conftest import Moim
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_passages import PostgresPassages
from worker.adapters.postgres_people import PostgresPeople
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.bootstrap.database import Database
from worker.bootstrap.parts import correcting, parts
from worker.configuration.settings import Settings
from worker.passages.passage_store import Scope

pytestmark = pytest.mark.postgres

LINES = "".join(
    f"민지: 예산은 삼백만 원으로 결정했습니다 {n}\nBen: We need one more server {n}.\n" for n in range(40)
)


@pytest.fixture
def transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Eighty lines that tell no date; what is searched has no vectors here."""
    monkeypatch.setenv("EMBED_ENGINE", "none")
    path = tmp_path / "weekly.txt"
    path.write_text(LINES, "utf-8")
    return path


async def test_a_file_without_a_date_shows_none_anywhere(
    moim: Moim, pool: PostgresPool, transcript: Path
) -> None:
    code, _, err = await moim("replay", str(transcript), "--record", "--ask", "예산은 얼마로 결정했지?")
    assert (code, err.count("\n")) == (0, 1)
    assert "no times in it" in err
    (row,) = json.loads((await moim("meetings", "--json"))[1])
    assert (row["status"], row["started_at"], row["ended_at"]) == ("ended", None, None)
    assert "reason" not in row
    shown = [
        (await moim("meetings"))[1],
        *[(await moim("export", "weekly", "--format", form))[1] for form in ("json", "md", "vtt", "srt")],
        (await moim("thread", "weekly", "--json"))[1],
        (await moim("person", "민지"))[1],
        json.dumps(await PostgresPeople(pool).everything("민지")),
        *[each.searched for each in await PostgresPassages(pool).readable(Scope())],
    ]
    assert all("예산" in text or "weekly" in text for text in shown)
    assert not [text for text in shown if "1970" in text]
    assert await PostgresErasures(pool).ask_for_due(1, 10) == [], "it is kept from when it was put on record"


async def test_a_file_whose_day_is_told_shows_that_everywhere(
    moim: Moim, pool: PostgresPool, transcript: Path
) -> None:
    code, _, _ = await moim("replay", str(transcript), "--record", "--date", "2019-03-02T10:02")
    assert code == 0
    began = datetime(2019, 3, 2, 10, 2, tzinfo=UTC)
    row = await PostgresRegistry(pool).get("weekly")
    assert row is not None
    assert row.started_at == began
    assert row.ended_at is not None
    assert began < row.ended_at < began.replace(hour=12)
    passage = (await PostgresPassages(pool).of_source("meeting", "weekly"))[0]
    assert passage.citation == "weekly 2019-03-02 10:02"
    assert await PostgresErasures(pool).ask_for_due(30, 10) == [], "it is kept from when it was put on record"


@pytest.mark.parametrize(
    ("first", "kept"), [((), None), (("--date", "2026-03-02"), datetime(2026, 3, 2, tzinfo=UTC))]
)
async def test_a_replay_that_is_gone_on_with_keeps_the_date_that_is_on_record(
    moim: Moim, pool: PostgresPool, transcript: Path, first: tuple[str, ...], kept: datetime | None
) -> None:
    assert (await moim("replay", str(transcript), "--record", "--until", "10", *first))[0] == 0
    code, out, err = await moim("replay", str(transcript), "--record", "--json", "--date", "2026-04-01")
    assert (code, "keeps the date" in err) == (0, True)
    written = json.loads(out)
    assert len(written["utterances"]) == 80
    assert written["meeting"]["duration_ms"] < 3_600_000
    row = await PostgresRegistry(pool).get("weekly")
    assert row is not None
    assert row.started_at == kept


async def test_what_an_ended_meeting_lacks_of_its_passages_is_completed_once(
    moim: Moim, pool: PostgresPool, owner: asyncpg.Connection, transcript: Path
) -> None:
    """Its job was killed between the end and the last passage: here they are cut off."""
    await moim("replay", str(transcript), "--record")
    passages = PostgresPassages(pool)
    whole = await passages.of_source("meeting", "weekly")
    assert [each.last for each in whole if not each.is_note][-1] == 80
    assert await passages.claim_unfinished(4) == []
    await passages.cut("meeting", "weekly", 2)
    async with parts(Settings.load()) as shared:
        assert await passages.claim_unfinished(4) == ["weekly"]
        assert await passages.claim_unfinished(4) == [], "one dispatcher has it for a minute"
        await correcting(shared, Database(pool)).finish_passages("weekly")
    assert await passages.of_source("meeting", "weekly") == whole
    due = await owner.fetchval("SELECT passages_due_at FROM moim.meetings WHERE id = 'weekly'")
    assert due is None


async def test_words_that_were_erased_before_the_passages_were_complete_never_come_back(
    moim: Moim, pool: PostgresPool, transcript: Path
) -> None:
    await moim("replay", str(transcript), "--record")
    passages, erasures = PostgresPassages(pool), PostgresErasures(pool)
    await passages.cut("meeting", "weekly", 1)
    target = Target(what="utterances", utterances=(1, 79))
    await erasures.ask(target, id_="e1", actor=operator("ops"), by="ops", meeting_id="weekly")
    async with parts(Settings.load()) as shared:
        rewriting = correcting(shared, Database(pool))
        await rewriting.erase("weekly")
        assert await passages.claim_unfinished(4) == []
        await passages.cut("meeting", "weekly")
        assert await passages.claim_unfinished(4) == ["weekly"]
        await rewriting.finish_passages("weekly")
    text = "\n".join(each.text for each in await passages.of_source("meeting", "weekly"))
    assert "결정했습니다 1" in text
    assert "결정했습니다 0" not in text
    assert "결정했습니다 39" not in text
