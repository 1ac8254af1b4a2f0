"""One meeting through the real parts of a worker, without a room: heard, summarised, asked, closed.

Real: session, fold, graph, retrieval, cache, memory, compression, thread. Scripted: the model, by the name of
what it is asked for. In memory: the record and the passages.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from context import events
from context.config import ContextConfig
from context.corpora.passage import Passage
from context.features import Features
from context.ports import ChatMessage
from context.question import Question
from context.window import RoughTokenizer
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.meeting import LoopClock
from tests.fakes.outlet import FakeOutlet
from tests.fakes.passages import FakePassages
from tests.fakes.store import FakeStore
from tests.unit.seeds.tracer import Trace
from worker.adapters.context_cache_files import ContextCacheFiles
from worker.agent.calling import CalledModel
from worker.agent.earlier import EarlierMeetings
from worker.bootstrap.language_models import LanguageModels
from worker.bootstrap.thinking import Thinking, answer_parts
from worker.configuration.settings import Settings
from worker.meeting.panels import Panels
from worker.meeting.session import Session
from worker.monitoring.metrics import process_metrics
from worker.monitoring.observer import MeetingObserver
from worker.passages.retrieving import CorporaRetriever
from worker.ports import MeetingRow
from worker.record.recorder import Recorder
from worker.record.restoring import restore

ENVIRONMENT: Final = {
    "MOIM_ENTITY_PACKS": "meeting,medical",
    "MOIM_LANGUAGE": "ko",
    "LLM_WINDOW": "4096",
}
_PEOPLE: Final = (("minji", "김민지"), ("junho", "박준호"), ("hana", "최하나"))
RELEASE: Final = (
    "오늘 첫 안건은 출시일입니다.",
    "출시일은 십이월 십오일이 가능한가요?",
    "결제 테스트가 남아서 조금 위험합니다.",
    "그러면 출시일은 십이월 이십이일로 결정하겠습니다.",
    "결제 테스트 계획은 박준호 님이 금요일까지 공유해 주세요.",
    "네, 금요일까지 공유하겠습니다.",
)
BUDGET: Final = (
    "다음 안건으로 넘어가죠. 서버 예산입니다.",
    "두 번째 서버는 한 달에 삼백 달러입니다.",
    "예산은 천오백만 원으로 확정합니다.",
    "비용 증가가 걱정되는데 누가 확인하나요?",
    "제가 다음 주까지 비용을 확인하겠습니다.",
)
HIRING: Final = (
    "다음 안건은 채용입니다.",
    "백엔드 개발자를 두 명 뽑기로 했습니다.",
    "면접은 최하나 님이 맡아 주세요.",
    "면접 질문은 아직 정하지 못했습니다.",
)
QUESTIONS: Final = (
    ("junho", "출시일이 언제로 결정됐어요?", ""),
    ("hana", "출시일이 언제로 결정됐어요?", ""),
    ("hana", "그건 누가 맡았어요?", "full"),
    ("junho", "안녕하세요", ""),
    ("junho", "지금까지 회의를 요약해 줘", ""),
    ("hana", "할 일을 정리해 줘", ""),
    ("hana", "지난 회의와 문서에서 서버 가격을 찾아 줘", ""),
    ("junho", "저는 65세이고 고혈압이 있어서 암로디핀 5mg을 하루 한 번 먹어요. 혈압은 140/90 mmHg예요.", ""),
    (
        "junho",
        "고혈압이 걱정인데 서버 예산과 출시일, 면접 담당과 채용 인원, 결제 테스트 계획을 비교해서 설명해 줄래요?",
        "full",
    ),
    ("hana", "서버 예산은 얼마로 확정했어요?", "full"),
    ("hana", "두 번째 서버 가격은 얼마예요?", "full"),
    ("minji", "제가 늦게 들어왔는데 놓친 내용을 알려 줘", ""),
)
"""Who asks what; `full`: with every flag of seed 002 on. Two in each round."""
_FULL: Final = {
    "active_retrieval_enabled": "1",
    "llm_based_quality_check": "1",
    "context_compression_enabled": "1",
    "hierarchical_memory_enabled": "1",
    "working_memory_capacity": "2",
    "compression_threshold": "2",
    "style_variation_level": "0.3",
}


class _Read:
    """A settings object that tells which of its fields are looked at."""

    def __getattribute__(self, name: str) -> Any:
        if name in type(self).model_fields:  # type: ignore[attr-defined]  # of the class that it is mixed into
            _reads.add(name)
        return super().__getattribute__(name)


_reads: set[str] = set()


class _Config(_Read, ContextConfig):
    """Seed 000's."""


