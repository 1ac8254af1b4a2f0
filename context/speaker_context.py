"""Statistics of the speakers and the roles inferred from them (seed 000 §10.2.6); simultaneous speech (§5.3).

The seed's rule goes by shares: whoever mostly asks is the facilitator. In most meetings the chair asks less
than that, but opens the meeting and announces its topics; whom the shares call a participant and who leads
in this way is the facilitator, too.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from pydantic import BaseModel, Field

from context.language.addressing import DEFAULT_WAKE_WORDS
from context.models import Utterance
from context.people.exchanges import CUT_IN_MS, Exchanges, Relations

SpeakerRole = Literal["facilitator", "presenter", "participant", "observer"]

ENOUGH_UTTERANCES: Final = 3
"""With fewer utterances a speaker is an observer, with low confidence."""
_FACILITATOR_QUESTION_SHARE: Final = 0.5
_PRESENTER_WORDS: Final = 20.0
_LEADER_TOPICS: Final = 2
"""Least number of topics that a leader has announced, if it is more than anybody else has."""
_MOST_EVIDENCE: Final = 3
"""Most utterances that are kept as evidence for a role."""


class SpeakerStats(BaseModel):
    """Statistics of one speaker, named as in seed 000 (§10.2.6)."""

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
    """How often another one began while this speaker was still speaking."""
    nods: int = 0
    """How often this speaker only said "네", "mm-hm" or the like while another one spoke."""
    answers: int = 0
    """How often this speaker answered somebody else's question."""
    first_ms: int | None = None
    """When the first utterance began; None before it."""
    last_ms: int | None = None
    """When the last utterance ended."""
    asking: list[int] = Field(default_factory=list)
    """Ids of the newest questions."""
    longest: list[tuple[int, int]] = Field(default_factory=list)
    """(words, id) of the longest utterances, the longest first."""

    def count(self, utterance: Utterance, *, asks: bool) -> None:
        """Count an utterance of this speaker; `asks`: whether it is a question."""
        words = len(utterance.text.split())
        self.utterance_count += 1
        self.total_words += words
        self.avg_utterance_length = self.total_words / self.utterance_count
        self.talk_ms += max(0, utterance.end_ms - utterance.start_ms)
        first, last = self.first_ms, self.last_ms
        self.first_ms = utterance.start_ms if first is None else min(first, utterance.start_ms)
        self.last_ms = utterance.end_ms if last is None else max(last, utterance.end_ms)
        if asks:
            self.question_count += 1
            self.asking = [*self.asking, utterance.id][-_MOST_EVIDENCE:]
        else:
            self.statement_count += 1
        longest = sorted([*self.longest, (words, utterance.id)], key=lambda at: (-at[0], at[1]))
        self.longest = longest[:_MOST_EVIDENCE]


