"""A stock browser client: Chromium with npm's livekit-client, a WAV file for a microphone."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tarfile
import tempfile
import threading
import wave
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import async_playwright

from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ
from tests.acceptance.lines import EN, heard_in, line
from tests.acceptance.stack import Stack
from worker.adapters.livekit_tokens import participant_token
from worker.clock import monotonic_s
from worker.configuration.settings import Settings

pytestmark = [pytest.mark.browser, pytest.mark.room, pytest.mark.speech, pytest.mark.timeout(150)]

LIVEKIT_CLIENT: Final = "livekit-client@2.23.0"
SCRIPT: Final = "livekit-client.umd.js"
PAGE: Final = Path(__file__).with_name("browser_page.html")
FLAGS: Final = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream",
)
BEFORE_S: Final = 3.0
GREETING, DECISION = line(EN, 0), line(EN, 6)


@pytest.fixture(scope="module")
def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("no Chromium: apt-get install --no-install-recommends chromium")
    return found


@pytest.fixture(scope="module")
def livekit_client() -> Path:
    """The client's script, from npm once, then from the cache."""
    cache = Settings.load().process.cache_dir / "livekit-client"
    script = cache / SCRIPT
    if script.exists():
        return script
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"no npm to get {LIVEKIT_CLIENT} with: apt-get install --no-install-recommends npm")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as directory:
        done = subprocess.run(
            [npm, "pack", "--silent", LIVEKIT_CLIENT],
            cwd=directory,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"npm could not get {LIVEKIT_CLIENT}: {done.stderr.strip()[-200:]}")
        with tarfile.open(Path(directory) / done.stdout.split()[-1]) as packed:
            member = packed.extractfile(f"package/dist/{SCRIPT}")
            assert member is not None
            fresh = Path(directory) / SCRIPT
            fresh.write_bytes(member.read())
        fresh.replace(script)
    return script


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture(scope="module")
def page_url(livekit_client: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page, served from 127.0.0.1: a microphone needs a secure origin."""
    directory = tmp_path_factory.mktemp("page")
    shutil.copy(PAGE, directory / "index.html")
    shutil.copy(livekit_client, directory / SCRIPT)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(directory)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def microphone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Silence, a greeting, a pause, a decision, silence."""
    path = tmp_path_factory.mktemp("microphone") / "said.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE_HZ)
        for pcm in (_silence(BEFORE_S), GREETING.pcm, _silence(1.5), DECISION.pcm, _silence(5)):
            file.writeframes(pcm)
    return path


def _silence(seconds: float) -> bytes:
    return bytes(int(seconds * 1000) * BYTES_PER_MS)


async def test_a_stock_browser_client(stack: Stack, chromium: str, page_url: str, microphone: Path) -> None:
    key, secret = stack.env["LIVEKIT_API_KEY"], stack.env["LIVEKIT_API_SECRET"]
    async with stack.play("browser") as play, async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=chromium,
            chromium_sandbox=False,
            args=[*FLAGS, f"--use-file-for-fake-audio-capture={microphone}%noloop"],
        )
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
        assert "**Alice Moreau**" in answer["text"]
        assert "second server this week" in answer["text"]
        assert answer["attributes"]["moim.evidence"]
        assert problems == []
        await browser.close()
