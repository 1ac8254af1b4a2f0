"""Who speaks how much, asks, interrupts, answers whom, and the roles that follow (seed 000 §10.2.6).

The seed's rule goes by shares: who mostly asks is the facilitator. Of most meetings whoever chairs asks less
than that, but opens it and announces its topics; who would be a participant by the shares and leads so is
the facilitator, too.

Simultaneous speech, grouped: who began to speak at about the same time (seed 000 §5.3).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from pydantic import BaseModel, Field

from context.exchanges import OVERLAP_MS, Exchanges, Relations
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.models import Utterance
from context.window import restamp

SpeakerRole = Literal["facilitator", "presenter", "participant", "observer"]

ENOUGH_UTTERANCES: Final = 3
"""Below this nobody's role can be told: observer, with low confidence."""
_FACILITATOR_QUESTION_SHARE: Final = 0.5
_PRESENTER_WORDS: Final = 20.0
_LEADS_FROM: Final = 2
"""Topics that whoever leads has announced, at least, and more than anybody else."""
_WITNESSES: Final = 3
"""So many utterances speak for a role."""


class SpeakerStats(BaseModel):
    """One speaker's share of the meeting."""

    user_id: str
    name: str
    utterance_count: int = 0
    question_count: int = 0
    statement_count: int = 0
    total_words: int = 0
    avg_utterance_length: float = 0.0
    """Words per utterance."""
    talk_ms: int = 0
    interruptions: int = 0
    """How often this speaker began while another one was still speaking."""
    interrupted: int = 0
    nods: int = 0
    """How often this speaker only showed to follow ("네", "mm-hm"), while another one spoke."""
    answers: int = 0
    """How often this speaker answered somebody else's question."""
    first_ms: int | None = None
    last_ms: int | None = None
    asking: list[int] = Field(default_factory=list)
    """Ids of the newest questions."""
    longest: list[tuple[int, int]] = Field(default_factory=list)
    """Words and id of the longest utterances, the longest first."""


