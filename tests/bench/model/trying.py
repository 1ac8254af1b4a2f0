"""A model tried on meetings: what it makes of each, and what becomes of labelled answers beside it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from context.models import Reply
from tests.bench.model.accepting import Written, kept
from tests.bench.model.endpoint import Call, Endpoint, Replies, Upstream
from tests.bench.model.long_meetings import Row, long_meetings
from tests.bench.model.meetings import GoldMeeting
from tests.bench.model.pieces import Fates, WrittenAnswers, fates, labelled
from tests.bench.model.playing import play, pointed_at
from tests.bench.model.prompts import ANSWER, VERIFICATION, Sent
from tests.bench.model.recorded import Recorded, Verifier, write_prompts, write_rows
from tests.bench.model.scores import Scores, scored
from tests.bench.model.twin import Clumsiness, clumsily
from worker.configuration.settings import Settings

_MS_PER_H = 3_600_000


@dataclass(frozen=True, slots=True)
class Plan:
    """What is tried: an endpoint (`upstream`) or a folder of replies."""

    settings: Settings
    upstream: Upstream | None = None
    recorded: Path | None = None
    record: Path | None = None
    """Where prompts without a reply go."""
    accept: bool = False
    pace: float = 0.0
    """Tokens a second of recorded verdicts and summaries; 0: at once."""
    verifiers: tuple[Verifier, ...] = ("honest", "none", "dishonest")
    parts: frozenset[str] = frozenset({"meetings", "pieces", "clumsy", "long"})


@dataclass(slots=True)
class Tried:
    """What came of all meetings."""

    scores: Scores = field(default_factory=Scores)
    calls: list[Call] = field(default_factory=list)
    """The calls for the meetings and their questions."""
    hours: float = 0.0
    answers: int = 0
    meetings: list[str] = field(default_factory=list)
    fates: dict[Verifier, Fates] = field(default_factory=dict)
    verifying: dict[Verifier, list[Call]] = field(default_factory=dict)
    """Calls for verdicts of labelled answers."""
    labelled: int = 0
    """Labelled answers that were told, per verifier."""
    unknown: dict[str, Sent] = field(default_factory=dict)
    accepted: int = 0
    failures: list[str] = field(default_factory=list)
    clumsiness: Clumsiness | None = None
    """What the slips of a clumsy twin cost; None where it was not tried."""
    long: list[Row] = field(default_factory=list)
    """What prompts showed of long meetings."""


def say(line: str) -> None:
    """To whoever waits."""
    print(f"bench model: {line}", file=sys.stderr, flush=True)


async def tried(plan: Plan, meetings: Sequence[GoldMeeting]) -> Tried:
    """Each meeting once with its questions, once per verifier with the labelled answers, then the twin.

    Long meetings come last: they need no model, so nothing is asked of one.
    """
    result = Tried()
    for gold in meetings:
        result.meetings.append(gold.id)
        await _Trial(plan, gold, result).run()
        if "clumsy" in plan.parts and plan.recorded is not None and not plan.accept:
            say(f"{gold.id}: the clumsy twin")
            result.clumsiness = result.clumsiness or Clumsiness()
            await clumsily(gold, plan.settings, plan.recorded, result.clumsiness)
    if "long" in plan.parts and not plan.accept:
        result.long = await long_meetings(say)
    return result


@dataclass
class _Trial:
    """One meeting."""

    plan: Plan
    gold: GoldMeeting
    result: Tried
    recorded: list[Recorded] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    unknown: dict[str, Sent] = field(default_factory=dict)

    async def run(self) -> None:
        plan, gold = self.plan, self.gold
        if "meetings" in plan.parts:
            say(f"{gold.id}: {len(gold.said)} turns and {len(gold.questions)} questions")
            await self._meeting()
        if "pieces" in plan.parts:
            for verifier in plan.verifiers:
                say(f"{gold.id}: labelled answers, verifier: {verifier}")
                await self._pieces(verifier)
        if plan.record is not None:
            write_prompts(plan.record, gold.id, self.unknown.values())
        if plan.accept and plan.recorded is not None:
            rows = kept(plan.recorded, gold.id, self.recorded, self.written)
            write_rows(plan.recorded / f"{gold.id}.jsonl", rows)
            self.result.accepted += sum(len(each.rows) for each in self.written)
        self.result.unknown |= self.unknown

    def _replies(self, verifier: Verifier) -> list[Replies]:
        """Recorded first; what a person lets count beside it."""
        plan, found = self.plan, list[Replies]()
        if plan.recorded is not None:
            self.recorded.append(Recorded(plan.recorded, verifier))
            found.append(self.recorded[-1])
        if plan.accept:
            self.written.append(Written(self.gold, verifier))
            found.append(self.written[-1])
        return found

    async def _meeting(self) -> None:
        gold, result = self.gold, self.result
        prompts: dict[str, Sent] = {}
        # Without what was asked before: each question stands alone, and its prompt hangs on no reply.
        thread = self.plan.settings.thread.model_copy(update={"enabled": False})
        settings = self.plan.settings.model_copy(update={"thread": thread})
        replies = self._replies("honest")
        async with Endpoint(replies=replies, upstream=self.plan.upstream, pace=self.plan.pace) as endpoint:
            endpoint.on_prompt = _keeping(prompts)
            questions = [question.text for question in gold.questions]
            meeting = await play(gold, pointed_at(endpoint, settings), questions)
        scores = scored(gold, meeting)
        for question in gold.questions:
            if not question.declined and (prompt := prompts.get(question.text)) is not None:
                shown = question.evidence[-1] in prompt.shown
                scores.shown.count(shown)
                if not shown:
                    scores.notable.append(f"{gold.id}: not in the prompt: {question.text}")
        result.scores.add(scores)
        result.calls += endpoint.calls
        result.failures += endpoint.failures
        result.hours += max(said.end_ms for said in meeting.utterances) / _MS_PER_H
        result.answers += len(questions)
        self.unknown |= endpoint.unknown

    async def _pieces(self, verifier: Verifier) -> None:
        gold, result = self.gold, self.result
        answers = labelled(gold.id)
        if not answers:
            return
        verdicts = [_verdicts_of(each) for each in self._replies(verifier)]
        replies = [WrittenAnswers((each.question, each.text) for each in answers), *verdicts]
        upstream = self.plan.upstream if verifier == "honest" else None
        only = frozenset({VERIFICATION})
        prompts: dict[str, Sent] = {}
        async with Endpoint(replies=replies, upstream=upstream, only=only, pace=self.plan.pace) as endpoint:
            endpoint.on_prompt = _keeping(prompts)
            settings = pointed_at(endpoint, self.plan.settings)
            meeting = await play(gold, settings, [each.question for each in answers])
        seen = result.fates.setdefault(verifier, Fates())
        told: Sequence[Reply] = meeting.replies[-len(answers) :]
        for answer, reply in zip(answers, told, strict=True):
            prompt = prompts.get(answer.question)
            came = fates(answer, reply, gold.language, prompt.shown if prompt else ())
            seen.note(answer, gold.language, came)
        result.verifying.setdefault(verifier, []).extend(
            call for call in endpoint.calls if call.purpose == VERIFICATION
        )
        result.labelled += len(answers) if verifier == self.plan.verifiers[0] else 0
        result.failures += endpoint.failures
        if verifier != "none":
            unknown = endpoint.unknown.items()
            self.unknown |= {key: each for key, each in unknown if each.purpose == VERIFICATION}


def _keeping(prompts: dict[str, Sent]) -> Callable[[Sent], None]:
    """Takes note of each question's first prompt."""

    def keep(prompt: Sent) -> None:
        if prompt.purpose == ANSWER:
            prompts.setdefault(prompt.block("question"), prompt)

    return keep


def _verdicts_of(replies: Replies) -> Replies:
    """These replies, to prompts for verdicts alone: minutes would be verified too, and counted."""
    return lambda prompt: replies(prompt) if prompt.purpose == VERIFICATION else None
