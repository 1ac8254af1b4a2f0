"""The clumsy twin: it says what a strong model says, and spoils the form of one reply in five.

Over five rounds each reply is spoilt once, and the slips (`tests.fakes.clumsy`) take turns. What it brings about is
compared with what the same replies bring about unspoilt: whole answers and summaries, and single items of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from context.fold.meeting import Meeting
from tests.bench.model.accepting import Written
from tests.bench.model.endpoint import Endpoint, Replies
from tests.bench.model.meetings import GoldMeeting
from tests.bench.model.playing import play, pointed_at
from tests.bench.model.prompts import ANSWER, Sent
from tests.bench.model.recorded import Recorded
from tests.bench.model.scores import Share
from tests.fakes.clumsy import FOREIGN, SLIPS, Slip
from worker.configuration.settings import Settings

EVERY: Final = 5
_LISTS: Final = ("sentences", "key_points", "decisions", "pending")


@dataclass(slots=True)
class Clumsiness:
    """What the twin's slips cost."""

    answers: Share = field(default_factory=Share)
    """Whole answers that are still the model's."""
    verified: Share = field(default_factory=Share)
    """Whole answers that are still verified."""
    summaries: Share = field(default_factory=Share)
    """Whole summaries of topics that are still the model's."""
    cited: Share = field(default_factory=Share)
    """Utterances that right answers cite, still cited."""
    statements: Share = field(default_factory=Share)
    """Statements of the minutes that still stand, word for word."""
    repairs: int = 0
    """Replies that were sent back to be put right."""
    slips: Counter[str] = field(default_factory=Counter)
    """How often each was made."""
    notable: list[str] = field(default_factory=list)

    @property
    def items(self) -> Share:
        """Single items, of answers and of minutes."""
        return Share(
            self.cited.right + self.statements.right,
            self.cited.of + self.statements.of,
        )


@dataclass
class Twin:
    """Replies as `others` give them, one of five of each purpose with a slip."""

    language: str
    counted: Clumsiness
    round: int = 0
    others: Sequence[Replies] = ()
    _given: dict[str, str] = field(default_factory=dict)
    _replied: Counter[str] = field(default_factory=Counter)
    made: dict[str, str] = field(default_factory=dict)
    """By question, the slip that its answer had."""

    def __call__(self, prompt: Sent) -> str | None:
        """The reply, perhaps spoilt; one that is sent back is written in the same way again."""
        if len(prompt.messages) > 2 and prompt.messages[-2][0] == "assistant":
            self.counted.repairs += 1
            return self._given.get(Sent(prompt.purpose, prompt.messages[:-2]).digest)
        text = self._reply(prompt)
        if text is not None:
            self._given[prompt.digest] = text
        return text

    def _reply(self, prompt: Sent) -> str | None:
        text = self._said(prompt)
        if text is None:
            return None
        self._replied[prompt.purpose] += 1
        if self._replied[prompt.purpose] % EVERY != self.round:
            return text
        return self._spoilt(prompt, text)

    def _said(self, prompt: Sent) -> str | None:
        """The reply to a prompt without the foreign word, which says nothing else than the rest does."""
        messages = tuple((role, told.replace(f" {FOREIGN}", "")) for role, told in prompt.messages)
        plain = Sent(prompt.purpose, messages)
        return next((text for each in self.others if (text := each(plain)) is not None), None)

    def _spoilt(self, prompt: Sent, text: str) -> str:
        """With the slip that was made least often of those that change something here."""
        fitting = [slip for slip in SLIPS if prompt.purpose in slip.purposes]
        for slip in sorted(fitting, key=lambda each: self.counted.slips[each.name]):
            if (spoilt := slip.make(text, self.language)) != text:
                self._note(slip, prompt)
                return spoilt
        return text

    def _note(self, slip: Slip, prompt: Sent) -> None:
        self.counted.slips[slip.name] += 1
        if prompt.purpose == ANSWER:
            self.made[prompt.block("question")] = slip.name


async def clumsily(gold: GoldMeeting, settings: Settings, folder: Path, counted: Clumsiness) -> None:
    """The meeting once as it should be, and five times with the twin; `folder`: of recorded replies."""
    thread = settings.thread.model_copy(update={"enabled": False})
    settings = settings.model_copy(update={"thread": thread})
    twin = Twin(gold.language, counted, round=-1)
    right = await _played(gold, settings, folder, twin)
    for twin.round in range(EVERY):
        twin.made.clear()
        clumsy = await _played(gold, settings, folder, twin)
        _compare(gold, right, clumsy, twin)


async def _played(gold: GoldMeeting, settings: Settings, folder: Path, twin: Twin) -> Meeting:
    # What is written of a claim or an utterance holds for prompts that a slip has changed, too.
    twin.others = (Recorded(folder), Written(gold, "honest"))
    async with Endpoint(replies=(twin,)) as endpoint:
        return await play(gold, pointed_at(endpoint, settings), [each.text for each in gold.questions])


def _compare(gold: GoldMeeting, right: Meeting, clumsy: Meeting, twin: Twin) -> None:
    counted, asked = twin.counted, len(gold.questions)
    for was, now in zip(right.replies[-asked:], clumsy.replies[-asked:], strict=True):
        if was.degraded or was.declined:
            continue
        lost = now.degraded or now.declined
        counted.answers.count(not lost)
        if was.run is not None and was.run.verified:
            counted.verified.count(now.run is not None and now.run.verified is True)
        cited = () if lost else now.evidence
        for id_ in was.evidence:
            counted.cited.count(id_ in cited)
        if lost or not set(was.evidence) <= set(cited):
            slip = twin.made.get(was.question, "a slip elsewhere")
            counted.notable.append(f"{gold.id}: {slip}: {was.question} → {now.text!r}")
    for old, new in zip(right.segments, clumsy.segments, strict=False):
        if old.notes.sentences and not any(each.quoted for each in old.notes.sentences):
            counted.summaries.count(not any(each.quoted for each in new.notes.sentences))
    told, kept = _statements(right), _statements(clumsy)
    for each in sorted(told):
        counted.statements.count(each in kept)
        if each not in kept:
            counted.notable.append(f"{gold.id}: no longer in the minutes: {each}")


def _statements(meeting: Meeting) -> set[tuple[str, str]]:
    notes = [segment.notes for segment in meeting.segments]
    return {
        (kind, each.text) for each_notes in notes for kind in _LISTS for each in getattr(each_notes, kind)
    }