class _Features(_Read, Features):
    """Seed 002's."""


class _Flags(Features):
    """In the place of the settings' group of flags."""

    def features(self) -> Features:
        return _Features()


class Speaker:
    """A model that answers each request by its name, from what it is shown: it says nothing of its own."""

    def __init__(self, trace: Trace) -> None:
        self.name = "scripted"
        self._trace = trace

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int,
        name: str = "answer",
    ) -> AsyncIterator[str]:
        prompt = self._kept(messages)
        asked = re.findall(r"<question>\s*(.*?)\s*</question>", prompt, re.DOTALL)[-1:]
        words = set(re.findall(r"\w{2}", " ".join(asked)))
        said = _LINE.findall(prompt)
        if said:
            id_, text = max(said, key=lambda line: sum(word in line[1] for word in words))
            yield f"{text} [#{id_}]"
        else:
            yield prompt.splitlines()[-2]  # a passage to be shortened, whole

    async def structured(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: dict[str, Any],
        name: str,
        max_tokens: int,
    ) -> str:
        return json.dumps(_reply(name, self._kept(messages)), ensure_ascii=False)

    def _kept(self, messages: Sequence[ChatMessage]) -> str:
        text = "\n".join(message.content for message in messages)
        self._trace.sent.append(text)
        return text


_LINE: Final = re.compile(r"^\[#(\d+)\] (?:\([\d:]+\) )?[^:\n(]+: (.+)$", re.MULTILINE)
_CLAIM: Final = re.compile(r"^(\d+)\. ", re.MULTILINE)


def _reply(name: str, prompt: str) -> dict[str, Any]:
    """What a model says that is asked for this."""
    if name == "summary":
        told = [{"text": text, "evidence": [int(id_)]} for id_, text in _LINE.findall(prompt)[-6:]]
        decided = [each for each in told if "결정하겠" in each["text"] or "확정" in each["text"]]
        return {"summary": told, "key_points": told, "decisions": decided, "pending": []}
    if name == "verification":
        numbers = _CLAIM.findall(prompt.rsplit("<claims>", maxsplit=1)[-1])
        return {"verdicts": [{"claim": int(n), "verdict": "supported", "status": "decided"} for n in numbers]}
    if name == "thread_summary":
        answers = [line for line in re.findall(r"ASSISTANT: (.+)", prompt) if not line.startswith("[search")]
        return {"summary": re.sub(r" — .*", "", answers[0]) if answers else "출시일을 물었다."}
    if name == "plan":
        return {"required_topics": ["서버 예산"]}
    if name == "quality":
        poor = "가격" in prompt.rsplit("<question>", maxsplit=1)[-1]
        return {
            "completeness_score": 3 if poor else 9,
            "overall_quality": 0.4 if poor else 0.9,
            "missing_info": ["서버 가격"] if poor else [],
            "needs_retrieval": poor,
            "suggested_query": "서버 가격" if poor else "",
        }
    return {"topic_changed": True, "confidence": 0.9, "current_topic": "서버 예산"}


@dataclass
class Scene:
    """What is left when the meeting is over."""

    session: Session
    thinker: Thinking
    closing: str
    record: FakeStore


