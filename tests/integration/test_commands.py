"""`moim dispatch`, `meetings`, `end`, `export`, `ask`, `migrate`, `check` on real Postgres and Valkey."""

from __future__ import annotations

import asyncio
import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from tests.conftest import Database
from tests.integration.conftest import Moim
from tests.integration.erasing import found
from tests.integration.short_meeting import LINES, record
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresLinks, PostgresRoomKeys
from worker.adapters.redis_bus import RedisBus, live_event
from worker.bootstrap.database import database as open_database
from worker.bootstrap.parts import parts
from worker.configuration.settings import Settings
from worker.web.wiring import served_api

SCHEMA = json.loads((files("context") / "document.schema.json").read_text("utf-8"))

pytestmark = pytest.mark.postgres


async def test_the_key_of_an_encrypted_room_comes_by_a_file_or_the_environment(
    moim: Moim, pool: PostgresPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def kept() -> str | None:
        key = await PostgresRoomKeys(pool).of("m-1")
        return key.get_secret_value() if key is not None else None

    file = tmp_path / "key"
    file.write_text("열려라 참깨\n", encoding="utf-8")
    code, out, err = await moim("dispatch", "secret", "--meeting", "m-1", "--e2ee-key-file", str(file))
    assert (code, await kept()) == (0, "열려라 참깨")
    monkeypatch.setenv("MOIM_E2EE_KEY", "another")
    assert (await moim("dispatch", "secret"))[0] == 0
    assert await kept() == "another"
    listed = (await moim("meetings", "--json"))[1]
    assert not {"열려라 참깨", "another"} & set(f"{out}{err}{listed}".split('"'))
    for wrong in ("", "\n", "two\nlines\n", "x" * 5_000):
        file.write_text(wrong, encoding="utf-8")
        code, out, err = await moim("dispatch", "secret", "--e2ee-key-file", str(file))
        assert (code, out) == (2, "")
        assert f"--e2ee-key-file {file}" in err
        assert not wrong.strip() or wrong.strip() not in err
    file.write_bytes(b"\xff\xfe\x00")
    assert (await moim("dispatch", "secret", "--e2ee-key-file", str(file)))[0] == 2
    assert (await moim("dispatch", "secret", "--e2ee-key-file", str(tmp_path / "none")))[0] == 2
    assert (await moim("dispatch", "--text", "--meeting", "m-2", "--e2ee-key-file", str(file)))[0] == 2
    assert await kept() == "another"
    await moim("end", "m-1")
    assert await kept() is None


async def test_the_key_of_a_room_stands_in_one_table_and_nowhere_once_the_meeting_is_over(
    moim: Moim, database: Database, redis_url: str, tmp_path: Path
) -> None:
    key, file = "열려라-참깨-4711", tmp_path / "key"
    file.write_text("\N{BYTE ORDER MARK}" + key, encoding="utf-8")
    assert (await moim("dispatch", "secret", "--meeting", "m-1", "--e2ee-key-file", str(file)))[0] == 0
    file.unlink()
    assert await found(key, database, redis_url, tmp_path) == ["room_keys"]
    await moim("end", "m-1")
    assert await found(key, database, redis_url, tmp_path) == []


async def test_a_room_is_one_meeting_until_it_ends(moim: Moim) -> None:
    code, out, err = await moim("dispatch", "standup", "--title", "주간 회의")
    assert (code, err) == (0, "")
    first = json.loads(out)
    assert first["room"] == "standup"
    assert json.loads((await moim("dispatch", "standup"))[1]) == first
    code, out, _ = await moim("meetings", "--json")
    (row,) = json.loads(out)
    assert code == 0
    assert row == {
        "id": first["meeting_id"],
        "room": "standup",
        "title": "주간 회의",
        "status": "wanted",
        "started_at": None,
        "ended_at": None,
        "epoch": 0,
        "holder": None,
        "standby": None,
    }
    assert (await moim("end", first["meeting_id"]))[0] == 0
    (row,) = json.loads((await moim("meetings", "--json"))[1])
    assert (row["status"], row["reason"]) == ("ended", "nobody came")
    assert "주간 회의: nobody came" in (await moim("meetings"))[1]
    code, _, err = await moim("end", first["meeting_id"])
    assert (code, err) == (2, f"moim: meeting '{first['meeting_id']}' is ended already\n")
    code, _, err = await moim("end", "m-nobody")
    assert (code, err) == (2, "moim: there is no meeting 'm-nobody': `moim meetings` lists them\n")


async def test_an_export_in_each_format(moim: Moim, pool: PostgresPool) -> None:
    await record(pool, "m1", end=True)
    code, out, _ = await moim("export", "m1", "--format", "json")
    assert code == 0
    shape = json.loads(out)
    jsonschema.validate(shape, SCHEMA)
    assert [u["text"] for u in shape["utterances"]] == [text for _, _, text in LINES]
    assert shape["meeting"]["status"] == "ended"
    assert shape["meeting"]["started_at"].startswith("2026-03-02T05:00:00")
    assert (await moim("export", "m1", "--format", "vtt"))[1].startswith("WEBVTT")
    assert "00:00:05,000 --> " in (await moim("export", "m1", "--format", "srt"))[1]
    assert "주간 회의" in (await moim("export", "m1", "--format", "md"))[1]


async def test_an_export_in_ones_own_form(
    moim: Moim, pool: PostgresPool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await record(pool, "m1", end=True)
    form = tmp_path / "minutes.md.j2"
    form.write_text(
        "{{ title }} {{ date }}: {{ url }}\n{% for said in transcript %}\n- {{ said.speaker }}\n{% endfor %}\n",
        "utf-8",
    )
    monkeypatch.setenv("MOIM_MINUTES_TEMPLATE", str(form))
    monkeypatch.setenv("MOIM_PAGES_URL", "https://moim.example")
    code, out, _ = await moim("export", "m1", "--format", "md")
    assert (code, out) == (
        0,
        "주간 회의 2026-03-02: https://moim.example/m/m1/minutes\n- 김민지\n- 박준호\n- Amy\n",
    )
    form.write_text("{{ titles }}", "utf-8")
    code, out, err = await moim("export", "m1", "--format", "md")
    assert (code, out) == (2, "")
    assert "line 1: 'titles' is undefined" in err
    assert (await moim("export", "m1", "--format", "json"))[0] == 0, "programs are served all the same"


@pytest.mark.parametrize(("track", "engine"), [("TR_1", "whisper"), (None, "none")])
async def test_an_export_names_the_engine_that_had_a_part(
    moim: Moim, pool: PostgresPool, monkeypatch: pytest.MonkeyPatch, track: str | None, engine: str
) -> None:
    monkeypatch.setenv("STT_ENGINE", "whisper")
    await record(pool, "m1", end=True, track=track)
    shape = json.loads((await moim("export", "m1", "--format", "json"))[1])
    assert shape["engines"]["stt"] == engine


async def test_a_meeting_that_has_not_begun_is_known_and_empty(moim: Moim) -> None:
    await moim("dispatch", "--text", "--meeting", "m-soon", "--title", "내일 회의")
    assert "(text)" in (await moim("meetings"))[1]
    code, out, err = await moim("export", "m-soon", "--format", "json")
    assert (code, err) == (0, "")
    shape = json.loads(out)
    jsonschema.validate(shape, SCHEMA)
    assert (shape["meeting"]["id"], shape["meeting"]["title"]) == ("m-soon", "내일 회의")
    assert (shape["meeting"]["status"], shape["meeting"]["started_at"]) == ("wanted", None)
    assert shape["utterances"] == shape["topics"] == shape["participants"] == []
    for form, begins in (("md", "# 내일 회의"), ("vtt", "WEBVTT"), ("srt", "")):
        code, out, _ = await moim("export", "m-soon", "--format", form)
        assert (code, out.startswith(begins)) == (0, True)
    code, out, err = await moim("ask", "m-soon", "언제?")
    assert (code, out) == (2, "")
    assert "nothing is on record of meeting 'm-soon'" in err


@pytest.mark.parametrize("command", [("export", "m-none", "--format", "md"), ("ask", "m-none", "언제?")])
async def test_an_unknown_meeting_is_wrong_input(moim: Moim, command: tuple[str, ...]) -> None:
    code, out, err = await moim(*command)
    assert (code, out) == (2, "")
    assert err == "moim: there is no meeting 'm-none': `moim meetings` lists them\n"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("출시일이 언제로 결정됐지?", "11월 20일"),
        ("What did we decide about the second server?", "second server"),
    ],
)
async def test_an_ended_meeting_answers_from_its_record_and_keeps_nothing(
    moim: Moim, pool: PostgresPool, question: str, said: str
) -> None:
    await record(pool, "m1", end=True)
    code, out, err = await moim("ask", "m1", question, "--json", "--feature", "self_refine_enabled=0")
    assert code == 0, err
    reply = json.loads(out)
    assert said in reply["text"]
    assert reply["run"]["steps"]["generate_answer"] > 0
    assert (reply["run"]["cache_hit"], reply["run"]["compression_applied"]) == (False, False)
    assert reply["evidence"]
    assert reply["via"] == "cli"
    assert json.loads((await moim("export", "m1", "--format", "json"))[1])["replies"] == []


