"""Minutes by a template of one's own: the examples, wrong and hostile templates, hostile words, and the way of each door."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
from structlog.testing import capture_logs

from context.config import ConfigError
from context.export.document import document
from context.export.markup import demand_between_tags, settled
from context.export.minutes import to_markdown
from context.export.template_values import template_values
from tests.security.cases import by_hand
from tests.security.doors.forms import OUT_OF_THE_SANDBOX
from tests.security.doors.forms import shape_of as shape
from tests.unit.context.documents import SCHEMA, finished
from tests.unit.context.export.markup import ODD, text_of
from worker.__main__ import main
from worker.configuration.settings import Settings
from worker.minutes.filling import fill_in
from worker.minutes.minutes_writing import BOUNDS, demand_template, minutes, sample
from worker.process.text_worker import host_text_meetings
from worker.record.restoring import exported

ROOT: Final = Path(__file__).parents[2]
EXAMPLES: Final = sorted((ROOT / "docs/minutes-templates").glob("*.j2"))
EXAMPLE = pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
PAGE: Final = (ROOT / "docs/how-to/minutes.md").read_text("utf-8")
URL: Final = "https://moim.example.com/m/m-7f3a/minutes"


def settings_with(text: str, tmp_path: Path) -> Settings:
    path = tmp_path / "minutes.md.j2"
    path.write_text(text, "utf-8")
    return Settings.from_env({"MOIM_MINUTES_TEMPLATE": str(path)})


def here(template: str, document: dict[str, Any], url: str = "") -> str:
    """What a template of ours writes, without a child's start for each of hundreds."""
    data = json.dumps({"template": template, "values": template_values(document, url=url)}).encode()
    return fill_in("sample", data).decode()


# ---- the samples, the examples and the how-to ---------------------------------------------------------


@pytest.mark.parametrize("name", ["full.json", "silent.json"])
def test_a_template_is_tried_on_documents_as_they_are_made(name: str) -> None:
    jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(sample(name))
    assert to_markdown(sample(name)).startswith("# ")


def test_the_full_sample_leaves_no_value_empty() -> None:
    def empty(values: Any) -> set[str]:
        rows = values if isinstance(values, list) else [values]
        named: dict[str, list[Any]] = {}
        for row in rows:
            for name, value in row.items():
                named.setdefault(name, []).append(value)
        return {
            name
            for name, found in named.items()
            if not any(found) and not any(each is False for each in found)
        } | {
            f"{name}.{each}"
            for name, found in named.items()
            if isinstance(found[0], list)
            for inner in [[row for rows in found for row in rows if isinstance(row, dict)]]
            if inner
            for each in empty(inner)
        }

    only_decisions_have = {"tasks.against", "open.against"}
    only_decisions_have |= {f"topics.{each}" for each in (*only_decisions_have, "key_points.against")}
    assert empty(template_values(sample("full.json"), url=URL)) - only_decisions_have <= {
        "topics.decisions.due", "topics.decisions.due_date", "topics.decisions.owner", "topics.decisions.edited",
        "topics.tasks.edited", "topics.open.owner", "topics.open.due", "topics.open.due_date", "topics.key_points.owner",
        "topics.key_points.due", "topics.key_points.due_date", "topics.key_points.edited", "topics.key_points.by",
        "decisions.owner", "decisions.due", "decisions.due_date", "decisions.edited", "tasks.edited", "open.owner", "open.due",
        "open.due_date", "participants.interrupted",
    } | {f"{path}.evidence.edited" for path in (
        "decisions", "tasks", "answers", "topics.decisions", "topics.tasks", "topics.key_points",
    )}  # fmt: skip


@EXAMPLE
async def test_the_examples_write_minutes(example: Path) -> None:
    settings = Settings.from_env({"MOIM_MINUTES_TEMPLATE": str(example)})
    await demand_template(settings)
    language = "ko" if example.name.startswith("ko") else "en"
    meeting = "ko-release-planning" if language == "ko" else "en-sprint-review"
    written = await minutes(document(finished(meeting)), settings)
    assert written.startswith("# ")
    assert "\n\n\n\n" not in written
    full = await minutes(sample("full.json"), settings, url=URL)
    assert "We ship on 27 March." in full
    assert "Update the release notes." in full
    assert "2026-03-06" in full


