"""Seed 002's ablation (§7): seven scenarios, each with what the one before has and one part more.

Conversations of fifteen questions over real meetings: their labelled questions, and again in other words;
the fifteenth is a new one.
No language model: a reader stands in its place that quotes, of the prompt it is given, the lines that
cover the question best, so tokens are those of real prompts, and everything comes out the same each time.
Retrieval is the product's own, over all these meetings: by BM25, in "Full" by vectors of the packaged
model too.

Faithfulness is the share of quoted lines that stand in the record, relevance how much of the question's
subject an answer covers, context precision the share of cited utterances that lie in the labelled spans.
Context kept: of what the first fourteen exchanges named, the share that the fifteenth prompt still shows
(its note: in how many conversations something had been named).
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any, Final

from context.budgets.compression import Compression
from context.budgets.tokens import ExactTokenizer
from context.events import effects, events
from context.events.topic_events import SummaryReady
from context.features import Features
from context.fold.meeting import Meeting
from context.manager import ContextManager
from context.models import AnswerRun, Reply
from context.packs.meeting_pack import MeetingPack
from context.plain.facade import summarise
from context.ports import ChatMessage
from context.question import Question
from context.retrieval.question_subject import coverage, topic_words
from tests.bench.evidence_vectors import vector_maker
from tests.bench.figures import Figure
from tests.bench.meeting_passages import KeptEmbedder, MeetingPassages
from tests.bench.qmsum import LabelledMeeting, LabelledQuestion, held_back
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.verifying import Verifier
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.prompt.compressing import PassageCompressor
from worker.agent.question.answer_memory import CachedAnswers
from worker.agent.question.question_context import QuestionContextSettings
from worker.agent.question.remembering import EntityPacks, ThreadMemory
from worker.agent.reply.citations import NOTHING_FOUND
from worker.configuration.settings import Settings
from worker.errors import InputError
from worker.outlets import SilentOutlet
from worker.passages.passage_store import TextEmbedder
from worker.passages.retrieving import CorporaRetriever

MEETINGS: Final = 8
TURNS: Final = 15
_AGAIN: Final = ("{}", "Please tell me: {}", "Once more, {}")
_LINE: Final = re.compile(r"^\[#(\d+)\] (?:\(([\d:]+)\) )?([^:\n]+): (.+)$", re.MULTILINE)
_CLAIM: Final = re.compile(r"^([0-9]+)\. ", re.MULTILINE)
_QUESTION: Final = re.compile(r"<question>\n(.*?)\n</question>", re.DOTALL)
_QUOTED: Final = 3
_COMPLEXITIES: Final = ("simple", "moderate", "complex")
_START: Final = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)

_OFF: Final[dict[str, Any]] = {
    "self_refine_enabled": False,
    "active_retrieval_enabled": False,
    "retrieval_mode": "bm25",
    "context_compression_enabled": False,
    "hierarchical_memory_enabled": False,
    "response_cache_enabled": False,
    "include_profile": False,
    "include_personalization": False,
}
SCENARIOS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("Baseline", {}),
    ("+Self-Refine", {"self_refine_enabled": True}),
    ("+Active Retrieval", {"active_retrieval_enabled": True}),
    ("+Compression", {"context_compression_enabled": True}),
    ("+Hierarchical", {"hierarchical_memory_enabled": True}),
    ("+Cache", {"response_cache_enabled": True}),
    ("Full", {"retrieval_mode": "hybrid", "include_profile": True, "include_personalization": True}),
)


class Reader:
    """In a model's place: quotes the lines of its prompt that cover the question best, with citations."""

    name = "reader"

    def __init__(self, most: int = _QUOTED) -> None:
        """`most`: the lines that it quotes."""
        self.last_prompt, self._most = "", most

    async def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncIterator[str]:
        """Some lines, or that there is nothing."""
        del max_tokens, name
        self.last_prompt = prompt = messages[-1].content
        found = _QUESTION.search(prompt)
        topic = topic_words(found.group(1) if found else "")
        lines = sorted(_LINE.findall(prompt), key=lambda line: -coverage(topic, line[3]))[: self._most]
        if not any(coverage(topic, line[3]) for line in lines):
            yield NOTHING_FOUND
        for id_, time, name, text in lines:
            yield f"**{name}**{f' ({time})' if time else ''}: {text} [#{id_}]\n"

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        """The verdicts on its claims: what it quotes was said. Nobody asks it to plan or to grade."""
        del schema, name, max_tokens
        numbers = _CLAIM.findall(messages[-1].content.rpartition("<claims>")[2])
        return json.dumps(
            {"verdicts": [{"claim": int(number), "verdict": "supported"} for number in numbers]}
        )


