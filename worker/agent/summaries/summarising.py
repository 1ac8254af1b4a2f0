"""Carries out `Summarise`: from a topic's last summary and what was said since to its next summary.

With a language model its draft is read item by item (sent back once if nothing in it can be read), and each
statement is held against the utterances that it cites (`summary_checks`); what doesn't stand is dropped and
counted. Where the model fails, is late or leaves nothing standing, what was said is quoted instead, and
marked as that: what the model wrote before stands as it was. An error's text is never stored as a summary: a
job yields one or `SummaryFailed`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import structlog

from context.budgets.configuration import BudgetConfig
from context.events.effects import Summarise
from context.events.topic_events import SummaryFailed, SummaryReady
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.language.korean import language_of
from context.language.spoken_sentences import split_utterances
from context.language.to_agent import without_instructions
from context.models import PromptRecord, Summary
from context.plain.facade import summarise as extract
from context.ports import PortError, Tokenizer
from context.prompts.quoting import says_something
from context.reading.acts import settling_utterances
from context.statements.checks import Fault
from context.statements.summary_merge import beside, carried, quotes_of, without_quotes
from context.statements.verdicts import NothingStands, VerdictFault
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadline, Deadlines
from worker.agent.calls.structured import ask
from worker.agent.calls.verifying import Verifier
from worker.agent.summaries.summary_checks import SummaryChecks
from worker.agent.summaries.summary_draft import SummaryDraft, SummaryPrompt
from worker.clock import monotonic_s

log = structlog.get_logger(__name__)

EXTRACTIVE: Final = "extractive"
"""The `engine` of a summary that was made without a model."""
_SHARES: Final[Mapping[str, int]] = BudgetConfig().shares("summary")
_TAIL: Final = (5, 100)
"""Fewer turns and tokens than these, behind what a model has just read, are no request of their own unless
they settle something: two triggers close together are one."""
_IN_THREAD_UTTERANCES: Final = 20
"""Utterances from which on the extractive engine would hold the loop up noticeably."""


class Summariser:
    """Carries out `Summarise` effects of any meeting, by a model that is checked, or by quoting."""

    def __init__(
        self,
        model: CalledModel | None = None,
        *,
        tokenizer: Tokenizer,
        verifier: Verifier | None = None,
        deadlines: Deadlines | None = None,
        max_tokens: int = 500,
        shares: Mapping[str, int] = _SHARES,
        least_tokens: int = 0,
        wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
        on_dropped: Callable[[Fault | VerdictFault], None] = lambda _fault: None,
    ) -> None:
        """Without a `model` every summary is made of quotes; without a `verifier` a model's are unverified.

        `max_tokens`: the size of a summary's text. `shares`: tokens of what a request shows, by producer.
        `least_tokens`: while a topic goes on that a model has summarised, so much has to be new for a
        request; less is quoted, and the model reads those turns next time. A topic's end is always read.
        `on_dropped` is told why a statement was dropped.
        """
        self._model = model
        self._tokenizer = tokenizer
        self._deadlines = deadlines or Deadlines()
        self._max_tokens, self._least_tokens = max_tokens, least_tokens
        self._prompt = SummaryPrompt(tokenizer, shares)
        self._wake_words = tuple(wake_words)
        self._checks = SummaryChecks(
            tokenizer,
            max_tokens=max_tokens,
            wake_words=self._wake_words,
            verifier=verifier,
            on_dropped=on_dropped,
        )

    async def summarise(
        self, effect: Summarise, *, language: str, by_rules: bool = False
    ) -> SummaryReady | SummaryFailed:
        """The topic's next summary, or why there is none. Never raises, but when cancelled.

        `language`: `ko`, `en`, or `auto` for that of the utterances. `by_rules`: no model is asked, for
        whoever has no time to wait for one.
        """
        began_s, topic = monotonic_s(), effect.topic
        language = language_of(" ".join(utterance.text for utterance in effect.utterances), language)
        sent: list[PromptRecord] = []
        try:
            written = None if by_rules else await self._written(effect, language, sent)
            content, name, engine = written or (await self._quoted(effect, language), "", EXTRACTIVE)
        except Exception as error:
            # Whatever goes wrong with one summary, the last one stands and the meeting goes on.
            log.exception("summary_failed", topic=topic.id, version=effect.version)
            why = f"{type(error).__name__}: {error}"[:300]
            return SummaryFailed(topic_id=topic.id, version=effect.version, error=why)
        decisions = carried(topic.notes.decisions, content.decisions)
        pending = carried(topic.notes.pending, content.pending)
        new = {"decisions": content.decisions[decisions:], "pending": content.pending[pending:]}
        return SummaryReady(
            topic_id=topic.id,
            version=effect.version,
            reason=effect.reason,
            covered_until=effect.utterances[-1].id,
            content=content.model_copy(update=new),
            engine=engine,
            topic_name=name or None,
            latency_ms=round((monotonic_s() - began_s) * 1000),
            tokens=self._tokenizer.count(content.text),
            carried_decisions=decisions,
            carried_pending=pending,
            prompts=tuple(sent),
        )

    async def _written(
        self, effect: Summarise, language: str, sent: list[PromptRecord]
    ) -> tuple[Summary, str, str] | None:
        """Summary, new name of the topic (or ""), and the model; None where the talk is to be quoted."""
        model, topic = self._model, effect.topic
        if model is None or model.is_resting:
            return None
        if topic.written_until:
            new = [
                utterance
                for utterance in (*effect.unread, *effect.utterances)
                if says_something(utterance.text)
            ]
            tokens = sum(self._tokenizer.count(utterance.text) for utterance in new)
            most_turns, most_tokens = _TAIL
            is_tail = len(new) < most_turns and tokens < most_tokens
            if (
                topic.notes.sentences
                and is_tail
                and not any(settling_utterances(split_utterances(new)).values())
            ):
                return topic.notes, "", model.name  # nods are read as soon as they are heard
            if effect.reason in {"turn_limit", "time_limit"} and tokens < self._least_tokens:
                return None
        try:
            async with asyncio.timeout(self._deadlines.summary_s):
                return await self._by_model(model, effect, language, sent)
        except TimeoutError:
            model.gave_up("summary")
            log.warning("summary_degraded", topic=topic.id, error="deadline")
        except PortError as error:
            log.warning("summary_degraded", topic=topic.id, error=str(error))
            if isinstance(error, NothingStands):
                model.checked("summary", "evidence", passed=False)
                model.missed("summary", "useless")
        except Exception:
            # Whatever a model's reply sets off, what was said can be quoted.
            log.exception("summary_degraded", topic=topic.id)
            model.missed("summary", "useless")
        return None

    async def _quoted(self, effect: Summarise, language: str) -> Summary:
        """What was said, quoted. Beside what a model wrote it adds no mark and takes nothing's place."""
        notes, span, alone = effect.topic.notes, effect.utterances, self._model is None
        previous = notes if alone else quotes_of(notes)

        def work() -> Summary:
            content = extract(
                previous,
                span,
                language=language,
                max_tokens=self._max_tokens,
                before=effect.before,
                standing=effect.standing if alone else (),
                wake_words=self._wake_words,
            )
            content = self._checks.checked(content, previous, (*effect.before, *span))
            return content if alone else beside(without_quotes(notes), content)

        return await asyncio.to_thread(work) if len(span) >= _IN_THREAD_UTTERANCES else work()

    async def _by_model(
        self, model: CalledModel, effect: Summarise, language: str, sent: list[PromptRecord]
    ) -> tuple[Summary, str, str]:
        """The same by the model; a long span goes in pieces, each folded into the summary before it."""
        deadline = Deadline(self._deadlines.summary_s)
        heard = (*effect.unread, *effect.utterances)
        # An order to whoever writes the minutes is evidence of nothing.
        unread = without_instructions(heard, self._wake_words) or heard[-1:]
        summary = without_quotes(effect.topic.notes, range(effect.topic.written_until + 1, heard[0].id))
        name = effect.topic.name
        for span in self._prompt.spans(unread):
            messages, shown = self._prompt.messages(name, summary, span, language, effect.standing)
            draft = await ask(
                model,
                messages,
                SummaryDraft,
                name="summary",
                max_tokens=self._max_tokens * 3,
                tokenizer=self._tokenizer,
                shown=shown,
                on_prompt=sent.append,
                cut_off_counts=True,
            )
            summary = self._checks.standing(draft, summary, span, language, effect.standing)
            name = self._checks.named(draft, effect, span) or name
        summary = await self._checks.verified(
            summary,
            effect,
            language=language,
            within_s=min(self._deadlines.verify_summary_s[effect.reason], deadline.remaining_s - 1),
            on_prompt=sent.append,
        )
        model.checked("summary", "evidence", passed=True)
        return summary, "" if name == effect.topic.name else name, model.name
