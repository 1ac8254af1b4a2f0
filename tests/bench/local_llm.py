"""The path of a language model end to end, with a real one: small, local, behind an OpenAI-compatible door.

`python -m tests.bench local-llm`: a half-gigabyte model is brought into the cache and served by llama.cpp on loopback.
Both sample meetings are summarised, judged and asked about, as the product does it; then an answer is
cancelled, kept waiting, made to go on for ever, and its server taken away. What must hold whatever a model
is like has a goal; what this one is worth as a writer stands apart, without any: half a billion
parameters prove a path, not a product.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Final, cast

from pydantic import SecretStr

from context import events
from context.budget import budget_for
from context.models import Invocation, Reply
from context.ports import ChatMessage
from tests.bench.figures import Figure, percentile
from tests.bench.local_meetings import QUESTIONS, Sample, samples
from tests.bench.local_server import LocalServer, served
from tests.bench.local_watching import Watched
from tests.bench.local_weights import local_model
from tests.bench.processes import cpu_s, load
from worker.adapters.openai_llm import OpenAILanguageModel
from worker.agent.answering import Answerer
from worker.agent.calling import CalledModel, Deadlines
from worker.agent.desk import DeskSettings
from worker.agent.judging import TopicJudge
from worker.agent.speaking import Notice, notice
from worker.agent.summarising import Summariser
from worker.clock import monotonic_s
from worker.configuration.settings import Settings
from worker.outlets import Silence

__all__ = ["local_llm"]

_MS: Final = 1000.0
_PATIENT: Final = Deadlines(first_token_s=300.0, answer_s=600.0, summary_s=600.0, judge_s=300.0)
"""For what is measured: a figure of how often a busy machine is too slow would be none of the path."""
_READ_S: Final = 600.0
_CANCELS: Final = 3
_SUMMARIES: Final = 2
"""Topics of each meeting that the model summarises; extraction does the others."""
_SLACK_S: Final = 2.0
_ENDLESS: Final = {"ignore_eos": True}
"""llama.cpp's: a model that does not come to an end."""
_RAMBLING: Final = 'root ::= "{quote} [#{id}]\\n" ("no " | "yes ")*'
"""A grammar: one sentence that stands, then words for ever."""
_WORD: Final = (ChatMessage(role="user", content="Count from 1 to 1000."),)


def local_llm() -> list[Figure]:
    """Verdicts on the path, speed, and apart from these the quality."""
    cache_dir = Settings.load().process.cache_dir
    model = local_model(cache_dir)
    transcript = model.gguf.with_name("transcript.jsonl")
    transcript.unlink(missing_ok=True)
    print(f"what it writes can be read in {transcript}", file=sys.stderr, flush=True)
    return asyncio.run(_measure(Bench(), served(model), transcript))


class Bench:
    """What is gathered along the way."""

    def __init__(self) -> None:
        self.figures: list[Figure] = []

    def verdict(self, name: str, good: int, of: int, note: str = "") -> None:
        """So many of so many: all of them, or the path is broken."""
        self._add(Figure(name, float(good), f"of {of}", float(of), note=note, at_least=True))

    def figure(self, name: str, value: float, unit: str, note: str = "", goal: float | None = None) -> None:
        """A figure; with a goal, at most that."""
        self._add(Figure(name, value, unit, goal, note=note))

    def _add(self, figure: Figure) -> None:
        mark = {True: " ✓", False: " ✗", None: ""}[figure.met]
        told = f"  {figure.name}: {figure.value:.4g} {figure.unit}{mark}"
        print(told + (f" ({figure.note})" if figure.note else ""), file=sys.stderr, flush=True)
        self.figures.append(figure)


async def _measure(
    bench: Bench, serving: AbstractAsyncContextManager[LocalServer], transcript: Path
) -> list[Figure]:
    async with serving as server:
        watched = Watched(_door(server), transcript)
        began_s, began_cpu_s = monotonic_s(), cpu_s(server.pid)
        lived = [await _lived(sample, watched, bench) for sample in samples()]
        await _judged(lived, watched, bench)
        _tell_structure(watched, bench)
        replies = [await _asked(sample, watched) for sample in lived]
        _tell_answers(lived, replies, watched, bench)
        server.must_live()
        spent_s = cpu_s(server.pid) - began_cpu_s
        bench.figure(
            "the server's CPU per token that it wrote", _MS * spent_s / max(1, watched.written), "ms", load()
        )
        bench.figure("all of this took", monotonic_s() - began_s, "s", f"{len(watched.calls)} requests")
        await _cancelled(server, bench)
        await _superseded(server, lived[0], bench)
        await _late(server, lived[0], bench)
        await _endless(server, lived[1], bench)
        await _gone(server, lived[1], bench)
    return bench.figures