def test_the_how_to_lists_every_value_with_what_it_is_on_the_sample() -> None:
    values = template_values(sample("full.json"), url=URL)
    stand_for = {
        "person": "participants[1]", "row": "tasks[0]", "topic": "topics[2]", "said": "transcript[4]", "answer": "answers[0]",
    }  # fmt: skip
    known = {*values} - {
        "participants",
        "decisions",
        "tasks",
        "open",
        "topics",
        "next_meeting",
        "answers",
        "transcript",
    }
    for name, kept in (
        ("person", values["participants"][0]), ("row", values["tasks"][0]), ("topic", values["topics"][0]),
        ("said", values["transcript"][0]), ("answer", values["answers"][0]),
    ):  # fmt: skip
        known |= {f"{name}.{each}" for each in kept}
    rows = re.findall(r"^\| `([\w.]+)` \| .*? \| (?:`(.*)` )?\|$", PAGE, re.MULTILINE)
    assert {name for name, _ in rows} == known
    for name, example in rows:
        if not example:
            continue
        first, _, rest = name.partition(".")
        value = f"{stand_for[first]}.{rest}" if rest else name
        template = f"{{% set v = {value} %}}{{% if v is string or v is number %}}{{{{ v }}}}{{% else %}}{{{{ v|join('\n') }}}}{{% endif %}}"
        shown = settled(here(template, sample("full.json"), URL)).replace("\\", "")
        assert example in shown.split("\n") or example == shown, f"{name}: {shown!r}"


def test_a_list_is_written_with_commas_and_not_as_python_has_it() -> None:
    full = sample("full.json")
    brief = here("{% for line in brief %}{{ line }}{% if not loop.last %}, {% endif %}{% endfor %}", full)
    assert here("{{ brief }}", full) == brief
    assert here("{{ [1, 2, 'three'] }} {{ ('넷', 5) }} {{ [] }}", full) == "1, 2, three 넷, 5 "


def test_the_how_to_tells_the_bounds_and_the_error() -> None:
    assert f"at most {BOUNDS.deadline_s:g} seconds" in PAGE
    assert f"at most {BOUNDS.memory_bytes >> 20} MB; the text may have {BOUNDS.result_bytes >> 20} MB" in PAGE


# ---- wrong templates --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# {{ title }}\n\n{{ titles }}", "on a meeting with everything: line 3: 'titles' is undefined"),
        ("{{ title }}\n{% for row in tasks %}\n{{ row.ownr }}\n{% endfor %}", "line 3: 'dict object' has no attribute 'ownr'"),
        ("{{ title }}\n{% if %}", "line 2: Expected an expression"),
        ("{{ title }}\n{% for row in tasks %}", "line 2: Unexpected end of template"),
        ("\n{{ title|shout }}", "line 2: No filter named 'shout'"),
        ("{{ title }}{{ decisions[0].text }}", "on a meeting in which nothing was said: line 1: "),
        ("{{ title }}\n{% include 'header.md' %}", "line 2: a template can bring in no other file"),
        ("{% extends 'base.md' %}", "line 1: a template can bring in no other file"),
        ("{{ title }}\n{% import 'os' as os %}", "line 2: a template can bring in no other file"),
        ("{{ title + 1 }}", 'line 1: TypeError: can only concatenate str (not "int") to str'),
        ("{{ title }}\n{{ tasks }}", "line 2: TypeError: this value has fields: name one of them (against, by, changed, done, due, …), or go"),
        ("{{ title }}\n{{ participants[0] if participants }}", "line 2: TypeError: this value has fields: name one of them (answers, heard, "),
        ("{% set x = 1 %}", "it writes nothing"),
        ('<a title="{{ title }}">x</a>', "inside the HTML tag <a…: put it between tags"),
        ("{{ title.__class__ }}", "line 1: the sandbox forbids it: access to attribute '__class__' of 'str' object is unsafe"),
    ],
)  # fmt: skip
async def test_a_wrong_template_is_one_line_that_says_where(text: str, told: str, tmp_path: Path) -> None:
    settings = settings_with(text, tmp_path)
    with pytest.raises(ConfigError) as raised:
        await demand_template(settings)
    line = str(raised.value)
    assert told in line
    assert line.startswith(f"MOIM_MINUTES_TEMPLATE='{tmp_path / 'minutes.md.j2'}' fails on a meeting ")
    assert line.endswith("docs/how-to/minutes.md lists the values and shows examples")
    assert "\n" not in line


def test_a_wrong_template_ends_a_command_with_exit_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "minutes.md.j2"
    path.write_text("{{ titles }}", "utf-8")
    monkeypatch.setenv("MOIM_MINUTES_TEMPLATE", str(path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>We ship on Friday.\n", "utf-8")
    assert main(["replay", "a.vtt"]) == 2
    said = capsys.readouterr()
    assert (
        f"moim: MOIM_MINUTES_TEMPLATE='{path}' fails on a meeting with everything: line 1: 'titles' is undefined"
        in said.err
    )
    assert said.out == ""
    monkeypatch.setenv("DATABASE_URL", "postgresql://a:b@127.0.0.1:1/c")
    for name in ("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"):
        monkeypatch.setenv(name, "ws://127.0.0.1:1")
    assert main(["dispatcher"]) == 2
    assert "line 1: 'titles' is undefined" in capsys.readouterr().err
    assert main(["check", "--only", "minutes"]) == 2
    path.write_text("Own form of {{ transcript[0].speaker if transcript }}.", "utf-8")
    assert main(["check", "--only", "minutes"]) == 0
    capsys.readouterr()
    assert main(["replay", "a.vtt"]) == 0
    assert capsys.readouterr().out == "Own form of Ann.\n"


async def test_a_worker_for_text_tries_it_too(tmp_path: Path) -> None:
    settings = settings_with("{{ titles }}", tmp_path)
    more = {
        "MOIM_STATE_DIR": str(tmp_path),
        "REDIS_URL": "redis://127.0.0.1:1",
        "DATABASE_URL": "postgresql://a:b@127.0.0.1:1/c",
    }
    settings = Settings.from_env({"MOIM_MINUTES_TEMPLATE": settings.minutes.template, **more})
    with pytest.raises(ConfigError, match="'titles' is undefined"):
        await host_text_meetings(settings)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"\xff\xfe", "is no UTF-8 text"),
        (b" \n", "is empty"),
        (b"x" * 200_000, "has more than 100,000 bytes"),
    ],
)
def test_a_file_that_is_no_template_is_one_line(content: bytes | None, told: str, tmp_path: Path) -> None:
    path = tmp_path / "minutes.md.j2"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=re.escape(f"MOIM_MINUTES_TEMPLATE='{path}' {told}")):
        Settings.from_env({"MOIM_MINUTES_TEMPLATE": str(path)})


