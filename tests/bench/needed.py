"""Whether what a question needs stands in the prompt that a model would get.

Three lengths of meeting. The trials of `tests/data/trials` as they are (a few of them have 90 utterances);
ten trials of a language as one meeting, asked all their questions at its end; and, with `--data`, QMSum's
real meetings of hours, whose labels are spans of many turns: a question counts there where one turn of its
spans stands, and beside it how many of a span's turns do. The needed utterance of a trial's question is the
last one that its label names: the one that stands.

Questions go the product's own way, in order, so that "how much is it?" is read in the light of the one
before; a reader in a model's place answers (see `ablation`). An utterance stands word for word under its id,
or as a topic's statement that cites it: both can be answered from and cited. No vectors, no earlier meetings.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from context.budgets.tokens import BUDGETS, ExactTokenizer, ModelBudget, custom_budget
from context.corpora.passage import Retriever
from context.events import effects, events
from context.fold.meeting import Meeting
from context.manager import ContextManager
from context.models import Utterance
from context.ports import ChatMessage
from context.question import Question
from tests.bench.ablation import Reader, folded
from tests.bench.figures import Figure
from tests.bench.meeting_passages import MeetingPassages
from tests.bench.qmsum import LabelledMeeting, LabelledQuestion, held_back
from tests.bench.trials import TRIALS
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.verifying import Verifier
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.question.question_context import QuestionContextSettings
from worker.agent.summaries.thread_summarising import ThreadSummariser
from worker.outlets import SilentOutlet
from worker.passages.retrieving import CorporaRetriever

GOAL: Final = 0.95
_JOINED: Final = 10
_START: Final = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
TURN_MS: Final = 5_000
_STANDS: Final = re.compile(r"^\[#(\d+)\]", re.MULTILINE)
_CITED: Final = re.compile(r"\[#(\d+)\](?=\[|$)", re.MULTILINE)
SMALL: Final = BUDGETS[0]


@dataclass(slots=True)
class Tally:
    """One row of the table."""

    stands: list[bool] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)
    """The share of each question's labelled turns that stands in its prompt."""
    literal: list[bool] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Questions whose needed utterance stands, of all."""
        return fmean(self.stands) if self.stands else 0.0


def needed(data: Path | None = None) -> list[Figure]:
    """The share of questions whose needed utterance stands in the prompt, by length of meeting and window."""
    alone = [joined([trial]) for trial in trials()]
    tens = [
        joined(some[first : first + _JOINED])
        for some in (trials("ko"), trials("en"))
        for first in range(0, len(some), _JOINED)
    ]
    rows = [
        ("a trial's meeting", alone, SMALL),
        ("a trial's meeting, window of 4K", alone, custom_budget("small", 4_096)),
        ("ten trials as one meeting", tens, SMALL),
        ("ten trials as one meeting, window of 32K", tens, custom_budget("large", 32_000)),
    ]
    if data is not None:
        rows.append(("QMSum", held_back(data), SMALL))
    figures: list[Figure] = []
    for name, meetings, budget in rows:
        print(f"needed: {name} …", file=sys.stderr, flush=True)
        figures += _figures(name, asyncio.run(_asked(meetings, budget, last=name != "QMSum")))
    return figures


def _figures(name: str, tally: Tally) -> list[Figure]:
    for missed in tally.missed:
        print(f"needed: {name}: {missed}", file=sys.stderr)
    return [
        Figure(
            f"{name}: needed utterance in the prompt",
            tally.share,
            f"of {len(tally.stands)}",
            GOAL,
            at_least=True,
        ),
        Figure(f"{name}: labelled turns in the prompt", fmean(tally.turns), ""),
        Figure(f"{name}: word for word", fmean(tally.literal), ""),
    ]


class _Reader(Reader):
    """Keeps each prompt that it is sent."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.prompts: list[tuple[ChatMessage, ...]] = []

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncIterator[str]:
        """The reader's answer; the prompt is kept."""
        self.prompts.append(tuple(messages))
        async for piece in super().stream(messages, max_tokens=max_tokens, name=name):
            yield piece


