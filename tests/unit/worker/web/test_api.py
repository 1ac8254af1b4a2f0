"""The HTTP API at its edge: who may ask, what is refused and how, what comes back and what a search finds."""

from __future__ import annotations

import asyncio
import json
import math
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from context.corpora.passage import Passage
from context.events.events import MeetingStarted
from context.ports import RecordedEvent, Unavailable
from tests.fakes.waiting import until
from tests.unit.context.samples import START
from tests.unit.worker.metrics import samples
from tests.unit.worker.web.server import REPLY, TOKEN, Site, is_error
from worker.agent.summaries.thread_summarising import NOTHING
from worker.names import MAX_ROOM_BYTES
from worker.web import operations
from worker.web.ask_requests import ASKS_AT_ONCE
from worker.web.bodies import AskMeeting, Summarize, WantMeeting, checked
from worker.web.json_answers import ApiError

# ---- who may ----------------------------------------------------------------------------------


GUARDED = [o for o in operations.OPERATIONS if (o.method, o.path) != ("post", "/v1/session")]


@pytest.mark.parametrize("operation", GUARDED, ids=lambda o: f"{o.method} {o.path}")
async def test_without_the_token_nothing_is_done(site: Site, operation: operations.Operation) -> None:
    await site.hold()
    path = operation.path.replace("{meeting_id}", "m-1")
    body = {"room": "x"} if operation.body else None
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": TOKEN},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": "Bearer "},
    ):
        status, answer = await site.call(operation.method, path, body, token=None, headers=headers)
        assert status == 401
        assert is_error(answer)
        assert "WWW-Authenticate" in site.headers
        assert TOKEN not in json.dumps(answer)
    assert [row.id for row in await site.registry.list_all()] == ["m-1"]
    found = samples(site.metrics.render().decode())
    assert found["moim_commands_refused_total", (("via", "http"),)] == 6


async def test_the_probes_are_open_beside_the_api(site: Site) -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        assert await site.status("GET", path, token=None) == 200


async def test_what_is_not_there_is_404_or_405_as_json(site: Site) -> None:
    await site.hold("m-1")
    for method, path, status in (
        ("GET", "/v1/nothing", 404),
        ("GET", "/v1/meetings/m-nowhere", 404),
        ("GET", "/v1/meetings/%00%ED%A0%80", 404),
        ("GET", f"/v1/meetings/{'x' * 300}", 404),
        ("POST", "/v1/meetings/m-nowhere/end", 404),
        ("GET", "/v1/meetings/m-nowhere/export", 404),
        ("GET", "/v1/erasures/%00", 404),
        ("DELETE", "/v1/documents/%00", 404),
        ("DELETE", "/v1/meetings/m-1/links/%00", 404),
        ("GET", "/v1/people/%00", 400),
        ("DELETE", "/v1/meetings", 405),
    ):
        got, answer = await site.call(method, path)
        assert got == status, path
        assert is_error(answer)
    assert await site.status("POST", "/v1/meetings/m-nowhere/ask", {"text": "왜?"}) == 404


# ---- meetings -----------------------------------------------------------------------------------


async def test_wanting_a_room_twice_is_one_meeting(site: Site) -> None:
    status, first = await site.call("POST", "/v1/meetings", {"room": "주간 회의", "title": "출시 계획"})
    assert status == 202
    assert first["room"] == "주간 회의"
    assert await site.call("POST", "/v1/meetings", {"room": "주간 회의"}) == (202, first)
    status, text = await site.call("POST", "/v1/meetings", {"meeting_id": "chat-42"})
    assert (status, text["room"], text["meeting_id"]) == (202, None, "chat-42")
    status, listed = await site.call("GET", "/v1/meetings")
    assert [row["id"] for row in listed["meetings"]] == ["chat-42", first["meeting_id"]]
    status, shown = await site.call("GET", f"/v1/meetings/{first['meeting_id']}")
    assert (status, shown["title"], shown["status"], shown["holder"]) == (200, "출시 계획", "wanted", None)


