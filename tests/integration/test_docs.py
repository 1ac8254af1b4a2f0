"""`moim docs` on a real Postgres."""

from __future__ import annotations

import asyncio
import json
import unicodedata
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import Database
from tests.fakes.pdf import pdf_of
from tests.integration.conftest import Moim
from worker import __main__ as cli
from worker.adapters.postgres_passages import PostgresPassages
from worker.adapters.postgres_pool import PostgresPool
from worker.passages.passage_store import Scope

pytestmark = pytest.mark.postgres


@pytest.fixture
def docs(called: Moim, database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Moim:
    monkeypatch.setenv("DATABASE_URL", database.url)
    monkeypatch.setenv("MOIM_STATE_DIR", str(tmp_path / "state"))
    return partial(called, "docs")


async def test_added_listed_replaced_removed(docs: Moim, pool: PostgresPool, tmp_path: Path) -> None:
    price, plan = tmp_path / "가격표.pdf", tmp_path / "plan.md"
    price.write_bytes(pdf_of(["Servers are 3,000 each", "백신 예산은 이억 원입니다"], title="가격표"))
    plan.write_text("# Launch plan\nThe launch is on 22 December.\n")

    code, out, err = await docs("add", str(price), str(plan))
    assert (code, err) == (0, "")
    assert "added  가격표 (pdf, 2 pages, 2 passages)" in out

    code, out, _ = await docs("add", str(price), "--json")
    assert [each["replaced"] for each in json.loads(out)] == [True]
    plan.write_text("# Launch plan\nThe launch moved to January.\n")
    code, out, _ = await docs("add", str(plan))
    assert "replaced  Launch plan" in out

    rows = json.loads((await docs("list", "--json"))[1])
    assert sorted(row["title"] for row in rows) == ["Launch plan", "가격표"]
    kept = await PostgresPassages(pool).readable(Scope(kinds=("document",)))
    assert sorted(passage.citation for passage in kept) == ["Launch plan", "가격표 p. 1", "가격표 p. 2"]
    assert not any("22 December" in passage.text for passage in kept)

    id_ = next(row["id"] for row in rows if row["title"] == "가격표")
    assert (await docs("remove", id_))[0] == 0
    assert "Launch plan" in (await docs("list"))[1]
    left = await PostgresPassages(pool).readable(Scope(kinds=("document",)))
    assert {passage.title for passage in left} == {"Launch plan"}
    code, _, err = await docs("remove", id_)
    assert (code, err.count("\n")) == (2, 1)


async def test_one_bad_file_spoils_none_of_the_others(docs: Moim, tmp_path: Path) -> None:
    good, bad = tmp_path / "노트.txt", tmp_path / "bad.pdf"
    good.write_text("회의실은 3층입니다.")
    bad.write_bytes(b"%PDF-1.4 cut off")
    code, out, err = await docs("add", str(bad), str(good))
    assert code == 2
    assert "노트" in out
    assert err.count("\n") == 1
    assert "broken PDF" in err


async def test_only_for_some(docs: Moim, pool: PostgresPool, tmp_path: Path) -> None:
    path = tmp_path / "salary.txt"
    path.write_text("Salaries rise by 3 percent. 급여는 3% 오릅니다.")
    code, _, err = await docs("add", str(path), "--only-for", " ")
    assert (code, err.count("\n")) == (2, 1)
    assert "--only-for is empty" in err
    assert (await docs("add", str(path), "--only-for", "alice"))[0] == 0
    store = PostgresPassages(pool)
    assert not await store.readable(Scope(reader="bob"))
    assert len(await store.readable(Scope(reader="alice"))) == 1
    assert "alice" in (await docs("list"))[1]


@pytest.mark.parametrize("name", ["김민지", "José"])
async def test_a_reader_is_named_in_whichever_form(
    name: str, docs: Moim, pool: PostgresPool, tmp_path: Path
) -> None:
    path = tmp_path / "salary.txt"
    path.write_text("Salaries rise by 3 percent. 급여는 3% 오릅니다.")
    assert (await docs("add", str(path), "--only-for", unicodedata.normalize("NFD", name)))[0] == 0
    assert len(await PostgresPassages(pool).readable(Scope(reader=unicodedata.normalize("NFC", name)))) == 1


async def test_adding_anew_opens_nothing_that_was_for_some(
    docs: Moim, pool: PostgresPool, tmp_path: Path
) -> None:
    path, copy = tmp_path / "급여.txt", tmp_path / "copy.txt"
    path.write_text("급여는 3% 오릅니다.")
    copy.write_text("급여는 3% 오릅니다.")
    assert (
        "only for alice, bob" in (await docs("add", str(path), "--only-for", "alice", "--only-for", "bob"))[1]
    )
    for again in (path, copy):  # a folder read every night; the same file from elsewhere
        assert "replaced  " in (await docs("add", str(again)))[1]
        assert not await PostgresPassages(pool).readable(Scope(reader="carol"))
    assert (await docs("add", str(copy), "--only-for", "carol"))[0] == 0
    assert len(await PostgresPassages(pool).readable(Scope(reader="carol"))) == 1
    assert not await PostgresPassages(pool).readable(Scope(reader="alice"))


async def test_an_answer_cites_the_document(
    docs: Moim,
    pool: PostgresPool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EMBED_ENGINE", "none")
    monkeypatch.delenv("REDIS_URL", raising=False)
    price = tmp_path / "가격표.pdf"
    price.write_bytes(
        pdf_of(
            ["Rubber buttons cost four euros each.", "고무 부품의 납품 기한은 삼월 십오일입니다."],
            title="가격표",
        )
    )
    assert (await docs("add", str(price)))[0] == 0
    notes = tmp_path / "weekly.jsonl"
    lines = [("민지", "오늘은 배송 업체를 정합니다."), ("준호", "배송 업체는 빠른배송으로 결정하겠습니다.")]
    notes.write_text(
        "\n".join(json.dumps({"speaker": who, "text": text}, ensure_ascii=False) for who, text in lines)
    )
    assert await asyncio.to_thread(cli.main, ("replay", str(notes), "--record")) == 0
    capsys.readouterr()
    for question, cited in (
        ("How much do rubber buttons cost?", "가격표 p. 1"),
        ("고무 부품의 납품 기한이 언제야?", "가격표 p. 2"),
    ):
        assert await asyncio.to_thread(cli.main, ("ask", "weekly", question)) == 0
        assert cited in capsys.readouterr().out
