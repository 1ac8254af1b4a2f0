"""A stock browser client: Chromium with npm's livekit-client, a WAV file for a microphone."""

from __future__ import annotations

import functools
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.browser import DECISION, GREETING, chromium, spoken
from tests.acceptance.lines import heard_in
from tests.acceptance.stack import Stack
from worker.adapters.livekit_tokens import participant_token
from worker.clock import monotonic_s
from worker.web import pages

pytestmark = [pytest.mark.browser, pytest.mark.room, pytest.mark.speech]

SCRIPT: Final = "livekit-client.umd.js"
PAGE: Final = Path(__file__).with_name("browser_page.html")
CLIENT: Final = Path(pages.__file__).parent / "static" / "vendor" / "livekit-client.js"
"""As npm has it: our own pages ship it."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture(scope="module")
def page_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page, served from 127.0.0.1: a microphone needs a secure origin."""
    directory = tmp_path_factory.mktemp("page")
    shutil.copy(PAGE, directory / "index.html")
    shutil.copy(CLIENT, directory / SCRIPT)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(directory)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


async def test_a_stock_browser_client(stack: Stack, page_url: str, tmp_path: Path) -> None:
    key, secret = stack.env["LIVEKIT_API_KEY"], stack.env["LIVEKIT_API_SECRET"]
    async with stack.play("browser") as play, chromium(spoken(tmp_path / "said.wav")) as browser:
        page = await browser.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        await page.goto(page_url)
        access = participant_token(key, secret, play.stage.room, "alice", "Alice Moreau")
        await page.evaluate("([url, token]) => join(url, token)", [stack.env["LIVEKIT_URL"], access])
        await page.wait_for_function("moimIsHere()", timeout=20_000)
        began_s = monotonic_s()
        await page.evaluate("speak()")

        await page.wait_for_function(
            "read.transcripts.filter((t) => t.attributes['lk.transcription_final'] === 'true').length >= 2",
            timeout=40_000,
        )
        print(f"both lines shown {monotonic_s() - began_s:.1f} s after the microphone was opened")
        transcripts = await page.evaluate("read.transcripts")
        finals = [t for t in transcripts if t["attributes"]["lk.transcription_final"] == "true"]
        assert {t["speaker"] for t in finals} == {"alice"}
        texts = [t["text"] for t in finals]
        assert heard_in(GREETING, texts) == heard_in(DECISION, texts) == 1, texts
        assert [int(t["attributes"]["moim.utterance"]) for t in finals] == list(range(1, len(finals) + 1))
        track_id = await page.evaluate("[...room.localParticipant.trackPublications.values()][0].trackSid")
        assert {t["attributes"]["lk.transcribed_track_id"] for t in finals} == {track_id}

        question = await page.evaluate("write('What did we decide about the second server?')")
        await page.wait_for_function("(id) => answerTo(id)", arg=question, timeout=20_000)
        answer = await page.evaluate("(id) => answerTo(id)", question)
        assert answer["sender"].startswith("agent")
        assert "Alice Moreau (" in answer["text"], "plain text, for a client that shows it as it is"
        assert "**" not in answer["text"]
        assert "second server this week" in answer["text"]
        assert answer["attributes"]["moim.evidence"]
        assert problems == []
