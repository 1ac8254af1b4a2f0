"""SIGKILL in a real room in which Korean and English are spoken: what of it is lost, doubled, or heard worse.

Two people say recorded lines by turns, into the product's own speech engine. The holder's job (with `--main`
its worker's main process, too) is killed at moments drawn from the seed, first without a standby, then with
one. Afterwards each line that was said is compared with what the record has of its speaker at that time:
those at a seam with the same lines elsewhere, so that a line that the engine finds hard counts in both.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.acceptance.lines import EN, KO, Line, line
from tests.acceptance.scoring import align, norm
from tests.acceptance.stack import Play, Stack, until
from tests.chaos.fleet import Fleet, fleet
from tests.chaos.report import Report, percentile, progress
from tests.chaos.takeover import Death, Room
from tests.fakes.players import Player
from worker.clock import monotonic_s, now_utc
from worker.ports import MeetingRow

UNHEARD_S: Final = 8.0
NO_WORSE: Final = 0.03
"""Character errors at a seam above those of the same lines elsewhere: what an engine's own moods come to."""
_LINES: Final = {EN: (0, 1, 6, 8, 10, 13), KO: (1, 4, 6, 8, 11, 18)}
_PAUSE_S: Final = 1.2
_SPREAD_S: Final = 6.0
"""Deaths fall into so much time: a line of either, and the pauses."""
_BEFORE_S: Final = 60.0
"""What was said so shortly before a death and was no text yet is at the seam: a busy engine takes its time."""
_STANDING_S: Final = 5.0
"""A standby has been in the room for so long: what it was there for, it has."""
_SLACK_MS: Final = 400
_LAST_WORDS_S: Final = 120.0


@dataclass
class Said:
    """One line, said once. Moments on the monotonic clock."""

    who: str
    line: Line
    start_s: float
    end_s: float
    heard: list[dict[str, Any]] = field(default_factory=list)
    """The record's utterances of it."""
    unheard_s: float = 0.0
    """How much of the time in which it was said no utterance covers."""
    shown_s: float = float("inf")
    """When the first of its text was read in the room."""
    gap: bool = False
    """The record says that something of its speaker was not heard at that time."""

    @property
    def lost(self) -> bool:
        """Nothing of it is on the record."""
        return not self.heard

    @property
    def errors(self) -> int:
        """Wrong characters."""
        said = " ".join(u["text"] for u in sorted(self.heard, key=lambda u: int(u["start_ms"])))
        return align(norm(self.line.text), norm(said))[0]

    def at_seam(self, death: Death) -> bool:
        """Was it being said, or did it wait for its text, while nobody held the meeting?"""
        begun = self.start_s < death.killed_s + death.lease_s
        waited = self.end_s > death.killed_s - _BEFORE_S and self.shown_s > death.killed_s
        return begun and (waited or self.end_s > death.killed_s)

    @property
    def chars(self) -> int:
        """How many characters the line has."""
        return len(norm(self.line.text))


class Conversation:
    """Two people who take turns, each in a language, until cancelled."""

    def __init__(self, play: Play, players: dict[Path, Player], dice: Random) -> None:
        self._play, self._players, self._dice = play, players, dice
        self.said: list[Said] = []

    async def run(self) -> None:
        """A line of the one, a line of the other."""
        stage = self._play.stage
        at_s, left = stage.now_s + 0.5, dict[Path, list[int]]()
        while True:
            for folder, player in self._players.items():
                if not left.get(folder):
                    left[folder] = self._dice.sample(_LINES[folder], len(_LINES[folder]))
                spoken = line(folder, left[folder].pop())
                player.say(spoken.pcm, at_s)
                start_s = monotonic_s() + at_s - stage.now_s
                self.said.append(Said(player.identity, spoken, start_s, start_s + spoken.length_s))
                at_s += spoken.length_s + _PAUSE_S
                await stage.until(at_s - 0.5)


class TalkingRoom(Room):
    """A room as for `takeover`, with somebody standing by only when that one listens, and elsewhere."""

    spread_s = _SPREAD_S

    async def held(self) -> MeetingRow:
        """See `Room.held`; a standby has been in the room for some time."""
        row = await super().held()
        if not self.standby:
            return row
        await until(self._guarded, "a standby in another worker, in the room")
        await asyncio.sleep(_STANDING_S)
        return await super().held()

    async def _guarded(self) -> bool:
        row = await self.play.stack.row(self.play.meeting_id)
        apart = row.holder and row.standby and not row.holder.same_worker(row.standby)
        others = self.player.room.remote_participants.values()
        return bool(apart) and any(p.attributes.get("moim.standby") == "1" for p in others)


