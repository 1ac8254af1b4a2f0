"""Tokens that a language model costs per hour of meeting, beside sending it the whole transcript so far.

Real meetings go through the real path of summaries: topics, triggers, prompts, checks. In the model's
place stands one that answers as a model does: five sentences, five points, decisions and tasks where the
utterances hold some, each with its evidence, all in words that were said. Both sides of each request
are counted by the model's tokenizer, the schema of the answer too. The other way answers the same
at the same moments, from everything said until then.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from context.budgets.tokens import ExactTokenizer
from context.events import effects, events
from context.fold.meeting import Meeting
from context.ports import ChatMessage, Tokenizer
from context.prompts.quoting import summary_line
from tests.bench.figures import Figure
from worker.agent.calls.calling import CalledModel
from worker.agent.summaries.summarising import Summariser
from worker.configuration.setting_groups import AgentSettings
from worker.errors import InputError

WORDS: Final = 18
"""The words of a sentence of a summary."""
MS_PER_WORD: Final = 400
"""150 words a minute: QMSum's transcripts have no times."""
SHARE: Final = 0.10
THRIFTY: Final = 2_500
"""New tokens for another summary of a topic that goes on: what keeps the share."""
_START: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LINE: Final = re.compile(r"^\[#(\d+)\](?: \([\d:]+\))? [^:\n]+: (.+)$", re.MULTILINE)
_PREVIOUS: Final = re.compile(r"^- (.+?) ((?:\[#\d+\])+)$", re.MULTILINE)
_PER_MESSAGE: Final = 4
"""Tokens that a chat format puts around each message."""


@dataclass(slots=True)
class Usage:
    """What was sent and what came back, in tokens."""

    requests: int = 0
    sent: int = 0
    answered: int = 0

    @property
    def total(self) -> int:
        """Both ways."""
        return self.sent + self.answered


class TalkingModel:
    """Answers each request for a summary with one of usual size, made of what it was shown."""

    name = "scripted"

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.usage = Usage()
        self.last_answer = 0
        self.last_overhead = 0
        """Tokens of the last request that are neither speech nor last summary."""

    def stream(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, name: str = "answer"
    ) -> AsyncIterator[str]:
        """Nobody asks for an answer here."""
        raise NotImplementedError

    async def structured(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: dict[str, Any],
        name: str,
        max_tokens: int,
    ) -> str:
        """A summary of the shown utterances that folds in the shown last one."""
        prompt = messages[-1].content
        answer = json.dumps(_answer(prompt), ensure_ascii=False)
        sent = sum(self._tokenizer.count(each.content) + _PER_MESSAGE for each in messages)
        sent += self._tokenizer.count(json.dumps(schema, ensure_ascii=False, separators=(",", ":")))
        self.usage.requests += 1
        self.usage.sent += sent
        self.last_answer = self._tokenizer.count(answer)
        self.usage.answered += self.last_answer
        material = [match.group() for match in (*_LINE.finditer(prompt), *_PREVIOUS.finditer(prompt))]
        self.last_overhead = sent - self._tokenizer.count("\n".join(material))
        return answer


def _answer(prompt: str) -> dict[str, Any]:
    said = [(int(number), text) for number, text in _LINE.findall(prompt)]
    before = [
        (re.sub(r" \((?:owner|due|status): [^)]*\)", "", text), [int(i) for i in re.findall(r"\d+", ids)])
        for text, ids in _PREVIOUS.findall(prompt)
    ]
    weighty = sorted(said, key=lambda each: -min(len(each[1].split()), WORDS))
    fresh = [(" ".join(text.split()[:WORDS]), [number]) for number, text in weighty]
    points = [*before[:2], *fresh][:5]
    return {
        "topic_name": " ".join(fresh[0][0].split()[:3]) if fresh else "",
        "summary": [_statement(*each) for each in points],
        "key_points": [_statement(*each) for each in [*before[2:4], *fresh[3:]][:5]],
        "decisions": [_statement(*each) for each in fresh[1:2]],
        "pending": [_statement(*each) | {"owner": None, "due": None} for each in fresh[2:3]],
        "keywords": list(
            dict.fromkeys(word for text, _ in fresh[:5] for word in text.split() if len(word) > 5)
        )[:8],
    }


