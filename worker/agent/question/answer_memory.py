"""The answer cache of a process: a question that means the same as an earlier one gets its answer again.

It brings `ResponseCache` together with a meeting. An embedder is asked only where the words alone allow that
two questions mean the same, and an answer is given again only while the utterances that it cites are
unchanged, and nothing was erased from the meeting since. What is kept leaves with the process, or after an
hour. Nothing here raises: without vectors words decide.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, timedelta, tzinfo
from hashlib import sha256
from typing import Final, NamedTuple

import structlog

from context.answer_cache.compared_question import ResponseStyleVariator
from context.answer_cache.entry import MeetingWitness, Occasion
from context.answer_cache.kept_answers import LookUp, ResponseCache
from context.answer_cache.likeness import calibration_of
from context.features import Features
from context.ports import Embedder, PortError
from context.primitives.undated import EPOCH, local
from context.primitives.vectors import Vectors
from worker.agent.question.question_context import QuestionContext

log = structlog.get_logger(__name__)

_ABOUT_THE_CACHE: Final = {"response_cache_enabled", "cache_similarity_threshold", "style_variation_level"}


class CachedAnswer(NamedTuple):
    """An answer that was given before and still stands."""

    text: str
    """The answer in other opening and closing words than before, as `style_variation_level` wants it."""
    evidence: tuple[int, ...]
    """The utterances of this meeting that it cites."""
    quality: float = 1.0
    """Its grade when it was first given, 0 to 1."""
    elsewhere: bool = False
    """Whether it may rest on other meetings or documents, though it cites none."""


class CachedAnswers:
    """The answers that a process has given in any meeting, found again by a question that means the same."""

    def __init__(
        self,
        embedder: Embedder | None = None,
        *,
        maker: str = "",
        zone: tzinfo = UTC,
        on_look_up: Callable[[LookUp], None] = lambda _look_up: None,
    ) -> None:
        """`maker` names the model or engine whose answers these are: another one's are not given again.

        `zone`: the time zone in which days are counted. `on_look_up` is told how each look-up ended. An
        `embedder` whose similarities are not calibrated (`calibration_of`) is left out.
        """
        self.cache = ResponseCache(on_look_up=on_look_up)
        calibrated = embedder is not None and calibration_of(embedder.name) is not None
        self._embedder = embedder if calibrated else None
        self._encoder = embedder.name if embedder is not None and calibrated else ""
        self._maker, self._zone = maker, zone
        self._style = ResponseStyleVariator()

    async def find(self, question_context: QuestionContext, features: Features) -> CachedAnswer | None:
        """The kept answer to a question that means the same, if its evidence still stands; or None."""
        occasion, question = self._occasion(question_context, features), question_context.question.matter
        unsure = self.cache.needs_vector(question, occasion)
        similar = self.cache.find_similar(
            question,
            occasion,
            vector=await self._vector(question) if unsure else None,
            encoder=self._encoder,
            witness=_witness(question_context),
            threshold=features.cache_similarity_threshold,
        )
        if similar is None:
            return None
        entry, similarity = similar
        log.info("answer_from_cache", similarity=round(similarity, 3), **self.cache.statistics.as_dict())
        text = self._style.vary_response(
            entry.response,
            features.style_variation_level,
            language=question_context.language,
            turn=entry.hit_count,
        )
        return CachedAnswer(text, tuple(entry.evidence), entry.quality, entry.elsewhere)

    async def keep(
        self,
        question_context: QuestionContext,
        features: Features,
        *,
        text: str,
        evidence: tuple[int, ...],
        quality: float,
        tokens: int,
        took_ms: float,
        personal: bool,
        elsewhere: bool = False,
    ) -> None:
        """Keep the verified answer to this question, as of the utterance after which it was asked.

        `quality`: its grade, 0 to 1. `tokens`, `took_ms`: what it cost, which each later hit saves.
        `personal`: it was made with what is known of the asker, so it is kept for them alone.
        `elsewhere`: see `CachedAnswer`.
        """
        asked, newest = question_context.question, len(question_context.meeting.utterances)
        self.cache.store(
            asked.matter,
            text,
            self._occasion(question_context, features),
            verified=True,
            evidence=_witness(question_context).marks(evidence),
            after_utterance=min(asked.after_utterance or newest, newest),
            tokens=tokens,
            time_ms=took_ms,
            quality=quality,
            readers=frozenset({asked.by}) if personal else frozenset(),
            vector=await self._vector(asked.matter),
            encoder=self._encoder,
            elsewhere=elsewhere,
        )

    async def _vector(self, text: str) -> Vectors | None:
        if self._embedder is None:
            return None
        try:
            return await self._embedder.embed_query(text)
        except PortError as error:
            log.info("cache_without_vector", error=str(error))
            return None

    def _occasion(self, question_context: QuestionContext, features: Features) -> Occasion:
        asked, began = question_context.question, question_context.meeting.started_at or EPOCH
        flags = features.model_dump_json(exclude=_ABOUT_THE_CACHE)
        return Occasion(
            tenant=question_context.settings.tenant,
            meeting_id=question_context.meeting.meeting_id,
            asker=asked.by,
            private=asked.private,
            call_type=question_context.call_type,
            intent=asked.intent or "fact",
            language=question_context.language,
            names=tuple(question_context.names()),
            erasures=question_context.erasures,
            at=local(began + timedelta(milliseconds=asked.at_ms), self._zone),
            maker=f"{self._maker} {sha256(flags.encode()).hexdigest()[:12]}",
        )


def _witness(question_context: QuestionContext) -> MeetingWitness:
    return MeetingWitness(
        question_context.meeting.utterances, wake_words=tuple(question_context.meeting.config.agent_names)
    )
