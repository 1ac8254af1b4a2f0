"""Summary jobs: by the model, checked; else by extraction; never an error's text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from context.events.effects import Summarise
from context.events.topic_events import SummaryFailed, SummaryReady
from context.language.spoken_sentences import split_utterances
from context.models import Statement, Summary, Utterance
from context.ports import CutOff, Refused, Unavailable
from context.reading.acts import acts_of
from context.statements.checks import Fault
from tests.fakes.llm import Hang, ScriptedModel
from tests.unit.cases import cases
from tests.unit.worker.agent.meetings import EN, KO, LINES, said
from tests.unit.worker.agent.summary_jobs import Words, job
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadlines
from worker.agent.summaries import summarising
from worker.agent.summaries.summarising import EXTRACTIVE, Summariser
from worker.agent.summaries.summary_draft import SummaryPrompt

LABELLED = Path(__file__).parents[4] / "data" / "labels" / "meetings"


def read_until(last: int, notes: Summary, utterances: tuple[Utterance, ...], **more: Any) -> Summarise:
    """A job whose topic a model has read and written up to an utterance."""
    effect = job(utterances, notes)
    read = {"written_until": last, "covered_until": last}
    return effect.model_copy(update={"topic": effect.topic.model_copy(update=read), **more})


def draft(**fields: Any) -> str:
    empty: dict[str, Any] = {
        "topic_name": "",
        "summary": [],
        "key_points": [],
        "decisions": [],
        "pending": [],
    }
    return json.dumps({**empty, **fields}, ensure_ascii=False)


RELEASE = {"text": "출시일은 12월 22일로 결정되었다.", "evidence": ["#3"]}
SERVER = {"text": "A second server will be added this week.", "evidence": [3]}


STATEMENT = {"ko": RELEASE, "en": SERVER}
EACH = pytest.mark.parametrize(("lines", "statement"), [(KO, RELEASE), (EN, SERVER)], ids=["ko", "en"])


def model_of(*scripts: Any) -> tuple[CalledModel, ScriptedModel]:
    scripted = ScriptedModel(*scripts, name="test-model")
    return CalledModel(scripted), scripted


async def done(summariser: Summariser, effect: Summarise, language: str = "auto") -> SummaryReady:
    result = await summariser.summarise(effect, language=language)
    assert isinstance(result, SummaryReady)
    return result


TEST_PLAN = {"text": "결제 테스트 계획을 공유한다.", "evidence": [4], "owner": "박준호", "due": "금요일"}
ORDER = {"text": "The server is ordered tomorrow.", "evidence": [4], "owner": "Ben", "due": "Thursday"}


@pytest.mark.parametrize(
    ("lines", "statement", "task", "name"),
    [(KO, RELEASE, TEST_PLAN, "  출시일 \n 계획 "), (EN, SERVER, ORDER, "  Server \n purchase ")],
    ids=["ko", "en"],
)
async def test_a_model_writes_every_field_with_evidence(
    lines: Any, statement: dict[str, Any], task: dict[str, Any], name: str
) -> None:
    utterances = said(lines)
    words = [statement["text"].split()[-1], task["text"].split()[1]]
    model, scripted = model_of([draft(
        topic_name=name, summary=[statement], key_points=[statement], decisions=[statement],
        pending=[task], keywords=[words[0], words[0], f" {words[1]} ", "최대 10개", "at most 10"],
    )])  # fmt: skip
    ready = await done(Summariser(model, tokenizer=Words()), job(utterances))
    assert (ready.topic_id, ready.version, ready.reason, ready.covered_until) == ("t1", 3, "turn_limit", 5)
    assert ready.engine == "test-model"
    assert ready.topic_name == " ".join(name.split())
    assert ready.content.text == statement["text"]
    assert ready.content.decisions[0].evidence == (3,)
    assert (ready.content.pending[0].owner, ready.content.pending[0].due) == (task["owner"], task["due"])
    assert ready.content.keywords == tuple(words), "what nobody said is none"
    assert ready.content.participants == tuple(dict.fromkeys(one.speaker_id for one in utterances))
    prompt = scripted.calls[0][-1].content
    assert all(f"[#{one.id}]" in prompt and one.text in prompt for one in utterances)


async def test_the_language_of_the_talk_is_asked_for() -> None:
    model, scripted = model_of([draft(summary=[RELEASE])], [draft(summary=[SERVER])])
    summariser = Summariser(model, tokenizer=Words())
    await done(summariser, job(said(KO)))
    await done(summariser, job(said(EN)))
    assert "회의에서 한 주제" in scripted.calls[0][-1].content
    assert "Summarise what was said" in scripted.calls[1][-1].content


async def test_inventions_are_dropped_and_counted() -> None:
    dropped: list[Fault] = []
    model, _ = model_of([draft(
        summary=[RELEASE, {"text": "출시일은 12월 30일이다.", "evidence": [3]}],
        decisions=[{"text": "예산을 늘린다.", "evidence": []}, {"text": "출시일은 12월 22일이다.", "evidence": [40]}],
    )])  # fmt: skip
    ready = await done(Summariser(model, tokenizer=Words(), on_dropped=dropped.append), job(said(KO)))
    assert ready.content.text == RELEASE["text"]
    assert ready.content.decisions == ()
    assert dropped == ["number", "no_evidence", "unknown_utterance"]


@cases
async def test_a_topic_is_not_named_by_what_nobody_said(language: str, name: str) -> None:
    lines, statement = LINES[language], STATEMENT[language]
    model, _ = model_of([draft(topic_name=name, summary=[statement])])
    ready = await done(Summariser(model, tokenizer=Words()), job(said(lines)))
    assert ready.engine == "test-model"
    assert ready.topic_name is None


async def test_what_the_last_summary_rested_on_may_be_cited_again() -> None:
    before = Summary(decisions=(Statement(text="예산은 2억 원으로 정했다.", evidence=(2,)),))
    carried = {"text": "예산은 2억 원이다.", "evidence": [2]}
    model, scripted = model_of([draft(summary=[carried, RELEASE | {"evidence": [52]}])])
    ready = await done(Summariser(model, tokenizer=Words()), job(said(KO, first=50), before))
    assert [sentence.evidence for sentence in ready.content.sentences] == [(2,), (52,)]
    assert "예산은 2억 원으로 정했다. [#2]" in scripted.calls[0][-1].content


@pytest.mark.parametrize(
    "script",
    [[Unavailable("500")], ["not json"], ["{}"], [draft(summary=[{"text": "점심 lunch", "evidence": [99]}])]],
)
@pytest.mark.parametrize("lines", [KO, EN])
async def test_without_a_usable_model_the_extractive_engine_does_it(lines: Any, script: list[Any]) -> None:
    model, _ = model_of(script)
    utterances = said(lines)
    ready = await done(Summariser(model, tokenizer=Words()), job(utterances))
    plain = await done(Summariser(None, tokenizer=Words()), job(utterances))
    assert ready.engine == plain.engine == EXTRACTIVE
    assert ready.content.text == plain.content.text
    told = [*ready.content.key_points, *ready.content.decisions, *ready.content.pending]
    assert told
    assert all(each.quoted for each in told), "in a meeting with a model it says that it is a quote"
    assert not any(each.quoted for each in plain.content.decisions)
    assert "500" not in ready.content.text


@EACH
@pytest.mark.parametrize("reason", ["turn_limit", "time_limit", "topic_change", "correction", "closing"])
@pytest.mark.parametrize("error", [Refused("401"), CutOff("50"), AttributeError("usage"), TypeError("str")])
async def test_whatever_a_model_sets_off_what_was_said_is_quoted(
    lines: Any, statement: dict[str, Any], reason: Any, error: Exception
) -> None:
    model, _ = model_of([error])
    effect = job(said(lines)).model_copy(update={"reason": reason})
    ready = await done(Summariser(model, tokenizer=Words()), effect)
    assert ready.engine == EXTRACTIVE
    alone = await done(Summariser(tokenizer=Words()), effect)
    assert [each.text for each in ready.content.decisions] == [each.text for each in alone.content.decisions]
    assert ready.content.decisions, statement


async def test_a_model_that_hangs_costs_its_deadline_and_no_more() -> None:
    model, scripted = model_of([Hang])
    ready = await done(
        Summariser(model, tokenizer=Words(), deadlines=Deadlines(summary_s=0.05)), job(said(KO))
    )
    assert ready.engine == EXTRACTIVE
    assert scripted.closed == 1
    assert 50 <= ready.latency_ms < 2000


async def test_when_even_extraction_fails_the_job_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Summary:
        raise RuntimeError("no")

    monkeypatch.setattr(summarising, "extract", broken)
    result = await Summariser(None, tokenizer=Words()).summarise(job(said(KO)), language="ko")
    assert result == SummaryFailed(topic_id="t1", version=3, error="RuntimeError: no")


async def test_a_long_span_goes_in_pieces_each_folded_into_the_last() -> None:
    utterances = said(KO * 4)
    scripts = [
        [draft(topic_name="출시", summary=[RELEASE | {"evidence": [3]}])],
        [draft(topic_name="출시 일정", summary=[RELEASE | {"evidence": [3]}])],
    ]
    model, scripted = model_of(*scripts)
    shares = {"transcript": 90, "previous_summary": 2_500, "earlier_decisions": 500}
    ready = await done(Summariser(model, tokenizer=Words(), shares=shares), job(utterances))
    assert len(scripted.calls) > 1
    shown = "\n".join(call[-1].content for call in scripted.calls)
    assert all(f"[#{one.id}] " in shown for one in utterances), "no utterance is left out"
    assert "[#3]" in scripted.calls[-1][-1].content
    assert ready.covered_until == 20
    assert ready.topic_name == "출시 일정"


async def test_the_text_keeps_its_token_bound() -> None:
    many = [RELEASE, {"text": "결제 테스트 계획은 금요일까지 공유된다.", "evidence": [4]}]
    model, _ = model_of([draft(summary=many)])
    ready = await done(Summariser(model, tokenizer=Words(), max_tokens=6), job(said(KO)))
    assert ready.content.text == RELEASE["text"]
    assert len(ready.content.sentences) == 1


@EACH
async def test_what_was_quoted_while_the_model_was_away_goes_when_it_has_read_it(
    lines: Any, statement: dict[str, Any]
) -> None:
    utterances = said(lines)
    model, _ = model_of([draft(summary=[statement], decisions=[statement])], [Unavailable("500")])
    summariser = Summariser(model, tokenizer=Words())
    first = await done(summariser, job(utterances[:3]))
    away = await done(summariser, read_until(3, first.content, utterances[3:]))
    assert away.engine == EXTRACTIVE
    assert away.content.sentences == first.content.sentences, "what the model wrote stands as it was"
    assert away.content.decisions[:1] == first.content.decisions
    quotes = [each for each in (*away.content.decisions, *away.content.pending) if each.quoted]
    assert quotes
    model, scripted = model_of([draft(summary=[statement])])
    later = read_until(3, away.content, utterances[4:], unread=utterances[3:4])
    third = await done(Summariser(model, tokenizer=Words()), later)
    shown = scripted.calls[0][-1].content
    assert f"[#{utterances[3].id}]" in shown, "what no model had read"
    before = shown.partition("</previous_summary>")[0]
    assert not any(each.text in before for each in quotes)
    assert third.content.decisions == first.content.decisions
    assert not any(each.quoted for each in (*third.content.decisions, *third.content.pending))


async def test_a_few_turns_are_read_and_nods_alone_are_not() -> None:
    nods = [("junho", "박준호", "네네"), ("hana", "최하나", "Mm-hmm.")]
    for lines, statement in ((KO, RELEASE), (EN, SERVER)):
        model, scripted = model_of([draft(summary=[statement])])
        summariser = Summariser(model, tokenizer=Words())
        first = await done(summariser, job(said(lines)[:3]))
        ready = await done(summariser, read_until(3, first.content, said(nods, first=4)))
        assert (ready.engine, ready.content) == ("test-model", first.content)
        assert len(scripted.calls) == 1
        await done(summariser, read_until(3, first.content, said(lines)[3:4]))
        assert len(scripted.calls) == 2


async def test_nods_are_not_paid_for() -> None:
    lines = [*KO[:3], ("junho", "박준호", "네네"), ("hana", "최하나", "Mm-hmm."), *KO[3:]]
    model, scripted = model_of([draft(summary=[RELEASE])])
    ready = await done(Summariser(model, tokenizer=Words()), job(said(lines)))
    prompt = scripted.calls[0][-1].content
    assert "[#4]" not in prompt
    assert "[#5]" not in prompt
    assert ready.covered_until == 7


async def test_a_model_that_forgets_loses_no_decision_and_no_task() -> None:
    for lines, statement in ((KO, RELEASE), (EN, SERVER)):
        before = Summary(
            decisions=(Statement(text="예산은 2억 원이다.", evidence=(1,), status="decided"),),
            pending=(
                Statement(text="Send the plan.", evidence=(2,), owner="Ben", status="open", kind="action"),
            ),
        )
        model, _ = model_of(
            [draft(summary=[statement | {"evidence": [13]}], decisions=[statement | {"evidence": [13]}])]
        )
        ready = await done(Summariser(model, tokenizer=Words()), job(said(lines, first=11), before))
        assert [each.text for each in ready.content.decisions] == ["예산은 2억 원이다.", statement["text"]]
        assert ready.content.pending == before.pending


@EACH
async def test_what_a_small_model_repeats_is_taken_once_and_without_the_name(
    lines: Any, statement: dict[str, Any]
) -> None:
    """Qwen2.5-Coder-0.5B says the same sentence until the list is full, with the speaker's name before it."""
    utterances = said(lines)
    name = utterances[2].speaker_name
    named = {**statement, "text": f"{name}: {statement['text']}"}
    question = {**statement, "text": next(said.text for said in utterances if said.text.endswith("?"))}
    model, _ = model_of([draft(
        summary=[named, statement, named], key_points=[], decisions=[question, *[statement] * 5],
        pending=[statement] * 5, keywords=[],
    )])  # fmt: skip
    content = (await done(Summariser(model, tokenizer=Words()), job(utterances))).content
    assert [said.text for said in content.sentences] == [statement["text"]]
    assert [said.text for said in content.decisions] == [statement["text"]]
    assert content.pending == ()


