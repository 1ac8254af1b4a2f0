"""An answer on its way to the asker: by a model that cites, in the meeting's own words, or corrected.

Nothing reaches the asker that the record does not bear out: a model's text goes through `CitedText`, which
lets a piece out only with citations that stand. Whatever goes wrong with the model (late, down, broken off,
nothing that stands) is said in one line, and the extractive answer follows; such a reply is `degraded`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final, Literal, cast

import structlog

from context.ports import CutOff, PortError
from context.prompts.quoting import FIRST_FOREIGN
from worker.agent.calls.calling import CalledModel
from worker.agent.graph.run import Run
from worker.agent.prompt.prompting import Prompt
from worker.agent.reply.citations import CitedText
from worker.agent.reply.loops import Loops
from worker.agent.reply.non_answers import what_instead
from worker.agent.reply.speaking import CLOSE_S, AnswerNotice, notice, unverified_mark

log = structlog.get_logger(__name__)

LONGEST_CHARS: Final = 8_000
"""Most characters of an answer, which is read in a chat; its end is that of a sentence."""
_LEAST_CHARS: Final = 1_000
"""So much a correction may say, however long the answer was."""
_LONGEST_HEARD_CHARS: Final = 32_000
"""Most characters that a model is listened to for, its thoughts and what does not stand included."""
_SLICE_CHARS: Final = 400
"""The filter gets a model's text in pieces of at most so many characters, as most models give it."""


async def tell(run: Run, text: str, *, evidence: tuple[int, ...] = ()) -> None:
    """Say the next piece, and note when the first words came; `evidence` goes with the stream's opening."""
    await run.speech.say(text, evidence=evidence)
    if run.account.first_words_ms is None and run.speech.begun:
        run.account.first_words_ms = round(1000 * (run.means.clock() - run.began_s), 3)


async def by_model(run: Run, model: CalledModel, prompt: Prompt) -> AnswerNotice | None:
    """Stream the model's answer as far as it stands; gives what went wrong, or None.

    That the material holds no answer is an answer.
    """
    cited = _filter(run, prompt)
    trouble: AnswerNotice | None = None
    try:
        async with asyncio.timeout(min(run.first.remaining_s, run.whole.remaining_s)) as limit:
            async with aclosing(_let_through(run, model, prompt, cited)) as texts:
                async for text in texts:
                    await _show(run, text, cited, prompt, limit)
    except TimeoutError:
        model.gave_up()
        trouble = "broke_off" if run.speech.begun else "late"
    except CutOff as error:
        log.warning("answer_degraded", error=str(error))
        await _show(run, cited.finish(), cited, prompt, limit)
        trouble = "broke_off" if run.speech.begun else "unsupported"
    except PortError as error:
        log.warning("answer_degraded", error=str(error))
        trouble = "broke_off" if run.speech.begun else "unavailable"
    if trouble in (None, "unsupported"):
        # A model of whose answers nothing ever stands is of no use.
        stands = run.speech.begun or cited.nothing_found
        model.checked("answer", "evidence", passed=stands)
        if not stands:
            model.missed("answer", "useless")
    if cited.dropped:
        log.info("answer_pieces_dropped", faults=cited.dropped)
    if trouble is None and not run.speech.begun:
        if not cited.nothing_found:
            return what_instead(cited.heard) or "unsupported"
        run.answer.certainty = "none"
        await tell(run, notice("not_found", run.question_context.language))
    return trouble


async def correct(run: Run, model: CalledModel, prompt: Prompt) -> bool:
    """Append a marked correction to the first answer; False where nothing came, and the first one stays."""
    cited, begun = _filter(run, prompt), False
    mark = f"\n\n{notice('correction', run.question_context.language)}\n"
    try:
        async with asyncio.timeout(run.whole.remaining_s):
            async with aclosing(_let_through(run, model, prompt, cited)) as texts:
                async for text in texts:
                    words = text.strip()
                    if (words and words in run.speech.text) or not (words or begun):
                        continue  # said already, or blank before its first word
                    _rests_on(run, prompt)
                    await run.speech.say(text if begun else mark + text.lstrip())
                    begun = True
    except TimeoutError:
        model.gave_up()
        run.note("generate_answer", "the correction was late")
    except PortError as error:
        run.note("generate_answer", f"no correction: {error}")
    if begun:
        _cites(run, cited, before=run.answer.evidence)
        run.answer.certainty = "answer"
    return begun


async def degrade(run: Run, why: AnswerNotice) -> None:
    """Say in one line what went wrong, and then quote what the record has on the question, if anything."""
    speech, quotes = run.speech, run.extractive()
    run.answer.degraded = True
    gap = "\n\n" if speech.begun and not speech.text.endswith("\n") else ""
    line = gap + notice(why, run.question_context.language, quoted=not quotes.declined)
    if quotes.declined:
        await tell(run, line)
        run.answer.certainty = "answer" if run.answer.evidence else "none"
        return
    if quotes.sources:  # the line and its quotes go out together
        run.rests_elsewhere()
    await tell(run, f"{line}\n\n", evidence=tuple(quotes.evidence))
    await quote(run)


