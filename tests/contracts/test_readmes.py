"""The READMEs and the how-tos: what they name exists, and both READMEs say the same."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from worker.__main__ import COMMANDS, main
from worker.adapters.redis_signatures import Signer
from worker.adapters.redis_streams import StreamNames
from worker.configuration.settings import fields
from worker.messages import AskMessage, read_ask

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.ko.md")
PAGES = sorted(str(path.relative_to(ROOT)) for path in (*ROOT.glob("docs/**/*.md"), ROOT / "CONTRIBUTING.md"))
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in (*READMES, *PAGES)}


ELSEWHERE = {"OrchestrationState", "ExternalE2EEKeyProvider", "EventSource"}
"""What a seed alone names, LiveKit's JavaScript, and a browser's."""


def settings_of(text: str) -> set[str]:
    return set(re.findall(r"\b(?:MOIM|STT|LLM|EMBED|TTS|CLOVA|LIVEKIT|DATABASE|REDIS)_[A-Z_]+[A-Z]\b", text))


def anchors_of(page: Path) -> set[str]:
    """What GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@cache
def words_of_the_code() -> frozenset[str]:
    sources = (
        path for folder in ("context", "stt", "worker", "tests") for path in (ROOT / folder).rglob("*.py")
    )
    return frozenset(chain.from_iterable(re.findall(r"\w+", path.read_text("utf-8")) for path in sources))


def test_both_name_the_same_settings_and_metrics() -> None:
    english, korean = (TEXTS[name] for name in READMES)
    assert settings_of(english) == settings_of(korean)
    metrics = re.compile(r"moim_[a-z_]+_total")
    assert set(metrics.findall(english)) == set(metrics.findall(korean))


def test_both_show_the_same_kinds_of_code_in_the_same_order() -> None:
    english, korean = (
        re.findall(r"^```([a-z]+)$", text, re.MULTILINE) for text in (TEXTS[name] for name in READMES)
    )
    assert english == korean


@pytest.mark.parametrize("name", TEXTS)
def test_every_setting_and_command_exists(name: str) -> None:
    text = TEXTS[name]
    known = {alias for _, _, alias, _ in fields()}
    assert settings_of(text) - known == set()
    called = set(re.findall(r"(?:`|^|&& |bin/)(?:moim|dev) ([a-z]+)", text, re.MULTILINE))
    assert called or name not in READMES, "nothing was found to look at"
    assert called - set(COMMANDS) == set()


@pytest.mark.parametrize("name", TEXTS)
def test_every_option_exists(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    calls = re.findall(r"(?:`|^|&& |bin/)(?:moim|dev) ([a-z]+)([^`#\n]*)", TEXTS[name], re.MULTILINE)
    for command, rest in calls:
        named = set(re.findall(r"(?<=[ \[])--[a-z-]+", rest))
        main([command, *(["add"] if command == "docs" else []), "--help"])
        assert named - set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) == set(), command


@pytest.mark.parametrize("name", TEXTS)
def test_every_target_and_module_that_is_run_exists(name: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z-]+)", TEXTS[name], re.MULTILINE)) - targets == set()
    for module in re.findall(r"python -m (tests[\w.]*)", TEXTS[name]):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module


@pytest.mark.parametrize("name", TEXTS)
def test_every_link_within_the_repository_leads_somewhere(name: str) -> None:
    for target, heading in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", TEXTS[name]):
        page = (ROOT / name).parent / target if target else ROOT / name
        assert page.exists(), target
        assert not heading or heading in anchors_of(page), f"{target}#{heading}"


@pytest.mark.parametrize("name", TEXTS)
def test_every_file_that_it_names_exists(name: str) -> None:
    """Whoever moves a file mends the page that leads there."""
    shown = re.sub(r"^```(?!mermaid).*?^```", "", TEXTS[name], flags=re.DOTALL | re.MULTILINE)
    paths = set(re.findall(r"(?<![\w/])(?:context|stt|worker|tests|docs|deploy)/[\w/-]*\w(?:\.\w+)?", shown))
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("name", TEXTS)
def test_every_class_that_it_names_exists(name: str) -> None:
    named = set(re.findall(r"`([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)(?:\.\w+)?`", TEXTS[name]))
    assert named - words_of_the_code() - ELSEWHERE == set()


def test_every_package_has_its_line_in_the_house() -> None:
    packages = [
        path.parent.relative_to(ROOT)
        for top in ("context", "stt", "worker")
        for path in ROOT.glob(f"{top}/*/__init__.py")
    ]
    assert [str(each) for each in packages if f"`{each}/`" not in TEXTS["docs/architecture.md"]] == []


def test_what_is_signed_as_it_shows_is_obeyed() -> None:
    (snippet,) = [
        code
        for code in re.findall(r"```python\n(.*?)```", TEXTS["docs/how-to/redis.md"], re.DOTALL)
        if "xadd" in code
    ]
    written: list[tuple[str, bytes]] = []

    class Redis:
        def xadd(self, stream: str, fields: dict[str, Any]) -> None:
            written.append((stream, fields["json"].encode()))

    given = {"tenant": "acme", "meeting": "회의 1", "token": "비밀-token", "redis": Redis()}
    exec(f"import hashlib, hmac, json, time, uuid\n{snippet}", given)
    ((stream, payload),) = written
    assert stream == StreamNames("acme").of("ask", "회의 1")
    at = json.loads(payload)["at"]
    read = read_ask(payload, lambda entry: Signer("비밀-token").fault(stream, f"{at + 5}-0", entry))
    assert isinstance(read, AskMessage), read
    again = read_ask(payload, lambda entry: Signer("비밀-token").fault(stream, f"{at + 3_600_000}-0", entry))
    assert "sign it anew" in str(again)
