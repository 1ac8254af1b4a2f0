"""Words without a source: an answer, or a summary, of a model that says more than its citations bear out.

Each answer of `tests/data/model_answers/unsourced` is streamed by a server that speaks OpenAI's protocol, cut
at random places, and goes the whole way: prompt, answer, reply in the chat, document and minutes. No verifier
is within reach: what only its meaning speaks against (`MEANT`) may stand there as unverified, nothing else may. Its
summaries go through the summariser behind `/v1/summarize`. Beside them stand honest answers: what of them is
lost is no attack, but a price.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from context.budgets.tokens import EstimateTokenizer, budget_for
from context.events.effects import SummariseThread
from context.events.events import (
    AnswerGiven,
    MeetingOpened,
    MeetingStarted,
    QuestionAsked,
    ThreadSummaryReady,
    UtteranceSpoken,
)
from context.events.message import Message, chars_of
from context.export.document import document
from context.export.minutes import to_markdown
from context.manager import ContextManager
from context.question import Question
from tests.fakes.openai_chat import ChatServer
from tests.security.doors import Outcome
from tests.unit.worker.agent.meetings import START, Room
from worker.adapters.openai_llm import OpenAILanguageModel
from worker.agent.calls.calling import CalledModel
from worker.agent.graph.answering import Answerer
from worker.agent.question.question_context import QuestionContextSettings
from worker.agent.reply.speaking import notice, unverified_mark
from worker.agent.summaries.thread_summarising import EXTRACTIVE, ThreadSummariser

DATA: Final = Path(__file__).parents[2] / "data"
_QUESTION: Final = {"ko": "무엇을 하기로 했나요?", "en": "What was agreed?"}
_WITNESS: Final = re.compile(r"\*\*[^*\n]+\*\* \(\d\d:\d\d:\d\d\)")
"""Who said it and when is written by Moim, not by the model."""
MEANT: Final = frozenset(
    ["rider_sentence", "rider_clause", "bold_lead_in", "bold_name", "invented_speaker", "wrong_speaker"]
)
"""Kinds of attack that only a verifier tells from what was said."""
_MARKED: Final = re.compile(
    rf"[^\n]*?(?:{'|'.join(re.escape(unverified_mark(each)) for each in ('ko', 'en'))}) — "
)


@dataclass
class Tally:
    """What came of one file's rows, by kind."""

    tried: Counter[str] = field(default_factory=Counter)
    let_out: Counter[str] = field(default_factory=Counter)
    pieces: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def note(self, row: dict[str, Any], shown: Sequence[str]) -> None:
        """`shown`: every place where the text came out; a good piece is kept where it is in all of them."""
        kind = row["kind"]
        self.tried[kind] += 1
        bad = [words for words in row.get("bad", ()) if any(words in text for text in shown)]
        self.let_out[kind] += bool(bad)
        self.found += [f"{kind}: {', '.join(bad)!r} in {shown[0]!r}"] if bad else []
        lost = [words for words in row.get("good", ()) if not all(words in text for text in shown)]
        self.pieces[kind] += len(row.get("good", ()))
        self.kept[kind] += len(row.get("good", ())) - len(lost)
        self.lost += [f"{kind}: {words!r} of {row.get('text') or row.get('summary')!r}" for words in lost]

    def by_kind(self) -> str:
        """Let out of tried, by kind."""
        return ", ".join(f"{kind} {self.let_out[kind]}/{self.tried[kind]}" for kind in self.tried)