async def quote(run: Run) -> None:
    """Tell the answer made of quotes, sentence by sentence; its evidence and sources become the run's."""
    quotes = run.extractive()
    evidence = tuple(quotes.evidence)
    if quotes.sources:
        run.rests_elsewhere()
    for chunk in run.speech.sentences(quotes.text):
        await tell(run, chunk, evidence=evidence)
    run.answer.certainty = "answer" if run.answer.evidence else quotes.certainty
    run.answer.evidence = tuple(dict.fromkeys([*run.answer.evidence, *evidence]))
    run.answer.sources = tuple(dict.fromkeys([*run.answer.sources, *quotes.sources]))


async def add_notices(run: Run) -> None:
    """Say behind the answer what packs note of it for this asker; a kept answer has none of it."""
    memory, question_context = run.parts.memory, run.question_context
    if memory is None:
        return
    here_alone = not run.features.include_evidence
    told = memory.notices(
        run.question,
        question_context.meeting,
        run.speech.text,
        question_context.language,
        here_alone=here_alone,
    )
    if not told:
        return
    if not here_alone and question_context.has_answered_elsewhere:
        run.rests_elsewhere()  # half of what is noted may have been named there
    await tell(run, "\n\n" + "\n".join(told))


async def end(run: Run, why: Literal["superseded", "no_answer"]) -> None:
    """Break the answer off, and say why; a superseded one that nobody has seen yet needs no word."""
    if why == "superseded" and not run.speech.begun:
        return
    try:
        async with asyncio.timeout(CLOSE_S):
            await run.speech.say(f"\n\n{notice(why, run.question_context.language)}")
            await run.speech.close(evidence=run.answer.evidence)
    except TimeoutError:
        log.warning("reply_left_open", why=why)


def _filter(run: Run, prompt: Prompt) -> CitedText:
    """The filter for what the model writes; each piece that it lets out becomes a claim of the run."""
    verifier = run.means.verifier
    return CitedText(
        prompt.shown,
        zone=run.question_context.settings.zone,
        cited_as=prompt.cited_as,
        rules=prompt.messages[0].content,
        steering=prompt.steering,
        on_claim=run.answer.claims.append,
        asked="\n".join(prompt.asked),
        mark=""
        if verifier is not None and verifier.is_within_reach
        else unverified_mark(run.question_context.language),
        wake_words=run.question_context.meeting.config.agent_names,
        language=run.question_context.language,
        headings=prompt.headings,
        people=[one.name for one in prompt.context.participants] if prompt.context is not None else (),
    )


async def _let_through(run: Run, model: CalledModel, prompt: Prompt, cited: CitedText) -> AsyncGenerator[str]:
    """What of the model's text may be shown, as it comes: as much as a chat bears, then that it is cut."""
    room = max(_LEAST_CHARS, LONGEST_CHARS - len(run.speech.text))
    async with aclosing(_filtered(run, model, prompt, cited)) as texts:
        async for text in texts:
            if text is None or len(text) > room:
                break
            room -= len(text)
            yield text
        else:
            return
    log.warning("answer_cut", model=model.name)
    if run.speech.begun:
        yield f"\n\n{notice('cut', run.question_context.language)}"


async def _filtered(
    run: Run, model: CalledModel, prompt: Prompt, cited: CitedText
) -> AsyncGenerator[str | None]:
    """What the filter lets out; None, and nothing more, where the model was listened to for long enough.

    A model that goes round in a loop is left there; what it said before stands.

    Whoever closes this ends the request. What they have not taken then makes no claims.
    """
    heard = claims = 0
    taken, loops = False, Loops()
    pieces = model.stream(prompt.messages, max_tokens=run.means.max_tokens)
    try:
        async with aclosing(cast("Any", pieces)):
            async for piece in pieces:
                for start in range(0, len(piece), _SLICE_CHARS):
                    taken, claims = False, len(run.answer.claims)
                    if text := cited.feed(loops.feed(piece[start : start + _SLICE_CHARS])):
                        yield text
                    taken = True
                heard += len(piece)
                if loops.found:
                    log.warning("answer_loops", model=model.name, heard=heard)
                    run.note("generate_answer", "the model went round in a loop, and was left there")
                    break
                if heard > _LONGEST_HEARD_CHARS:
                    yield None
                    return
        taken, claims = False, len(run.answer.claims)
        if text := cited.feed(loops.finish()) + cited.finish():
            yield text
        taken = True
    except GeneratorExit:
        if not taken:
            del run.answer.claims[claims:]
        raise


async def _show(run: Run, text: str, cited: CitedText, prompt: Prompt, limit: asyncio.Timeout) -> None:
    """Show a piece; from the first one on, the answer's own deadline counts."""
    if not text:
        return
    _rests_on(run, prompt)
    _cites(run, cited)
    first = not run.speech.begun
    await tell(run, text)
    if first:
        limit.reschedule(asyncio.get_running_loop().time() + run.whole.remaining_s)


def _rests_on(run: Run, prompt: Prompt) -> None:
    """A model may have used whatever it was shown, also what it does not cite."""
    if prompt.elsewhere:
        run.rests_elsewhere()


def _cites(run: Run, cited: CitedText, before: tuple[int, ...] = ()) -> None:
    """What is cited of this meeting becomes the run's evidence; what is from elsewhere, its sources."""
    own = tuple(id_ for id_ in cited.evidence if id_ < FIRST_FOREIGN)
    run.answer.evidence = tuple(dict.fromkeys([*before, *own]))
    run.answer.sources = tuple(dict.fromkeys([*run.answer.sources, *cited.foreign]))