class SpeakerContext:
    """Folds utterances, one by one, into statistics per speaker. Constant work per utterance."""

    def __init__(
        self,
        max_buffer_per_speaker: int = 25,
        agent_names: Sequence[str] = DEFAULT_WAKE_WORDS,
        announced: Callable[[], Sequence[tuple[str, int]]] = tuple,
    ) -> None:
        """`announced`: who announced a topic of the meeting, and the utterance, of each in order."""
        self.max_buffer = max_buffer_per_speaker
        self.speaker_buffers: dict[str, deque[Utterance]] = {}
        self.speaker_roles: dict[str, SpeakerRole] = {}
        self.role_confidence: dict[str, float] = {}
        """0–1 for each inferred role."""
        self.interaction_matrix: dict[tuple[str, str], int] = {}
        """(previous speaker, next speaker) → how often."""
        self.answer_matrix: dict[tuple[str, str], int] = {}
        """(who asked, who answered) → how often."""
        self.speaker_stats: dict[str, SpeakerStats] = {}
        self._names: dict[str, str] = {}
        self._last: str | None = None
        self._exchanges = Exchanges(agent_names)
        self._announced = announced

    def add_utterance(self, utterance: Utterance) -> None:
        """Count one utterance, in fold order."""
        speaker = utterance.speaker_id
        stats = self.speaker_stats.get(speaker)
        if stats is None:
            stats = self.speaker_stats[speaker] = SpeakerStats(user_id=speaker, name=utterance.speaker_name)
            self.speaker_buffers[speaker] = deque(maxlen=self.max_buffer)
        self.speaker_buffers[speaker].append(utterance)
        self._names[speaker] = utterance.speaker_name
        relations = self._exchanges.hear(utterance, self._names)
        self._count(stats, utterance, asks=relations.asks)
        self._relate(stats, relations)
        if self._last is not None and self._last != speaker:
            pair = (self._last, speaker)
            self.interaction_matrix[pair] = self.interaction_matrix.get(pair, 0) + 1
        self._last = speaker

    def _count(self, stats: SpeakerStats, utterance: Utterance, *, asks: bool) -> None:
        # Into the fields at once: through the model's own assignment, each of the eight costs a microsecond.
        fields = stats.__dict__
        words = len(utterance.text.split())
        count, total = stats.utterance_count + 1, stats.total_words + words
        fields["utterance_count"] = count
        fields["total_words"] = total
        fields["avg_utterance_length"] = total / count
        fields["talk_ms"] += max(0, utterance.end_ms - utterance.start_ms)
        fields["question_count" if asks else "statement_count"] += 1
        if stats.first_ms is None or utterance.start_ms < stats.first_ms:
            fields["first_ms"] = utterance.start_ms
        if stats.last_ms is None or utterance.end_ms > stats.last_ms:
            fields["last_ms"] = utterance.end_ms
        if asks:
            fields["asking"] = [*stats.asking, utterance.id][-_WITNESSES:]
        if len(stats.longest) < _WITNESSES or words > stats.longest[-1][0]:
            longest = sorted([*stats.longest, (words, utterance.id)], key=lambda at: (-at[0], at[1]))
            fields["longest"] = longest[:_WITNESSES]

    def _relate(self, stats: SpeakerStats, relations: Relations) -> None:
        stats.__dict__["nods"] += relations.nods
        if relations.cuts_in_on:
            stats.interruptions += 1
        for other in relations.cuts_in_on:
            self.speaker_stats[other].interrupted += 1
        for other in relations.cut_in_by:
            stats.interrupted += 1
            self.speaker_stats[other].interruptions += other in relations.newly_cutting
        for asker in relations.answers:
            pair = (asker, stats.user_id)
            self.answer_matrix[pair] = self.answer_matrix.get(pair, 0) + 1
            stats.answers += 1

    def infer_roles(self) -> dict[str, SpeakerRole]:
        """The role of everyone who spoke; `role_confidence` is brought up to date beside it."""
        inferred = {user_id: self._role(stats) for user_id, stats in self.speaker_stats.items()}
        self.speaker_roles = {user_id: role for user_id, (role, _) in inferred.items()}
        self.role_confidence = {user_id: confidence for user_id, (_, confidence) in inferred.items()}
        return dict(self.speaker_roles)

    def _role(self, stats: SpeakerStats) -> tuple[SpeakerRole, float]:
        by_shares = infer_role(stats)
        if by_shares[0] != "participant" or not (led := self._led(stats.user_id)):
            return by_shares
        share = len(led) / len(self._announced()) * min(1.0, len(led) / _LEADS_FROM)
        return "facilitator", round(_evidence(stats.utterance_count) * share, 3)

    def _led(self, user_id: str) -> list[int]:
        """Where somebody announced topics who opened the meeting and leads it; else nowhere.

        Who leads announced more than anybody else, and two at least; or as many as anybody, and asks most.
        """
        if user_id != next(iter(self.speaker_stats)):
            return []
        announced = self._announced()
        counts = Counter(by for by, _ in announced)
        own = counts.pop(user_id, 0)
        most = max(counts.values(), default=0)
        asked = {speaker: stats.question_count for speaker, stats in self.speaker_stats.items()}
        asks_most = asked.pop(user_id) > max(asked.values(), default=0)
        if not (own > most and own >= _LEADS_FROM) and not (own and own >= most and asks_most):
            return []
        return [number for by, number in announced if by == user_id]

    def answers_by(self, user_id: str) -> dict[str, int]:
        """Whose questions somebody answered, and how often; whoever was answered most first."""
        found = {asker: count for (asker, by), count in self.answer_matrix.items() if by == user_id}
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def role_evidence(self, user_id: str) -> tuple[int, ...]:
        """Ids of the utterances that speak for a role: questions, announcements, long speeches, or all."""
        stats = self.speaker_stats.get(user_id)
        if stats is None:
            return ()
        match self._role(stats)[0]:
            case "facilitator" if infer_role(stats)[0] == "participant":
                return tuple(self._led(user_id)[-_WITNESSES:])
            case "facilitator":
                return tuple(stats.asking)
            case "observer":
                return tuple(sorted(number for _, number in stats.longest))
            case _:
                return tuple(number for _, number in stats.longest)

    def restamp(self, archive: Sequence[Utterance], since: int) -> None:
        """Show the buffered utterances from `since` on as the archive has them now."""
        for buffer in self.speaker_buffers.values():
            restamp(buffer, archive, since)

    def dump(self) -> dict[str, Any]:
        """For the snapshot: the buffers as ids."""
        return {
            "stats": [stats.model_dump(mode="json") for stats in self.speaker_stats.values()],
            "buffers": {speaker: [u.id for u in buffer] for speaker, buffer in self.speaker_buffers.items()},
            "interactions": [[a, b, n] for (a, b), n in self.interaction_matrix.items()],
            "answers": [[a, b, n] for (a, b), n in self.answer_matrix.items()],
            "last": self._last,
            "exchanges": self._exchanges.dump(),
        }

    def load(self, dumped: dict[str, Any], archive: list[Utterance]) -> None:
        """From the snapshot and the archive."""
        self.speaker_stats = {s["user_id"]: SpeakerStats.model_validate(s) for s in dumped["stats"]}
        self.speaker_buffers = {
            speaker: deque((archive[i - 1] for i in ids), maxlen=self.max_buffer)
            for speaker, ids in dumped["buffers"].items()
        }
        self.interaction_matrix = {(a, b): n for a, b, n in dumped["interactions"]}
        self.answer_matrix = {(a, b): n for a, b, n in dumped["answers"]}
        self._names = {
            speaker: buffer[-1].speaker_name for speaker, buffer in self.speaker_buffers.items() if buffer
        }
        if "exchanges" in dumped:
            self._last = dumped["last"]
            self._exchanges.load(dumped["exchanges"], archive)
        else:  # taken before exchanges were kept: the newest speaker is known, open questions are not
            self._last = archive[dumped["last"] - 1].speaker_id if dumped["last"] else None


