"""One summary job: from a topic's last summary and what was said since to its next summary.

With a language model its draft is validated (repaired once), and every statement is held against the
utterances that it cites; what doesn't stand is dropped and counted. Where the model fails, is late or
leaves nothing standing, the extractive engine does the job instead and says so (`engine`). An error's
text is never stored as a summary: a job yields a summary or `SummaryFailed`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import structlog

from context.carrying import carried, newest, with_all_of
from context.checking import Fault, checked, sources_of, stems
from context.comparing import comparable
from context.contradictions import with_contradictions
from context.effects import Summarise
from context.events import SummaryFailed, SummaryReady
from context.evidence.figures import figures_stand
from context.evidence.forms import forms_stand
from context.evidence.riders import own_words
from context.inert import inert_name
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.language.instructions import steers, told
from context.language.korean import language_of
from context.models import Statement, Summary, Utterance
from context.plain.door import summarise as extract
from context.ports import PortError, Tokenizer
from worker.agent.calling import CalledModel
from worker.agent.deadline import Deadlines
from worker.agent.quoting import says_something
from worker.agent.structured import ask
from worker.agent.summary_draft import SummaryDraft, summary_of
from worker.agent.summary_prompt import SummaryPrompt
from worker.clock import monotonic_s

log = structlog.get_logger(__name__)

EXTRACTIVE: Final = "extractive"
LEAST_TOKENS: Final = 1500
"""A request costs some 1,200 tokens beside the speech: for less new speech than this it is not made."""
_STATEMENTS: Final = ("sentences", "key_points", "decisions", "pending")
_CITED: Final = 300
"""Of so many of them a new statement may still be made."""
_IN_THREAD_FROM: Final = 20
"""Utterances from which on the extractive engine would hold the loop up noticeably."""


class Extract(Protocol):
    """The extractive engine."""

    def __call__(
        self,
        previous: Summary,
        utterances: Sequence[Utterance],
        *,
        language: str,
        max_tokens: int,
        before: Sequence[Utterance],
        standing: Sequence[Statement],
        wake_words: Sequence[str],
    ) -> Summary:
        """Fold `utterances` into `previous`; deterministic."""
        ...


class Summariser:
    """Carries out `Summarise` effects; never raises (but for being cancelled)."""

    def __init__(
        self,
        model: CalledModel | None = None,
        *,
        tokenizer: Tokenizer,
        deadlines: Deadlines | None = None,
        max_tokens: int = 500,
        prompt_tokens: int = 5000,
        previous_tokens: int = 2500,
        least_tokens: int = 0,
        extract: Extract = extract,
        wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
        on_dropped: Callable[[Fault], None] | None = None,
        clock: Callable[[], float] = monotonic_s,
    ) -> None:
        """`max_tokens`: size of a stored summary's text. `prompt_tokens`: utterances shown per call;
        `previous_tokens`: of the last summary.

        `least_tokens`: so much has to be new for a request, once a topic has a summary by the model. With
        less, the extractive engine keeps the summary up to date, and the model reads those turns next time.
        """
        self._model = model
        self._tokenizer = tokenizer
        self._deadlines = deadlines or Deadlines()
        self._max_tokens = max_tokens
        self._prompt = SummaryPrompt(tokenizer, prompt_tokens, previous_tokens)
        self._least_tokens = least_tokens
        self._extract, self._wake_words = extract, tuple(wake_words)
        self._on_dropped = on_dropped
        self._clock = clock

    async def summarise(
        self, effect: Summarise, *, language: str, by_rules: bool = False
    ) -> SummaryReady | SummaryFailed:
        """The next summary. `language`: `ko`, `en`, or `auto` for that of the utterances.

        `by_rules`: no model is asked; for whoever has no time to wait for one.
        """
        began_s = self._clock()
        language = language_of(" ".join(said.text for said in effect.utterances), language)
        try:
            if by_rules:
                content, name, engine = await self._by_extraction(effect, language), "", EXTRACTIVE
            else:
                content, name, engine = await self._content(effect, language)
        except Exception as error:
            # Whatever goes wrong with one summary, the last one stands and the meeting goes on.
            log.exception("summary_failed", topic=effect.topic.id, version=effect.version)
            return SummaryFailed(
                topic_id=effect.topic.id,
                version=effect.version,
                error=f"{type(error).__name__}: {error}"[:300],
            )
        last = effect.topic.notes
        decisions = carried(last.decisions, content.decisions)
        pending = carried(last.pending, content.pending)
        told = {"decisions": content.decisions[decisions:], "pending": content.pending[pending:]}
        return SummaryReady(
            topic_id=effect.topic.id,
            version=effect.version,
            reason=effect.reason,
            covered_until=effect.utterances[-1].id,
            content=content.model_copy(update=told),
            engine=engine,
            topic_name=name or None,
            latency_ms=round((self._clock() - began_s) * 1000),
            tokens=self._tokenizer.count(content.text),
            carried_decisions=decisions,
            carried_pending=pending,
        )

    async def _content(self, effect: Summarise, language: str) -> tuple[Summary, str, str]:
        """The summary, a name for the topic (or ""), and the engine that wrote it."""
        if self._model is not None and not self._model.is_resting and self._is_worth(effect):
            try:
                async with asyncio.timeout(self._deadlines.summary_s):
                    return await self._by_model(self._model, effect, language)
            except TimeoutError:
                self._model.gave_up("summary")
                log.warning("summary_degraded", topic=effect.topic.id, error="deadline")
            except PortError as error:
                log.warning("summary_degraded", topic=effect.topic.id, error=str(error))
                if isinstance(error, NothingStands):
                    self._model.checked("summary", "evidence", passed=False)
                    self._model.missed("summary", "useless")
        return await self._by_extraction(effect, language), "", EXTRACTIVE

    def _is_worth(self, effect: Summarise) -> bool:
        """Whether there is enough that no model has read. A topic's end counts for less: it comes once."""
        if effect.topic.written_until == 0:
            return True
        least = (
            self._least_tokens if effect.reason in {"turn_limit", "time_limit"} else self._least_tokens / 4
        )
        tokens = sum(
            self._tokenizer.count(said.text)
            for said in (*effect.unread, *effect.utterances)
            if says_something(said.text)
        )
        return tokens >= least

    async def _by_extraction(self, effect: Summarise, language: str) -> Summary:
        previous, span = effect.topic.notes, effect.utterances

        def work() -> Summary:
            content = self._extract(
                previous,
                span,
                language=language,
                max_tokens=self._max_tokens,
                before=effect.before,
                standing=effect.standing,
                wake_words=self._wake_words,
            )
            return self._checked(content, previous, (*effect.before, *span))

        return await asyncio.to_thread(work) if len(span) >= _IN_THREAD_FROM else work()

    async def _by_model(
        self, model: CalledModel, effect: Summarise, language: str
    ) -> tuple[Summary, str, str]:
        """A long span goes in pieces, each folded into the summary of those before it."""
        summary, name = effect.topic.notes, effect.topic.name
        for span in self._prompt.spans(self._told((*effect.unread, *effect.utterances))):
            draft = await ask(
                model,
                self._prompt.messages(name, summary, span, language),
                SummaryDraft,
                name="summary",
                cut_off_counts=True,
                max_tokens=self._max_tokens * 3,
            )
            summary = self._standing(draft, summary, span, language, effect.standing)
            summary = with_contradictions(summary, span, effect.standing, wake_words=self._wake_words)
            name = self._named(draft, effect, span) or name
        model.checked("summary", "evidence", passed=True)
        return summary, "" if name == effect.topic.name else name, model.name

    def _told(self, utterances: Sequence[Utterance]) -> Sequence[Utterance]:
        """What a model summarises: an order to whoever writes the minutes is evidence of nothing."""
        kept = told(utterances, self._wake_words)
        return kept or utterances[-1:]

    def _named(self, draft: SummaryDraft, effect: Summarise, span: Sequence[Utterance]) -> str:
        """The topic's name by the model: it stands above the minutes and answers, so it is held to the talk.

        Half of its words were said, its figures all were, and they are not those of who wants it called so.
        """
        name = inert_name(draft.topic_name)[:60]
        heard = (*effect.unread, *effect.utterances)
        spoken = "\n".join((effect.topic.name, effect.topic.notes.text, *(said.text for said in span)))
        people = stems("\n".join(said.speaker_name for said in heard))
        own = own_words(name) - people
        if not own or 2 * len(own & stems(spoken)) < len(own):
            return ""
        if not forms_stand(name, spoken) or not figures_stand(name, spoken):
            return ""
        texts = (text for said in heard for text in (said.speaker_name, said.text))
        wanted = stems("\n".join(text for text in texts if steers(text, self._wake_words)))
        tainted = (own & wanted) - stems("\n".join(said.text for said in span))
        return "" if tainted and 3 * len(tainted) >= len(own) else name

    def _standing(
        self,
        draft: SummaryDraft,
        previous: Summary,
        span: Sequence[Utterance],
        language: str,
        standing: Sequence[Statement],
    ) -> Summary:
        """What of the draft survives the check. Raises `NothingStands` where the text does not."""
        drafted = self._comparable(summary_of(draft, previous, span), previous, span, language)
        content = self._checked(drafted, previous, span)
        if not content.sentences:
            raise NothingStands("no sentence of the summary is covered by what was said")
        spoken = stems(" ".join((*previous.keywords, *(said.text for said in span))))
        keywords = tuple(word for word in content.keywords if stems(word) & spoken)
        content = content.model_copy(update={"keywords": keywords})
        return self._shortened(with_all_of(previous, content, standing))

    def _comparable(
        self, content: Summary, previous: Summary, span: Sequence[Utterance], language: str
    ) -> Summary:
        """Without what is in another language than the talk: nothing bears it out, however it is cited."""
        sources = sources_of(span, newest(previous, _CITED))

        def stands(statement: Statement) -> bool:
            spoken = "\n".join(sources.get(id_, "") for id_ in statement.evidence)
            if comparable(statement.text, spoken, language):
                return True
            self._drop(statement.text, "unrelated")
            return False

        return content.model_copy(
            update={field: tuple(filter(stands, getattr(content, field))) for field in _STATEMENTS}
        )

    def _checked(self, content: Summary, previous: Summary, span: Sequence[Utterance]) -> Summary:
        """Whoever wrote it: what its evidence doesn't bear out is dropped and counted."""
        names = tuple(dict.fromkeys(said.speaker_name for said in span))
        result = checked(content, sources_of(span, newest(previous, _CITED)), names, before=previous)
        for text, wrong in result.dropped:
            self._drop(text, wrong)
        return result.summary

    def _drop(self, text: str, wrong: Fault) -> None:
        log.info("statement_dropped", fault=wrong, text=text[:120])
        if self._on_dropped is not None:
            self._on_dropped(wrong)

    def _shortened(self, summary: Summary) -> Summary:
        """The text within its token bound, by whole sentences; the first one always stays."""
        kept: list[Statement] = []
        for sentence in summary.sentences:
            text = " ".join(said.text for said in [*kept, sentence])
            if kept and self._tokenizer.count(text) > self._max_tokens:
                break
            kept.append(sentence)
        return summary.model_copy(
            update={"text": " ".join(said.text for said in kept), "sentences": tuple(kept)}
        )


class NothingStands(PortError):
    """The model's summary does not survive the check of its evidence."""
