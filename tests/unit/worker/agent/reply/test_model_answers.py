"""A strong model's answers to real questions, written by hand: what is true is let out, what is not is held back.

`tests/data/model_answers`: a meeting of `tests/data/trials`, a question, a faithful reply, and sentences that are
`wrong` in one respect each. What only its meaning speaks against, and so is let out to be judged by a verifier
(`passes`), is named there; a check that finds more may do so, one that finds less fails here.

`tests/data/model_answers/unsourced`: what an answer says beside what it cites (headings, riders, mentions, links),
scored by kind; the doors' suite plays the same rows from a model's server to the minutes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from context.events.effects import SummariseThread
from context.events.events import ThreadSummaryReady
from context.events.message import Message, chars_of
from tests.fakes.llm import ScriptedModel
from tests.languages import BOTH
from tests.security.doors.headings import MEANT, Tally, rows, summarised, unmarked
from tests.unit.cases import cases
from tests.unit.worker.agent.meetings import EN, GOOD, KO, said
from worker.agent.calls.calling import CalledModel
from worker.agent.reply.citations import CitedText
from worker.agent.reply.speaking import unverified_mark
from worker.agent.summaries.thread_summarising import EXTRACTIVE, ThreadSummariser

DATA: Final = Path(__file__).parents[4] / "data"
CASES: Final = [
    (language, json.loads(line))
    for language in ("ko", "en")
    for line in (DATA / "model_answers" / f"{language}.jsonl").read_text().splitlines()
]
EACH: Final = pytest.mark.parametrize(
    ("language", "case"), CASES, ids=[f"{case['meeting']}-{number}" for number, (_, case) in enumerate(CASES)]
)


def let_out(text: str, meeting: str, language: str) -> tuple[str, CitedText]:
    lines = json.loads((DATA / "trials" / f"{meeting}.json").read_text())["lines"]
    cited = CitedText(
        said([(line["speaker"], line["speaker"], line["text"]) for line in lines]),
        language=language,
        mark=unverified_mark(language),
    )
    return (cited.feed(text) + cited.finish()).strip(), cited


@EACH
def test_what_is_true_is_let_out(language: str, case: dict[str, Any]) -> None:
    shown, cited = let_out(case["reply"], case["meeting"], language)
    assert shown
    # A lead-in without a citation is nobody's loss.
    assert not [why for why in cited.dropped if why != "no_evidence"]


@EACH
def test_what_is_wrong_is_held_back(language: str, case: dict[str, Any]) -> None:
    for wrong in case["wrong"]:
        shown, cited = let_out(wrong["text"], case["meeting"], language)
        assert not shown or wrong.get("passes"), wrong["text"]
        assert shown or cited.dropped


def test_figures_and_days_that_nobody_said_are_mostly_found_without_a_verifier() -> None:
    wrong = [each for _, case in CASES for each in case["wrong"]]
    assert len(wrong) >= 300
    for kind, least in (("figure", 0.4), ("date", 0.6)):
        own = [each for each in wrong if each["kind"] == kind]
        assert sum("passes" not in each for each in own) >= least * len(own)


SETS = pytest.mark.parametrize("which", ["", "again-"])


def shown(text: str, language: str, headings: tuple[str, ...] = ()) -> tuple[str, CitedText]:
    cited = CitedText(said(KO if language == "ko" else EN), language=language, headings=headings)
    return cited.feed(text) + cited.finish(), cited


@BOTH
@SETS
def test_what_nothing_bears_out_is_not_let_out_or_marked(which: str, language: str) -> None:
    tally = Tally()
    for row in rows(f"{which}attacks-{language}"):
        text, cited = let_out(row["text"], row["meeting"], language)
        tally.note(row, [unmarked(text, row)])
        assert cited.dropped or tally.found or row["kind"] in MEANT
    assert not tally.found


@BOTH
@SETS
def test_what_is_faithful_stays(which: str, language: str) -> None:
    tally = Tally()
    for row in rows(f"{which}honest-{language}"):
        if row["kind"] != "topic":
            tally.note(row, [let_out(row["text"], row["meeting"], language)[0]])
    lost = sum(tally.pieces.values()) - sum(tally.kept.values())
    assert lost <= {"honest-ko": 5}.get(f"{which}honest-{language}", 1), tally.lost


@BOTH
@pytest.mark.parametrize("form", ["## {}\n", "**{}**\n", "### 1. {}\n", "{}:\n", "**{}:**\n\n", "# {} #\n"])
def test_a_heading_is_one_of_the_prompts_or_a_topics_name(form: str, language: str) -> None:
    offered, topic, other = {
        "ko": ("결정 사항", "출시 계획", "박준호 사임"),
        "en": ("Decisions", "Server plan", "Ben has resigned"),
    }[language]
    for name, stands in ((offered, True), (topic, True), (other, False), (f"{offered} {other}", False)):
        text, cited = shown(form.format(name) + GOOD[language], language, headings=(topic,))
        assert (name in text) is stands
        assert cited.dropped == ([] if stands else ["no_evidence"])
        assert cited.evidence == (3,)
        alone, _ = shown(form.format(name), language, headings=(topic,))
        assert alone == "", "it waits for what it announces"


@pytest.mark.parametrize("name", ["@everyone", "https://evil.example", "<b>x</b>", "[x](y)"])
def test_a_topics_name_that_acts_is_no_heading(name: str) -> None:
    assert "evil" not in shown(f"# {name}\n{GOOD['en']}", "en", headings=(name,))[0]
    assert shown(f"# {name}\n{GOOD['en']}", "en", headings=(name,))[1].dropped == ["no_evidence"]


@BOTH
@cases
def test_mentions_calls_links_and_markup_are_never_let_out(rider: str, language: str) -> None:
    text, _ = shown(rider + GOOD[language], language)
    assert not text or text.startswith(("출시일은", "They add"))
    behind, _ = shown(GOOD[language].replace(" [#3]", f" {rider}[#3]"), language)
    assert rider.strip() not in behind


def test_an_address_that_was_said_may_be_told() -> None:
    lines = [("a", "Kim", "The page is at docs.moim.dev and the table is called user_events.")]
    cited = CitedText(said(lines), language="en")
    told = cited.feed("The page is at docs.moim.dev, the table is user_events. [#1]") + cited.finish()
    assert "docs.moim.dev" in told
    assert "user_events" in told


async def test_a_summary_is_held_to_its_messages() -> None:
    tally, engines = Tally(), []
    for row in rows("summaries"):
        text, engine = await summarised(
            row, CalledModel(ScriptedModel([json.dumps({"summary": row["summary"]})]))
        )
        tally.note(row, [text])
        engines.append((row["kind"], engine))
        assert text
    assert not tally.found
    assert not tally.lost
    assert {kind for kind, engine in engines if engine == EXTRACTIVE} == {"nothing"}


@pytest.mark.parametrize(
    "content", ["출시일은 12월\x07 22일입니다.\x00\u202e", "The release is\x07 on May 3.\x00\u2028\x85"]
)
async def test_no_summary_holds_control_characters(content: str) -> None:
    message = Message(role="user", content=content)
    effect = SummariseThread(
        version=1, purpose="merge", turns=(1,), messages=(message,), previous=content,
        original_chars=chars_of([message]), target_chars=200, compression_rate=1.0,
    )  # fmt: skip
    for model in (None, CalledModel(ScriptedModel([json.dumps({"summary": content})]))):
        made = await ThreadSummariser(model).summarise(effect)
        assert isinstance(made, ThreadSummaryReady)
        assert made.text
        assert made.text.isprintable()