def _door(server: LocalServer, **options: Any) -> OpenAILanguageModel:
    return OpenAILanguageModel(
        base_url=server.url,
        api_key=SecretStr(""),
        model="local",
        read_timeout_s=_READ_S,
        options=options,
    )


# ---- summaries and verdicts -----------------------------------------------------------------------


async def _lived(sample: Sample, watched: Watched, bench: Bench) -> Sample:
    """The meeting, folded as it was spoken, each topic summarised by the model."""
    dropped: list[str] = []
    summariser = Summariser(
        CalledModel(watched), tokenizer=sample.tokenizer, deadlines=_PATIENT, on_dropped=dropped.append
    )
    extractive = Summariser(tokenizer=sample.tokenizer)
    for effect in sample.summaries():
        if len(sample.written) == _SUMMARIES:
            sample.take(await extractive.summarise(effect, language="auto"))
            continue
        ready = await summariser.summarise(effect, language="auto")
        sample.take(ready)
        if isinstance(ready, events.SummaryReady):
            sample.written.append(ready)
    by_model = sum(ready.engine != "extractive" for ready in sample.written)
    kept = sum(_statements(ready) for ready in sample.written if ready.engine != "extractive")
    of = len(sample.written)
    bench.verdict(f"{sample.language}: topics with a summary, by whomever", of, of)
    bench.figure(
        f"quality, {sample.language}: summaries of which something stood",
        by_model,
        f"of {of}",
        f"{kept} statements kept by the check, {len(dropped)} dropped; the others are extractive",
    )
    return sample


def _statements(ready: events.SummaryReady) -> int:
    content = ready.content
    return sum(map(len, (content.sentences, content.key_points, content.decisions, content.pending)))


async def _judged(lived: Sequence[Sample], watched: Watched, bench: Bench) -> None:
    """A boundary and a place within a topic, of each meeting."""
    judge, right, given = TopicJudge(CalledModel(watched), deadlines=_PATIENT), 0, 0
    for sample in lived:
        for at, changed in sample.places():
            verdict = await judge.judge(sample.judging(at))
            assert verdict is not None
            given += verdict.reason not in ("timeout", "parse_error", "unavailable")
            right += verdict.changed is changed
    bench.verdict("verdicts on topics that are verdicts", given, 2 * len(lived))
    bench.figure("quality: verdicts on topics that are right", right, f"of {2 * len(lived)}")


def _tell_structure(watched: Watched, bench: Bench) -> None:
    first = [call for call in watched.structured_calls if not call.repair]
    repairs = [call for call in watched.structured_calls if call.repair]
    bench.verdict(
        "JSON of the asked-for shape, at the first try",
        len(first) - len(repairs),
        len(first),
        ", ".join(f"{name} {count}" for name, count in watched.purposes().items()),
    )


# ---- answers --------------------------------------------------------------------------------------


def _answerer(sample: Sample, model: Any, deadlines: Deadlines = _PATIENT, max_tokens: int = 200) -> Answerer:
    called = CalledModel(model)
    return Answerer(
        called,
        DeskSettings(sample.tokenizer, budget=budget_for("local")),
        deadlines=deadlines,
        max_tokens=max_tokens,
        judge=called,
    )


async def _asked(sample: Sample, watched: Watched) -> list[Reply]:
    return [await _ask(sample, _answerer(sample, watched), text) for text, _ in QUESTIONS[sample.language]]


async def _ask(sample: Sample, answerer: Answerer, text: str) -> Reply:
    asked = Invocation(id=f"q{monotonic_s()}", by="bench", via="chat", text=text, at_ms=sample.end_ms)
    return await answerer.answer(asked, sample.manager, Silence().open_reply, now_ms=lambda: sample.end_ms)


def _tell_answers(
    lived: Sequence[Sample], replies: Sequence[Sequence[Reply]], watched: Watched, bench: Bench
) -> None:
    streams = [call for call in watched.streams if call.first_s is not None]
    bench.verdict(
        "questions that got an answer",
        sum(bool(r.text) for of in replies for r in of),
        sum(map(len, replies)),
    )
    firsts = [call.first_s for call in streams if call.first_s is not None]
    if firsts:
        bench.figure(
            "time to first token, median", percentile(firsts, 0.5), "s", f"max {max(firsts):.1f}; {load()}"
        )
        bench.figure("tokens per second once it writes", watched.tokens_per_s(), "", load())
        within = sum(first <= Deadlines().first_token_s for first in firsts)
        bench.figure("first tokens within the product's 8 s", within, f"of {len(firsts)}", load())
    for sample, given in zip(lived, replies, strict=True):
        own = [reply for reply in given if not reply.degraded and not reply.declined]
        truly = sum(_stands(sample, reply) for reply in given if reply.evidence)
        quoted = sum(bool(reply.evidence) for reply in given)
        wanted = [answer for _, answer in QUESTIONS[sample.language]]
        right = [answer in reply.text for reply, answer in zip(given, wanted, strict=True)]
        by_itself = sum(good and not reply.degraded for good, reply in zip(right, given, strict=True))
        bench.verdict(f"{sample.language}: answers whose evidence is on the record", truly, quoted)
        bench.figure(
            f"quality, {sample.language}: answers by the model that passed the check",
            len(own),
            f"of {len(given)}",
            "the others: quotes, under a line that says why",
        )
        bench.figure(
            f"quality, {sample.language}: what is asked for stands in the answer",
            sum(right),
            f"of {len(given)}",
            f"{by_itself} of them by the model",
        )