def infer_role(stats: SpeakerStats) -> tuple[SpeakerRole, float]:
    """A role in the seed's order, and how sure that is: more utterances and a clearer margin, more sure."""
    count = stats.utterance_count
    if count < ENOUGH_UTTERANCES:
        return "observer", round(0.1 * count, 3)
    evidence = _evidence(count)
    question_share = stats.question_count / count
    if question_share > _FACILITATOR_QUESTION_SHARE:
        return "facilitator", round(
            evidence * min(1.0, 0.5 + question_share - _FACILITATOR_QUESTION_SHARE), 3
        )
    if stats.avg_utterance_length > _PRESENTER_WORDS:
        margin = stats.avg_utterance_length / _PRESENTER_WORDS - 1
        return "presenter", round(evidence * min(1.0, 0.5 + margin), 3)
    distance = min(
        _FACILITATOR_QUESTION_SHARE - question_share, 1 - stats.avg_utterance_length / _PRESENTER_WORDS
    )
    return "participant", round(evidence * min(1.0, 0.5 + distance), 3)


def _evidence(count: int) -> float:
    """How much so many utterances tell, below 1."""
    return count / (count + 5)


WINDOW_MS: Final = 2_000
"""The seed's two seconds: utterances that begin within this of the group's first belong together."""


def simultaneous(utterances: Sequence[Utterance], window_ms: int = WINDOW_MS) -> list[tuple[Utterance, ...]]:
    """Groups of two or more utterances by different people, in order of time; nothing for a window of 0.

    Each utterance of a group begins within `window_ms` of its first and overlaps with one of those before it
    by half a second or more: a quick answer is no simultaneous speech, and cutting in on a long
    speech is an interruption. No utterance is in two groups.
    """
    groups: list[tuple[Utterance, ...]] = []
    group: list[Utterance] = []
    for utterance in sorted(utterances, key=lambda u: (u.start_ms, u.id)) if window_ms > 0 else ():
        close = group and utterance.start_ms - group[0].start_ms <= window_ms
        if close and any(_together_ms(other, utterance) >= OVERLAP_MS for other in group):
            group.append(utterance)
            continue
        groups.extend(_kept(group))
        group = [utterance]
    groups.extend(_kept(group))
    return groups


def _together_ms(one: Utterance, other: Utterance) -> int:
    return min(one.end_ms, other.end_ms) - max(one.start_ms, other.start_ms)


def _kept(group: Sequence[Utterance]) -> list[tuple[Utterance, ...]]:
    return [tuple(group)] if len({utterance.speaker_id for utterance in group}) > 1 else []
