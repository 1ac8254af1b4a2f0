"""A language model as verifier: all claims of one text in one cheap call, each held against utterances.

What comes back is a verdict for each claim that got one. Where the model is away, late or makes no sense
there is none, and whoever asked says so: an unverified text never passes for a verified one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, tzinfo
from functools import partial
from typing import Annotated, Final

import structlog
from pydantic import BaseModel, BeforeValidator, Field

from context.budgets.configuration import BudgetConfig
from context.budgets.tokens import shared
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.language.to_agent import marked
from context.models import PromptRecord, Utterance
from context.ports import ChatMessage, PortError, Tokenizer
from context.prompts.answer_prompts import VERIFICATION_PROMPT
from context.prompts.citing import cited_ids
from context.prompts.quoting import block, quoted, utterance_line
from context.statements.verdicts import Claim, Status, Support, Verdict
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.structured import ask

log = structlog.get_logger(__name__)

PURPOSE: Final = "verification"
_VERDICT_TOKENS: Final = 60
_LEAST_TOKENS: Final = 120
_CLAIMS_BEGIN: Final = "\n\n<claims>"


class VerdictDraft(BaseModel):  # noqa: D101 - a docstring would be sent with each request
    claim: int
    verdict: Support
    status: Status = "none"
    changed: Annotated[list[int], BeforeValidator(cited_ids)] = Field(default_factory=list)


class VerdictsDraft(BaseModel):  # noqa: D101 - as above
    verdicts: list[VerdictDraft]


class Verifier:
    """Has a language model verify claims against what was said; holds no state of a meeting."""

    def __init__(
        self,
        model: CalledModel | None,
        *,
        tokenizer: Tokenizer,
        most_tokens: int = 4_000,
        budgets: BudgetConfig | None = None,
        zone: tzinfo = UTC,
        timestamps: bool = True,
        wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
    ) -> None:
        """`most_tokens`: of claims and utterances together; `budgets` says how these share them.

        `timestamps`: whether the utterances tell their times of day, in `zone`. `wake_words`: what is said to
        the agent by one of these is marked.
        """
        self._model, self._tokenizer = model, tokenizer
        self._most_tokens, self._budgets, self._zone = most_tokens, budgets or BudgetConfig(), zone
        self._timestamps, self._wake_words = timestamps, wake_words

    @property
    def is_within_reach(self) -> bool:
        """Whether there is a model that may be asked now."""
        return self._model is not None and not self._model.is_resting

    def messages(
        self, claims: Sequence[Claim], said: Sequence[Utterance], language: str
    ) -> tuple[ChatMessage, ...]:
        """The messages: rules, utterances, claims; what stays the same is first, as servers keep it."""
        lines_of_claims = [
            f"{place}. {'' if claim.kind == 'statement' else f'({claim.kind}) '}{quoted(claim.text)}"
            f" {''.join(f'[#{id_}]' for id_ in claim.evidence)}"
            for place, claim in enumerate(claims, 1)
        ]
        shares = self._budgets.shares("verification", self._most_tokens)
        lines_of_claims = shared(lines_of_claims, shares["claims"], self._tokenizer)
        left = sum(shares.values()) - sum(self._tokenizer.count(line) + 1 for line in lines_of_claims)
        line = partial(utterance_line, zone=self._zone, timestamps=self._timestamps)
        lines = shared(
            [line(utterance) for utterance in marked(said, self._wake_words)], left, self._tokenizer
        )
        material = (block("utterances", "\n".join(lines)), block("claims", "\n".join(lines_of_claims)))
        return (
            ChatMessage(role="system", content=VERIFICATION_PROMPT["ko" if language == "ko" else "en"]),
            ChatMessage(role="user", content="\n\n".join(material)),
        )

    async def verify(
        self,
        claims: Sequence[Claim],
        said: Sequence[Utterance],
        *,
        language: str,
        within_s: float,
        on_prompt: Callable[[PromptRecord], None] = lambda _prompt: None,
    ) -> tuple[Verdict | None, ...]:
        """A verdict per claim, in order; None for each that got none. Never raises, but when cancelled.

        `said`: the utterances that the claims are held against (`context.statements.verdicts.witnesses`), of
        which a verdict may name those that changed a claim's matter. `on_prompt` is told of each prompt.
        """
        nothing = (None,) * len(claims)
        if not claims or self._model is None or not self.is_within_reach:
            return nothing
        messages = self.messages(claims, said, language)
        transcript, _, asked = messages[1].content.partition(_CLAIMS_BEGIN)
        try:
            async with asyncio.timeout(within_s):
                draft = await ask(
                    self._model,
                    messages,
                    VerdictsDraft,
                    name=PURPOSE,
                    max_tokens=_LEAST_TOKENS + _VERDICT_TOKENS * len(claims),
                    tokenizer=self._tokenizer,
                    shown={"transcript": transcript, "claims": asked},
                    on_prompt=on_prompt,
                    cut_off_counts=True,
                )
        except (PortError, TimeoutError) as error:
            why = type(error).__name__.lower()
            if isinstance(error, TimeoutError):
                # Nobody's failure: a model too slow for an answer's asker may be quick enough elsewhere.
                self._model.missed(PURPOSE, "late")
                why = "late"
            log.warning("claims_unverified", count=len(claims), error=why)
            return nothing
        verdicts = _by_claim(draft.verdicts, {utterance.id for utterance in said})
        places = range(1, len(claims) + 1)
        self._model.checked(PURPOSE, "verdicts", passed=any(verdicts.get(place) for place in places))
        return tuple(verdicts.get(place) for place in places)


def _by_claim(drafts: Sequence[VerdictDraft], known: Collection[int]) -> dict[int, Verdict | None]:
    """The verdicts by the number of their claim; None for one that was judged twice, and differently.

    `known`: the utterances that may have changed something.
    """
    verdicts: dict[int, Verdict | None] = {}
    for draft in drafts:
        verdict = Verdict(
            support=draft.verdict,
            status=draft.status,
            changed=tuple(id_ for id_ in draft.changed if id_ in known),
        )
        verdicts[draft.claim] = verdict if verdicts.get(draft.claim, verdict) == verdict else None
    return verdicts