def _statement(text: str, evidence: list[int]) -> dict[str, Any]:
    return {"text": text, "evidence": evidence}


def llm_tokens(data: Path | None) -> list[Figure]:
    """Tokens per hour of meeting, and their share of the plain way's."""
    if data is None:
        raise InputError("llm-tokens needs --data DIR, a folder with qmsum/val.jsonl.gz")
    all_turns = list(meetings(data))
    least = AgentSettings().summary_least_tokens
    figures = asyncio.run(_measure(all_turns, least))
    thrifty = asyncio.run(_measure(all_turns, THRIFTY))[-1]
    name = f"the same with MOIM_SUMMARY_LEAST_TOKENS={THRIFTY}"
    return [*figures, Figure(name, thrifty.value, "", SHARE)]


def meetings(data: Path) -> Iterator[list[tuple[str, str]]]:
    """(speaker, text) of the turns of each of QMSum's validation meetings."""
    path = next((p for p in (data / "qmsum" / "val.jsonl.gz", data / "val.jsonl.gz") if p.is_file()), None)
    if path is None:
        raise InputError(f"{data}: no qmsum/val.jsonl.gz there")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            turns = json.loads(line)["meeting_transcripts"]
            said = [(t["speaker"], " ".join(re.sub(r"\{[a-z]+\}", " ", t["content"]).split())) for t in turns]
            yield [(speaker, text) for speaker, text in said if text]


async def _measure(all_turns: Sequence[Sequence[tuple[str, str]]], least: int) -> list[Figure]:
    tokenizer = ExactTokenizer()
    ours, whole = Usage(), Usage()
    hours = 0.0
    for turns in all_turns:
        spent, plain, lasted_h = await _one(turns, tokenizer, least)
        hours += lasted_h
        for total, part in ((ours, spent), (whole, plain)):
            total.requests += part.requests
            total.sent += part.sent
            total.answered += part.answered
    way = "the whole transcript so far, at the same triggers"
    return [
        Figure(
            "LLM tokens per meeting hour",
            ours.total / hours,
            "tokens",
            SHARE * whole.total / hours,
            way,
            whole.total / hours,
            f"{ours.requests / hours:.0f} requests an hour, {ours.answered / hours:.0f} tokens of answers",
        ),
        Figure("share of the plain way's tokens", ours.total / whole.total, "", SHARE),
    ]


def _line_tokens(meeting: Meeting, tokenizer: Tokenizer) -> int:
    """The tokens of the newest turn, written as it is for a summary: who says what, and the id to cite."""
    return tokenizer.count(summary_line(meeting.utterances[-1])) + 1


async def _one(
    turns: Sequence[tuple[str, str]], tokenizer: Tokenizer, least: int
) -> tuple[Usage, Usage, float]:
    model = TalkingModel(tokenizer)
    summariser = Summariser(CalledModel(model), tokenizer=tokenizer, least_tokens=least)
    meeting = Meeting("bench", tokenizer=tokenizer)
    whole = Usage()
    spoken = 0
    line_tokens = [0]

    async def take(event: events.Event) -> None:
        for effect in meeting.receive(event):
            if not isinstance(effect, effects.Summarise):
                continue
            await take(await summariser.summarise(effect, language="en"))
            # The plain way has the same moments, the same instructions and the same answers.
            whole.requests += 1
            whole.sent += line_tokens[-1] + model.last_overhead
            whole.answered += model.last_answer

    await take(events.MeetingStarted(at=_START))
    at_ms = 0
    for number, (speaker, text) in enumerate(turns):
        end_ms = at_ms + MS_PER_WORD * max(1, len(text.split()))
        await take(
            events.UtteranceSpoken(
                key=str(number),
                speaker_id=speaker,
                speaker_name=speaker,
                text=text,
                start_ms=at_ms,
                end_ms=end_ms,
            )
        )
        spoken = end_ms
        line_tokens.append(line_tokens[-1] + _line_tokens(meeting, tokenizer))
        at_ms = end_ms
    await take(events.MeetingEnded(at_ms=at_ms, reason="done"))
    return model.usage, whole, spoken / 3_600_000
