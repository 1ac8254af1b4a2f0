"""Orders to the agent: how they are found in speech and chat, what each does, and the notices about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, Literal

from context import events
from context.actors import borne_by, participant
from context.erasure_target import Target
from context.language.addressing import chat_line, without_wake_word
from context.language.commands import Command, command, is_slash_command, unknown_command
from context.language.consenting import answer_of_oneself
from context.language.korean import has_hangul, language_of
from context.language.minutes_back import LONGEST_MIN, minutes_back
from context.language.questions import as_question, is_question, is_request
from context.privacy_events import RecordingPaused, RecordingResumed
from context.reading.requests import asks_for_something
from context.thread.summaries import HIGHEST_RATE, LOWEST_RATE, checked_rate
from worker.meeting.erasing import TAKING_OUT, TakenOut, TakeOut
from worker.meeting.session import Session
from worker.room.hiding import Hiding
from worker.room.question_turns import InTurn
from worker.room.tracks import Own, Tracks

WAKE_WINDOW_MS: Final = 5_000
"""After the bare name, the same speaker's next utterance is for the agent if it begins within this."""
Notice = Literal[
    "paused", "off", "taken_back", "own_taken_back", "nothing_back", "off_on_hold", "off_not_back",
    "off_longest", "off_unclear", "resumed", "leaving", "already_paused", "not_paused", "unknown_order",
]  # fmt: skip

_TEXTS: Final[dict[Notice, tuple[str, str]]] = {
    "paused": (
        "기록을 멈췄습니다. 지금부터 하시는 말씀은 듣지 않습니다. 다시 들으려면 채팅에 쓰세요: /resume",
        "Paused: I hear nothing from here on. Write /resume in the chat to go on.",
    ),
    "off": (
        "오프 더 레코드입니다. 지금부터는 듣지도 기록하지도 않습니다. 다시 들으려면 채팅에 쓰세요: /on",
        "Off the record: I hear and keep nothing from here on. Write /on to go on.",
    ),
    "taken_back": (
        (
            "지난 {minutes}분 동안 요청하신 분의 발언은 삭제했고, 다른 분들의 발언은 숨겼습니다. "
            "숨긴 발언은 말씀하신 분이 각자 삭제하거나 다시 보이게 하실 수 있습니다."
        ),
        (
            "Of the last {minutes} minutes, what you said is deleted, and what others said is hidden until "
            "each of them deletes it or shows it again."
        ),
    ),
    "own_taken_back": (
        "지난 {minutes}분 동안 하신 말씀을 삭제했습니다. 다른 분들의 발언은 그대로 둡니다.",
        "What you said in the last {minutes} minutes is deleted. What others said stays as it is.",
    ),
    "nothing_back": (
        "지난 {minutes}분 동안 기록된 발언이 없어 되돌릴 것이 없습니다.",
        "Nothing of the last {minutes} minutes is on the record, so there is nothing to take back.",
    ),
    "off_on_hold": (
        (
            "이 회의는 보존 조치 중이라 지난 {minutes}분의 기록은 그대로 둡니다. "
            "조치가 풀리면 요청하신 대로 합니다."
        ),
        (
            "This meeting is on hold, so the last {minutes} minutes stay as they are. What you asked for is "
            "done once the hold is lifted."
        ),
    ),
    "off_not_back": (
        (
            "지금은 회의 기록을 바꿀 수 없어 이미 하신 말씀은 삭제하거나 숨기지 못했습니다. "
            "잠시 뒤에 다시 요청해 주세요."
        ),
        (
            "The record of the meeting can't be changed just now, so nothing that was said before is deleted "
            "or hidden. Please ask again in a moment."
        ),
    ),
    "off_longest": (
        "한 번에 되돌릴 수 있는 시간은 최대 {minutes}분이라, 지난 {minutes}분만 되돌립니다.",
        "No more than {minutes} minutes can be taken back at once, so these are the last {minutes}.",
    ),
    "off_unclear": (
        (
            "다만 얼마 동안의 발언을 되돌릴지 알아듣지 못해, 이미 하신 말씀은 그대로 두었습니다. "
            "지난 5분을 되돌리시려면 “/off 5m”이라고 써 주세요(최대 15분)."
        ),
        (
            "But I did not understand how far back you mean, so nothing that was said before is taken back. "
            "For the last five minutes write /off 5m (15 at most)."
        ),
    ),
    "resumed": ("기록을 다시 시작합니다.", "Listening again."),
    "leaving": (
        "회의에서 나가겠습니다. 지금까지의 기록은 보관됩니다.",
        "Leaving the meeting. What was said so far is kept.",
    ),
    "already_paused": ("이미 기록을 멈춘 상태입니다.", "I am paused already."),
    "not_paused": ("이미 기록하고 있습니다.", "I am listening."),
    "unknown_order": (
        (
            "알 수 없는 명령입니다. 쓸 수 있는 명령: /me 질문(나만 보는 답변), /pause, /resume, /off 5m, "
            "/on, /leave, /rate 0.2"
        ),
        "There is no such order: /me QUESTION (you alone), /pause, /resume, /off 5m, /on, /leave, /rate 0.2",
    ),
}