async def test_a_dispatcher_on_this_machine_answers_the_command(moim: Moim, pool: PostgresPool) -> None:
    await record(pool, "m1", end=True)
    question = "출시일이 언제로 결정됐지?"
    settings = Settings.load()
    async with (
        parts(settings) as shared,
        open_database(settings) as tables,
        open_database(settings, max_size=1) as urgent,
        served_api(shared, tables, urgent),
    ):
        code, out, err = await moim("ask", "m1", question, "--json", "--feature", "self_refine_enabled=0")
        assert (code, err) == (0, "")
        asked = json.loads(out)
        assert (await moim("ask", "m1", question)) == (0, asked["text"] + "\n", "")
        unknown = "moim: there is no meeting 'm-none': `moim meetings` lists them\n"
        assert await moim("ask", "m-none", question) == (2, "", unknown)
    code, out, err = await moim("ask", "m1", question, "--json", "--feature", "self_refine_enabled=0")
    assert (code, "no dispatcher" in err) == (0, True)
    here = json.loads(out)
    assert "11월 20일" in asked["text"]
    assert [(each["via"], each["by"]) for each in (asked, here)] == 2 * [("cli", "cli ~")]
    rows = json.loads((await moim("audit", "--json"))[1])
    assert {(row["how"], row["action"], row["who"].split()[0]) for row in rows} == {
        ("command", "ask", "operator")
    }
    assert len(rows) == 3