@dataclass
class Outcome:
    """What a meeting came to."""

    deaths: list[Death]
    said: list[Said]
    document: dict[str, Any]
    gaps_s: list[float]
    """Per takeover that left one: the longest gap of anybody."""
    doubled: list[str]

    @property
    def seams(self) -> list[Said]:
        """Lines that were said, or waited for their text, when a holder died, or before another held."""
        return [said for said in self.said if any(said.at_seam(death) for death in self.deaths)]


def judged(
    deaths: list[Death], said: list[Said], document: dict[str, Any], shown_s: dict[int | None, float]
) -> Outcome:
    """Give each utterance to the line that it was, by speaker and time. `shown_s`: utterance → first read."""
    zero_s = (
        monotonic_s()
        - (now_utc() - datetime.fromisoformat(document["meeting"]["started_at"])).total_seconds()
    )
    for utterance in document["utterances"]:
        start_s, end_s = (zero_s + utterance[name] / 1000 for name in ("start_ms", "end_ms"))
        own = [s for s in said if s.who == utterance["speaker"]]
        best = max(own, key=lambda s: min(s.end_s, end_s) - max(s.start_s, start_s), default=None)
        if best is not None and min(best.end_s, end_s) - max(best.start_s, start_s) > -1.0:
            best.heard.append(utterance)
    for one in said:
        spans = [(zero_s + u["start_ms"] / 1000, zero_s + u["end_ms"] / 1000) for u in one.heard]
        one.shown_s = min((shown_s.get(u["id"], one.shown_s) for u in one.heard), default=one.shown_s)
        one.unheard_s = _uncovered_s(one.start_s, one.end_s, spans)
        one.gap = any(
            gap["participant"] == one.who
            and zero_s + gap["start_ms"] / 1000 < one.end_s
            and zero_s + gap["end_ms"] / 1000 > one.start_s
            for gap in document["gaps"]
        )
    gaps: dict[int, float] = {}
    for gap in document["gaps"]:
        if gap["reason"] == "takeover":
            at = min(
                range(len(deaths)), key=lambda n: abs(deaths[n].killed_s - zero_s - gap["start_ms"] / 1000)
            )
            gaps[at] = max(gaps.get(at, 0.0), (gap["end_ms"] - gap["start_ms"]) / 1000)
    return Outcome(deaths, said, document, list(gaps.values()), _doubled(document["utterances"]))


def _uncovered_s(start_s: float, end_s: float, spans: Sequence[tuple[float, float]]) -> float:
    slack_s = _SLACK_MS / 1000
    missing, at_s = 0.0, start_s + slack_s
    for begin, end in sorted(spans):
        missing += max(0.0, min(begin, end_s - slack_s) - at_s)
        at_s = max(at_s, end)
    return missing + max(0.0, end_s - slack_s - at_s)


def _doubled(utterances: list[dict[str, Any]]) -> list[str]:
    """Two utterances of one speaker that are, for the most part, of the same time."""
    found: list[str] = []
    for n, one in enumerate(utterances):
        for other in utterances[n + 1 :]:
            both = min(one["end_ms"], other["end_ms"]) - max(one["start_ms"], other["start_ms"])
            shorter = min(u["end_ms"] - u["start_ms"] for u in (one, other))
            if one["speaker"] == other["speaker"] and both > shorter / 2:
                found.append(f"{one['id']}: {one['text']} / {other['id']}: {other['text']}")
    return found


# ---- the command ----------------------------------------------------------------------------------------


async def run(args: argparse.Namespace) -> Report:
    """The experiment: a meeting without a standby, and one with."""
    report = Report("kills", args.seed)
    async with fleet({"EMBED_ENGINE": "none"}, keep_logs=args.keep_logs) as (stack, directory):
        two = Fleet(stack, directory, livekit_url=None)
        await two.keep_second()
        for standby in (False, True):
            _tell(report, await _meeting(two, args, standby=standby), standby=standby)
    return report


async def _meeting(two: Fleet, args: argparse.Namespace, *, standby: bool) -> Outcome:
    stack: Stack = two.stack
    dice, deaths = Random(args.seed), list[Death]()
    async with stack.play("kills", standby=standby) as play:
        stage = play.stage
        players = {EN: stage.player("alice", "Alice Moreau"), KO: stage.player("minji", "김민지")}
        for player in players.values():
            await player.join()
        await play.moim_hears(players[EN])
        stage.begin()
        conversation = Conversation(play, players, dice)
        talking = asyncio.ensure_future(conversation.run())
        room = TalkingRoom(two, play, players[EN], standby=standby)
        try:
            for number in range(args.count or 10):
                victim = "main" if args.main and number % 2 else "job"
                death = await room.die(victim, dice)
                deaths.append(death)
                progress(
                    f"{number + 1}{' (standby)' if standby else ''}: {victim} killed: lease {death.lease_s:.1f} s, "
                    f"text {death.text_s:.1f} s {death.lost or ''} {death.changed or ''}"
                )
            await room.text_after(monotonic_s())
        finally:
            talking.cancel()
        said = [one for one in conversation.said if one.end_s < monotonic_s()]
        document = await _settled(stack, play)
        shown_s: dict[int | None, float] = {}
        for final in players[EN].finals:
            shown_s.setdefault(final.utterance, final.received_s)
    return judged(deaths, said, document, shown_s)