@dataclass(slots=True)
class Tally:
    """What one scenario came to, by answer."""

    quality: list[float] = field(default_factory=list)
    faithful: list[float] = field(default_factory=list)
    relevant: list[float] = field(default_factory=list)
    precise: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    latency_ms: list[float] = field(default_factory=list)
    hits: int = 0
    kept: list[float] = field(default_factory=list)
    runs: list[AnswerRun] = field(default_factory=list)
    compressions: list[Compression] = field(default_factory=list)
    compressed_ms: list[float] = field(default_factory=list)
    """A conversation's mean each."""

    def add(self, reply: Reply, question: LabelledQuestion, meeting: Meeting) -> None:
        """One answer."""
        run = reply.run
        assert run is not None
        if run.quality_score is not None:  # what was kept was graded when it was given
            self.quality.append(run.quality_score)
        cited = [meeting.utterances[id_ - 1] for id_ in reply.evidence if id_ <= len(meeting.utterances)]
        if cited:
            said = " ".join(" ".join(utterance.text.split()) for utterance in cited)
            lines = [line for _, _, _, line in _LINE.findall(reply.text)] or [said]
            self.faithful.append(fmean(line in said for line in lines))
            self.precise.append(fmean(utterance.id - 1 in question.evidence for utterance in cited))
        self.relevant.append(coverage(topic_words(reply.question), reply.text))
        self.tokens.append(run.tokens_used)
        self.latency_ms.append(run.latency_ms)
        self.hits += run.cache_hit
        self.runs.append(run)

    def parts(self) -> dict[str, float]:
        """Seed 002 §7.3: what retrieval, compression and refinement did, under its names."""
        runs, made = self.runs, self.compressions
        classified = [run.steps["classify_complexity"] for run in runs if "classify_complexity" in run.steps]
        again = [run.retrieval_count - 1 for run in runs if run.retrieval_count > 1]
        ratios = [each.tokens_after / each.tokens_before for each in made if each.tokens_before]
        mended = [run.quality_gain for run in runs if run.corrected]
        return {
            "skipped_retrieval": sum(run.retrieval_count == 0 for run in runs),
            **{f"{kind}_queries": sum(run.complexity == kind for run in runs) for kind in _COMPLEXITIES},
            "avg_classification_time_ms": fmean(classified) if classified else 0.0,
            "total_compressions": len(made),
            "successful_compressions": sum(each.tokens_after < each.tokens_before for each in made),
            "avg_compression_ratio": fmean(ratios) if ratios else 1.0,
            "avg_compression_time_ms": fmean(self.compressed_ms) if self.compressed_ms else 0.0,
            "total_tokens_saved": sum(each.tokens_before - each.tokens_after for each in made),
            "total_questions": len(runs),
            "refinement_triggered": len(again),
            "avg_iterations": fmean(again) if again else 0.0,
            "avg_quality_improvement": fmean(mended) if mended else 0.0,
        }


def ablation(data: Path | None = None, *, embedder: TextEmbedder | None = None) -> list[Figure]:
    """Seed 002's result table, a scenario after the other. `embedder`: by default the packaged model."""
    if data is None:
        raise InputError("ablation needs --data DIR: the meetings and their questions")
    if embedder is None and (maker := vector_maker(Settings.load().process.cache_dir)) is not None:
        embedder = KeptEmbedder(maker)
    meetings = [each for each in held_back(data) if len(each.questions) > 3][:MEETINGS]
    figures: list[Figure] = []
    flags = dict(_OFF)
    baseline: Tally | None = None
    tally = Tally()
    for name, more in SCENARIOS:
        flags |= more
        print(f"ablation: {name} …", file=sys.stderr, flush=True)
        tally = asyncio.run(_conversations(meetings, Features().with_overrides(flags), embedder))
        figures += _figures(name, tally, baseline or tally)
        baseline = baseline or tally
    return [*figures, *(Figure(f"Full: {what}", value, "") for what, value in tally.parts().items())]


def _figures(name: str, tally: Tally, baseline: Tally) -> list[Figure]:
    rows = (
        ("quality", tally.quality, baseline.quality, ""),
        ("faithfulness", tally.faithful, baseline.faithful, ""),
        ("answer relevance", tally.relevant, baseline.relevant, ""),
        ("context precision", tally.precise, baseline.precise, ""),
        ("tokens", tally.tokens, baseline.tokens, ""),
        ("latency", tally.latency_ms, baseline.latency_ms, "ms"),
        ("context kept at turn 15", tally.kept, baseline.kept, ""),
    )
    found = [
        Figure(
            f"{name}: {what}",
            fmean(values),
            unit,
            baseline="Baseline's",
            baseline_value=fmean(before),
            note=f"{len(values)} conversations" if values is tally.kept else "",
        )
        for what, values, before, unit in rows
        if values and before
    ]
    return [*found, Figure(f"{name}: cache hit rate", tally.hits / max(1, len(tally.tokens)), "")]


