"""A front end made of the snippets of docs/how-to/front-end.md: in Chromium, with npm's livekit-client."""

from __future__ import annotations

import functools
import re
import shutil
import signal
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import pytest
from livekit import api
from playwright.async_api import Browser, Page

from tests.acceptance.browser import DECISION, GREETING, chromium, spoken
from tests.acceptance.lines import heard_in
from tests.acceptance.stack import PATIENCE_S, Play, Stack, listening_at, until
from worker.configuration.settings import child_environment
from worker.embedded.child import Child, free_port, is_free
from worker.web import pages

pytestmark = [pytest.mark.browser, pytest.mark.room, pytest.mark.speech]

HOW_TO: Final = (Path(__file__).parents[2] / "docs" / "how-to" / "front-end.md").read_text("utf-8")
JOIN, ASK, ASK_ALONE, REFUSE, FOLLOW = re.findall(r"```ts\n(.*?)```", HOW_TO, re.DOTALL)
(BACKEND,) = re.findall(r"```js\n(.*?)```", HOW_TO, re.DOTALL)
PAGE: Final = Path(__file__).with_name("front_end_page.html").read_text("utf-8")
CLIENT: Final = Path(pages.__file__).parent / "static" / "vendor" / "livekit-client.js"
"""The client as npm has it: our own pages ship it."""
TOKEN: Final = "only-the-backend-has-this-one"
PATIENCE_MS: Final = PATIENCE_S * 1000


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture(scope="module")
def page_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page, served from 127.0.0.1: a microphone needs a secure origin."""
    directory = tmp_path_factory.mktemp("page")
    (directory / "index.html").write_text(PAGE.replace("SNIPPET", JOIN), "utf-8")
    shutil.copy(CLIENT, directory / "livekit-client.umd.js")
    module = "export const { Room, RoomEvent } = globalThis.LivekitClient;"
    (directory / "livekit-client.js").write_text(module, "utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(directory)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@asynccontextmanager
async def backend(dispatcher: Child, node: str, directory: Path) -> AsyncIterator[str]:
    """The how-to's backend, which has the API's token and passes events on; its address."""
    script, port = directory / "backend.mjs", free_port()
    script.write_text(BACKEND, "utf-8")

    async def listening() -> str | None:
        return listening_at(dispatcher)

    places = {"MOIM_API_URL": await until(listening, "the API"), "PORT": str(port)}
    child = Child(
        [node, script],
        log_file=directory / "backend.log",
        parent_death_signal=signal.SIGKILL,
        environment=child_environment({"MOIM_API_TOKEN": TOKEN, **places}),
        directory=directory,
    )

    async def taken() -> bool:
        assert child.returncode is None, child.last_words(20)
        return not is_free(port)

    try:
        await until(taken, "the backend")
        yield f"http://127.0.0.1:{port}"
        assert child.returncode is None, child.last_words(20)
    finally:
        await child.stop(signal.SIGTERM, 5)


async def runs(page: Page, snippet: str) -> None:
    """Run a snippet where the page's own code would stand."""
    await page.evaluate(f"async () => {{\n{snippet}\n}}")


async def follower(browser: Browser, address: str, meeting: str) -> Page:
    """A page of the backend's own origin, which follows a meeting."""
    page = await browser.new_page()
    await page.goto(f"{address}/")
    await page.evaluate(
        """(meeting) => Object.assign(globalThis, {
            meeting, whole: null, utterances: [],
            showAll: (document) => { whole = document; },
            showUtterance: (utterance) => { utterances.push(utterance); },
        })""",
        meeting,
    )
    await runs(page, FOLLOW)
    await page.wait_for_function("whole", timeout=PATIENCE_MS)
    return page


def address_for(stack: Stack, play: Play, page_url: str) -> str:
    """Where 김민지 opens the page, with a token that lets her change her own attributes."""
    grants = api.VideoGrants(room_join=True, room=play.stage.room, can_update_own_metadata=True)
    made = api.AccessToken(stack.env["LIVEKIT_API_KEY"], stack.env["LIVEKIT_API_SECRET"])
    token = made.with_identity("minji").with_name("김민지").with_grants(grants).to_jwt()
    return f"{page_url}?{urlencode({'url': stack.env['LIVEKIT_URL'], 'token': token})}"