async def test_a_template_that_fails_on_a_real_meeting_costs_the_form_alone(tmp_path: Path) -> None:
    settings = settings_with(
        "{{ title }}{{ 1 // (transcript|length - 1) }} {{ transcript[0].text|int }}", tmp_path
    )
    document = sample("full.json")
    document["utterances"] = document["utterances"][:1]
    with capture_logs() as logs:
        written = await minutes(document, settings)
    assert written == to_markdown(document, own_form_failed=True)
    assert "form that these minutes should have failed" in written.splitlines()[4]
    (line,) = (each for each in logs if each["event"] == "minutes_template_failed")
    assert line["meeting_id"] == "m-7f3a"
    assert line["why"] == "line 1: ZeroDivisionError"
    document["meeting"]["language"] = "ko"
    assert "기본 양식으로 작성했습니다" in await minutes(document, settings)


async def test_without_a_template_they_are_as_before() -> None:
    document = sample("full.json")
    assert await exported(document, "md", Settings.from_env({})) == to_markdown(document)


# ---- hostile templates --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", OUT_OF_THE_SANDBOX)
async def test_nothing_but_its_values_is_within_a_templates_reach(text: str, tmp_path: Path) -> None:
    settings = settings_with(f"{{{{ title }}}}{text}", tmp_path)
    with pytest.raises(
        ConfigError, match=r"forbids|undefined|no other file|No filter|no attribute|not callable"
    ):
        await demand_template(settings)
    document = sample("full.json")
    assert await minutes(document, settings) == to_markdown(document, own_form_failed=True)


# ---- hostile words ------------------------------------------------------------------------------------


def said_everywhere(words: str) -> dict[str, Any]:
    """The sample, in which somebody has put their words into everything that people can say, write or call themselves."""
    document = sample("full.json")
    document["meeting"]["title"] = document["meeting"]["room"] = words
    for person in document["participants"]:
        person["name"] = words
    for said in document["utterances"]:
        if said["text"]:
            said["text"] = words
        said.pop("doubtful", None)
    for topic in document["topics"]:
        topic |= {"name": words, "summary": words, "keywords": [words]}
        topic.pop("unverified", None)
        for row in (*topic["key_points"], *topic["decisions"], *topic["pending"]):
            row["text"] = words
            row.pop("doubtful", None)
            row.pop("quotes", None)
            row |= {name: words for name in ("owner", "due") if name in row}
    document["next_meeting"] |= {"text": words, "due": words}
    document["next_meeting"].pop("due_date")
    document["replies"][0] |= {"question": words, "text": words}
    document["notes"][0]["text"] = words
    return document


@EXAMPLE
def test_words_are_words_in_every_example(example: Path) -> None:
    template = example.read_text("utf-8")
    harmless = shape(settled(here(template, said_everywhere("plain words"))))
    for case in [*ODD, *(each.text for each in by_hand())]:
        filled = here(template, said_everywhere(case))
        demand_between_tags(filled)
        assert shape(settled(filled)) == harmless, case


def test_words_are_words_in_our_own_form() -> None:
    def kinds(words: str) -> list[str]:
        document = said_everywhere(words)
        document["replies"] = []  # an answer is Markdown, made inert as it is written
        return shape(to_markdown(document))

    harmless = kinds("plain words")
    for case in [*ODD, *(each.text for each in by_hand())]:
        assert kinds(case) == harmless, case


def test_words_are_no_template() -> None:
    document = said_everywhere("{{ 7 * 7 }}{% for a in range(9) %}x{% endfor %}{# gone #}")
    shown = text_of(settled(here("# {{ title }}\n{{ transcript[0].text }}", document)))
    assert "49" not in shown
    assert shown.count("{{ 7 * 7 }}{% for a in range(9) %}x{% endfor %}{# gone #}") == 2