@pytest.mark.parametrize(
    ("raw", "headers", "status", "field"),
    [
        (b"not json", {}, 400, "body"),
        (b'{"room": "\xff"}', {}, 400, "body"),
        (b"[" * 100_000, {}, 400, "body"),
        (b'["room"]', {}, 400, "body"),
        (b'{"room": NaN}', {}, 400, "body"),
        (b'{"room": -Infinity}', {}, 400, "body"),
        (b'{"room": "a", "title": [1e999]}', {}, 400, "body"),
        (b"NaN", {}, 400, "body"),
        (b'{"room": "a"}', {"Content-Encoding": "gzip"}, 400, "body"),
        (b'{"room": "a"}', {"Content-Type": "text/plain"}, 415, "Content-Type"),
        (b'{"room": "a"}', {"Content-Type": "application/json; charset=euc-kr"}, 415, "Content-Type"),
        (b'{"room": "' + b"x" * 1_048_570 + b'"}', {}, 413, "body"),
    ],
)
async def test_bodies_that_are_none(
    site: Site, raw: bytes, headers: dict[str, str], status: int, field: str
) -> None:
    got, answer = await site.call("POST", "/v1/meetings", raw, headers=headers)
    assert got == status
    assert is_error(answer)
    assert answer["error"]["field"] == field


async def test_a_room_may_have_the_longest_name_that_livekit_takes(site: Site) -> None:
    for room in ("x" * MAX_ROOM_BYTES, "회" * 85):
        assert await site.status("POST", "/v1/meetings", {"room": room}) == 202


@pytest.mark.parametrize("path", ["/v1/meetings", "/v1/meetings/m-1/ask", "/v1/summarize"])
async def test_whoever_goes_in_the_middle_of_a_body_is_no_fault_of_ours(
    site: Site, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
        'Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{"room": '
    )
    _, writer = await asyncio.open_connection("127.0.0.1", site.port)
    writer.write(head.encode())
    await writer.drain()
    await asyncio.sleep(0.05)
    writer.close()
    route = ("route", path.replace("m-1", "{meeting_id}"))
    async with asyncio.timeout(10):
        while ("moim_api_requests_total", (route, ("status", "400"))) not in samples(
            site.metrics.render().decode()
        ):
            await asyncio.sleep(0.02)
    assert not caplog.records


async def test_what_an_error_quotes_is_json(site: Site) -> None:
    for value in (math.nan, math.inf, -math.inf, 1e300, 10**400, {"x": "y"}):
        said = ApiError(400, "mend", field="x", value=value).response().text
        assert said is not None
        quoted = json.loads(said, parse_constant=pytest.fail)["error"]["value"]
        assert isinstance(quoted, str)
        assert len(quoted) <= 80


async def test_an_id_that_is_over_or_elsewhere_is_taken(site: Site) -> None:
    await site.registry.want("room", meeting_id="m-1")
    status, answer = await site.call("POST", "/v1/meetings", {"room": "elsewhere", "meeting_id": "m-1"})
    assert (status, answer["error"]["value"]) == (409, "m-1")
    assert await site.call("POST", "/v1/meetings/m-1/end") == (202, {"meeting_id": "m-1", "ending": True})
    assert await site.status("POST", "/v1/meetings", {"room": "room", "meeting_id": "m-1"}) == 409
    status, answer = await site.call("POST", "/v1/meetings/m-1/end")
    assert (status, answer["error"]["mend"]) == (409, "it is ended already")


async def test_the_list_comes_in_pages(site: Site) -> None:
    for number in range(5):
        await site.registry.want(f"회의실 {number}", meeting_id=f"m-{number}")
    seen: list[str] = []
    after = ""
    while True:
        status, page = await site.call("GET", f"/v1/meetings?limit=2{after}")
        assert status == 200
        seen += [row["id"] for row in page["meetings"]]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert seen == ["m-4", "m-3", "m-2", "m-1", "m-0"]
    assert await site.status("GET", "/v1/meetings?after=m-9") == 404


async def test_an_export_in_each_form(site: Site) -> None:
    await site.registry.want("회의실", meeting_id="m-1")
    status, answer = await site.call("GET", "/v1/meetings/m-1/export")
    assert status == 409
    assert is_error(answer)
    assert "no worker has it yet" in answer["error"]["mend"]
    await site.store.append("m-1", await site.hold(), [RecordedEvent(seq=1, event=MeetingStarted(at=START))])
    status, shape = await site.call("GET", "/v1/meetings/m-1/export?format=json")
    assert (status, shape["meeting"]["room"]) == (200, "회의실")
    assert (await site.call("GET", "/v1/meetings/m-1/export?format=docx"))[1]["error"]["field"] == "format"


