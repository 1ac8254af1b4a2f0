"""Decides what of a model's draft may stand in the minutes: each statement is held against what it cites.

That is done first mechanically, for what is certain, then by a verifier, all new statements in one call. What
no verdict comes for stays, marked as unverified. What does not stand is dropped and counted. Nothing is added
here to what the model wrote.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import structlog

from context.events.effects import Summarise
from context.evidence.claim_parts import own_words
from context.evidence.claim_words import comparable, forms_stand, stems
from context.evidence.figures import figures_heard
from context.language.instructions import steers
from context.models import PromptRecord, Statement, Summary, Utterance
from context.ports import Tokenizer
from context.primitives.text import inert_name
from context.retrieval.lexical import LexicalIndex
from context.statements.checks import Fault, checked, sources_of, statements_of
from context.statements.summary_merge import newest, resolved, with_all_of
from context.statements.verdicts import (
    MOST_CLAIMS,
    Claim,
    NothingStands,
    Verdict,
    VerdictFault,
    claims_of,
    for_sentences,
    judged,
    witnesses,
)
from worker.agent.calls.verifying import Verifier
from worker.agent.summaries.summary_draft import SummaryDraft, summary_of

log = structlog.get_logger(__name__)

_STATEMENTS: Final = ("sentences", "key_points", "decisions", "pending")
_CITED_STATEMENTS: Final = 300
"""So many of the newest statements of the last summary may bear out a new one."""
_SEARCHED_LINES: Final = 600
"""Later words on a matter are looked for in so many utterances from the topic's beginning on, and as many of
the newest."""
_IN_THREAD_UTTERANCES: Final = 100
"""Utterances from which on indexing them would hold the loop up noticeably."""


class SummaryChecks:
    """The checks of one summariser; holds no state of a meeting."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        max_tokens: int,
        wake_words: Sequence[str],
        verifier: Verifier | None,
        on_dropped: Callable[[Fault | VerdictFault], None],
    ) -> None:
        """`max_tokens`: the size of a summary's text. `on_dropped` is told why a statement was dropped."""
        self._tokenizer, self._max_tokens = tokenizer, max_tokens
        self._wake_words = wake_words
        self._verifier = verifier
        self._on_dropped = on_dropped

    def named(self, draft: SummaryDraft, effect: Summarise, span: Sequence[Utterance]) -> str:
        """The topic's name as the model drafted it, or "" where the talk does not bear it out.

        It stands above minutes and answers. So a third of its stems have to have been said (of a Korean
        compound, few are), all of its figures, and they must not come from who wants the topic called so.
        """
        name = inert_name(draft.topic_name)[:60]
        heard = (*effect.unread, *effect.utterances)
        spoken = "\n".join(
            (effect.topic.name, effect.topic.notes.text, *(utterance.text for utterance in span))
        )
        people = stems("\n".join(utterance.speaker_name for utterance in heard))
        own = own_words(name) - people
        if not own or 3 * len(own & stems(spoken)) < len(own):
            return ""
        if not forms_stand(name, spoken) or not figures_heard(name, spoken, counts=()):
            return ""
        texts = (text for utterance in heard for text in (utterance.speaker_name, utterance.text))
        wanted = stems("\n".join(text for text in texts if steers(text, self._wake_words)))
        tainted = (own & wanted) - stems("\n".join(utterance.text for utterance in span))
        return "" if tainted and 3 * len(tainted) >= len(own) else name

    def standing(
        self,
        draft: SummaryDraft,
        previous: Summary,
        span: Sequence[Utterance],
        language: str,
        elsewhere: Sequence[Statement],
    ) -> Summary:
        """What of the draft its evidence bears out, with what it forgot of `previous`.

        `elsewhere`: the decisions of other topics, which it may replace. Where it has no sentences, its first
        other statements tell it. Raises `NothingStands` where no sentence is left.
        """
        drafted = summary_of(draft, previous, span)
        sources = sources_of(span, newest(previous, _CITED_STATEMENTS), self._wake_words)

        def stands(statement: Statement) -> bool:
            # What is in another language than the talk nothing bears out, however it is cited.
            spoken = "\n".join(sources.get(id_, "") for id_ in statement.evidence)
            if comparable(statement.text, spoken, language):
                return True
            self._drop("unrelated")
            return False

        statements = {field: tuple(filter(stands, getattr(drafted, field))) for field in _STATEMENTS}
        content = self._without_faults(
            drafted.model_copy(update=statements),
            span,
            previous,
            settled=statements_of(previous),
        )
        if not drafted.sentences:
            rest = for_sentences(*content.key_points, *content.decisions, *content.pending)
            content = content.model_copy(update={"sentences": tuple(rest)})
        if not content.sentences:
            raise NothingStands("no sentence of the summary is covered by what was said")
        spoken = stems(" ".join((*previous.keywords, *(utterance.text for utterance in span))))
        keywords = tuple(word for word in content.keywords if stems(word) & spoken)
        earlier = (*elsewhere, *previous.decisions, *content.decisions)
        decisions = tuple(resolved(decision, earlier) for decision in content.decisions)
        content = content.model_copy(update={"keywords": keywords, "decisions": decisions})
        return self._shortened(with_all_of(previous, content))

    async def verified(
        self,
        content: Summary,
        effect: Summarise,
        *,
        language: str,
        within_s: float,
        on_prompt: Callable[[PromptRecord], None],
    ) -> Summary:
        """The summary as the verifier leaves it; what gets no verdict stays, marked as unverified.

        `within_s`: how long the verifier may take; from 0 down it is not asked. `on_prompt` is told what it
        was sent. Raises `NothingStands` where no sentence is left.
        """
        claims = claims_of(content, effect.topic.notes)
        if not claims:
            return content.model_copy(update={"verified": effect.topic.notes.verified})
        verdicts, witnesses = list[Verdict | None](), list[Utterance]()
        if self._verifier is not None and within_s > 0:
            asked = claims[:MOST_CLAIMS]
            witnesses = await self._witnesses(asked, effect)
            verdicts += await self._verifier.verify(
                asked, witnesses, language=language, within_s=within_s, on_prompt=on_prompt
            )
        verdicts += [None] * (len(claims) - len(verdicts))
        result = judged(content, claims, verdicts, {utterance.id: utterance for utterance in witnesses})
        for _, wrong in result.dropped:
            self._drop(wrong)
        if not result.summary.sentences:
            raise NothingStands("no sentence of the summary survives its verification")
        return result.summary

    async def _witnesses(self, claims: Sequence[Claim], effect: Summarise) -> list[Utterance]:
        """What the claims cite, what stands around it, and what was said on the same matter later."""
        heard = effect.heard
        if not heard:
            return [*effect.before, *effect.unread, *effect.utterances]
        first = min(effect.topic.start_utterance_id, *(claim.evidence[0] for claim in claims))
        behind = first - 1 + _SEARCHED_LINES
        newest = max(behind, len(heard) - _SEARCHED_LINES)
        searched = [*heard[first - 1 : behind], *heard[newest:]]

        def sought() -> list[Utterance]:
            return witnesses(claims, heard, LexicalIndex(searched))

        return await asyncio.to_thread(sought) if len(searched) >= _IN_THREAD_UTTERANCES else sought()

    def checked(self, content: Summary, previous: Summary, span: Sequence[Utterance]) -> Summary:
        """A summary of quotes without the statements that its evidence doesn't bear out."""
        return self._without_faults(content, span, previous, settled=statements_of(previous))

    def _without_faults(
        self,
        content: Summary,
        span: Sequence[Utterance],
        previous: Summary,
        *,
        settled: Iterable[Statement],
    ) -> Summary:
        """See `context.statements.checks.checked`; what is dropped is counted."""
        names = tuple(dict.fromkeys(utterance.speaker_name for utterance in span))
        sources = sources_of(span, newest(previous, _CITED_STATEMENTS), self._wake_words)
        result = checked(content, sources, names, settled=settled)
        for _, wrong in result.dropped:
            self._drop(wrong)
        return result.summary

    def _drop(self, wrong: Fault | VerdictFault) -> None:
        # Its words stay out of the log: what is said in a meeting is on its record alone.
        log.info("statement_dropped", fault=wrong)
        self._on_dropped(wrong)

    def _shortened(self, summary: Summary) -> Summary:
        """The text within its token bound, by whole sentences; the first one always stays."""
        sentences: list[Statement] = []
        for sentence in summary.sentences:
            text = " ".join(one.text for one in [*sentences, sentence])
            if sentences and self._tokenizer.count(text) > self._max_tokens:
                break
            sentences.append(sentence)
        return summary.model_copy(
            update={"text": " ".join(one.text for one in sentences), "sentences": tuple(sentences)}
        )
