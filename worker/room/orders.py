"""What people order in a meeting: pause, resume, leave, how short the thread's summaries are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

from context import events
from context.language.addressing import wake
from context.language.commands import Command, command
from context.language.korean import has_hangul
from context.thread.history import checked_rate
from worker.meeting.session import Session
from worker.room.notices import Notice, notice, rate_notice
from worker.room.tracks import Own, Tracks

_TONGUE: Final = 5
"""Utterances that tell which language people speak."""


class Orders:
    """Carries them out, and says so in the language of whoever gave them."""

    def __init__(
        self,
        session: Session,
        tracks: Tracks,
        own: Own,
        *,
        wake_words: Sequence[str],
        say_closing: Callable[[], Awaitable[None]],
    ) -> None:
        """`say_closing`: the last words and the closing summary, before a `leave`."""
        self._session, self._tracks, self._own = session, tracks, own
        self._wake_words, self._say_closing = wake_words, say_closing

    def written(self, text: str) -> Command | None:
        """The order in a line of chat, with or without the agent's name before it."""
        rest = wake(text, self._wake_words)
        return command(text, addressed=False) or (command(rest) if rest else None)

    def addressed(self, text: str) -> Command | None:
        """The order in what is written to the agent alone: with a slash, or in words."""
        return command(wake(text, self._wake_words) or text)

    def carry_out(self, order: Command, by: str, asked_in: str, at_ms: int | None = None) -> None:
        """Do it; it counts from `at_ms` on, else from now."""
        paused = self._session.manager.meeting.paused
        at_ms = self._session.now_ms() if at_ms is None else at_ms
        match order.name:
            case "pause" if not paused:
                self._session.fold_now(events.RecordingPaused(by=by, at_ms=at_ms))
                self._tracks.pause()
                self._tell("paused", asked_in)
            case "pause":
                self._tell("already_paused", asked_in)
            case "resume" if paused:
                self._session.fold_now(events.RecordingResumed(by=by, at_ms=at_ms))
                self._tracks.resume()
                self._tell("resumed", asked_in)
            case "resume":
                self._tell("not_paused", asked_in)
            case "leave":
                self._own(self._leave(asked_in), name="leave")
            case "rate":
                self.set_rate(order.rest, by, asked_in)
            case _:
                pass

    def unknown(self, text: str, by: str | None) -> None:
        """There is no such order: tell its writer alone which there are; None: who can't be told alone."""
        self._tell("unknown_order", text, to=by)

    def set_rate(self, wish: str, by: str, asked_in: str) -> None:
        """How short the thread's summaries are from the next one on; without a wish, or a wrong one: tell."""
        session = self._session
        now = session.manager.meeting.thread.policy.compression_rate
        rate: float | None = None
        with suppress(ValueError):
            rate = checked_rate(float(wish.replace(",", ".")))
        if rate is not None:
            session.post(events.ThreadTuned(by=by, compression_rate=rate))
        tongue = self._in_their_tongue(asked_in)
        text = rate_notice(rate or now, asked_in=tongue, refused=bool(wish) and rate is None)
        self._own(session.outlet.say(text), name="rate")

    async def _leave(self, asked_in: str) -> None:
        try:
            await self._session.outlet.say(notice("leaving", asked_in=self._in_their_tongue(asked_in)))
            await self._say_closing()
        finally:
            await self._session.end("asked_to_leave")

    def _tell(self, what: Notice, asked_in: str, *, to: str | None = None) -> None:
        text = notice(what, asked_in=self._in_their_tongue(asked_in))
        self._own(self._session.outlet.say(text, to=to), name=what)

    def _in_their_tongue(self, order: str) -> str:
        """An order, or, where it is in no language (/pause), what was said last, else asked last."""
        if has_hangul(order) or not order.startswith("/"):
            return order
        meeting = self._session.manager.meeting
        said = [each.text for each in meeting.utterances[-_TONGUE:]]
        return " ".join(said or [turn.question.content for turn in meeting.thread.turns[-1:]]) or order
