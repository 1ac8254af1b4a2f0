"""Meetings of 1, 30 and 100 minutes, at their first and at their thirtieth question: what the prompts show.

The trials of a language are joined to one long talk (`tests.bench.needed`), which is cut into meetings of so
many turns. Each is asked questions whose evidence lies in it, twice: as the first question, and as the
thirtieth, when twenty-nine others were asked, answered and summarised before. Asked are those that name
what they are about: one that only follows another ("why not?") would be clear to nobody. No model is
needed, since a reader answers in its place, and what counts is what it was shown.

Of each prompt counts whether the needed line stands in it, how many lines may be cited, and, of the twenty-nine
in a row, the share of its tokens that begin the prompt before it, too: servers keep what they have read.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice, pairwise, takewhile
from statistics import fmean
from typing import Final, Literal, TypeVar

from context.budgets.tokens import ExactTokenizer, custom_budget
from context.ports import ChatMessage, Tokenizer
from context.retrieval.question_subject import topic_words
from tests.bench.ablation import folded
from tests.bench.meeting_passages import MeetingPassages
from tests.bench.model.scores import Share
from tests.bench.needed import TURN_MS, Asker, joined, standing, trials
from tests.bench.qmsum import LabelledMeeting, LabelledQuestion
from worker.agent.question.question_context import QuestionContextSettings
from worker.passages.retrieving import CorporaRetriever

T = TypeVar("T")

MINUTES: Final = (1, 30, 100)
WINDOWS: Final = (8_192, 32_768)
_LATER: Final = 30
"""The later one of the two questions."""
_MEETINGS: Final = 3
"""Most meetings of one length in a language."""
_QUESTIONS: Final = 100
"""Questions asked of all meetings of one length, about."""
_NAMES_IT: Final = 2
"""Topic words from which on a question stands by itself."""


class Counted(ExactTokenizer):
    """Remembers its counts: most lines stand in many prompts."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, int] = {}

    def count(self, text: str) -> int:
        """See `ExactTokenizer.count`."""
        if (known := self._known.get(text)) is None:
            known = self._known[text] = super().count(text)
        return known


@dataclass(slots=True)
class Row:
    """Meetings of one length, asked through one window."""

    minutes: int
    window: int
    meetings: int = 0
    first: Share = field(default_factory=Share)
    """Questions whose needed line stood in the prompt, asked as the first."""
    later: Share = field(default_factory=Share)
    """The same ones, asked as the thirtieth."""
    first_lines: list[int] = field(default_factory=list)
    """Utterances that may be cited, by prompt."""
    later_lines: list[int] = field(default_factory=list)
    prefixes: list[float] = field(default_factory=list)
    """By prompt, the share of its tokens that begin the prompt before it, too."""
    missed: list[str] = field(default_factory=list)

    @property
    def prefix(self) -> float:
        """The mean share of a prompt that stood in front of the one before, too."""
        return fmean(self.prefixes) if self.prefixes else 0.0


async def long_meetings(say: Callable[[str], None]) -> list[Row]:
    """A row for each length and window; `say` is told what comes next."""
    rows = []
    for minutes in MINUTES:
        meetings = meetings_of(minutes)
        for window in WINDOWS:
            say(f"{len(meetings)} meetings of {minutes} min, window of {window}")
            rows.append(await _asked(meetings, minutes, window))
    return rows


def meetings_of(minutes: int) -> list[LabelledMeeting]:
    """Some meetings of one length, in both languages, those with questions."""
    turns = minutes * 60_000 // TURN_MS
    found: list[LabelledMeeting] = []
    for language in ("ko", "en"):
        talk = joined(trials(language))
        pieces = [piece for piece in _cut(talk, language, turns) if piece.questions]
        found += spread(pieces, _MEETINGS)
    return found


def _cut(talk: LabelledMeeting, language: str, turns: int) -> Iterator[LabelledMeeting]:
    """One meeting behind the other, with the questions that stand by themselves and are answered in it."""
    for start in range(0, len(talk.utterances) - turns + 1, turns):
        held = range(start, start + turns)
        began = talk.utterances[start]
        said = [
            each.model_copy(
                update={
                    "id": each.id - start,
                    "start_ms": each.start_ms - began.start_ms,
                    "end_ms": each.end_ms - began.start_ms,
                }
            )
            for each in talk.utterances[start : start + turns]
        ]
        questions = [
            LabelledQuestion(each.text, frozenset(place - start for place in each.evidence))
            for each in talk.questions
            if each.evidence <= set(held) and len(topic_words(each.text)) >= _NAMES_IT
        ]
        yield LabelledMeeting(f"{language}-{turns}-{start}", "trials", tuple(said), (), tuple(questions))


async def _asked(meetings: Sequence[LabelledMeeting], minutes: int, window: int) -> Row:
    row, tokenizer = Row(minutes, window, len(meetings)), Counted()
    folds = [folded(each) for each in meetings]
    retriever = CorporaRetriever(MeetingPassages(folds), tokenizer)
    settings = QuestionContextSettings(tokenizer, budget=custom_budget("long", window))
    for labelled, meeting in zip(meetings, folds, strict=True):
        asker = Asker(meeting, retriever, settings, quoted=1)
        questions = spread(labelled.questions, _QUESTIONS // len(meetings))
        for question in questions:
            prompt = await asker.ask(question.text, kept=False)
            _tell(prompt, question, labelled, row, "first")
        prompts = [
            await asker.ask(question.text)
            for question in islice(cycle(spread(labelled.questions, _LATER - 1)), _LATER - 1)
        ]
        row.prefixes += prefixes(prompts, tokenizer)
        for question in questions:
            prompt = await asker.ask(question.text, kept=False)
            _tell(prompt, question, labelled, row, "later")
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return row


def prefixes(prompts: Sequence[Sequence[ChatMessage]], tokenizer: Tokenizer) -> Iterator[float]:
    """The share of each prompt but the first that begins the one before it, too; where there is a prompt."""
    texts = ["\n\n".join(message.content for message in prompt) for prompt in prompts if prompt]
    for before, text in pairwise(texts):
        shared = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(before, text, strict=False)))
        yield tokenizer.count(text[:shared]) / tokenizer.count(text)


def _tell(
    prompt: Sequence[ChatMessage],
    question: LabelledQuestion,
    labelled: LabelledMeeting,
    row: Row,
    which: Literal["first", "later"],
) -> None:
    """The needed line is the last one that the label names: the one that stands."""
    literal, cited = standing(prompt[-1].content) if prompt else (set[int](), set[int]())
    here = {place for place in literal | cited if place < len(labelled.utterances)}
    needed = max(question.evidence)
    share, lines = (row.first, row.first_lines) if which == "first" else (row.later, row.later_lines)
    share.count(needed in here)
    lines.append(len(here))
    if needed not in here:
        said = labelled.utterances[needed].text
        row.missed.append(f"{labelled.id}, {row.window}, {which}: {question.text} → {said[:100]}")


def spread(some: Sequence[T], most: int) -> list[T]:
    """At most so many of them, from the first to the last at equal distances."""
    if len(some) <= most:
        return list(some)
    return [some[place * len(some) // most] for place in range(most)]
