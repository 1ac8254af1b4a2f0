"""Has the topic changed? The question to a model, and how its verdict is weighed (seed 000 §10.2.5).

The fold hears announcements (`context.topics.boundaries`) and names the suspicions for which a model is
worth asking; the worker asks it (`worker.agent.summaries.topic_judging`, with deadlines and a record of the
prompt).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, field_validator

from context.budgets.configuration import BudgetConfig
from context.budgets.tokens import EstimateTokenizer, shared
from context.language.korean import language_of
from context.models import Utterance
from context.ports import ChatMessage, Tokenizer
from context.primitives.text import inert_name
from context.prompts import prompts
from context.prompts.quoting import quoted, utterance_line
from context.topics.phrases import cue_phrases

_PROMPTS: Final = prompts("detection")

TOPIC_DETECTION_PROMPT: Final = _PROMPTS["change"]
"""What a judge is told, by language. In: `previous_topic_summary`, `recent_utterances`, `place`."""

TOPIC_CHANGE_KEYWORDS: Final = cue_phrases.TOPIC_CHANGE_KEYWORDS
"""Words that make a Korean sentence worth a look (`KO_HINT`); the phrases behind them find the cues."""
RECENT_TURNS: Final = 5
"""How many utterances a model is shown (§10.2.5)."""
PURPOSE: Final = "topic_detection"
"""What a model is called for, in budgets, metrics and the record."""
SHOWN_TOKENS: Final = sum(BudgetConfig().shares(PURPOSE).values())
"""Tokens that a judge of topics is shown by default: 8K hold them with rules, verdict and repair."""
REPLY_TOKENS: Final = 300
"""The most tokens of a verdict."""
SURE_CONFIDENCE: Final = 0.5
"""The least confidence of a change that counts (the seeds name none): less is a guess."""
_MAX_NAME_CHARS: Final = 60
_MAX_REASON_CHARS: Final = 300


class TopicVerdict(BaseModel):  # noqa: D101 - a docstring would be sent with each request
    # What a model is asked for: nothing that nobody reads.

    topic_changed: bool
    current_topic: str | None = None
    confidence: float = 0.0

    @field_validator("confidence")
    @classmethod
    def _within_bounds(cls, value: float) -> float:
        # A model that says 95 means percent.
        return min(1.0, max(0.0, value / 100 if value > 1 else value))


class TopicChangeResult(TopicVerdict):
    """A verdict in all of seed 000's fields, two of which no model is asked for; `confidence` is 0 to 1."""

    previous_topic: str | None = None
    reason: str = ""
    """A model's words, where it gives some, else why there is no verdict."""


def detection_messages(
    recent: Sequence[Utterance],
    previous_topic_summary: str = "",
    *,
    tokens: int = SHOWN_TOKENS,
    tokenizer: Tokenizer | None = None,
    timestamps: bool = True,
    at: int | None = None,
    language: str = "auto",
) -> list[ChatMessage]:
    """The prompt by which a model is asked: both arguments stand in it as data, in at most `tokens` tokens.

    Long texts are cut to fit, as `tokenizer` (or an estimate) counts. `recent`: those around the suspected
    change, oldest first. `timestamps`: whether they tell their times of day. `at`: the utterance with which
    the topic may have changed, where one is suspected. `language`: `ko`, `en`, or `auto` for theirs.
    """
    tongue = language_of(" ".join(said.text for said in recent), language)
    before, *lines = shared(
        [quoted(previous_topic_summary), *(utterance_line(said, timestamps=timestamps) for said in recent)],
        tokens,
        tokenizer or EstimateTokenizer(),
    )
    place = _PROMPTS["newest"][tongue] if at is None else _PROMPTS["place"][tongue].format(at=at)
    prompt = TOPIC_DETECTION_PROMPT[tongue].format(
        previous_topic_summary=before or _PROMPTS["first"][tongue],
        recent_utterances="\n".join(lines),
        place=place,
    )
    return [ChatMessage(role="user", content=prompt)]


def weighed(verdict: TopicChangeResult) -> TopicChangeResult:
    """What holds of a model's verdict: a change below `SURE_CONFIDENCE` is none, and says so.

    The name is made harmless (`inert_name`), it and the reason are cut; an empty name becomes None.
    """
    unsure = verdict.topic_changed and verdict.confidence < SURE_CONFIDENCE
    return verdict.model_copy(
        update={
            "topic_changed": verdict.topic_changed and not unsure,
            "current_topic": inert_name(verdict.current_topic or "")[:_MAX_NAME_CHARS] or None,
            "reason": ("not sure: " if unsure else "") + verdict.reason[:_MAX_REASON_CHARS],
        }
    )
