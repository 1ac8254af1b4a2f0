"""Who may be heard: what each person is told on entering, what they answer, and that it is obeyed.

There are three rules (`MOIM_CONSENT`). `notice`: who stays agrees, and who says no is heard no more. `ask`:
nobody is heard before they have said yes. `off`: nobody is asked. Whatever the rule, a no counts from the
moment it is said: the room is asked for that person's sound no more. What people said is on the record, so a
successor obeys it, too.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import structlog

from context.events.actors import Actor, borne_by, participant
from context.events.erasure_target import Target
from context.events.privacy_events import ConsentChannel, ConsentTold, ParticipantInformed
from context.language.closed_lists import texts_in, wording
from context.language.commands import is_slash_command, slash_parts, unquoted
from context.language.consenting import answer, bare, is_of_any_language, plain_answer
from context.language.korean import has_hangul
from context.ports import PortError
from worker.configuration.settings import Settings
from worker.meeting.erasing import TAKING_OUT, TakenOut, TakeOut
from worker.meeting.session import Session
from worker.participants.question_turns import InTurn

log = structlog.get_logger(__name__)

Mode = Literal["notice", "ask", "off"]
ToldBefore = Callable[[str], Coroutine[Any, Any, bool | None]]
"""(identity) -> whether they agreed in earlier meetings, by their last word. Raises `PortError`."""
LOOK_AGAIN_S: Final = 5.0
"""How long to wait before an earlier answer that could not be looked up is looked up again."""

SURE_WITHIN_MS: Final = 120_000
"""A plain no, which is asked back, counts if it is said again within this."""

_TEXTS: Final = wording("consent")


_ERASED: Final[Mapping[TakenOut, str]] = {
    "done": "no_erase",
    "nothing": "no_nothing",
    "held": "no_on_hold",
    "failed": "no_not_erased",
}
"""What somebody is told who says no and wants their words deleted, by what came of it."""


@dataclass(frozen=True, slots=True)
class ConsentRule:
    """How consent is asked for and kept, as the settings (`MOIM_CONSENT…`) say."""

    mode: Mode = "off"
    notice: bool = False
    """Whether people are told on entering."""
    text: str = ""
    """Told in the place of our own notice; empty: ours."""
    language: str = "auto"
    """The language of the notices: `ko`, `en` or `auto`."""
    kept_days: int | None = None
    """How long meetings are kept; None: until they are deleted."""
    lasting: bool = False
    """Whether what somebody said in an earlier meeting counts."""

    def allows(self, agreed: bool | None) -> bool:
        """Whether somebody may be heard who agreed, did not agree, or said nothing yet (None)."""
        return agreed is True if self.mode == "ask" else agreed is not False

    def wording(self, what: str, name: str, asked_in: str = "") -> str:
        """The notice `what` to `name`, in the language of their line `asked_in`.

        Where that shows none (a command, a bare “ok”), it is the rule's, as on entering (`auto`: both).
        """
        if what in {"notice", "ask"} and self.text:
            return self.text
        duration = "kept_on" if self.kept_days is None else "kept"
        return "\n".join(
            texts[what].format(name=name, kept=texts[duration].format(days=self.kept_days))
            for texts in texts_in(_TEXTS, _language_shown(asked_in) or self.language)
        )


NOBODY_IS_ASKED: Final = ConsentRule()
"""Everybody is heard, and nobody is told."""


def rule_of(settings: Settings) -> ConsentRule:
    """Make the rule of a process's settings."""
    consent = settings.consent
    return ConsentRule(
        mode=consent.mode,
        notice=consent.notice and consent.mode != "off",
        text=consent.text,
        language=settings.agent.language,
        kept_days=consent.retention_days,
        lasting=consent.lasts == "always",
    )