class Asker:
    """Asks one meeting in the product's own way; a reader answers in a model's place."""

    def __init__(
        self, meeting: Meeting, retriever: Retriever, settings: QuestionContextSettings, *, quoted: int = 3
    ) -> None:
        """`quoted`: the lines that make an answer."""
        self._meeting, self._reader = meeting, _Reader(quoted)
        model = CalledModel(self._reader)
        self._answerer = Answerer(
            model,
            settings,
            parts=AnswerParts(retriever=retriever),
            verifier=Verifier(model, tokenizer=settings.tokenizer),
        )
        self._manager = ContextManager(meeting.meeting_id, meeting=meeting)
        self._summariser = ThreadSummariser()
        self._end_ms, self._asked = meeting.utterances[-1].end_ms, 0

    async def ask(self, text: str, *, kept: bool = True) -> tuple[ChatMessage, ...]:
        """The prompt of the answer, () where no model was asked; the first one where it was corrected.

        `kept`: question and answer go into the meeting's thread; without, it is as if nobody had asked.
        """
        self._asked += 1
        now_ms = self._end_ms + self._asked
        asked = Question(id=f"q{self._asked}", by="asker", via="chat", text=text, at_ms=now_ms)
        if kept:
            self._meeting.receive(events.QuestionAsked(question=asked))
        self._reader.prompts.clear()
        reply = await self._answerer.answer(
            asked, self._manager, SilentOutlet().open_reply, now_ms=partial(int, now_ms)
        )
        if kept:
            await self._keep(self._meeting.receive(events.AnswerGiven(reply=reply)))
        return self._reader.prompts[0] if self._reader.prompts else ()

    async def _keep(self, wanted: Iterable[effects.Effect]) -> None:
        """Summarise the thread where that is due."""
        for effect in wanted:
            if isinstance(effect, effects.SummariseThread):
                await self._keep(self._meeting.receive(await self._summariser.summarise(effect)))


async def _asked(meetings: Sequence[LabelledMeeting], budget: ModelBudget, *, last: bool) -> Tally:
    tally, tokenizer = Tally(), ExactTokenizer()
    folds = [folded(each) for each in meetings]
    retriever = CorporaRetriever(MeetingPassages(folds), tokenizer)
    settings = QuestionContextSettings(tokenizer, budget=budget)
    for labelled, meeting in zip(meetings, folds, strict=True):
        asker = Asker(meeting, retriever, settings)
        for question in labelled.questions:
            prompt = await asker.ask(question.text)
            _tell(tally, prompt[-1].content if prompt else "", question, meeting, last=last)
    return tally


def standing(prompt: str) -> tuple[set[int], set[int]]:
    """The places of the utterances that stand in a prompt: word for word, and as what statements rest on."""
    literal, cited = ({int(id_) - 1 for id_ in ids.findall(prompt)} for ids in (_STANDS, _CITED))
    return literal, cited


def _tell(tally: Tally, prompt: str, question: LabelledQuestion, meeting: Meeting, *, last: bool) -> None:
    literal, cited = standing(prompt)
    wanted = {max(question.evidence)} if last else question.evidence
    tally.literal.append(bool(wanted & literal))
    tally.stands.append(bool(wanted & (literal | cited)))
    tally.turns.append(len(question.evidence & (literal | cited)) / len(question.evidence))
    if not tally.stands[-1]:
        said = meeting.utterances[max(question.evidence)].text
        tally.missed.append(f"{meeting.meeting_id}: {question.text} → {said[:100]}")


def trials(language: str = "") -> list[dict[str, Any]]:
    """All of them, in whichever folder; of one language where it is named."""
    read = (json.loads(path.read_text("utf-8")) for path in sorted(TRIALS.rglob("*.json")))
    return [trial for trial in read if language in ("", trial["language"])]


def joined(some: Sequence[dict[str, Any]]) -> LabelledMeeting:
    """Some trials, one after the other, with all their questions."""
    utterances: list[Utterance] = []
    questions: list[LabelledQuestion] = []
    for trial in some:
        first = len(utterances)
        utterances += _spoken(trial, first)
        questions += [
            LabelledQuestion(ask["question"], frozenset(first + id_ - 1 for id_ in ask["evidence"]))
            for ask in trial["asks"]
            if ask["evidence"] and not ask["declined"]
        ]
    return LabelledMeeting(
        id="+".join(trial["id"] for trial in some),
        domain="trials",
        utterances=tuple(utterances),
        topics=(),
        questions=tuple(questions),
    )


def _spoken(trial: dict[str, Any], first: int) -> Iterator[Utterance]:
    for place, line in enumerate(trial["lines"], first):
        yield Utterance(
            id=place + 1,
            speaker_id=line["speaker"],
            speaker_name=line["speaker"],
            text=line["text"],
            start_ms=place * TURN_MS,
            end_ms=place * TURN_MS + TURN_MS - 500,
            absolute_timestamp=_START + timedelta(milliseconds=place * TURN_MS),
        )