async def _conversations(
    labelled: Sequence[LabelledMeeting], features: Features, embedder: TextEmbedder | None
) -> Tally:
    tally, tokenizer = Tally(), ExactTokenizer()
    meetings = [folded(each) for each in labelled]
    passages = MeetingPassages(meetings, embedder)
    if features.retrieval_mode != "bm25":
        await passages.index()
    retriever = CorporaRetriever(passages, tokenizer, embedder=embedder)
    context_settings = QuestionContextSettings(tokenizer, encoder=passages)
    for each, meeting in zip(labelled, meetings, strict=True):
        await _conversation(each, meeting, context_settings, retriever, features=features, tally=tally)
    return tally


async def _conversation(
    labelled: LabelledMeeting,
    meeting: Meeting,
    context_settings: QuestionContextSettings,
    retriever: CorporaRetriever,
    *,
    features: Features,
    tally: Tally,
) -> None:
    tokenizer = context_settings.tokenizer
    manager = ContextManager(meeting.meeting_id, meeting=meeting)
    reader = Reader()
    compressor = _Timed(tokenizer, None, on_compression=tally.compressions.append)
    packs = EntityPacks()
    answerer = Answerer(
        CalledModel(reader),
        context_settings,
        features=features,
        parts=AnswerParts(
            retriever=retriever,
            answers=CachedAnswers(maker="reader"),
            slots=packs,
            memory=ThreadMemory(packs, tokenizer),
            compressor=compressor,
        ),
        verifier=Verifier(CalledModel(reader), tokenizer=tokenizer),
    )
    named: set[str] = set()
    end_ms = meeting.utterances[-1].end_ms
    for turn in range(TURNS):
        again, place = divmod(turn, len(labelled.questions) - 1)
        last = turn == TURNS - 1
        question = labelled.questions[-1 if last else place]
        text = question.text if last else _AGAIN[again % len(_AGAIN)].format(question.text)
        asked = Question(id=f"q{turn}", by="asker", via="chat", text=text, at_ms=end_ms + turn)
        meeting.receive(events.QuestionAsked(question=asked))
        reply = await answerer.answer(asked, manager, SilentOutlet().open_reply, now_ms=lambda: end_ms)
        if last and named:
            tally.kept.append(fmean(name in reader.last_prompt for name in named))
        meeting.receive(events.AnswerGiven(reply=reply))
        tally.add(reply, question, meeting)
        named |= {
            e.name for e in MeetingPack().entities(f"{text}\n{reply.text}") if e.kind in ("amounts", "dates")
        }
    if compressor.took_ms:
        tally.compressed_ms.append(fmean(compressor.took_ms))


class _Timed(PassageCompressor):
    """Notes how long each compression took."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.took_ms: list[float] = []

    async def compress(self, *args: Any, **options: Any) -> Compression:
        began_s = perf_counter()
        made = await super().compress(*args, **options)
        self.took_ms.append(1000 * (perf_counter() - began_s))
        return made


def folded(labelled: LabelledMeeting) -> Meeting:
    """The meeting with topics and extractive summaries, still open."""
    meeting = Meeting(labelled.id)

    def take(event: events.Event) -> None:
        for effect in meeting.receive(event):
            if isinstance(effect, effects.ScoreTopics):
                for found in meeting.changes.score():
                    if found is not None:
                        take(found)
            if isinstance(effect, effects.Summarise):
                content = summarise(
                    effect.topic.notes, effect.utterances, before=effect.before, standing=effect.standing
                )
                take(
                    SummaryReady(
                        topic_id=effect.topic.id,
                        version=effect.version,
                        reason=effect.reason,
                        covered_until=effect.utterances[-1].id,
                        content=content,
                        engine="extractive",
                    )
                )

    take(events.MeetingOpened(meeting_id=labelled.id, topics_beside=True))
    take(events.MeetingStarted(at=_START))
    for said in labelled.utterances:
        take(
            events.UtteranceSpoken(
                key=str(said.id),
                speaker_id=said.speaker_id,
                speaker_name=said.speaker_name,
                text=said.text,
                start_ms=said.start_ms,
                end_ms=said.end_ms,
            )
        )
    return meeting
