"""A guest, who came by a link to one meeting, is shown no answer that rests on other meetings or documents."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import aiohttp
import pytest

from context.events.events import AnswerGiven, Event, MeetingStarted, QuestionAsked, ThreadSummaryReady
from context.models import AnswerRun, PromptRecord, Reply
from context.question import Question
from tests.languages import BOTH
from tests.unit.context.samples import START
from tests.unit.worker.web.links import opened
from tests.unit.worker.web.server import ID, TOKEN, Site
from tests.unit.worker.web.talk import Talk

SECRET = {"ko": "인수 가격은 칠십억 원입니다", "en": "The price of the takeover is seven million"}
SOURCE = "비밀 인수 계획 p. 3"
ASKED = {"ko": "인수 가격이 얼마예요?", "en": "What is the price of the takeover?"}
WITHHELD = {"ko": "다른 회의나 문서를 인용", "en": "quotes other meetings or documents"}


@pytest.fixture
async def met(site: Site) -> Talk:
    made = Talk(site, await site.hold(ID))
    await made.record(MeetingStarted(at=START))
    return made


def asked(number: int, language: str, text: str, **rests: Any) -> list[Event]:
    question = ASKED[language]
    invocation = Question(id=f"q{number}", by="minji", via="chat", text=question, at_ms=1000 * number)
    reply = Reply(
        id=f"r{number}", invocation_id=f"q{number}", by="minji", via="chat", question=question, text=text,
        call_type="SEARCH", asked_at_ms=1000 * number, answered_at_ms=1000 * number + 1, evidence=(1,), **rests,
    )  # fmt: skip
    return [QuestionAsked(question=invocation), AnswerGiven(reply=reply)]


async def guest(site: Site) -> dict[str, str]:
    _, link = await site.call("POST", f"/v1/meetings/{ID}/links", {})
    return (await opened(site, link["path"]))[1]


async def watched(
    site: Site, headers: dict[str, str], after: int | None = None
) -> AsyncIterator[tuple[str, dict[str, Any], str]]:
    """Each event's kind, its fields, and the line as it came."""
    url = f"http://127.0.0.1:{site.port}/v1/meetings/{ID}/events"
    last = {"Last-Event-ID": str(after)} if after is not None else {}
    timeout = aiohttp.ClientTimeout(total=10)
    async with site.client.get(url, headers={**headers, **last}, timeout=timeout) as answer:
        assert answer.status == 200
        kind = ""
        async for raw in answer.content:
            name, _, value = raw.decode().rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "data":
                yield kind, json.loads(value), json.dumps(json.loads(value), ensure_ascii=False)


async def replies(
    site: Site, headers: dict[str, str], after: int | None = None
) -> tuple[dict[str, Any], str]:
    """The first reply that is shown, and all that was sent up to it."""
    sent = ""
    async with aclosing(watched(site, headers, after)) as events:  # type: ignore[type-var]  # a generator it is
        async for kind, fields, raw in events:
            sent += raw
            shown = [fields] if kind == "reply" else fields.get("replies", [])
            if shown:
                return shown[0], sent
    raise AssertionError("the stream ended")


@BOTH
@pytest.mark.parametrize("how", ["document", "change", "replay"])
async def test_a_guest_watches_without_the_words_of_such_an_answer(
    site: Site,
    met: Talk,
    language: str,
    how: str,
) -> None:
    await met.say(1)
    theirs, own = await guest(site), {"Authorization": f"Bearer {TOKEN}"}
    events = asked(1, language, SECRET[language], sources=(SOURCE,), elsewhere=True)
    keeping = None
    if how == "replay":  # the changes are kept while somebody follows
        keeping = asyncio.ensure_future(replies(site, own))
        await asyncio.sleep(0.2)
    if how == "change":
        watching = [asyncio.ensure_future(replies(site, headers)) for headers in (theirs, own)]
        await asyncio.sleep(0.3)
        await met.record(*events)
        (reply, sent), (whole, _) = await asyncio.gather(*watching)
    else:
        await met.record(*events)
        if keeping is not None:
            await keeping
        after = met.seq - 2 if how == "replay" else None
        reply, sent = await replies(site, theirs, after)
        whole, _ = await replies(site, own, after)
    assert (whole["text"], whole["sources"]) == (SECRET[language], [SOURCE])
    assert SECRET[language] not in sent
    assert SOURCE not in sent
    assert (reply["question"], reply["evidence"], reply["sources"]) == (ASKED[language], [], [])
    assert WITHHELD[language] in reply["text"]
    assert reply["withheld"] is True