async def answered(page: Page, question: str) -> dict[str, Any]:
    """The message that answers what this page asked, with the evidence that it shows."""
    asked = "Object.keys(shown.messages).find((id) => shown.messages[id].text === question)"
    await page.wait_for_function(f"(question) => shown.evidence[{asked}]", arg=question, timeout=PATIENCE_MS)
    found: dict[str, Any] = await page.evaluate(
        f"""(question) => {{
            const {{ id, evidence }} = shown.evidence[{asked}];
            return {{ ...shown.messages[id], evidence }};
        }}""",
        question,
    )
    return found


async def test_a_front_end_that_does_what_the_how_to_shows(
    stack: Stack, page_url: str, tmp_path: Path
) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js for the backend: apt-get install --no-install-recommends nodejs")
    question, secret = (re.findall(r'"(What .*?)"', snippet)[0] for snippet in (ASK, ASK_ALONE))
    async with (
        stack.play("browser") as play,
        stack.running("dispatcher", MOIM_API_TOKEN=TOKEN) as dispatcher,
        chromium(spoken(tmp_path / "said.wav")) as browser,
        backend(dispatcher, node, tmp_path) as address,
    ):
        ben = play.stage.player("ben", "Ben Carter")
        await ben.join()
        agent = await play.moim_hears(ben)
        events = await follower(browser, address, play.meeting_id)
        page = await browser.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        await page.goto(address_for(stack, play, page_url))
        await page.wait_for_function("globalThis.room", timeout=PATIENCE_MS)

        await ben.wait_for(lambda player: len(player.finals) >= 2, PATIENCE_S, "both lines")
        await page.wait_for_function("shown.state === 'here'", timeout=PATIENCE_MS)
        finals = list(ben.finals)
        texts = [final.text for final in finals]
        assert heard_in(GREETING, texts) == heard_in(DECISION, texts) == 1, texts
        assert [final.utterance for final in finals] == list(range(1, len(finals) + 1))
        track_id = await page.evaluate("[...room.localParticipant.trackPublications.values()][0].trackSid")
        assert {(final.speaker, final.track_id) for final in finals} == {("minji", track_id)}
        for final in finals:
            await page.wait_for_function(
                "({ id, text }) => shown.lines[id]?.at(-1).text === text",
                arg={"id": final.segment_id, "text": final.text},
                timeout=PATIENCE_MS,
            )
        lines = await page.evaluate("shown.lines")
        assert {line["name"] for way in lines.values() for line in way} == {"김민지"}
        whole = [way[-1] for way in lines.values() if way[-1]["text"]]
        assert [line["firm"] for line in whole] == [len(line["text"]) for line in whole]
        assert any(len(way) > 1 for way in lines.values()), "words under way"
        await events.wait_for_function(
            "(count) => utterances.length >= count", arg=len(finals), timeout=PATIENCE_MS
        )
        told = await events.evaluate("utterances.map(({ id, speaker, text }) => [id, speaker, text])")
        assert told == [[final.utterance, "minji", final.text] for final in finals]

        await runs(page, ASK)
        answer = await answered(page, question)
        assert answer["name"] == "Moim"
        assert "김민지 (" in answer["text"], "plain text, for a client that shows it as it is"
        assert "**" not in answer["text"]
        assert "search latency" in answer["text"]
        assert set(map(int, answer["evidence"].split(","))) <= {final.utterance for final in finals}

        await runs(page, ASK_ALONE)
        alone = await answered(page, secret)
        await runs(page, REFUSE)
        await page.wait_for_function(
            "Object.values(shown.messages).some(({ text }) => text.includes('you are not heard'))",
            timeout=PATIENCE_MS,
        )
        read = [message.text for message in ben.chats if message.sender in {"minji", agent}]
        assert question in read
        assert secret not in read
        # The same words may be the public answer, too: they were read once then, not twice.
        assert read.count(alone["text"]) == (alone["text"] == answer["text"])
        assert problems == []