class Consent:
    """Who may be heard in one meeting: tells people, records their answers, and has them obeyed."""

    def __init__(
        self,
        session: Session,
        rule: ConsentRule,
        *,
        run: Callable[..., object],
        in_turn: InTurn,
        refused: Callable[[str], None],
        take_out: TakeOut | None = None,
        told_before: ToldBefore | None = None,
    ) -> None:
        """`run(work, name=…)` runs a coroutine beside; `take_out` or `told_before` may be missing.

        `in_turn` does what somebody decided when their turn has come; but a no counts at once. `refused` is
        called with an identity that says no: what they said and is no text yet is heard no more.
        """
        self._session, self._rule, self._run, self._take_out = session, rule, run, take_out
        self._in_turn, self._refused, self._told_before = in_turn, refused, told_before
        self._known: set[str] = set()
        """Whose answer in earlier meetings has been looked up."""
        self._looking: dict[str, asyncio.Event] = {}
        """Whose answer is being looked up; set once that has succeeded, or failed for the first time."""
        self._doubted_ms: dict[str, int] = {}
        """When somebody said a plain no with their last line, and was asked whether they mean it."""
        self.changed: Callable[[str], None] = lambda _identity: None
        """Called with an identity whose `may_hear` may have changed; the room then (un)subscribes."""
        self._decided: Counter[str] = Counter()
        """How often somebody has decided: a yes that waits for its turn counts only if no later word came."""

    def may_hear(self, identity: str) -> bool:
        """Whether the room may subscribe to somebody's sound now."""
        agreed = self._agreed(identity)
        if agreed is None and self._told_before is not None and identity not in self._known:
            return False
        return self._rule.allows(agreed)

    def joined(self, identity: str, name: str) -> None:
        """Tell somebody, once in a meeting, that Moim listens, and look up their answer in earlier ones."""
        known = self._session.manager.meeting.attendance.people.get(identity)
        self._look_up(identity)  # also whom a holder before us has told: it may not have looked to the end
        if known is not None and known.informed:
            return
        at_ms = self._session.now_ms()
        self._session.post(ParticipantInformed(participant_id=identity, at_ms=at_ms))
        if self._rule.notice:
            what = "ask" if self._rule.mode == "ask" else "notice"
            self._say(self._rule.wording(what, name), identity)

    async def wait_until_known(self, identity: str) -> None:
        """Wait until an answer in earlier meetings is looked up, or that has failed for a first time."""
        if identity not in self._known:
            self._look_up(identity)
        if (looked := self._looking.get(identity)) is not None:
            await looked.wait()

    def record(
        self,
        identity: str,
        agreed: bool,
        how: ConsentChannel,
        *,
        erase: bool = False,
        asked_in: str = "",
        told_by: str | None = None,
        actor: Actor | None = None,
    ) -> None:
        """Record that somebody agrees or not, and have it obeyed at once; the same again is only confirmed.

        `erase`: with a no, what they have said is erased, too. `asked_in` is their line of chat; `told_by`
        is who said it for them, if not they, and `actor` who was authenticated as that.
        """
        session, meeting = self._session, self._session.manager.meeting
        self._decided[identity] += 1
        if told_by is not None and actor is not None:
            told_by = borne_by(actor, told_by)
        if self._agreed(identity) != agreed:
            at_ms = session.now_ms()
            session.fold_now(
                ConsentTold(
                    participant_id=identity,
                    agreed=agreed,
                    how=how,
                    told_by=told_by,
                    actor=actor if told_by is not None else None,
                    at_ms=at_ms,
                )
            )
            log.info("consent_told", participant=identity, agreed=agreed, how=how)
            for person in meeting.attendance.same_as(identity):
                self.changed(person.user_id)
                if not agreed:
                    self._refused(person.user_id)
        name, take_out = meeting.attendance.name_of(identity), self._take_out

        def go_on() -> None:
            if erase and not agreed and take_out is not None:
                doing = actor or participant(identity)
                by = told_by or borne_by(doing, name)
                self._run(self._erase(take_out, identity, doing, by, asked_in), name=TAKING_OUT)
            elif how != "earlier":
                self._say(self._rule.wording("yes" if agreed else "no", name, asked_in), identity)

        if agreed or told_by is not None:  # a yes has had its turn, and programs have shares of their own
            go_on()
        else:
            self._in_turn(identity, asked_in, go_on)

    def _tell_yes(self, identity: str, how: ConsentChannel, asked_in: str) -> None:
        """Record a yes in its turn, unless there is a later word by then."""
        self._decided[identity] += 1
        before = self._decided[identity]

        def agree() -> None:
            if self._decided[identity] == before:
                self.record(identity, True, how, asked_in=asked_in)

        self._in_turn(identity, asked_in, agree)

    async def _erase(self, take_out: TakeOut, identity: str, actor: Actor, by: str, asked_in: str) -> None:
        done = await take_out(Target(what="person", person=identity), actor, by)
        name = self._session.manager.meeting.attendance.name_of(identity)
        self._say(self._rule.wording(_ERASED[done], name, asked_in), identity)

    def handle_chat(self, identity: str, text: str, how: ConsentChannel = "chat") -> bool:
        """Obey a line of chat about consent: `/me yes`, `/me no`, or a plain yes or no by who was asked.

        False: the line is about something else. A plain no is asked back once: people say no to much.
        """
        doubted_ms = self._doubted_ms.pop(identity, None)
        head, rest = slash_parts(text)
        if head == "/me":
            if (answered := answer(rest)) is None:
                return False
            agreed, erase = answered
            if agreed:
                self._tell_yes(identity, how, text)
            else:
                self.record(identity, False, how, erase=erase, asked_in=text)
            return True
        agrees, now_ms = plain_answer(text), self._session.now_ms()
        waiting = self._rule.mode == "ask" and self._agreed(identity) is None
        if agrees is True and waiting:
            self._tell_yes(identity, how, text)
            return True
        if agrees is not False or self._rule.mode == "off":
            return False
        if waiting or (doubted_ms is not None and now_ms - doubted_ms <= SURE_WITHIN_MS):
            self.record(identity, False, how, asked_in=text)
        else:
            self._doubted_ms[identity] = now_ms
            self._in_turn(identity, text, lambda: self._say(self._rule.wording("sure", "", text), identity))
        return True

    def _look_up(self, identity: str) -> None:
        """Begin to look up somebody's answer in earlier meetings; until it is known they are not heard."""
        if self._told_before is None or self._agreed(identity) is not None or identity in self._looking:
            return
        self._known.discard(identity)
        self._looking[identity] = asyncio.Event()
        self._run(self._look(identity, self._told_before), name=f"consent:{identity}")

    async def _look(self, identity: str, told_before: ToldBefore) -> None:
        looked, agreed = self._looking[identity], None
        try:
            while self._agreed(identity) is None:
                try:
                    agreed = await told_before(identity)
                    break
                except PortError as error:
                    log.warning("earlier_consent_unknown", participant=identity, error=str(error))
                if not looked.is_set():
                    self._say(self._rule.wording("unknown", ""), identity)
                    self.changed(identity)  # a room that asks for their sound already does so no more
                    looked.set()
                await asyncio.sleep(LOOK_AGAIN_S)
            self._known.add(identity)
            if agreed is not None and self._agreed(identity) is None:
                self.record(identity, agreed, "earlier")
        finally:
            del self._looking[identity]
            looked.set()
        self.changed(identity)

    def _agreed(self, identity: str) -> bool | None:
        """Whether somebody has agreed in this meeting; None: they have said neither yes nor no."""
        return self._session.manager.meeting.attendance.agreed(identity)

    def _say(self, text: str, to: str) -> None:
        self._run(self._session.outlet.say(text, to=to), name="consent-notice")


def _language_shown(line: str) -> str | None:
    """Read in which language somebody writes, `ko` or `en`; None where their line does not show it."""
    if has_hangul(line):
        return "ko"
    shows_none = not bare(line) or is_slash_command(unquoted(line)) or is_of_any_language(line)
    return None if shows_none else "en"