@BOTH
@pytest.mark.parametrize("form", ["json", "jsonl", "md", "vtt", "srt"])
@pytest.mark.parametrize(
    "rests",
    [
        {"sources": (SOURCE,)},
        {"elsewhere": True},
        {"run": AnswerRun(prompts=(PromptRecord(purpose="answer", tokens=9, producers={"earlier_meetings": 4}),))},
    ],
    ids=["cites", "told", "an older record"],
)  # fmt: skip
async def test_no_export_of_a_guest_has_them(
    site: Site,
    met: Talk,
    language: str,
    form: str,
    rests: dict[str, Any],
) -> None:
    await met.say(1)
    await met.record(*asked(1, language, SECRET[language], **rests), *asked(2, language, "Line 1 says so."))
    theirs, path = await guest(site), f"/v1/meetings/{ID}/export?format={form}"
    _, seen = await site.call("GET", path, token=None, headers=theirs)
    _, whole = await site.call("GET", path)
    told, all_of_it = (json.dumps(each, ensure_ascii=False) for each in (seen, whole))
    assert SECRET[language] not in told
    assert SOURCE not in told
    if form in {"json", "md"}:
        assert SECRET[language] in all_of_it
        assert WITHHELD[language] in told
        assert "Line 1 says so." in told


@BOTH
async def test_the_agents_thread_tells_a_guest_no_summary_of_them(
    site: Site,
    met: Talk,
    language: str,
) -> None:
    for number in range(1, 4):
        await met.record(*asked(number, language, "Line 1 says so."))
    await met.record(_summary(1, (1, 2, 3), "of this meeting"))
    await met.record(*asked(4, language, SECRET[language], sources=(SOURCE,), elsewhere=True))
    for number in (5, 6):
        await met.record(*asked(number, language, "Line 1 says so."))
    await met.record(_summary(2, (4, 5, 6), SECRET[language]))
    theirs, path = await guest(site), f"/v1/meetings/{ID}/thread"
    _, whole = await site.call("GET", path)
    assert [each["summary"] for each in whole["summary_history"]] == ["of this meeting", SECRET[language]]
    _, seen = await site.call("GET", path, token=None, headers=theirs)
    assert SECRET[language] not in json.dumps(seen, ensure_ascii=False)
    assert [each["summary"] for each in seen["summary_history"]] == ["of this meeting"]
    assert seen["turn_count"] == 6
    _, budget = await site.call("GET", f"/v1/meetings/{ID}/budget", token=None, headers=theirs)
    assert SECRET[language] not in json.dumps(budget, ensure_ascii=False)


def _summary(version: int, turns: tuple[int, ...], text: str) -> ThreadSummaryReady:
    return ThreadSummaryReady(
        version=version, turns=turns, text=text, original_chars=90, compression_rate=0.3, engine="test",
        latency_ms=1, at_ms=1,
    )  # fmt: skip


@BOTH
async def test_the_reply_to_a_guests_own_question_has_none_either(site: Site, language: str) -> None:
    await site.hold(ID)
    row = {"question": ASKED[language], "text": SECRET[language], "evidence": [1], "sources": [SOURCE]}
    site.answers.pieces = [{**row, "elsewhere": True}]
    _, told = await site.call(
        "POST", f"/v1/meetings/{ID}/ask", {"text": ASKED[language]}, token=None, headers=await guest(site)
    )
    assert WITHHELD[language] in told["text"]
    assert told["sources"] == []
    (question,) = site.answers.asked
    assert question.features["include_evidence"] == "0"