async def _settled(stack: Stack, play: Play) -> dict[str, Any]:
    """The document, once nothing has been added to it for a while."""
    end_s, count, since_s = monotonic_s() + _LAST_WORDS_S, -1, monotonic_s()
    while True:
        document = await stack.document(play.meeting_id)
        if len(document["utterances"]) != count:
            count, since_s = len(document["utterances"]), monotonic_s()
        if monotonic_s() - since_s > 8 or monotonic_s() > end_s:
            return document
        await asyncio.sleep(1)


def _tell(report: Report, out: Outcome, *, standby: bool) -> None:
    with_ = "with a standby" if standby else "without a standby"
    seams = out.seams
    elsewhere = [said for said in out.said if said not in seams]
    acknowledged = sum(len(death.lost) for death in out.deaths)
    report.say(f"deaths {with_}", len(out.deaths))
    report.exactly("  acknowledged utterances lost or changed", acknowledged, 0)
    report.exactly("  utterances doubled", len(out.doubled), 0)
    report.exactly(
        "  deaths after which the context was not equal", sum(bool(d.changed) for d in out.deaths), 0
    )
    report.say("  lines said, at seams", f"{len(out.said)}, {len(seams)}")
    lost, lost_elsewhere = ([s for s in of if s.lost] for of in (seams, elsewhere))
    report.say("  lines lost elsewhere", len(lost_elsewhere))
    texts = [death.text_s for death in out.deaths]
    report.say(
        "  kill to first new final, median / longest", f"{percentile(texts, 0.5):.1f} / {max(texts):.1f}", "s"
    )
    report.say("  gaps of takeovers", len(out.gaps_s))
    if standby:
        report.exactly("  lines lost at seams", len(lost), 0)
        report.say("  taken over by the standby", sum(death.by_standby for death in out.deaths))
        at_seams, same, lines = _compared(seams, elsewhere)
        report.say("  lines at seams that were said elsewhere, too", lines)
        report.say("  character errors of the same lines elsewhere", same)
        report.say("  character errors at seams", at_seams)
        report.at_most("  the one above the other", at_seams - same, NO_WORSE)
    else:
        report.say("  lines lost at seams", len(lost))
        report.at_most("  longest gap of a takeover", max(out.gaps_s, default=0.0), UNHEARD_S, "s")
        unheard = [_unheard_s(death, out) for death in out.deaths]
        report.say("  speech without text, a death: median", percentile(unheard, 0.5), "s")
        report.at_most("  speech without text, a death: longest", max(unheard, default=0.0), UNHEARD_S, "s")
    report.exactly("  lines lost that no gap tells of", sum(not s.gap for s in (*lost, *lost_elsewhere)), 0)
    for one in (*lost, *lost_elsewhere):
        report.note(f"{with_}: lost{'' if one.gap else ', no gap'}: {one.who}: {one.line.text}")
    for what in out.doubled:
        report.note(f"{with_}: doubled: {what}")
    for death in out.deaths:
        if death.lost or death.changed:
            report.note(f"{with_}: {death.victim}: lost {death.lost[:3]}, changed {death.changed}")


def _unheard_s(death: Death, out: Outcome) -> float:
    """What this death cost: a line counts for the first that found it without text."""
    first = ((said, next(d for d in out.deaths if said.at_seam(d))) for said in out.seams)
    return sum(said.unheard_s for said, cause in first if cause is death)


def _compared(seams: list[Said], elsewhere: list[Said]) -> tuple[float, float, int]:
    """Character errors at seams, what the same lines have elsewhere (their median), and of how many lines."""
    here = there = chars = 0.0
    lines = 0
    for said in seams:
        same = [other.errors for other in elsewhere if other.line is said.line and not other.lost]
        if same:
            here += said.errors
            there += percentile(same, 0.5)
            chars += said.chars
            lines += 1
    return (round(here / chars, 4), round(there / chars, 4), lines) if chars else (0.0, 0.0, 0)