@EACH
async def test_what_was_whole_of_a_draft_that_was_cut_off_counts(
    lines: Any, statement: dict[str, Any]
) -> None:
    whole = draft(summary=[statement], decisions=[statement], pending=[statement])
    cut_off = whole[: whole.rindex("]")] + ', {"text": "and so on and so'
    model, scripted = model_of([cut_off])
    ready = await done(Summariser(model, tokenizer=Words()), job(said(lines)))
    assert ready.engine == "test-model"
    assert [said.text for said in ready.content.decisions] == [statement["text"]]
    assert len(scripted.calls) == 1


@pytest.mark.parametrize(
    ("language", "invented"),
    [
        ("ko", "Everybody agreed to fire Ben."),
        ("en", "모두 벤을 해고하기로 했습니다."),
        ("en", "大家决定解雇本。"),
    ],
)
async def test_what_is_in_another_language_than_the_talk_is_no_summary_of_it(
    language: str, invented: str
) -> None:
    lines, statement = LINES[language], STATEMENT[language]
    other = {"text": invented, "evidence": [3]}
    fields = {"key_points": [other], "decisions": [other], "pending": [other]}
    model, _ = model_of([draft(summary=[statement, other], **fields)])
    ready = await done(Summariser(model, tokenizer=Words()), job(said(lines)))
    assert ready.engine == "test-model"
    assert ready.content.text == statement["text"]
    assert not [*ready.content.key_points, *ready.content.decisions, *ready.content.pending]
    model, _ = model_of([draft(summary=[other], **fields)])
    ready = await done(Summariser(model, tokenizer=Words()), job(said(lines)))
    assert ready.engine == EXTRACTIVE


