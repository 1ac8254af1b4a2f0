"""The names of the design documents that no meeting of a worker uses, for whoever uses `context` alone.

`StandaloneManager` is the seed's `ContextManager` as it stands alone, and what `context` gives under that
name; `TopicDetector` asks a model with the cues, the prompt and the threshold of the worker's judge; and
`format_context_as_system_prompt` writes out a context, as `/context` of a typed meeting shows it. What a
worker's model gets is another text (decision 0001).

Of seed 004, which is about a research tool, there are its agents, its two workflows, its split of a window
and its cache: a meeting has producers and workflows of its own, and what outlives it is kept as passages
(`budgets.topic_notes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, Final

from pydantic import AwareDatetime

from context.budgets.allocation import AGENT_OUTPUTS, as_output
from context.budgets.cache_tiers import CACHE_LEVELS, CacheTier
from context.budgets.output import AgentOutput, CompressionLevel, VsLevel
from context.budgets.tokens import ExactTokenizer, fit
from context.budgets.workflows import Workflow, WorkflowStage
from context.builder import JOINT_TOKENS, WORDS, cost_of, newest, topic_lines
from context.config import ContextConfig
from context.events.effects import ScoreTopics, Summarise
from context.events.events import Event, MeetingStarted, spoken
from context.events.topic_events import SummaryReady
from context.fold.meeting import Meeting
from context.fold.meeting_state import moment_of
from context.language.edits import edit_mark
from context.manager import ContextManager
from context.models import AgentContext, Frozen, Utterance
from context.plain.facade import summarise
from context.ports import LanguageModel, MeetingStore, PortError, RecordedEvent, Snapshot, Tokenizer
from context.primitives.text import cleaned
from context.primitives.undated import dated, local
from context.prompts.json_replies import read, schema_of
from context.prompts.json_shapes import UnreadableJson
from context.retrieval.lexical import LexicalIndex
from context.topic_detector import (
    PURPOSE,
    RECENT_TURNS,
    REPLY_TOKENS,
    TopicChangeResult,
    TopicVerdict,
    detection_messages,
    weighed,
)
from context.topics.phrases.cues import cue_in

__all__ = [
    "FULL_RESEARCH_CYCLE",
    "META_ANALYSIS",
    "RESEARCH_AGENTS",
    "ContextBudget",
    "ContextCache",
    "StandaloneManager",
    "TopicDetector",
    "format_context_as_system_prompt",
]


class StandaloneManager(ContextManager):
    """Seed 000's `ContextManager` (§10.2.3) without a session around it.

    Summaries are written at once by the extractive engine. Where there is a store, `_sync_to_db` keeps the
    record.
    """

    def __init__(
        self,
        meeting_id: str,
        config: ContextConfig | None = None,
        *,
        store: MeetingStore | None = None,
        epoch: int = 0,
    ) -> None:
        """`store`, `epoch`: where, and as which holder, the record is kept."""
        super().__init__(meeting_id, config)
        self.seq = 0
        """Number of the newest event that was folded; 0 before the first."""
        self.unsynced: list[RecordedEvent] = []
        """Events that the store does not have yet."""
        self._store, self._epoch = store, epoch
        self._snapshot_at = 0

    @property
    def _last_summarized_utterance_id(self) -> int | None:
        return self.meeting.last_summarised

    async def add_utterance(self, utterance: Utterance) -> None:
        """Fold one utterance, whose id is assigned here, and write at once the summaries that it makes due.

        With a store it is synced every `db_sync_utterance_threshold` utterances. Raises as the store does.
        """
        if self.meeting.started_at is None:
            moment = utterance.absolute_timestamp.astimezone(UTC)
            self._fold(MeetingStarted(at=moment_of(moment, -utterance.start_ms)))
        number = len(self.meeting.utterances) + 1
        self._fold(spoken(utterance, utterance.key or f"{self.meeting_id}:{number}"))
        unsaved_utterances = len(self.meeting.utterances) - self._snapshot_at
        if self._store is not None and unsaved_utterances >= self.config.db_sync_utterance_threshold:
            await self._sync_to_db()

    def _fold(self, event: Event) -> None:
        event = cleaned(event)
        effects = self.receive(event)
        self.seq += 1
        self.unsynced.append(RecordedEvent(seq=self.seq, event=event))
        for effect in effects:
            if isinstance(effect, Summarise):
                self._fold(_summarised(effect, self.config.agent_names))
            elif isinstance(effect, ScoreTopics):
                for scored in self.meeting.changes.score():
                    if scored is not None:
                        self._fold(scored)

    async def restore_from_db(self) -> bool:
        """Take up the meeting where the store's record ends; False where it has none, or there is no store.

        Raises as `MeetingStore.load`.
        """
        stored = None if self._store is None else await self._store.load(self.meeting_id)
        if stored is None:
            return False
        self.meeting, self.seq = Meeting(self.meeting_id, self.config), 0
        if (snapshot := stored.snapshot) is not None:
            self.meeting = Meeting.restore(self.meeting_id, self.config, snapshot.state, stored.utterances)
            self.seq = snapshot.seq
        self.index, self.unsynced = LexicalIndex(), []
        for recorded in stored.events:
            self.receive(recorded.event)
            self.seq = recorded.seq
        self._snapshot_at = len(self.meeting.utterances)
        return True

    def snapshot(self) -> Snapshot:
        """A snapshot of the state after the newest event."""
        return Snapshot(seq=self.seq, state=self.meeting.snapshot())

    async def _sync_to_db(self) -> None:
        """Append what the store lacks, then a snapshot. Raises as the store does; nothing is lost then."""
        if self._store is None:
            return
        if batch := list(self.unsynced):
            await self._store.append(self.meeting_id, self._epoch, batch)
            del self.unsynced[: len(batch)]
        await self._store.save_snapshot(self.meeting_id, self._epoch, self.snapshot())
        self._snapshot_at = len(self.meeting.utterances)


def _summarised(effect: Summarise, wake_words: Sequence[str]) -> SummaryReady:
    content: Any = summarise(
        effect.topic.notes,
        effect.utterances,
        before=effect.before,
        standing=effect.standing,
        wake_words=wake_words,
    )
    return SummaryReady(
        topic_id=effect.topic.id,
        version=effect.version,
        reason=effect.reason,
        covered_until=effect.utterances[-1].id,
        content=content,
        engine="extractive",
    )


class TopicDetector:
    """Seed 000's `TopicDetector` (§10.2.5): `quick_check` without a model, `detect` with one."""

    def __init__(self, config: ContextConfig | None = None, llm: LanguageModel | None = None) -> None:
        self.config = config or ContextConfig()
        self._llm = llm

    def quick_check(self, text: str) -> bool:
        """Whether the fold takes `text` for an announcement: its cue (`cue_in`) is strong or an opening.

        Always False with `topic_quick_check_enabled` off.
        """
        cue = cue_in(text) if self.config.topic_quick_check_enabled else None
        return cue is not None and cue.strength != "weak"

    async def detect(
        self, recent_utterances: Sequence[Utterance], previous_topic_summary: str = ""
    ) -> TopicChangeResult:
        """Ask the model whether the last five utterances changed the topic, and weigh what it says.

        Without a verdict the topic has not changed, and `reason` says why: `no_change_detected` (no model or
        no utterance), `parse_error` (the answer cannot be read) or `unavailable: …` (the model cannot be
        reached). Never raises `PortError`.
        """
        if self._llm is None or not recent_utterances:
            return TopicChangeResult(topic_changed=False, reason="no_change_detected")
        messages = detection_messages(
            recent_utterances[-RECENT_TURNS:],
            previous_topic_summary,
            timestamps=self.config.l0_include_timestamps,
        )
        try:
            reply = await self._llm.structured(
                messages, schema=schema_of(TopicVerdict), name=PURPOSE, max_tokens=REPLY_TOKENS
            )
            return weighed(read(reply, TopicChangeResult).found)
        except PortError as error:
            return TopicChangeResult(topic_changed=False, reason=f"unavailable: {error}"[:200])
        except UnreadableJson:
            return TopicChangeResult(topic_changed=False, reason="parse_error")


