"""Commands to the agent: how they are found in speech and chat, what each does, and the notices about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, Literal

from context.events import events
from context.events.actors import borne_by, participant
from context.events.erasure_target import Target
from context.events.privacy_events import RecordingPaused, RecordingResumed
from context.language.addressing import chat_line, without_wake_word
from context.language.closed_lists import in_words, wording
from context.language.commands import Command, asks_for_help, command_in, is_slash_command, unknown_command
from context.language.consenting import answer_of_oneself
from context.language.durations import MAX_MINUTES_BACK, minutes_back
from context.language.korean import has_hangul, language_of
from context.language.questions import as_question, is_question, is_request
from context.reading.requests import asks_for_something
from context.thread.summaries import HIGHEST_RATE, LOWEST_RATE, checked_rate
from worker.meeting.erasing import TAKING_OUT, TakenOut, TakeOut
from worker.meeting.session import Session
from worker.participants.hiding import Hiding
from worker.participants.question_turns import InTurn
from worker.participants.tracks import Own, Tracks

WAKE_WINDOW_MS: Final = 5_000
"""After the bare name, the same speaker's next utterance is for the agent if it begins within this."""
CommandNotice = Literal[
    "paused", "off", "taken_back", "own_taken_back", "nothing_back", "off_on_hold", "off_not_back",
    "off_longest", "off_unclear", "resumed", "leaving", "already_paused", "not_paused", "commands",
    "unknown_command",
]  # fmt: skip

_TEXTS: Final = wording("commands")


class VoiceCalls:
    """Recognises what is said to the agent by voice; remembers who has just called its name."""

    def __init__(self, wake_words: Sequence[str]) -> None:
        self._wake_words = wake_words
        self._called_until_ms: dict[str, int] = {}

    def hear(self, speaker_id: str, text: str, start_ms: int, end_ms: int) -> str | Command | None:
        """Find the question (its text) or command for the agent in the next utterance; None: there is none.

        A `me` is what somebody says about whether they may be recorded.
        """
        rest = without_wake_word(text, self._wake_words)
        expected = start_ms <= self._called_until_ms.pop(speaker_id, -1)
        if rest is None:
            if not expected:
                return None
            rest = text
        if answer_of_oneself(rest) is not None:
            return Command(name="me", rest=rest)
        if (command := command_in(rest)) is not None:
            return command
        if is_request(rest):
            return rest
        if (question := as_question(rest)) is not None:
            return question
        if asks_for_something(rest):  # recognition leaves question marks out, and people clip
            return rest
        self._called_until_ms[speaker_id] = end_ms + WAKE_WINDOW_MS
        return None