async def test_while_the_record_is_away_it_is_503_and_says_when_to_come_back(site: Site) -> None:
    site.registry.record.available = False
    for method, path, body in (
        ("GET", "/v1/meetings", None),
        ("POST", "/v1/meetings", {"room": "회의실"}),
        ("POST", "/v1/meetings/m-1/ask", {"text": "왜?"}),
    ):
        status, answer = await site.call(method, path, body)
        assert status == 503
        assert is_error(answer)
        assert int(site.headers["Retry-After"]) > 0


async def test_a_fault_of_ours_shows_no_traceback(site: Site) -> None:
    await site.hold()
    site.answers.error = RuntimeError("postgresql://moim:s3cret@db/moim")
    status, answer = await site.call("POST", "/v1/meetings/m-1/ask", {"text": "왜?"})
    assert status == 500
    assert is_error(answer)
    assert "s3cret" not in json.dumps(answer)


# ---- questions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["출시일이 언제죠?", "When do we ship?"])
async def test_an_answer_as_json(site: Site, text: str) -> None:
    await site.hold()
    site.answers.pieces = ["출시일은 ", "11월 20일입니다.", REPLY]
    status, answer = await site.call("POST", "/v1/meetings/m-1/ask", {"text": text, "by": "민지"})
    assert (status, answer) == (200, {**REPLY, "conversationId": "m-1"})
    assert (site.answers.asked[0].text, site.answers.asked[0].by) == (text, "민지")


async def events(site: Site, body: dict[str, Any]) -> tuple[int, list[Any]]:
    """The answer's status and its events, as seed 003's front end reads them."""
    status, text = await site.call("POST", "/v1/meetings/m-1/ask", {**body, "stream": True})
    if not isinstance(text, str):
        return status, text
    assert site.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    return status, [
        json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")
    ]


async def test_an_answer_as_it_grows_begins_with_the_conversation(site: Site) -> None:
    await site.hold()
    site.answers.pieces = ["출시일은 ", "11월\u2028 20일입니다.", REPLY]
    status, found = await events(site, {"text": "출시일이 언제죠?"})
    assert status == 200
    assert found[0] == {"metadata": {"conversationId": "m-1"}}
    assert [event["choices"][0]["delta"]["content"] for event in found[1:-1]] == site.answers.pieces[:2]
    assert found[-1] == {"reply": REPLY}
    again = (await events(site, {"text": "And who does it?"}))[1]
    assert again[0] == found[0], "later questions are the same conversation"


async def test_the_conversation_is_told_before_there_is_any_text(site: Site) -> None:
    await site.hold()
    site.answers.pieces, site.answers.wait = [REPLY], asyncio.Event()
    url = f"http://127.0.0.1:{site.port}/v1/meetings/m-1/ask"
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with site.client.post(url, json={"text": "왜?", "stream": True}, headers=headers) as response:
        assert json.loads((await response.content.readline()).decode().removeprefix("data: ")) == {
            "metadata": {"conversationId": "m-1"}
        }
        site.answers.wait.set()
        assert json.dumps(REPLY) in (await response.content.read()).decode()


async def test_a_stream_that_fails_ends_with_the_fault(site: Site) -> None:
    await site.hold()
    site.answers.pieces, site.answers.error = ["출시일은"], Unavailable("no reply in 40 s")
    status, found = await events(site, {"text": "왜?"})
    assert status == 200
    assert is_error(found[-1])
    site.answers.pieces = []
    status, answer = await events(site, {"text": "왜?"})
    assert status == 503, "what fails before anything was sent has its own status"
    assert is_error(answer)


async def test_a_meeting_that_has_not_begun_cannot_be_asked(site: Site) -> None:
    await site.registry.want("회의실", meeting_id="m-1")
    for stream in (False, True):
        status, answer = await site.call("POST", "/v1/meetings/m-1/ask", {"text": "왜?", "stream": stream})
        assert status == 409
        assert is_error(answer)


async def test_too_many_questions_at_once_are_told_to_come_back(site: Site) -> None:
    await site.hold()
    site.answers.pieces, site.answers.wait = [REPLY], asyncio.Event()
    waiting = [
        asyncio.ensure_future(site.call("POST", "/v1/meetings/m-1/ask", {"text": "왜?"}))
        for _ in range(ASKS_AT_ONCE)
    ]
    await until(lambda: len(site.answers.asked) >= ASKS_AT_ONCE)
    status, answer = await site.call("POST", "/v1/meetings/m-1/ask", {"text": "왜?"})
    assert status == 429
    assert is_error(answer)
    site.answers.wait.set()
    assert {status for status, _ in await asyncio.gather(*waiting)} == {200}
    found = samples(site.metrics.render().decode())
    route = ("route", "/v1/meetings/{meeting_id}/ask")
    assert found["moim_api_requests_total", (route, ("status", "200"))] == ASKS_AT_ONCE
    assert found["moim_api_requests_total", (route, ("status", "429"))] == 1