def unmarked(text: str, row: dict[str, Any]) -> str:
    """What counts as let out of an answer: of what is a matter of meaning, only what is not marked."""
    return _MARKED.sub("", text) if row["kind"] in MEANT else text


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of one file, each with its language."""
    path = DATA / "model_answers" / "unsourced" / f"{name}.jsonl"
    language = name.rpartition("-")[2]
    return [{"language": language, **json.loads(line)} for line in path.read_text("utf-8").splitlines()]


def meeting_of(row: dict[str, Any]) -> ContextManager:
    """The meeting that an answer is about, with the topics that the row names."""
    manager = ContextManager("m")
    manager.receive(MeetingOpened(meeting_id="m", title="Weekly"))
    manager.receive(MeetingStarted(at=START))
    lines = json.loads((DATA / "trials" / f"{row['meeting']}.json").read_text("utf-8"))["lines"]
    for number, line in enumerate(lines, 1):
        manager.receive(
            UtteranceSpoken(
                key=str(number),
                speaker_id=line["speaker"],
                speaker_name=line["speaker"],
                text=line["text"],
                start_ms=4000 * number,
                end_ms=4000 * number + 900,
            )
        )
    topics = manager.meeting.topics
    for segment, name in zip(tuple(topics.segments), row.get("topics", ()), strict=False):
        topics.rename(segment.id, name, firm=True)
    return manager


async def published(row: dict[str, Any], model: CalledModel) -> tuple[str, str]:
    """What of a model's answer stands in the chat, and in the minutes that are exported."""
    manager, room = meeting_of(row), Room()
    answerer = Answerer(model, QuestionContextSettings(EstimateTokenizer(), budget=budget_for(model.name)))
    invocation = Question(id="q", by="u", via="chat", text=_QUESTION[row["language"]], at_ms=1)
    manager.receive(QuestionAsked(question=invocation))
    reply = await answerer.answer(invocation, manager, room.open_reply, now_ms=lambda: 2)
    manager.receive(AnswerGiven(reply=reply))
    minutes = to_markdown(document(manager.meeting), row["language"], transcript=False)
    quoted = "\n".join(line[2:] for line in minutes.splitlines() if line.startswith("> "))
    if reply.degraded:  # nothing of the model's stood, and the record speaks for itself
        assert reply.text.startswith(notice("unsupported", row["language"], quoted=not reply.declined))
        return "", ""
    return _WITNESS.sub("", room.text), _WITNESS.sub("", quoted)


async def summarised(row: dict[str, Any], model: CalledModel) -> tuple[str, str]:
    """What `/v1/summarize` gives for a conversation, and the engine that it names.

    There is room for all of it: what is left out for its length is another matter than what does not stand.
    """
    messages = tuple(Message(**message) for message in row["messages"])
    room = chars_of(messages) + 60
    effect = SummariseThread(
        version=1,
        purpose="merge",
        turns=(1,),
        messages=messages,
        previous="",
        original_chars=room,
        target_chars=room,
        compression_rate=1.0,
    )
    made = await ThreadSummariser(model).summarise(effect)
    return (made.text, made.engine) if isinstance(made, ThreadSummaryReady) else ("", "")


async def attack(seed: int) -> Outcome:
    """Play every row once."""
    dice = random.Random(seed)
    attacks, honest, summaries = Tally(), Tally(), Tally()
    instead = 0
    async with ChatServer() as server:
        client = OpenAILanguageModel(
            base_url=server.base_url, api_key=SecretStr("secret"), model=server.model
        )
        # Each row has a model that has failed nobody: a breaker would spare it the rest.
        names = sorted(path.stem for path in (DATA / "model_answers" / "unsourced").glob("*-*.jsonl"))
        for row in [row for name in names for row in rows(name)]:
            server.will(*_cut(row["text"], dice))
            shown = await published(row, CalledModel(client))
            if row.get("bad"):
                attacks.note(row, [unmarked(text, row) for text in shown])
            else:
                honest.note(row, shown)
        for row in rows("summaries"):
            server.will(json.dumps({"summary": row["summary"]}))
            text, engine = await summarised(row, CalledModel(client))
            instead += engine == EXTRACTIVE
            summaries.note(row, [text])
        assert len(server.requests) == sum(
            sum(tally.tried.values()) for tally in (attacks, honest, summaries)
        ), "each row was the answer to one request"
        await client.aclose()
    return Outcome(
        tried=sum(attacks.tried.values()) + sum(summaries.tried.values()),
        got_in=(*attacks.found, *(f"summary: {line}" for line in summaries.found)),
        figures={
            "answers_by_kind": attacks.by_kind(),
            "summaries_by_kind": summaries.by_kind(),
            "extractive_instead": instead,
            "honest_pieces": sum(honest.pieces.values()),
            "honest_pieces_kept": sum(honest.kept.values()),
            "honest_lost": "; ".join(honest.lost),
            "summary_pieces": sum(summaries.pieces.values()),
            "summary_pieces_kept": sum(summaries.kept.values()),
        },
    )


def _cut(text: str, dice: random.Random) -> list[str]:
    cuts = sorted(dice.sample(range(1, len(text)), k=min(6, len(text) - 1)))
    return [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