class RoomCommands:
    """Carries out commands and says so, in the language of whoever gave them."""

    def __init__(
        self,
        session: Session,
        tracks: Tracks,
        own: Own,
        *,
        wake_words: Sequence[str],
        say_closing: Callable[[], Awaitable[None]],
        in_turn: InTurn,
        take_out: TakeOut | None = None,
    ) -> None:
        """`say_closing` says the closing summary before a `/leave`; `take_out` erases words for `/off 5m`.

        `in_turn` carries out each command when its giver's turn has come.
        """
        self._take_out, self._in_turn = take_out, in_turn
        self.hiding = Hiding(session, own, take_out, in_turn=in_turn)
        self._session, self._tracks, self._own = session, tracks, own
        self._wake_words, self._say_closing = wake_words, say_closing
        self.leaving = False
        """Whether a `/leave` is being carried out, which says the closing summary itself."""

    def command_in(self, text: str) -> Command | None:
        """Find the command in a line, with a slash or in words beside the agent's name; None: no command."""
        return chat_line(text, self._wake_words).command

    def obey(
        self, command: Command | None, text: str, by: str, *, at_ms: int | None = None, to: str | None
    ) -> bool:
        """Carry out a command, or tell `to` that there is none such where one was meant; False: neither."""
        if command is not None and command.name != "me":
            self.carry_out(command, by, text, at_ms)
            return True
        if command is not None:
            meant = not command.rest  # `/me` alone: there is nothing to answer
        else:
            talk = is_question(text) or is_request(text)
            meant = asks_for_help(text) or (unknown_command(text) is not None and not talk)
        if meant:
            notice: CommandNotice = "commands" if asks_for_help(text) else "unknown_command"
            self._in_turn(by, text, lambda: self._tell(notice, text, to=to))
        return meant

    def carry_out(self, command: Command, by: str, asked_in: str, at_ms: int | None = None) -> None:
        """Carry out the command that `by` gave in the words `asked_in`; it counts from `at_ms` or now."""
        given_ms = self._session.now_ms() if at_ms is None else at_ms
        self._in_turn(by, asked_in, lambda: self._carry_out(command, by, asked_in, given_ms))

    def _carry_out(self, command: Command, by: str, asked_in: str, at_ms: int) -> None:
        paused = self._session.manager.meeting.paused
        match command.name:
            case "pause" if not paused:
                self._session.fold_now(RecordingPaused(by=by, at_ms=at_ms))
                self._tracks.pause()
                self._tell("paused", asked_in)
            case "pause":
                self._tell("already_paused", asked_in)
            case "off":
                self._go_off_record(command.rest, by, asked_in, at_ms)
            case "resume" | "on" if paused:
                self._session.fold_now(RecordingResumed(by=by, at_ms=at_ms))
                self._tracks.resume()
                self._tell("resumed", asked_in)
            case "resume" | "on":
                self._tell("not_paused", asked_in)
            case "leave" if not self.leaving:
                self.leaving = True
                self._own(self._leave(asked_in), name="leave")
            case "rate":
                self._set_rate(command.rest, by, asked_in)
            case _:
                pass

    def _go_off_record(self, argument: str, by: str, asked_in: str, at_ms: int) -> None:
        """Hear nothing from now on, and take back the last minutes where `argument` names some (`5m`).

        What became text before the command was carried out is on the record, also where it was said after the
        command: it is taken back like that of the last minutes.
        """
        meeting = self._session.manager.meeting
        self._session.fold_now(RecordingPaused(by=by, at_ms=at_ms, off_the_record=True))
        self._tracks.pause()
        self._tell("off", asked_in)
        minutes = minutes_back(argument)
        if minutes is None:
            self._tell("off_unclear", asked_in)
        elif minutes > MAX_MINUTES_BACK:
            self._tell("off_longest", asked_in, minutes=MAX_MINUTES_BACK)
        if self._take_out is None:
            return
        minutes = min(minutes or 0, MAX_MINUTES_BACK)
        until_ms = max(
            (utterance.end_ms for utterance in meeting.utterances if utterance.start_ms >= at_ms),
            default=at_ms,
        )
        if minutes or until_ms > at_ms:
            since_ms = max(0, at_ms - minutes * 60_000)
            until_ms = min(until_ms, at_ms + MAX_MINUTES_BACK * 60_000)
            taking = self._take_back(by, asked_in, minutes=minutes, since_ms=since_ms, until_ms=until_ms)
            self._own(taking, name=TAKING_OUT)

    async def _take_back(self, by: str, asked_in: str, *, minutes: int, since_ms: int, until_ms: int) -> None:
        """Erase what `by` has said in this time; what others said is hidden, but not for a link's guest.

        What others said is theirs, whenever that was: nobody's command erases it.
        """
        take_out = self._take_out
        assert take_out is not None
        actor = participant(by)
        bearer = self._session.manager.meeting.attendance.name_of(by)
        guest = actor.kind == "link"
        others: Literal["leave", "hide"] = "leave" if guest else "hide"
        target = Target(what="stretch", person=by, since_ms=since_ms, until_ms=until_ms, others=others)
        done = await take_out(target, actor, borne_by(actor, bearer))
        notices: dict[TakenOut, CommandNotice] = {
            "done": "own_taken_back" if guest else "taken_back",
            "nothing": "nothing_back",
            "held": "off_on_hold",
            "failed": "off_not_back",
        }
        if minutes or done in {"held", "failed"}:
            self._tell(notices[done], asked_in, minutes=minutes or 1)
        if done == "done":
            self.hiding.tell_speakers(since_ms, bearer)

    def set_rate(self, argument: str, by: str, asked_in: str) -> None:
        """Set the thread's `compression_rate` (seed 001) and tell it; without a valid one only tell it."""
        self._in_turn(by, asked_in, lambda: self._set_rate(argument, by, asked_in))

    def _set_rate(self, argument: str, by: str, asked_in: str) -> None:
        session = self._session
        rate = session.manager.meeting.thread.policy.compression_rate
        refused = bool(argument)
        with suppress(ValueError):
            rate = checked_rate(float(argument.replace(",", ".")))
            refused = False
            session.post(events.ThreadTuned(by=by, compression_rate=rate))
        keys = ("rate_refused", "rate") if refused else ("rate",)
        bounds = {"lowest": LOWEST_RATE, "highest": HIGHEST_RATE}
        text = in_words(_TEXTS, self._language(asked_in), *keys, rate=rate, **bounds)
        self._own(session.outlet.say(text), name="rate")

    async def _leave(self, asked_in: str) -> None:
        try:
            await self._session.outlet.say(notice("leaving", self._language(asked_in)))
            await self._say_closing()
        finally:
            await self._session.end("asked_to_leave")

    def _tell(self, what: CommandNotice, asked_in: str, *, to: str | None = None, **fields: object) -> None:
        text = notice(what, self._language(asked_in), **fields)
        self._own(self._session.outlet.say(text, to=to), name=what)

    def _language(self, asked_in: str) -> str:
        """Choose `ko` or `en`: as that; for a bare `/pause` the meeting's, `auto` where it has none."""
        if has_hangul(asked_in) or not is_slash_command(
            without_wake_word(asked_in, self._wake_words) or asked_in
        ):
            return language_of(asked_in)
        return self._session.manager.meeting.spoken_language


def notice(name: CommandNotice, language: str, **fields: object) -> str:
    """The text of a notice in a language, `ko` or `en`; `auto`: in both."""
    keys = (name, "commands") if name == "unknown_command" else (name,)
    return in_words(_TEXTS, language, *keys, **fields)