async def play(trace: Trace, folder: Path) -> Scene:
    """The meeting, from its first word to its end. `folder`: for what the next meeting in its room may read."""
    _reads.clear()
    settings = Settings.from_env(ENVIRONMENT)
    settings = settings.model_copy(update={"context": _Config(), "features": _Flags()})
    tokenizer, clock, store = RoughTokenizer(), LoopClock(), FakeStore()
    passages, embedder = await _elsewhere(), FakeEmbedder()
    metrics = process_metrics()
    model = CalledModel(Speaker(trace))
    earlier = EarlierMeetings(
        lambda room: ContextCacheFiles(folder / room), passages, tokenizer, now=clock.now_utc
    )
    models = LanguageModels(model, model, model)
    thinker = Thinking(
        models,
        tokenizer,
        settings,
        parts=answer_parts(
            settings,
            tokenizer,
            models=models,
            zone=clock.now_utc().tzinfo,  # type: ignore[arg-type]  # an aware time has one
            embedder=embedder,
            retriever=CorporaRetriever(passages, tokenizer, embedder=embedder),
            earlier=earlier,
            on_look_up=metrics.cache_look_up,
            on_compression=metrics.compressed,
        ),
    )
    epoch = store.record.open_meeting("m-seeds")
    restored = await restore(store, "m-seeds", settings.context, tokenizer=tokenizer, judge=True)
    session = Session(
        restored.manager,
        thinker=thinker,
        outlet=FakeOutlet(),
        clock=clock,
        recorder=Recorder(store, "m-seeds", epoch, clock=clock, committed=0),
        observer=MeetingObserver(metrics),
    )
    closing = await _held(session, thinker)
    await earlier.keep(session.manager.meeting)
    row = MeetingRow(id="m-seeds", room="r-seeds", status="ended")
    panels = Panels(store, settings, bus=None)
    await panels.thread(row)
    await panels.budget(row)
    trace.read |= _reads
    trace.kept |= {recorded.event.kind for recorded in store.events_of("m-seeds")}
    return Scene(session, thinker, closing, store)


_OPENED: Final = events.MeetingOpened(meeting_id="m-seeds", room="r-seeds", language="ko", topics_beside=True)


async def _held(session: Session, thinker: Thinking) -> str:
    """Hold it to its end; the closing summary."""
    async with asyncio.TaskGroup() as tasks:
        session.fold_now(_OPENED)
        if (tuned := thinker.thread_tuning(session.manager.meeting.thread)) is not None:
            session.fold_now(tuned)
        tasks.create_task(session.run())
        await asyncio.sleep(0)
        for who, name in _PEOPLE:
            session.human_seen(who, name)
        said = 0
        for round_ in range(6):
            for line in (*RELEASE, *BUDGET, *HIRING) if round_ else RELEASE * 5:
                said = _say(session, said, line)
            await session.settle()
            for number, (who, text, features) in enumerate(QUESTIONS[round_ * 2 : round_ * 2 + 2]):
                _ask(session, f"q{round_}-{number}", who, text, _FULL if features == "full" else {})
                await session.settle()
        closing = await session.close_topics()
        await session.end("room closed")
    return closing


def _say(session: Session, said: int, line: str) -> int:
    who, name = _PEOPLE[said % len(_PEOPLE)]
    start_ms = 10_000 * said
    session.post(
        events.UtteranceSpoken(
            key=f"k{said}",
            speaker_id=who,
            speaker_name=name,
            text=line,
            start_ms=start_ms,
            end_ms=start_ms + 5_000,
            confidence=0.9,
        )
    )
    return said + 1


def _ask(session: Session, id_: str, who: str, text: str, features: dict[str, str]) -> None:
    asked = Question(id=id_, by=who, via="chat", text=text, at_ms=session.now_ms(), features=features)
    session.post(events.QuestionAsked(question=asked))


async def _elsewhere() -> FakePassages:
    """A document and an earlier meeting."""
    passages, embedder = FakePassages(), FakeEmbedder()
    rows = [
        Passage(
            corpus="document",
            source_id="d-1",
            position=place,
            title="서버 가격표",
            text=f"두 번째 서버 가격은 한 달에 {300 + place} 달러입니다. 설치비는 따로 받지 않습니다.",
        )
        for place in range(12)
    ]
    rows.append(
        Passage(
            source_id="m-before",
            position=0,
            title="지난 회의",
            first=1,
            last=3,
            text="서버 가격은 다시 보기로 했습니다.",
        )
    )
    await passages.put(rows, await embedder.embed([row.searched for row in rows]), embedder.name)
    return passages