class SpeakerContext:
    """Seed 000's `SpeakerContext`: statistics and roles of all speakers; constant work per utterance.

    A turn whose words were taken out has its place and its length, and nothing that its words said: it asks
    and answers nothing, and nobody follows upon it.
    """

    def __init__(
        self,
        max_buffer_per_speaker: int = 25,
        agent_names: Sequence[str] = DEFAULT_WAKE_WORDS,
        announced: Callable[[], Sequence[tuple[str, int]]] = tuple,
        archive: list[Utterance] | None = None,
    ) -> None:
        """`announced`: gives (speaker, utterance) of each topic that somebody announced, in order.

        `archive`: a meeting's utterances, which `catch_up` counts; by default a list of its own.
        """
        self.max_buffer = max_buffer_per_speaker
        self.counted = 0
        """How many utterances of the archive are counted."""
        self.speaker_roles: dict[str, SpeakerRole] = {}
        """Speaker → their role, as of the last `infer_roles`."""
        self.role_confidence: dict[str, float] = {}
        """Speaker → how sure their role is, 0–1, as of the last `infer_roles`."""
        self.interaction_matrix: Counter[tuple[str, str]] = Counter()
        """(previous speaker, next speaker) → how often."""
        self.answer_matrix: Counter[tuple[str, str]] = Counter()
        """(who asked, who answered) → how often."""
        self.speaker_stats: dict[str, SpeakerStats] = {}
        self._names: dict[str, str] = {}
        self._last: str | None = None
        self._exchanges = Exchanges(agent_names)
        self._announced = announced
        self._archive = [] if archive is None else archive

    @property
    def speaker_buffers(self) -> dict[str, deque[Utterance]]:
        """Speaker → their newest utterances, oldest first: made of the archive for whoever asks."""
        buffers: dict[str, deque[Utterance]] = {}
        for said in self._archive:
            buffers.setdefault(said.speaker_id, deque(maxlen=self.max_buffer)).append(said)
        return buffers

    def add_utterance(self, utterance: Utterance) -> None:
        """Put one utterance behind the archive, and count it."""
        self._archive.append(utterance)
        self.catch_up()

    def catch_up(self) -> None:
        """Count the utterances of the archive that are not counted yet, in fold order."""
        for utterance in self._archive[self.counted :]:
            self._count(utterance)
        self.counted = len(self._archive)

    def _count(self, utterance: Utterance) -> None:
        speaker = utterance.speaker_id
        stats = self.speaker_stats.get(speaker)
        if stats is None:
            stats = self.speaker_stats[speaker] = SpeakerStats(user_id=speaker, name=utterance.speaker_name)
        self._names[speaker] = utterance.speaker_name
        relations = self._exchanges.hear(utterance, self._names)
        stats.count(utterance, asks=relations.asks)
        self._relate(stats, relations)
        if utterance.text and self._last is not None and self._last != speaker:
            self.interaction_matrix[self._last, speaker] += 1
        self._last = speaker if utterance.text else None

    def called(self, speaker: str, name: str) -> None:
        """Take the name under which a speaker is shown from now on; who has not spoken is passed over."""
        if (stats := self.speaker_stats.get(speaker)) is not None:
            stats.name = self._names[speaker] = name

    def _relate(self, stats: SpeakerStats, relations: Relations) -> None:
        stats.nods += relations.nods
        stats.interruptions += bool(relations.cuts_in_on)
        for other in relations.cuts_in_on:
            self.speaker_stats[other].interrupted += 1
        for other in relations.cut_in_by:
            stats.interrupted += 1
            self.speaker_stats[other].interruptions += other in relations.newly_cutting
        for asker in relations.answers:
            self.answer_matrix[asker, stats.user_id] += 1
            stats.answers += 1

    def infer_roles(self) -> dict[str, SpeakerRole]:
        """Infer the role of all who spoke; gives a copy of `speaker_roles`, and updates `role_confidence`."""
        for user_id, stats in self.speaker_stats.items():
            self.speaker_roles[user_id], self.role_confidence[user_id] = self._role(stats)
        return dict(self.speaker_roles)

    def _role(self, stats: SpeakerStats) -> tuple[SpeakerRole, float]:
        role, confidence = infer_role(stats)
        if role != "participant" or not (led := self._led(stats.user_id)):
            return role, confidence
        share = len(led) / len(self._announced()) * min(1.0, len(led) / _LEADER_TOPICS)
        return "facilitator", round(_evidence(stats.utterance_count) * share, 3)

    def _led(self, user_id: str) -> list[int]:
        """Ids of the utterances with which the leader announced topics; [] for all others.

        The leader spoke first, and announced two topics at least and more than anybody else; or as many as
        anybody, and asks more than anybody else.
        """
        if user_id != next(iter(self.speaker_stats)):
            return []
        announced = self._announced()
        counts = Counter(by for by, _ in announced)
        own = counts.pop(user_id, 0)
        most = max(counts.values(), default=0)
        asked = {speaker: stats.question_count for speaker, stats in self.speaker_stats.items()}
        asks_most = asked.pop(user_id) > max(asked.values(), default=0)
        announces_most = own > most and own >= _LEADER_TOPICS
        announces_and_asks = own > 0 and own >= most and asks_most
        if not (announces_most or announces_and_asks):
            return []
        return [number for by, number in announced if by == user_id]

    def answers_by(self, user_id: str) -> dict[str, int]:
        """Asker → how often `user_id` answered their questions, the most often answered first."""
        return _before(user_id, self.answer_matrix)

    def follows(self, user_id: str) -> dict[str, int]:
        """Speaker → how often `user_id` spoke right after them, the most often followed first."""
        return _before(user_id, self.interaction_matrix)

    def role_evidence(self, user_id: str) -> tuple[int, ...]:
        """Ids of utterances that show why a speaker has their role; () for an unknown id.

        A facilitator's questions or announcements, else the longest utterances; at most `_MOST_EVIDENCE`.
        """
        stats = self.speaker_stats.get(user_id)
        if stats is None:
            return ()
        by_shares = infer_role(stats)[0]
        if by_shares == "facilitator":
            return tuple(stats.asking)
        led = self._led(user_id) if by_shares == "participant" else []
        if led:
            return tuple(led[-_MOST_EVIDENCE:])
        longest = [number for _, number in stats.longest]
        return tuple(sorted(longest) if by_shares == "observer" else longest)

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able, utterances as ids; `load` takes it back."""
        return {
            "stats": [stats.model_dump(mode="json") for stats in self.speaker_stats.values()],
            "interactions": [[a, b, n] for (a, b), n in self.interaction_matrix.items()],
            "answers": [[a, b, n] for (a, b), n in self.answer_matrix.items()],
            "last": self._last,
            "exchanges": self._exchanges.dump(),
        }

    def load(self, dumped: dict[str, Any], archive: list[Utterance]) -> None:
        """Take the state from a snapshot into a fresh object; `archive`: all utterances, all counted."""
        self._archive, self.counted = archive, len(archive)
        self.speaker_stats = {s["user_id"]: SpeakerStats.model_validate(s) for s in dumped["stats"]}
        self._names = {said.speaker_id: said.speaker_name for said in archive}
        self.interaction_matrix = Counter({(a, b): n for a, b, n in dumped["interactions"]})
        self.answer_matrix = Counter({(a, b): n for a, b, n in dumped["answers"]})
        self._last = dumped["last"]
        self._exchanges.load(dumped["exchanges"], archive)


def _before(user_id: str, matrix: Mapping[tuple[str, str], int]) -> dict[str, int]:
    """Who stands in `matrix` before somebody, and how often, the most often first."""
    found = {other: count for (other, who), count in matrix.items() if who == user_id}
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def infer_role(stats: SpeakerStats) -> tuple[SpeakerRole, float]:
    """The role by seed 000's shares, and how sure it is, 0–1: by number of utterances and margin."""
    count = stats.utterance_count
    if count < ENOUGH_UTTERANCES:
        return "observer", round(0.1 * count, 3)
    asked = stats.question_count / count - _FACILITATOR_QUESTION_SHARE
    long = stats.avg_utterance_length / _PRESENTER_WORDS - 1
    role: SpeakerRole = "participant"
    margin = min(-asked, -long)
    if asked > 0:
        role, margin = "facilitator", asked
    elif long > 0:
        role, margin = "presenter", long
    return role, round(_evidence(count) * min(1.0, 0.5 + margin), 3)


def _evidence(count: int) -> float:
    """How far `count` utterances are enough to tell a role: 0 for none, towards 1 for many."""
    return count / (count + 5)


SIMULTANEOUS_WINDOW_MS: Final = 2_000
"""Seed 000's two seconds (§5.3): utterances that begin within this of the group's first belong together."""


def simultaneous(utterances: Sequence[Utterance]) -> list[tuple[Utterance, ...]]:
    """Groups of two or more utterances by different speakers, in order of time.

    Each utterance of a group begins within `SIMULTANEOUS_WINDOW_MS` of the group's first and overlaps with
    one before it by `CUT_IN_MS` or more: a quick answer is no simultaneous speech, and cutting in on a long
    speech is an interruption. No utterance is in two groups.
    """
    groups: list[list[Utterance]] = [[]]
    for said in sorted(utterances, key=lambda u: (u.start_ms, u.id)):
        group = groups[-1]
        close = group and said.start_ms - group[0].start_ms <= SIMULTANEOUS_WINDOW_MS
        if close and any(min(o.end_ms, said.end_ms) - said.start_ms >= CUT_IN_MS for o in group):
            group.append(said)
        else:
            groups.append([said])
    return [tuple(group) for group in groups if len({said.speaker_id for said in group}) > 1]