def _stands(sample: Sample, reply: Reply) -> bool:
    return all(0 < id_ <= len(sample.meeting.utterances) for id_ in reply.evidence)


# ---- what goes wrong --------------------------------------------------------------------------------


async def _cancelled(server: LocalServer, bench: Bench) -> None:
    """Whoever stops reading stops the server: it is idle soon after."""
    times = []
    for _ in range(_CANCELS):
        await server.until(0)
        model = _door(server, **_ENDLESS)
        stream = cast("Any", model.stream(_WORD, max_tokens=4000))
        await anext(stream)
        began_s = monotonic_s()
        await stream.aclose()
        await server.until(0)
        times.append(monotonic_s() - began_s)
        await model.aclose()
    bench.figure(
        "from a cancelled answer to a server that is idle, worst", max(times) * _MS, "ms", load(), 2000.0
    )


async def _superseded(server: LocalServer, sample: Sample, bench: Bench) -> None:
    """The same through the product: the answer's task is cancelled, as a newer question does it.

    While it writes, and while it still reads the prompt: llama.cpp notices that at its first token only.
    """
    for reads, goal_ms in ((False, 2000.0), (True, None)):
        await server.until(0)
        watched = Watched(_door(server, **_ENDLESS), Path(os.devnull))
        question = f"{QUESTIONS[sample.language][0][0]} {'!' if reads else ''}"
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(_ask(sample, _answerer(sample, watched), question))
            await server.until(1)
            await watched.until_it_writes(at_once=reads)
            task.cancel()
        when = "read" if reads else "written"
        idle_s = await server.until(0)
        bench.figure(
            f"superseded while it is {when}: the server is idle after", idle_s * _MS, "ms", load(), goal_ms
        )


async def _late(server: LocalServer, sample: Sample, bench: Bench) -> None:
    """All slots are taken by somebody who talks for ever: the product's 8 seconds pass."""
    async with asyncio.TaskGroup() as tasks:
        talker = tasks.create_task(_talk(_door(server, **_ENDLESS)))
        await server.until(1)
        await _must_degrade(
            (sample, _door(server), Deadlines()), bench, "a first token that does not come", "late", 8.0
        )
        talker.cancel()


async def _talk(model: OpenAILanguageModel) -> None:
    async for _piece in model.stream(_WORD, max_tokens=100_000):
        pass


async def _endless(server: LocalServer, sample: Sample, bench: Bench) -> None:
    """A good first sentence, and no end: the product's 30 seconds pass."""
    await server.until(0)
    said = sample.meeting.utterances[6]
    grammar = _RAMBLING.format(quote=said.text, id=said.id)
    deadlines = Deadlines(first_token_s=_PATIENT.first_token_s, answer_s=30.0)
    door = _door(server, grammar=grammar, **_ENDLESS)
    await _must_degrade((sample, door, deadlines), bench, "an answer that does not end", "broke_off", 30.0)
    bench.figure("… then the server is idle after", await server.until(0) * _MS, "ms", load(), 2000.0)


async def _gone(server: LocalServer, sample: Sample, bench: Bench) -> None:
    """The server is taken away."""
    door = _door(server)
    await server.stop()
    await _must_degrade((sample, door, Deadlines()), bench, "a server that is gone", "unavailable", 1.0)


async def _must_degrade(
    answering: tuple[Sample, OpenAILanguageModel, Deadlines],
    bench: Bench,
    what: str,
    why: Notice,
    limit_s: float,
) -> None:
    """The reply says what is wrong, is marked, and gives the quotes; in time."""
    sample, model, deadlines = answering
    began_s = monotonic_s()
    reply = await _ask(
        sample, _answerer(sample, model, deadlines, max_tokens=4000), QUESTIONS[sample.language][0][0]
    )
    took_s = monotonic_s() - began_s
    said = notice(why, sample.language) in reply.text
    bench.verdict(
        f"{what}: said in one line, marked as degraded, followed by quotes",
        sum((said, reply.degraded, bool(reply.evidence))),
        3,
    )
    bench.figure(f"{what}: answered after", took_s, "s", load(), limit_s + _SLACK_S)
    await model.aclose()