async def test_a_live_meeting_is_asked_through_its_holder(
    moim: Moim, pool: PostgresPool, redis_url: str
) -> None:
    await record(pool, "m1", end=False)
    bus = RedisBus(redis_url)

    async def holder() -> None:
        async for entry in bus.read_inputs("m1", {"moim:default:ask:m1": "0", "moim:default:in:m1": "0"}):
            question = entry.message
            reply = {"invocation_id": question.id, "text": f"heard: {question.text}", "via": "redis"}
            await bus.put("m1", live_event("reply", reply))
            return

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(holder())
        code, out, err = await moim("ask", "m1", "출시일은?")
    await bus.aclose()
    assert (code, out) == (0, "heard: 출시일은?\n"), err


async def test_migrate_twice_changes_nothing(moim: Moim) -> None:
    assert await moim("migrate") == (0, "", "")


async def test_check_names_each_part_and_what_is_wrong(moim: Moim) -> None:
    code, out, _ = await moim(
        "check", "--json", "--only", "postgres", "postgres-owner", "redis", "llm", "disk"
    )
    found = {row["part"]: row["state"] for row in json.loads(out)}
    named = ("settings", "postgres", "postgres-owner", "redis", "llm", "disk")
    trials = (
        *(f"postgres {what}" for what in ("statements", "lease", "lock", "listen")),
        "postgres-owner lock",
    )
    assert (code, found) == (0, dict.fromkeys((*named, *trials), "ok"))


async def test_check_refuses_roles_that_are_not_what_they_are_for(
    moim: Moim, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", database.admin_url)
    monkeypatch.setenv("DATABASE_ADMIN_URL", database.url)
    code, out, _ = await moim("check", "--json", "--only", "postgres", "postgres-owner")
    found = {row["part"]: (row["state"], row["text"]) for row in json.loads(out)}
    assert code == 2
    assert found["postgres"][0] == found["postgres-owner"][0] == "wrong"
    assert "tenants would not be kept apart" in found["postgres"][1]
    assert "may not migrate" in found["postgres-owner"][1]


async def test_check_says_that_redis_asks_for_a_password(
    moim: Moim, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", f"redis://{redis_url.rpartition('@')[2]}")
    code, out, _ = await moim("check", "--only", "redis")
    assert code == 2
    assert "REDIS_URL has no password" in out


async def test_check_tells_wrong_from_unreachable(moim: Moim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    code, out, _ = await moim("check", "--only", "redis", "postgres")
    assert code == 3
    assert "unreachable" in out
    monkeypatch.setenv("STT_ENGINE", "livekit:no_such_package.stt:Make")
    code, out, _ = await moim("check", "--only", "redis", "stt")
    assert code == 2
    assert "install the plugin's package" in out


async def test_a_link_to_one_meeting(moim: Moim, pool: PostgresPool, monkeypatch: pytest.MonkeyPatch) -> None:
    await record(pool, "m-1", end=True)
    assert (await moim("link", "m-1", "--list"))[1] == "no link opens it\n"
    code, _, err = await moim("link", "m-1")
    assert (code, "MOIM_PAGES_URL" in err) == (2, True)
    monkeypatch.setenv("MOIM_PAGES_URL", "https://moim.example.com/")
    code, out, err = await moim("link", "m-1", "--edit", "--for", "12h")
    assert (code, err) == (0, "")
    assert out.startswith("https://moim.example.com/m/m-1#link=")
    link = await PostgresLinks(pool).opened(out.strip().partition("#link=")[2])
    assert link is not None
    assert (link.meeting_id, link.may_edit) == ("m-1", True)
    assert link.id in (await moim("link", "m-1", "--list"))[1]
    assert (await moim("link", "m-1", "--withdraw", link.id))[0] == 0
    wrong = (("m-1", "--withdraw", link.id), ("m-nobody",), ("m-1", "--for", "7"), ("m-1", "--for", "9999d"))
    for arguments in wrong:
        code, _, err = await moim("link", *arguments)
        assert (code, err.count("\n")) == (2, 1), err