# ---- summaries ----------------------------------------------------------------------------------


async def test_a_conversation_is_summarised_on_top_of_its_last_summary(site: Site) -> None:
    body = {
        "messages": [
            {"role": "user", "content": "출시일이 언제죠?"},
            {"role": "assistant", "content": "We ship on November 20."},
        ],
        "previous_summary": "예산은 3억.",
        "max_chars": 400,
    }
    status, answer = await site.call("POST", "/v1/summarize", body)
    assert status == 200
    assert answer["summary"] == "요약: 출시일은 11월 20일."
    assert answer["covered_message_count"] == 2
    (effect,) = site.summaries.seen
    assert (effect.previous, [m.role for m in effect.messages]) == ("예산은 3억.", ["user", "assistant"])
    assert effect.target_chars == effect.original_chars, "no summary is longer than what it is made of"
    assert effect.purpose == "merge", "the new summary holds the last one"


async def test_nothing_to_summarise_is_the_senders_to_mend(site: Site) -> None:
    site.summaries.error = NOTHING
    for content in ("\u0001\u0002", "\u0000", "…!?", "\u200b"):
        body = {"messages": [{"role": "user", "content": content}]}
        status, answer = await site.call("POST", "/v1/summarize", body)
        assert (status, answer["error"]["field"]) == (400, "messages")
        assert "Retry-After" not in site.headers


async def test_a_summary_that_fails_is_503(site: Site) -> None:
    site.summaries.error = "no summary within 60 s"
    status, answer = await site.call(
        "POST", "/v1/summarize", {"messages": [{"role": "user", "content": "안녕"}]}
    )
    assert status == 503
    assert "no summary within 60 s" in answer["error"]["mend"]


# ---- the description ----------------------------------------------------------------------------


async def test_the_description_names_every_route_and_only_those(site: Site) -> None:
    status, described = await site.call("GET", "/v1/openapi.json")
    assert status == 200
    for path, methods in described["paths"].items():
        for method in methods:
            got, answer = await site.call(
                method, re.sub(r"\{\w+\}", "x", path), {} if method == "post" else None
            )
            assert got in {200, 400, 404}, (method, path)
            assert got == 200 or "no such address" not in answer["error"]["mend"]
    text = json.dumps(described)
    for name in described["components"]["schemas"]:
        assert f"#/components/schemas/{name}" in text, f"{name} is used"
    assert described["paths"]["/v1/meetings"]["post"]["requestBody"]["required"] is True


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
fields = st.sampled_from(
    [
        "room",
        "meeting_id",
        "title",
        "text",
        "by",
        "stream",
        "features",
        "messages",
        "max_chars",
        "language",
        "x",
    ]
)


@given(st.sampled_from([WantMeeting, AskMeeting, Summarize]), st.dictionaries(fields, json_like, max_size=4))
def test_any_body_is_a_request_or_an_error_of_one_line(model: Any, body: dict[str, Any]) -> None:
    error: ApiError | None = None
    try:
        checked(model, body)
    except ApiError as raised:
        error = raised
    if error is not None:
        text = error.response().text
        assert (error.status, is_error(error.body)) == (400, True)
        assert text.count("\n") == 1
        text.encode()


SAID = Passage(
    corpus="earlier", source_id="m-1", position=0, text="민지: 출시일은 11월 20일입니다.", title="출시 회의",
    first=3, last=5, said_at=datetime(2026, 1, 5, 9, 0, tzinfo=UTC), topic="출시일", speakers=("민지",),
)  # fmt: skip
PAGE = Passage(
    corpus="document", source_id="d-1", position=2, text="Server: 300 dollars", title="Prices", page=4
)


