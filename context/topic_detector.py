"""Has the topic changed? The question to a model, and how its verdict is weighed; seed 000's `TopicDetector`.

In a meeting the fold hears announcements (`context.topics.boundaries`) and names the suspicions for which a
model is worth asking; the worker asks it (`worker.agent.judging`, with deadlines and a record of the prompt).
`TopicDetector` is the seed's interface (§10.2.5) to the same cues, prompt, reading and threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, field_validator

from context.budget import EstimateTokenizer, shared
from context.budgets.configuration import BudgetConfig
from context.config import ContextConfig
from context.language.korean import language_of
from context.models import Utterance
from context.ports import ChatMessage, LanguageModel, PortError, Tokenizer
from context.prompts import prompts
from context.prompts.json_replies import read, schema_of, sent_back
from context.prompts.json_shapes import Unreadable
from context.prompts.quoting import quoted, utterance_line
from context.text import inert_name
from context.topics.phrases import cue_phrases
from context.topics.phrases.cues import cue_in

_PROMPTS: Final = prompts("detection")

TOPIC_DETECTION_PROMPT: Final = _PROMPTS["change"]
"""By language: what a judge is told. In: `previous_topic_summary`, `recent_utterances`, `place`."""

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
SURE: Final = 0.5
"""The least confidence of a change that counts (the seeds name none): less is a guess."""
_LONGEST_NAME: Final = 60
_LONGEST_REASON: Final = 300


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
    """A model's words, where it gives some. `TopicDetector.detect` says here why there is no verdict."""


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
    """What holds of a model's verdict: a change of less confidence than `SURE` is none, and says so.

    The name is made harmless (`inert_name`), it and the reason are cut; an empty name becomes None.
    """
    unsure = verdict.topic_changed and verdict.confidence < SURE
    return verdict.model_copy(
        update={
            "topic_changed": verdict.topic_changed and not unsure,
            "current_topic": inert_name(verdict.current_topic or "")[:_LONGEST_NAME] or None,
            "reason": ("not sure: " if unsure else "") + verdict.reason[:_LONGEST_REASON],
        }
    )


class TopicDetector:
    """Seed 000's `TopicDetector`: `quick_check` without a model, `detect` with one."""

    def __init__(self, config: ContextConfig | None = None, llm: LanguageModel | None = None) -> None:
        self.config = config or ContextConfig()
        self._llm = llm

    def quick_check(self, text: str) -> bool:
        """Whether the fold takes `text` for an announcement: its cue (`cue_in`) is strong or an opening.

        Always False with `topic_quick_check_enabled` off.
        """
        if not self.config.topic_quick_check_enabled:
            return False
        cue = cue_in(text)
        return cue is not None and cue.strength != "weak"

    async def detect(
        self, recent_utterances: Sequence[Utterance], previous_topic_summary: str = ""
    ) -> TopicChangeResult:
        """Ask the model whether the last five utterances changed the topic, and weigh what it says.

        An answer that cannot be read is sent back once. Without a verdict the topic has not changed, and
        `reason` says why: `no_change_detected` (no model or no utterance), `parse_error` (the second answer
        cannot be read either) or `unavailable: …` (the model cannot be reached). Never raises `PortError`.
        """
        if self._llm is None or not recent_utterances:
            return TopicChangeResult(topic_changed=False, reason="no_change_detected")
        messages = detection_messages(
            recent_utterances[-RECENT_TURNS:],
            previous_topic_summary,
            timestamps=self.config.l0_include_timestamps,
        )
        try:
            return weighed(await _verdict(self._llm, messages))
        except PortError as error:
            return TopicChangeResult(topic_changed=False, reason=f"unavailable: {error}"[:200])
        except Unreadable:
            return TopicChangeResult(topic_changed=False, reason="parse_error")


async def _verdict(model: LanguageModel, messages: Sequence[ChatMessage]) -> TopicChangeResult:
    """Raises `PortError`, and `Unreadable` where the second reply is, too."""
    schema = schema_of(TopicVerdict)
    first = await model.structured(messages, schema=schema, name=PURPOSE, max_tokens=REPLY_TOKENS)
    try:
        return read(first, TopicChangeResult).found
    except Unreadable as error:
        again = sent_back(messages, first, str(error))
    second = await model.structured(again, schema=schema, name=PURPOSE, max_tokens=REPLY_TOKENS)
    return read(second, TopicChangeResult).found
