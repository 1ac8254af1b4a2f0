"""A model tried on a meeting with gold labels: recorded replies serve their own prompts, and no others."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from context.models import Reply
from tests.bench.model.accepting import Written
from tests.bench.model.command import model
from tests.bench.model.endpoint import Endpoint, Upstream
from tests.bench.model.meetings import meetings
from tests.bench.model.pieces import KINDS, RIGHT, LabelledAnswer, Piece, fates, labelled
from tests.bench.model.playing import play, pointed_at
from tests.bench.model.prompts import Sent, sent
from tests.bench.model.recorded import Verifier
from tests.bench.model.twin import Clumsiness, Twin
from tests.fakes.openai_chat import ChatServer
from worker.agent.reply.speaking import notice
from worker.configuration.settings import Settings

ALONE = ["--only", "meetings", "--meeting", "en-council"]


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any], str]:
    code = model([*arguments, "--json"])
    told = capsys.readouterr()
    return code, json.loads(told.out), told.err


def test_recorded_replies_serve_a_meeting_and_refuse_a_prompt_that_has_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "recorded"
    code, accepted, _ = run(["--recorded", str(folder), "--accept", *ALONE], capsys)
    rows = (folder / "en-council.jsonl").read_text().splitlines()
    assert len(rows) > 30

    code, found, _ = run(["--recorded", str(folder), *ALONE], capsys)
    assert found["scores"] == accepted["scores"], "the same replies to the same prompts"
    assert found["scores"]["answered"]["value"] > 0.7
    assert set(found["prompts_without_reply"]) == set(accepted["prompts_without_reply"])

    changed = next(row for row in map(json.loads, rows) if row["purpose"] == "answer")
    other = {**changed, "prompt": "0" * 16}
    kept = [row for row in map(json.loads, rows) if row["prompt"] != changed["prompt"]]
    (folder / "en-council.jsonl").write_text("\n".join(map(json.dumps, [*kept, other])))
    missing = tmp_path / "missing"
    code, found, said = run(["--recorded", str(folder), "--record", str(missing), *ALONE], capsys)
    assert code == 1
    assert f"answer {changed['prompt']}" in found["prompts_without_reply"]
    assert f"answer {changed['prompt']}" in said
    assert (missing / "en-council" / f"answer-{changed['prompt']}.prompt.txt").is_file()

    beside = folder / f"answer-{changed['prompt']}.reply.txt"
    beside.write_text(changed["reply"])
    _, found, _ = run(["--recorded", str(folder), *ALONE], capsys)
    assert f"answer {changed['prompt']}" not in found["prompts_without_reply"]


async def test_labelled_answers_go_through_the_filter_and_an_endpoint_behind() -> None:
    gold, settings = meetings(["ko-logistics"])[0], Settings.from_env({"EMBED_ENGINE": "none"})
    right = Piece("벨트 모터가 과열돼 분류기가 멈췄습니다. [#4]", RIGHT)
    wrong = Piece("분류기 사진은 https://pictures.example.kr 에 있습니다. [#2]", "link")
    answer = LabelledAnswer(gold.id, "분류기가 왜 멈췄지?", (right, wrong))
    async with ChatServer(key="k", model="m") as theirs:
        theirs.will(answer.text)
        upstream = Upstream(theirs.base_url, "k", "m")
        async with Endpoint(upstream=upstream, only=frozenset({"answer"})) as endpoint:
            meeting = await play(gold, pointed_at(endpoint, settings), [answer.question])
    assert [body["model"] for body in theirs.requests] == ["m"]
    assert endpoint.calls[0].purpose == "answer"
    assert {each.purpose for each in endpoint.unknown.values()} >= {"summary", "verification"}
    shown = sent(theirs.requests[0]).shown
    assert fates(answer, meeting.replies[-1], "ko", shown) == ["unverified", "held_back"]


def reply_of(text: str) -> Reply:
    return Reply(
        id="r",
        invocation_id="i",
        by="b",
        via="cli",
        question="?",
        text=text,
        call_type="IMMEDIATE_RESPONSE",
        asked_at_ms=0,
        answered_at_ms=1,
    )


@pytest.mark.parametrize(
    ("language", "texts", "correction"),
    [
        ("en", ("The slide was closed on Monday.", "The slide was closed on Tuesday."), "Correction"),
        ("ko", ("교육은 4일에 합니다.", "교육은 2일에 합니다."), "정정"),
    ],
)
def test_what_came_of_a_piece_is_read_off_the_reply(
    language: str, texts: tuple[str, str], correction: str
) -> None:
    pieces = tuple(Piece(f"{text} [#1]", kind) for text, kind in zip(texts, (RIGHT, "day"), strict=True))
    answer = LabelledAnswer("m", "?", pieces)
    right, wrong = (f"- {text} — **A** (00:00:01)" for text in texts)

    def came(text: str, shown: tuple[int, ...] = (1,)) -> list[str]:
        return list(fates(answer, reply_of(text), language, shown))

    assert came(f"{right}\n{wrong}") == ["stands", "stands"]
    assert came(right) == ["stands", "held_back"], "a piece that is like one told was not told itself"
    assert came(f"{right}\n{wrong}\n\n{correction}: “{texts[1]}” – x.") == ["stands", "taken_back"]
    assert came(f"{right}\n\n{notice('unverified', language)}") == ["unverified", "held_back"]
    assert came(f"{right}\n{wrong}", (2,)) == ["not_asked", "not_asked"]


def test_there_are_pieces_of_every_kind_in_both_languages() -> None:
    for language in ("ko", "en"):
        kinds = [
            piece.kind
            for gold in meetings()
            if gold.language == language
            for answer in labelled(gold.id)
            for piece in answer.pieces
        ]
        assert kinds.count(RIGHT) >= 150
        assert len(kinds) - kinds.count(RIGHT) >= 150
        assert all(kinds.count(kind) >= 15 for kind in KINDS)


def verdict_prompt(claims: list[str], said: list[int]) -> Sent:
    shown = "\n".join(f"[#{id_}] (00:00:01) A: …" for id_ in said)
    told = "\n".join(f"{number}. {claim}" for number, claim in enumerate(claims, 1))
    material = f"<utterances>\n{shown}\n</utterances>\n\n<claims>\n{told}\n</claims>"
    return Sent("verification", (("system", "rules"), ("user", material)))


def test_an_accepted_verdict_knows_no_more_than_its_prompt() -> None:
    [gold] = meetings(["en-council"])
    claims = ["The contractor comes next week. [#13]", "Councillor Novak voted against. [#36]"]

    def verdicts(whose: Verifier, said: list[int]) -> list[dict[str, Any]]:
        return json.loads(Written(gold, whose)(verdict_prompt(claims, said)) or "{}").get("verdicts", [])

    later, before = verdicts("honest", [13, 36, 52]), verdicts("honest", [13, 36])
    assert [each["verdict"] for each in later] == ["contradicted", "supported"]
    assert later[0]["changed"] == [52], "of what the prompt shows"
    assert [each["verdict"] for each in before] == ["supported", "supported"]
    assert {each["verdict"] for each in verdicts("dishonest", [13, 52])} == {"supported"}
    assert verdicts("none", [13]) == []


def test_one_claim_that_nobody_judged_leaves_the_whole_prompt_without_a_reply() -> None:
    [gold] = meetings(["en-council"])
    written = Written(gold, "honest")
    assert written(verdict_prompt(["The moon is made of cheese. [#13]", "No. [#12]"], [12, 13])) is None
    assert [claim.text for claim in written.unjudged.values()] == ["The moon is made of cheese.", "No."]
    assert written.rows == []


def test_the_clumsy_twin_spoils_one_reply_in_five_and_does_so_again_when_it_is_sent_back() -> None:
    counted = Clumsiness()
    twin = Twin("en", counted, round=2, others=[lambda _prompt: "They meet on Monday. [#3]"])
    prompts = [Sent("answer", (("system", "rules"), ("user", f"question {n}"))) for n in range(10)]
    replies = [twin(prompt) for prompt in prompts]
    assert [n for n, reply in enumerate(replies) if reply != "They meet on Monday. [#3]"] == [1, 6]
    back = Sent("answer", (*prompts[6].messages, ("assistant", "…"), ("user", "That was not valid")))
    assert twin(back) == replies[6]
    assert (counted.repairs, sum(counted.slips.values()), len(counted.slips)) == (1, 2, 2)
    assert Twin("en", counted, others=[lambda _prompt: None])(prompts[0]) is None


def test_a_digest_changes_with_every_word() -> None:
    prompt = Sent("answer", (("system", "rules"), ("user", "question")))
    assert prompt.digest == Sent("answer", (("system", "rules"), ("user", "question"))).digest
    assert prompt.digest != Sent("answer", (("system", "rules"), ("user", "question?"))).digest


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "give --base-url and --model, or --recorded"),
        (["--base-url", "http://127.0.0.1:9/v1"], 2, "--base-url needs --model"),
        (["--base-url", "http://127.0.0.1:9/v1", "--model", "m"], 3, "not within reach"),
        (["--recorded", "/nowhere/at/all"], 2, "no such folder"),
        (["--recorded", ".", "--meeting", "nobody"], 2, "there is no meeting 'nobody'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert model(arguments) == code
    assert said in capsys.readouterr().err


def test_an_endpoint_that_refuses_the_model_is_wrong_input(capsys: pytest.CaptureFixture[str]) -> None:
    async def refused() -> int:
        async with ChatServer(key="k", model="m") as theirs:
            return await asyncio.to_thread(model, ["--base-url", theirs.base_url, "--model", "other"])

    assert asyncio.run(refused()) == 2
    assert "refuses model 'other' (401)" in capsys.readouterr().err