@EACH
async def test_a_summary_without_sentences_is_told_by_its_other_statements(
    lines: Any, statement: dict[str, Any]
) -> None:
    bad = [{"text": statement["text"], "evidence": "somewhere"}, "", 7, None]
    model, scripted = model_of([draft(summary=bad, decisions=[statement])])
    ready = await done(Summariser(model, tokenizer=Words()), job(said(lines)))
    assert ready.engine == "test-model"
    assert ready.content.text == statement["text"]
    assert [said.evidence for said in ready.content.sentences] == [(3,)]
    assert len(scripted.calls) == 1


@EACH
async def test_an_item_whose_evidence_cannot_be_read_is_dropped_and_not_guessed(
    lines: Any, statement: dict[str, Any]
) -> None:
    lost = [{**statement, "evidence": evidence} for evidence in (["here"], True, {"id": "x"}, None, [])]
    replaces = {**statement, "replaces": "the one before"}
    model, _ = model_of([draft(summary=[statement], decisions=[*lost, replaces])])
    ready = await done(Summariser(model, tokenizer=Words()), job(said(lines)))
    assert [(said.text, said.replaces) for said in ready.content.decisions] == [(statement["text"], ())]


SMALL_TALK = {
    "ko": ("회의는 여기까지 하겠습니다.", "다들 수고 많으셨어요."),
    "en": ("That is all from my side.", "Thanks everybody, have a nice evening."),
}