class VoiceCalls:
    """Recognises what is said to the agent by voice; remembers who has just called its name."""

    def __init__(self, wake_words: Sequence[str]) -> None:
        self._wake_words = wake_words
        self._called_until_ms: dict[str, int] = {}

    def hear(self, speaker_id: str, text: str, start_ms: int, end_ms: int) -> str | Command | None:
        """Find the question (its text) or order for the agent in the next utterance; None: there is none.

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
        if (order := command(rest)) is not None:
            return order
        if is_request(rest):
            return rest
        if (question := as_question(rest)) is not None:
            return question
        if asks_for_something(rest):  # recognition leaves question marks out, and people clip
            return rest
        self._called_until_ms[speaker_id] = end_ms + WAKE_WINDOW_MS
        return None


class Orders:
    """Carries out orders and says so, in the language of whoever gave them."""

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

        `in_turn` carries out each order when its giver's turn has come.
        """
        self._take_out, self._in_turn = take_out, in_turn
        self.hiding = Hiding(session, own, take_out, in_turn=in_turn)
        self._session, self._tracks, self._own = session, tracks, own
        self._wake_words, self._say_closing = wake_words, say_closing
        self.leaving = False
        """Whether a `/leave` is being carried out, which says the closing summary itself."""

    def order_in(self, text: str) -> Command | None:
        """Find the order in a line, with a slash or in words beside the agent's name; None: no order."""
        return chat_line(text, self._wake_words).order

    def obey(
        self, order: Command | None, text: str, by: str, *, at_ms: int | None = None, to: str | None
    ) -> bool:
        """Carry out an order, or tell `to` that there is none such where one was meant; False: neither."""
        if order is not None and order.name != "me":
            self.carry_out(order, by, text, at_ms)
            return True
        if order is not None:
            meant = not order.rest  # `/me` alone: there is nothing to answer
        else:
            meant = unknown_command(text) is not None and not (is_question(text) or is_request(text))
        if meant:
            self._in_turn(by, text, lambda: self._tell("unknown_order", text, to=to))
        return meant

    def carry_out(self, order: Command, by: str, asked_in: str, at_ms: int | None = None) -> None:
        """Carry out the order that `by` gave in the words `asked_in`; it counts from `at_ms` or now."""
        given_ms = self._session.now_ms() if at_ms is None else at_ms
        self._in_turn(by, asked_in, lambda: self._carry_out(order, by, asked_in, given_ms))

    def _carry_out(self, order: Command, by: str, asked_in: str, at_ms: int) -> None:
        paused = self._session.manager.meeting.paused
        match order.name:
            case "pause" if not paused:
                self._session.fold_now(RecordingPaused(by=by, at_ms=at_ms))
                self._tracks.pause()
                self._tell("paused", asked_in)
            case "pause":
                self._tell("already_paused", asked_in)
            case "off":
                self._go_off_record(order.rest, by, asked_in, at_ms)
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
                self._set_rate(order.rest, by, asked_in)
            case _:
                pass

    def _go_off_record(self, wish: str, by: str, asked_in: str, at_ms: int) -> None:
        """Hear nothing from now on, and take back the last minutes where `wish` names some (`5m`).

        What became text before the order was carried out is on the record, also where it was said after the
        order: it is taken back like that of the last minutes.
        """
        meeting = self._session.manager.meeting
        self._session.fold_now(RecordingPaused(by=by, at_ms=at_ms, off_the_record=True))
        self._tracks.pause()
        self._tell("off", asked_in)
        minutes = minutes_back(wish)
        if minutes is None:
            self._tell("off_unclear", asked_in)
        elif minutes > LONGEST_MIN:
            self._tell("off_longest", asked_in, minutes=LONGEST_MIN)
        if self._take_out is None:
            return
        minutes = min(minutes or 0, LONGEST_MIN)
        until_ms = max((said.end_ms for said in meeting.utterances if said.start_ms >= at_ms), default=at_ms)
        if minutes or until_ms > at_ms:
            since_ms = max(0, at_ms - minutes * 60_000)
            until_ms = min(until_ms, at_ms + LONGEST_MIN * 60_000)
            taking = self._take_back(by, asked_in, minutes=minutes, since_ms=since_ms, until_ms=until_ms)
            self._own(taking, name=TAKING_OUT)

    async def _take_back(self, by: str, asked_in: str, *, minutes: int, since_ms: int, until_ms: int) -> None:
        """Erase what `by` has said in this time; what others said is hidden, but not for a link's guest.

        What others said is theirs, whenever that was: nobody's order erases it.
        """
        take_out = self._take_out
        assert take_out is not None
        actor = participant(by)
        bearer = self._session.manager.meeting.attendance.name_of(by)
        guest = actor.kind == "link"
        others: Literal["leave", "hide"] = "leave" if guest else "hide"
        target = Target(what="stretch", person=by, since_ms=since_ms, until_ms=until_ms, others=others)
        done = await take_out(target, actor, borne_by(actor, bearer))
        told: dict[TakenOut, Notice] = {
            "done": "own_taken_back" if guest else "taken_back",
            "nothing": "nothing_back",
            "held": "off_on_hold",
            "failed": "off_not_back",
        }
        if minutes or done in {"held", "failed"}:
            self._tell(told[done], asked_in, minutes=minutes or 1)
        if done == "done":
            self.hiding.tell_speakers(since_ms, bearer)

    def set_rate(self, wish: str, by: str, asked_in: str) -> None:
        """Set the thread's `compression_rate` (seed 001) and tell it; without a valid `wish` only tell it."""
        self._in_turn(by, asked_in, lambda: self._set_rate(wish, by, asked_in))

    def _set_rate(self, wish: str, by: str, asked_in: str) -> None:
        session = self._session
        rate = session.manager.meeting.thread.policy.compression_rate
        refused = bool(wish)
        with suppress(ValueError):
            rate = checked_rate(float(wish.replace(",", ".")))
            refused = False
            session.post(events.ThreadTuned(by=by, compression_rate=rate))
        korean = f"요약 압축률은 {rate:g}입니다. 바뀐 값은 다음 요약부터 적용됩니다."
        english = f"The compression rate of summaries is {rate:g}; a change counts from the next one."
        if refused:
            korean = f"{LOWEST_RATE:g}에서 {HIGHEST_RATE:g} 사이로 적어 주세요. {korean}"
            english = f"Give a rate from {LOWEST_RATE:g} to {HIGHEST_RATE:g}. {english}"
        text = _told_in(self._language(asked_in), korean, english)
        self._own(session.outlet.say(text), name="rate")

    async def _leave(self, asked_in: str) -> None:
        try:
            await self._session.outlet.say(notice("leaving", self._language(asked_in)))
            await self._say_closing()
        finally:
            await self._session.end("asked_to_leave")

    def _tell(self, what: Notice, asked_in: str, *, to: str | None = None, **fields: object) -> None:
        text = notice(what, self._language(asked_in), **fields)
        self._own(self._session.outlet.say(text, to=to), name=what)

    def _language(self, order: str) -> str:
        """Choose `ko` or `en`: as the order; for a bare `/pause` the meeting's, `auto` where it has none."""
        if has_hangul(order) or not is_slash_command(without_wake_word(order, self._wake_words) or order):
            return language_of(order)
        return self._session.manager.meeting.spoken_language


def notice(name: Notice, language: str, **fields: object) -> str:
    """The text of a notice in a language, `ko` or `en`; `auto`: in both."""
    korean, english = (text.format(**fields) for text in _TEXTS[name])
    return _told_in(language, korean, english)


def _told_in(language: str, korean: str, english: str) -> str:
    return {"ko": korean, "en": english}.get(language, f"{korean}\n{english}")
