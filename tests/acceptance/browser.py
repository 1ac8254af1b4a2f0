"""Chromium with a WAV file for a microphone, and files of npm packages that pages are tried with."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import tempfile
import wave
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, async_playwright, expect

from stt.segment import BYTES_PER_MS, SAMPLE_RATE_HZ
from tests.acceptance.lines import EN, line
from worker.configuration.settings import Settings

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
GREETING, DECISION = line(EN, 0), line(EN, 6)
expect.set_options(timeout=60_000)  # a machine that others use is slow, and that is no fault
_BEFORE_S: Final = 3.0


@asynccontextmanager
async def chromium(microphone: Path) -> AsyncIterator[Browser]:
    """A browser that hears `microphone`, from when it opens it. Skipped where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("no Chromium: apt-get install --no-install-recommends chromium")
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=found,
            chromium_sandbox=False,
            args=[*FLAGS, f"--use-file-for-fake-audio-capture={microphone}%noloop"],
        )
        yield browser
        await browser.close()


def spoken(path: Path, parts: Sequence[bytes] = (GREETING.pcm, DECISION.pcm), *, after_s: float = 5) -> Path:
    """A WAV file: silence, `parts` with pauses between them, silence."""
    pauses = [_silence(_BEFORE_S), *(_silence(1.5) for _ in parts[1:]), _silence(after_s)]
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE_HZ)
        for pause, part in zip(pauses, (*parts, b""), strict=True):
            file.writeframes(pause + part)
    return path


def _silence(seconds: float) -> bytes:
    return bytes(int(seconds * 1000) * BYTES_PER_MS)


def npm_file(package: str, member: str) -> Path:
    """One file of a package such as `axe-core@4.11.0`: from npm once, then from the cache."""
    cache = Settings.load().process.cache_dir / "npm-files" / package
    kept = cache / Path(member).name
    if kept.exists():
        return kept
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"no npm to get {package} with: apt-get install --no-install-recommends npm")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as directory:
        done = subprocess.run(
            [npm, "pack", "--silent", package],
            cwd=directory,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"npm could not get {package}: {done.stderr.strip()[-200:]}")
        with tarfile.open(Path(directory) / done.stdout.split()[-1]) as packed:
            found = packed.extractfile(f"package/{member}")
            assert found is not None
            fresh = Path(directory) / kept.name
            fresh.write_bytes(found.read())
        fresh.replace(kept)
    return kept
