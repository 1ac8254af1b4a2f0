"""Reads what a question asks, where it comes in: by its vector if that comes in time, else by its words."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import structlog

from context.answering.question_meaning import bare, read
from context.features import FeatureError, Features
from context.fold.meeting import Meeting
from context.question import Question
from worker.agent.question.encoder import Encoder

log = structlog.get_logger(__name__)


class QuestionReader:
    """Reads the questions to any meeting of a process; holds no state of one."""

    def __init__(self, encoder: Encoder | None, features: Features, *, within_s: float | None) -> None:
        """`features`: the process's flags. `within_s`: how long a vector may take; None: any time."""
        self._encoder, self._features, self._within_s = encoder, features, within_s

    async def read(self, question: Question, meeting: Meeting, *, recorded: bool = False) -> Question:
        """The question as it is understood in `meeting`; one that was read before stays as it is.

        `recorded`: the question is on the record already, and with it whether it is private.
        """
        if question.is_read:
            return question
        meaning = None
        if self._encoder is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._within_s):
                    meaning = await self._encoder.question_vector(meeting, bare(question, meeting))
        with_history = self.flags(question).include_history
        asked = read(question, meeting, meaning=meaning, with_history=with_history)
        return asked.model_copy(update={"private": question.private}) if recorded else asked

    def flags(self, question: Question) -> Features:
        """The process's flags with this question's own; those that do not exist were refused before."""
        if not question.features:
            return self._features
        try:
            return self._features.with_overrides(question.features)
        except FeatureError as error:
            log.warning("feature_overrides_ignored", invocation=question.id, error=str(error))
            return self._features