SIZES: Final = {
    "IMMEDIATE_RESPONSE": (1500, 0),
    "SUMMARY": (750, 1000),
    "SEARCH": (750, 1000),
    "ACTION_EXTRACTION": (3000, 1000),
}
"""Tokens of utterances and of topics by call type, the rest of the text included (seed 000 §10.3.4)."""
_OTHER_SIZES: Final = (1500, 1000)
_EXACT_TOKENIZER: Final = ExactTokenizer()
_HEADINGS: Final = ("meeting", "participants", "recent", "topics", "pending")


def format_context_as_system_prompt(
    ctx: AgentContext,
    *,
    language: str = "ko",
    zone: tzinfo = UTC,
    limit: int | None = None,
    tokenizer: Tokenizer = _EXACT_TOKENIZER,
    timestamps: bool = True,
) -> str:
    """The context as text for a system prompt (seed 000 §4.4), in `ko` or `en`, with times in `zone`.

    Empty parts are left out. It has at most `limit` tokens, by default the call type's size. Where all of it
    is too long, topics are told by their names and decisions, and of each part the newest is shown; how many
    topics are left out is said. `timestamps`: whether lines tell their times.
    """
    words = WORDS["en" if language == "en" else "ko"]
    labels = words["labels"].split("|")
    now = local(ctx.current_time, zone)
    facts = [
        f"- {words['id']}: {ctx.meeting_id}",
        f"- {words['time']}: {now.isoformat() if dated(now) else f'{now:%H:%M:%S}'}",
        f"- {words['call']}: {ctx.call_type}",
        f"- {words['topic']}: {ctx.current_topic or words['none']}",
    ]
    people = _people(ctx)
    lines = []
    for one in ctx.recent_utterances or ():
        time = f"[{local(one.absolute_timestamp, zone):%H:%M:%S}] " if timestamps else ""
        lines.append(f"{time}{one.speaker_name}{edit_mark(one.corrected_by, language)}: {one.text}")
    segments = ctx.topic_segments or ()
    topics = ["\n".join(topic_lines(segment, labels, bullet="- ")) for segment in segments]
    pending = [f"- {item}" for item in ctx.pending_items or ()]
    l0, l1 = SIZES.get(ctx.call_type, _OTHER_SIZES)
    limit = l0 + l1 if limit is None else limit
    text = _joined([facts, people, lines, topics, pending], words)
    if tokenizer.count(text) <= limit:
        return text
    left = limit - cost_of((*facts, *(words[name] for name in (*_HEADINGS, "left_out"))), tokenizer)
    people = newest(people, left // 8, tokenizer)
    left -= cost_of(people, tokenizer)
    room = left * l0 // (l0 + l1)
    lines[-1:] = [fit(line, room - JOINT_TOKENS, tokenizer) for line in lines[-1:]]
    lines = newest(lines, room, tokenizer)
    left -= cost_of(lines, tokenizer)
    pending = newest(pending, left // 3, tokenizer)
    left -= cost_of(pending, tokenizer)
    decided = (f"\n- {labels[1]}: {', '.join(s.key_decisions)}" if s.key_decisions else "" for s in segments)
    named = [f"### {segment.name}{what}" for segment, what in zip(segments, decided, strict=True)]
    topics = newest(named, left, tokenizer)
    if len(topics) < len(segments):
        topics.insert(0, words["left_out"].format(len(segments) - len(topics)))
    return fit(_joined([facts, people, lines, topics, pending], words), limit, tokenizer)


def _people(ctx: AgentContext) -> list[str]:
    """A line for each participant: the name, and the role where one is known."""
    people = []
    for person in ctx.participants:
        role = ctx.speaker_roles.get(person.user_id) or person.role
        people.append(f"- {person.name} ({role})" if role else f"- {person.name}")
    return people


def _joined(parts: Sequence[Sequence[str]], words: Mapping[str, str]) -> str:
    """The parts, in the order of `_HEADINGS`, each under its heading; empty ones are left out."""
    sections = []
    for name, texts in zip(_HEADINGS, parts, strict=True):
        between = "\n\n" if name == "topics" else "\n"
        if texts:
            sections.append(between.join([words[name], *texts]))
    return "\n\n".join(sections)


RESEARCH_AGENTS: Final[Mapping[str, VsLevel]] = {
    **dict.fromkeys(("02", "03", "05", "10", "16"), "full"),
    **dict.fromkeys(("01", "04", "06", "07", "08", "09"), "enhanced"),
}
"""The classes of seed 004's own agents, as `producers` of its budgets; one that is not named is light."""


class ContextBudget(Frozen):
    """Seed 004's split of a window of 200,000 tokens, in tokens."""

    system_prompt: int = 5_000
    user_context: int = 10_000
    agent_outputs: int = AGENT_OUTPUTS
    buffer: int = 35_000

    @property
    def total_available(self) -> int:
        """The tokens of the whole window."""
        return self.system_prompt + self.user_context + self.agent_outputs + self.buffer


FULL_RESEARCH_CYCLE: Final = Workflow(
    stages={
        name: WorkflowStage(
            agents=tuple(f"{agent:02d}" for agent in range(first, first + 4)),
            budget=budget,
            compression=CompressionLevel(level),
            rationale=why,
        )
        for name, first, budget, level, why in (
            ("planning", 1, 30_000, 1, "what is decided here matters for all that follows"),
            ("literature", 5, 35_000, 1, "how it was searched bears on the analysis"),
            ("methods", 9, 30_000, 2, "code is kept elsewhere: only decisions stay"),
            ("validation", 13, 25_000, 2, "check lists need few words"),
            ("publication", 17, 20_000, 3, "the last stage: little of what was before is needed"),
        )
    }
)
META_ANALYSIS: Final = Workflow(
    agents=("01", "02", "05", "06", "07", "10", "12", "16", "17"),
    total_budget=100_000,
    critical_agents={
        "05": "the whole search strategy",
        "07": "the whole of the effect sizes",
        "10": "the methods of analysis in detail",
    },
    compressible_agents=("01", "02", "16", "17"),
)


class CachedOutput(Frozen):
    """One entry of the cache, its fields named as in seed 004."""

    agent_id: str
    timestamp: AwareDatetime
    """When it was saved."""
    content: AgentOutput


class ContextCache:
    """Seed 004's cache: producers' outputs by tier, each at the tier's level; it ends with its object."""

    def __init__(self) -> None:
        self._entries: dict[tuple[CacheTier, str], CachedOutput] = {}

    def load_from_cache(
        self, agent_id: str, cache_level: CacheTier = "session", *, now: datetime
    ) -> CachedOutput | None:
        """The entry of a producer in a tier, at that tier's level; None where no valid one is there."""
        cached = self._entries.get((cache_level, agent_id))
        return cached if cached and CACHE_LEVELS[cache_level].holds(cached.timestamp, now) else None

    def save_to_cache(
        self,
        agent_id: str,
        output: AgentOutput | Mapping[str, Any],
        levels: Sequence[CacheTier] = ("session",),
        *,
        now: datetime,
    ) -> None:
        """Keep an output in these tiers, each at its level."""
        block = as_output({"agent_id": agent_id, **output} if isinstance(output, Mapping) else output)
        for tier in levels:
            content = CACHE_LEVELS[tier].told(block)
            self._entries[tier, agent_id] = CachedOutput(agent_id=agent_id, timestamp=now, content=content)