@pytest.mark.parametrize(("language", "statement"), [("ko", RELEASE), ("en", SERVER)])
async def test_two_triggers_close_together_are_one(language: str, statement: dict[str, Any]) -> None:
    lines = KO if language == "ko" else EN
    model, scripted = model_of([draft(summary=[statement])])
    summariser = Summariser(model, tokenizer=Words())
    first = await done(summariser, job(said(lines)))
    rest = said([("minji", "김민지", text) for text in SMALL_TALK[language]], first=6)
    closing = read_until(5, first.content, rest, reason="closing")
    ready = await done(summariser, closing)
    assert (ready.covered_until, ready.content, len(scripted.calls)) == (7, first.content, 1)
    settled = (*rest, *said([("minji", "김민지", lines[2][2])], first=8))
    ready = await done(summariser, closing.model_copy(update={"utterances": settled}))
    assert len(scripted.calls) == 2, "what settles something is read, be it the last word"


@pytest.mark.parametrize("lines", [KO, EN], ids=["ko", "en"])
@pytest.mark.parametrize(("least", "read"), [(0, True), (100, True), (5000, False)])
async def test_a_topic_that_goes_on_is_read_every_25_turns_that_are_worth_a_request(
    lines: Any, least: int, read: bool
) -> None:
    statement = {"text": lines[2][2], "evidence": [38]}
    model, scripted = model_of([draft(summary=[statement])])
    summariser = Summariser(model, tokenizer=Words(), least_tokens=least)
    new, before = said(lines * 5, first=36), Statement(text="x", evidence=(35,))
    notes = Summary(text="x", sentences=(before,))
    ready = await done(summariser, read_until(35, notes, new))
    assert (ready.engine == "test-model", bool(scripted.calls)) == (read, read)
    assert read or ready.content.sentences == (before,), "quotes add nothing to what the model wrote"
    closing = read_until(35, notes, new, reason="closing")
    assert (await done(summariser, closing)).engine == "test-model", "a topic's end is always read"


@pytest.mark.parametrize("name", ["ko-ward-handover", "en-blind-church"])
def test_only_what_most_likely_settles_something_is_hinted_at(name: str) -> None:
    lines = json.loads((LABELLED / f"{name}.json").read_text("utf-8"))["lines"]
    utterances = said([(line["speaker"], line["speaker"], line["text"]) for line in lines])
    prompt = SummaryPrompt(Words(), {"transcript": 9_000, "previous_summary": 500, "earlier_decisions": 0})
    messages, _ = prompt.messages("", Summary(), utterances, name[:2], ())
    hint = messages[-1].content.rpartition("\n")[2]
    read = acts_of(split_utterances(utterances))
    likely = dict.fromkeys(range(1, len(utterances) + 1), 0.0)
    for sentence, row in zip(split_utterances(utterances), read.chances, strict=True):
        likely[sentence.utterance.id] = max(likely[sentence.utterance.id], *row[:2].tolist())
    hinted = {int(id_) for id_ in re.findall(r"\[#(\d+)\]", hint)}
    assert hinted == {id_ for id_, chance in likely.items() if chance >= 0.7}
    assert hinted < {id_ for id_, chance in likely.items() if chance >= 0.5}
