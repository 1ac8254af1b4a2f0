"""The answer cache at work: an embedder beside it where words alone would say yes, the record as its witness.

A process has one; what is kept leaves with it, or after an hour. Nothing here raises: a cache that is in
trouble is an empty one.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from hashlib import sha256
from typing import Final, cast

import structlog

from context.answer_cache.cache import LookUp, ResponseCache
from context.answer_cache.entry import MeetingWitness, Occasion
from context.answer_cache.likeness import calibration_of
from context.answer_cache.reading import ResponseStyleVariator
from context.features import Features
from context.language.addressing import wake
from context.manager import ContextManager
from context.meeting import Meeting
from context.ports import Embedder, PortError
from context.vectors import Vectors
from worker.agent.graph.parts import AskedIn, CachedAnswer, NewAnswer

log = structlog.get_logger(__name__)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ABOUT_THE_CACHE: Final = {"response_cache_enabled", "cache_similarity_threshold", "style_variation_level"}


class CachedAnswers:
    """Remembers answers in a `ResponseCache`; implements `AnswerMemory`."""

    def __init__(
        self,
        embedder: Embedder | None = None,
        *,
        maker: str = "",
        zone: tzinfo = UTC,
        on_look_up: Callable[[LookUp], None] = lambda _look_up: None,
    ) -> None:
        """`maker`: the model, or the engine, whose answers these are. `zone`: in which days are counted.

        `on_look_up` is told how each look-up ended. An embedder that isn't calibrated is left out.
        """
        self.cache = ResponseCache(on_look_up=on_look_up)
        calibrated = embedder is not None and calibration_of(embedder.name) is not None
        self._embedder = embedder if calibrated else None
        self._maker, self._zone = maker, zone
        self._style = ResponseStyleVariator()

    async def find(self, asked: AskedIn, manager: object, features: Features) -> CachedAnswer | None:
        """An answer whose question means the same and whose evidence is unchanged in the meeting."""
        meeting = cast("ContextManager", manager).meeting
        occasion = self._occasion(asked, meeting, features)
        question = _bare(asked.question, meeting)
        unsure = self.cache.needs_vector(question, occasion)
        found = self.cache.find_similar(
            question,
            occasion,
            vector=await self._vector(question) if unsure else None,
            encoder=self._encoder,
            witness=_witness(meeting),
            threshold=features.cache_similarity_threshold,
        )
        if found is None:
            return None
        entry, similarity = found
        log.info("answer_from_cache", similarity=round(similarity, 3), **self.cache.statistics.as_dict())
        text = self._style.vary_response(
            entry.response, features.style_variation_level, language=asked.language, turn=entry.hit_count
        )
        return CachedAnswer(
            text=text,
            evidence=entry.utterances,
            similarity=similarity,
            quality=entry.quality,
            tokens_saved=entry.tokens,
        )

    async def keep(self, asked: AskedIn, given: NewAnswer, manager: object, features: Features) -> None:
        """Keep an answer that the graph has verified, as of the utterance after which it was asked for."""
        meeting = cast("ContextManager", manager).meeting
        witness = _witness(meeting)
        question = _bare(asked.question, meeting)
        self.cache.store(
            question,
            given.text,
            self._occasion(asked, meeting, features),
            verified=True,
            evidence=witness.marks(given.evidence),
            after_utterance=min(asked.after_utterance or witness.last, witness.last),
            tokens=given.tokens,
            time_ms=given.took_ms,
            quality=given.quality,
            readers=frozenset({asked.asker}) if given.personal else frozenset(),
            vector=await self._vector(question),
            encoder=self._encoder,
        )

    @property
    def _encoder(self) -> str:
        return self._embedder.name if self._embedder is not None else ""

    async def _vector(self, text: str) -> Vectors | None:
        if self._embedder is None:
            return None
        try:
            return await self._embedder.embed_query(text)
        except PortError as error:
            log.info("cache_without_vector", error=str(error))
            return None

    def _occasion(self, asked: AskedIn, meeting: Meeting, features: Features) -> Occasion:
        began = meeting.started_at or _EPOCH
        flags = features.model_dump_json(exclude=_ABOUT_THE_CACHE)
        return Occasion(
            tenant=asked.tenant,
            meeting_id=asked.meeting_id,
            asker=asked.asker,
            private=asked.private,
            call_type=asked.call_type,
            language=asked.language,
            names=_names(meeting),
            at=(began + timedelta(milliseconds=asked.now_ms)).astimezone(self._zone),
            maker=f"{self._maker} {sha256(flags.encode()).hexdigest()[:12]}",
        )


def _witness(meeting: Meeting) -> MeetingWitness:
    return MeetingWitness(meeting.utterances, wake_words=_called(meeting))


def _bare(question: str, meeting: Meeting) -> str:
    """The question without the agent's name."""
    return wake(question, _called(meeting)) or question


def _called(meeting: Meeting) -> tuple[str, ...]:
    return tuple(meeting.config.agent_names)


def _names(meeting: Meeting) -> tuple[str, ...]:
    return tuple(stats.name for stats in meeting.speakers.speaker_stats.values())
