"""Retracting: behind an answer's last word it is verified, and what does not stand is taken back.

Theory of operation. `CitedText` has let out what is mechanically in order, each piece a claim with its
citations (`Run.claims`). One call verifies all of them against the record within `Deadlines.verify_s`. A
claim that falls is taken back in a line of its own, with what the record says instead where that is known. Of
a claim without a verdict it is said that it is unverified: of each where there are some, else of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import structlog

from context.language.to_agent import marked, without_marked
from context.models import Utterance
from context.primitives.text import inert_quote
from context.prompts.quoting import FIRST_FOREIGN
from context.statements.verdicts import Claim, Verdict, VerdictFault, verdict_fault, witnesses
from worker.agent.graph import responding
from worker.agent.graph.run import Run
from worker.agent.reply.citations import attribution
from worker.agent.reply.speaking import notice, taken_back, unverified

log = structlog.get_logger(__name__)

_NAMED_CHARACTERS: Final = 60
"""Characters of a claim by which it is known again."""
_QUOTED_CHARACTERS: Final = 200
"""Characters of an utterance that says otherwise."""
_MOST_QUOTES: Final = 2

Fallen = tuple[Claim, Verdict, VerdictFault]
"""A claim that may not stand, the verdict on it, and why."""


async def verify_told(run: Run) -> None:
    """Verify the model's new claims; tell what is taken back, and, once, that some could not be verified."""
    claims = [claim for claim in dict.fromkeys(run.answer.claims) if claim not in run.answer.standing]
    run.answer.claims.clear()
    if not claims:
        return
    witnesses = _witnesses(run, claims)
    verdict_of = dict(zip(claims, await _verdicts(run, claims, witnesses), strict=True))
    by_id = {utterance.id: utterance for utterance in witnesses}
    silent = [claim for claim, verdict in verdict_of.items() if verdict is None]
    fallen = [
        (claim, verdict, why)
        for claim, verdict in verdict_of.items()
        if verdict is not None and (why := verdict_fault(claim, verdict, by_id)) is not None
    ]
    wrong = {claim for claim, _, _ in fallen}
    run.answer.standing += [claim for claim in claims if claim not in wrong]
    if judged := len(claims) - len(silent):
        run.answer.grounding = 1 - len(fallen) / judged
    if fallen:
        await _take_back(run, fallen, by_id)
    if silent:
        run.account.verified = False
        await _tell_unverified(run, silent, whole=not judged)
    else:
        run.account.verified = run.account.verified is not False


def _witnesses(run: Run, claims: Sequence[Claim]) -> list[Utterance]:
    """What the claims cite, what was said on it later, and cited passages from elsewhere."""
    foreign = {id_ for claim in claims for id_ in claim.evidence if id_ >= FIRST_FOREIGN}
    shown = run.prompt.shown if run.prompt is not None else ()
    heard = witnesses(claims, run.question_context.meeting.utterances, run.question_context.manager.index)
    return [*heard, *(_as_it_was(utterance, run) for utterance in shown if utterance.id in foreign)]


async def _verdicts(
    run: Run, claims: Sequence[Claim], witnesses: Sequence[Utterance]
) -> Sequence[Verdict | None]:
    """A verdict per claim; None for each without one."""
    verifier = run.means.verifier
    if verifier is None:
        return (None,) * len(claims)
    return await verifier.verify(
        claims,
        witnesses,
        language=run.question_context.language,
        within_s=run.means.deadlines.verify_s,
        on_prompt=run.prompts.append,
    )


async def _tell_unverified(run: Run, silent: Sequence[Claim], *, whole: bool) -> None:
    language = run.question_context.language
    named = unverified([_cut(claim.text, _NAMED_CHARACTERS) for claim in silent], language)
    await responding.tell(run, f"\n\n{notice('unverified', language) if whole else named}")


async def _take_back(run: Run, fallen: Sequence[Fallen], by_id: Mapping[int, Utterance]) -> None:
    log.info("claims_taken_back", faults=[why for _, _, why in fallen])
    run.account.taken_back += len(fallen)
    instead: list[int] = []
    lines = []
    # What was asked of the agent is no record of how it is.
    utterances = marked(by_id.values(), run.question_context.meeting.config.agent_names)
    orders = {
        utterance.id for utterance in utterances if not any(map(str.isalnum, without_marked(utterance.text)))
    }
    for claim, verdict, why in fallen:
        # The utterances that say what the claim should have.
        otherwise = () if why == "not_said" else verdict.changed or claim.evidence
        ids = [id_ for id_ in otherwise if id_ in by_id and id_ not in orders][:_MOST_QUOTES]
        instead += ids
        quotes = " / ".join(_quote(by_id[id_], run) for id_ in ids)
        lines.append(
            taken_back(_cut(claim.text, _NAMED_CHARACTERS), why, quotes, run.question_context.language)
        )
    _settle_evidence(run, [claim for claim, _, _ in fallen], instead)
    await responding.tell(run, "\n\n" + "\n".join(lines))
    if not run.answer.standing and not run.answer.degraded:
        await _fall_back(run, quoted=bool(instead))


def _settle_evidence(run: Run, fallen: Sequence[Claim], instead: Sequence[int]) -> None:
    """An answer rests on what still stands in it, on its quotes, and on what says otherwise."""
    standing_ids = {id_ for claim in run.answer.standing for id_ in claim.evidence}
    if run.answer.degraded and run.quotes is not None:
        standing_ids.update(run.quotes.evidence)
    own = [id_ for id_ in run.answer.evidence if id_ in standing_ids]
    run.answer.evidence = tuple(dict.fromkeys([*own, *(id_ for id_ in instead if id_ < FIRST_FOREIGN)]))
    named = run.prompt.cited_as if run.prompt is not None else {}
    lost = {named[id_].strip("*") for claim in fallen for id_ in claim.evidence if id_ in named}
    lost -= {named[id_].strip("*") for id_ in standing_ids if id_ in named}
    run.answer.sources = tuple(name for name in run.answer.sources if name not in lost)


async def _fall_back(run: Run, *, quoted: bool) -> None:
    """Nothing that the model said stands: the record's own words are the answer, where it has any."""
    run.answer.degraded = True
    quotes = run.extractive()
    if quotes.evidence and quotes.certainty != "none":
        run.answer.certainty = quotes.certainty
        await responding.tell(run, f"\n\n{notice('said_instead', run.question_context.language)}\n\n")
        await responding.quote(run)
    elif quoted:
        run.answer.certainty = "closest"
    else:
        run.answer.certainty = "none"
        await responding.tell(run, f"\n\n{notice('not_found', run.question_context.language)}")


def _as_it_was(passage: Utterance, run: Run) -> Utterance:
    """A passage from elsewhere with the words that it had before a model shortened them."""
    text = run.unshortened.get(passage.speaker_id)
    return passage if text is None else passage.model_copy(update={"text": text})


def _quote(utterance: Utterance, run: Run) -> str:
    named = run.prompt.cited_as.get(utterance.id) if run.prompt is not None else None
    who = named or attribution(utterance, run.question_context.settings.zone, run.question_context.language)
    return f"{who}: {_cut(utterance.text, _QUOTED_CHARACTERS)}"


def _cut(text: str, most: int) -> str:
    line = inert_quote(text)
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