async def test_hits_name_their_meeting_and_their_line_or_their_page(site: Site) -> None:
    site.retriever.passages = [SAID, PAGE]
    status, found = await site.call("GET", "/v1/search?q=출시일")
    assert (status, found["degraded"]) == (200, [])
    meeting, document = found["hits"]
    assert (meeting["kind"], meeting["id"], meeting["first_utterance"]) == ("meeting", "m-1", 3)
    assert [meeting["text"][start:end] for start, end in meeting["marks"]] == ["출시일"]
    assert (meeting["utterance"], document["utterance"], document["marks"]) == (3, None, [])
    assert (document["kind"], document["title"], document["page"]) == ("document", "Prices", 4)
    (query,) = site.retriever.asked
    assert (query.text, query.meeting_id, query.is_search) == ("출시일", "", True)
    assert len((await site.call("GET", "/v1/search?q=x&limit=1"))[1]["hits"]) == 1


async def test_a_hit_begins_at_the_line_that_was_hit(site: Site) -> None:
    talk = "민지: 안녕하세요.\n준호: 출시일이 언제죠?\n민지: 11월 20일이요."
    site.retriever.passages = [SAID.model_copy(update={"text": talk})]
    (hit,) = (await site.call("GET", "/v1/search?q=출시일"))[1]["hits"]
    assert hit["utterance"] == 4
    assert hit["text"].startswith("준호: 출시일이")


async def test_a_search_within_a_meeting_is_of_that_meeting_alone(site: Site) -> None:
    await site.hold("m-1")
    site.retriever.passages = [SAID]
    status, found = await site.call("GET", "/v1/meetings/m-1/search?q=출시일")
    assert (status, [hit["utterance"] for hit in found["hits"]]) == (200, [3])
    (query,) = site.retriever.asked
    assert (query.meeting_id, query.corpora, query.is_search) == ("m-1", ("meeting",), True)
    assert await site.status("GET", "/v1/meetings/m-2/search?q=출시일") == 404
    assert [row.action for row in site.audit.rows] == ["search"]


# ---- the key of an encrypted room -------------------------------------------------------------


async def test_the_key_of_a_room_is_kept_and_in_no_answer(site: Site) -> None:
    key = "열려라 참깨 4711"
    status, answer = await site.call("POST", "/v1/meetings", {"room": "비밀", "e2ee_key": key})
    assert status == 202
    kept = site.registry.record.meetings[answer["meeting_id"]].key
    assert kept is not None
    assert kept.get_secret_value() == key
    shown = [answer, await site.call("GET", f"/v1/meetings/{answer['meeting_id']}")]
    shown += [await site.call("GET", "/v1/meetings"), await site.call("GET", "/v1/audit")]
    assert key not in json.dumps(shown, ensure_ascii=False)


@pytest.mark.parametrize("key", ["", " ", "4711\n4711", "4711" * 300, 4711, ["4711"]])
async def test_what_cannot_be_a_key_is_refused_and_not_quoted(site: Site, key: object) -> None:
    status, answer = await site.call("POST", "/v1/meetings", {"room": "비밀", "e2ee_key": key})
    assert status == 400
    assert is_error(answer)
    assert answer["error"]["field"] == "e2ee_key"
    assert "4711" not in json.dumps(answer)
    status, answer = await site.call("POST", "/v1/meetings", {"room": "비밀", "e2ee-key": "4711"})
    assert (status, "4711" in json.dumps(answer)) == (400, False)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"room": "비밀", "passphrase": "4711"}, "passphrase"),
        ({"room": "비밀", "e2ee": {"secret": "4711"}}, "e2ee"),
        ({"room": {"name": "비밀", "e2ee_key": "4711"}}, "room"),
        ({"room": "비밀", "title": ["4711"]}, "title"),
        ({"room": "비밀", "e2ee_key": {"key": "4711"}}, "e2ee_key"),
        ([{"room": "비밀", "e2ee_key": "4711"}], "body"),
        ("4711", "body"),
    ],
)
async def test_a_key_in_a_wrong_place_is_refused_and_neither_quoted_nor_logged(
    site: Site, body: Any, field: str
) -> None:
    with capture_logs() as logged:
        status, answer = await site.call("POST", "/v1/meetings", body)
    assert (status, answer["error"]["field"]) == (400, field)
    assert is_error(answer)
    assert "4711" not in json.dumps([answer, logged])
    assert "4711" not in str(await site.call("GET", "/v1/audit"))


async def test_a_key_is_for_a_meeting_in_a_room(site: Site) -> None:
    status, answer = await site.call("POST", "/v1/meetings", {"meeting_id": "chat-42", "e2ee_key": "4711"})
    assert (status, answer["error"]["field"]) == (400, "room")
