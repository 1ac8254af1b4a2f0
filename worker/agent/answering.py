"""One invocation, answered: by a language model that cites, or in the meeting's own words.

Theory of operation. Nothing reaches the asker that the record does not bear out: a model's text goes
through `CitedText`, which lets a piece out only with citations that stand. `Deadlines.first_token_s`
runs from the question to the first words that the asker sees, `answer_s` to the end of the answer.
Whatever goes wrong with the model (late, down, broken off, nothing that stands) is said in one line,
and the extractive answer follows; such a reply is `degraded`. Without a model the extractive answer
is the answer, and nothing is degraded.

Evidence on the stream: an extractive answer knows its evidence when it opens the stream; a model's
answer opens with `()` and gives the true ids to `close(evidence=…)`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any, Final, Literal, cast

import structlog

from context.models import Invocation, Reply
from context.ports import PortError
from context.thread.small_talk import small_talk
from worker.agent.calling import CalledModel
from worker.agent.citations import CitedText
from worker.agent.deadline import Deadline, Deadlines
from worker.agent.material import Desk, DeskFor, Quotes
from worker.agent.notices import Notice, notice
from worker.agent.speaking import ReplyOpener, Speech
from worker.clock import monotonic_s

log = structlog.get_logger(__name__)

CLOSE_S: Final = 1.0
"""A superseded answer gets this long to end with its mark."""


@dataclass(slots=True)
class _Outcome:
    """How an answer came out."""

    evidence: tuple[int, ...] = ()
    declined: bool = False
    degraded: bool = False


@dataclass(slots=True)
class _Work:
    """One answer being made."""

    desk: Desk
    speech: Speech
    deadline: Deadline
    outcome: _Outcome = field(default_factory=_Outcome)


class Answerer:
    """Answers invocations of any meeting; holds no state of one."""

    def __init__(
        self,
        model: CalledModel | None,
        desk_for: DeskFor,
        *,
        deadlines: Deadlines | None = None,
        max_tokens: int = 1000,
        zone: tzinfo | None = None,
        clock: Callable[[], float] = monotonic_s,
    ) -> None:
        """`max_tokens`: of an answer. `zone`: the time zone that times of day are told in."""
        self._model = model
        self._desk_for = desk_for
        self._deadlines = deadlines or Deadlines()
        self._max_tokens = max_tokens
        self._zone = zone
        self._clock = clock

    async def answer(
        self, invocation: Invocation, manager: object, opener: ReplyOpener, *, now_ms: Callable[[], int]
    ) -> Reply:
        """The reply, after it was streamed. `now_ms`: the present moment in meeting time.

        Cancelled (superseded, or the meeting ends): closes the stream with a mark and lets the
        cancellation go on. What the context itself raises goes on too, after the asker was told.
        """
        desk = self._desk_for(invocation, manager)
        speech = Speech(invocation, desk.call_type, opener)
        work = _Work(desk, speech, Deadline(self._deadlines.answer_s, self._clock))
        try:
            if (courtesy := small_talk(invocation.text)) is not None:
                await speech.say(courtesy)  # seed 001's fast path: nothing is looked up for a greeting
            else:
                await desk.prepare()
                await self._speak(work)
        except asyncio.CancelledError:
            await self._end(work, "superseded")
            raise
        except Exception:
            await self._end(work, "no_answer")
            raise
        await speech.close(evidence=work.outcome.evidence)
        return Reply(
            id=f"reply-{invocation.id}",
            invocation_id=invocation.id,
            by=invocation.by,
            via=invocation.via,
            question=invocation.text,
            text=speech.text.strip(),
            call_type=desk.call_type,
            evidence=work.outcome.evidence,
            declined=work.outcome.declined,
            degraded=work.outcome.degraded,
            private=invocation.private,
            asked_at_ms=invocation.at_ms,
            answered_at_ms=max(invocation.at_ms, now_ms()),
        )

    async def _speak(self, work: _Work) -> None:
        if self._model is None:
            await self._quote(work)
        elif self._model.is_resting:
            await self._degrade(work, "unavailable")
        elif (trouble := await self._by_model(self._model, work)) is not None:
            await self._degrade(work, trouble)

    async def _by_model(self, model: CalledModel, work: _Work) -> Notice | None:
        """Stream the model's answer; what went wrong, or None where it stands."""
        prompt = work.desk.prompt()
        if not prompt.shown:
            await self._quote(work)
            return None
        cited = CitedText(prompt.shown, zone=self._zone)
        trouble: Notice | None = None
        try:
            async with asyncio.timeout(work.deadline.sooner(self._deadlines.first_token_s)) as limit:
                pieces = model.stream(prompt.messages, max_tokens=self._max_tokens)
                async with aclosing(cast("Any", pieces)):
                    async for piece in pieces:
                        await self._say(work, cited.feed(piece), cited, limit)
                await self._say(work, cited.finish(), cited, limit)
        except TimeoutError:
            model.gave_up()
            trouble = "broke_off" if work.speech.begun else "late"
        except PortError as error:
            log.warning("answer_degraded", error=str(error))
            trouble = "broke_off" if work.speech.begun else "unavailable"
        if cited.dropped:
            log.info("answer_pieces_dropped", faults=cited.dropped)
        if trouble is None and not work.speech.begun:
            return await self._without_evidence(work, cited)
        return trouble

    async def _say(self, work: _Work, text: str, cited: CitedText, limit: asyncio.Timeout) -> None:
        """Show a piece; from the first one on, the answer's own deadline counts."""
        if not text:
            return
        work.outcome.evidence = cited.evidence
        first = not work.speech.begun
        await work.speech.say(text)
        if first:
            limit.reschedule(asyncio.get_running_loop().time() + work.deadline.remaining_s)

    async def _without_evidence(self, work: _Work, cited: CitedText) -> Notice | None:
        """The model let nothing through: it found no answer, or none that stands."""
        if not cited.nothing_found:
            return "unsupported"
        work.outcome.declined = True
        await work.speech.say(notice("not_found", work.desk.language))
        return None

    async def _degrade(self, work: _Work, why: Notice) -> None:
        """Say in one line what is wrong, then what the record itself has to say."""
        work.outcome.degraded = True
        quotes = work.desk.quotes()
        gap = "\n\n" if work.speech.begun and not work.speech.text.endswith("\n") else ""
        await work.speech.say(f"{gap}{notice(why, work.desk.language)}\n\n", evidence=quotes.evidence)
        await self._quote(work, quotes)

    async def _quote(self, work: _Work, quotes: Quotes | None = None) -> None:
        if quotes is None:
            quotes = work.desk.quotes()
        await work.speech.say_in_sentences(quotes.text, evidence=quotes.evidence)
        outcome = work.outcome
        outcome.declined = quotes.declined and not outcome.evidence
        outcome.evidence = tuple(dict.fromkeys([*outcome.evidence, *quotes.evidence]))

    async def _end(self, work: _Work, why: Literal["superseded", "no_answer"]) -> None:
        """End before the end. A superseded answer that nobody has seen yet needs no mark."""
        if why == "superseded" and not work.speech.begun:
            return
        try:
            async with asyncio.timeout(CLOSE_S):
                await work.speech.say(f"\n\n{notice(why, work.desk.language)}")
                await work.speech.close(evidence=work.outcome.evidence)
        except TimeoutError:
            log.warning("reply_left_open", why=why)
