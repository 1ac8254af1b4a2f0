"""From a question in the chat to the first words of its answer, where no language model takes its time."""

from __future__ import annotations

import asyncio
import json
from typing import Final

from redis.asyncio import Redis

from tests.bench.corpus import spoken
from tests.bench.echoes import Echoes
from tests.bench.figures import Figure, percentile
from tests.bench.live import Ground, bare_in, measured, moim_in, say
from tests.bench.processes import load
from tests.fakes.players import Player
from worker.adapters.redis_streams import DEFAULT_NAMES
from worker.clock import monotonic_s

_UTTERANCES: Final = 300
_QUESTIONS: Final = 60
_ASKED: Final = (
    "출시일이 언제로 결정됐지?",
    "서버 비용은 얼마나 늘었어?",
    "How much would server number {n} cost?",
    "결제 기능 테스트는 며칠이나 걸려?",
    "When will the server be ordered?",
)
_FEED_S: Final = 60.0
_ANSWER_S: Final = 20.0
_LIMIT_S: Final = 240.0
_GOAL_MS: Final = 50.0
_MS: Final = 1000.0


def question() -> list[Figure]:
    """Milliseconds from question to first piece of the reply, the extractive engine answering."""
    return measured(_measure, _LIMIT_S)


async def _measure(ground: Ground) -> list[Figure]:
    async with ground.moim(), ground.bare(), ground.stage("question") as stage:
        player = stage.player("minji", "김민지")
        await player.join(microphone=False)
        row = await ground.registry.want(stage.room)
        await ground.call_bare(stage.room)
        await moim_in(player)
        await bare_in(player)
        await _feed(ground, row.id, player)
        times, floors = [], []
        echoes = Echoes(player.room)
        for number in range(_QUESTIONS):
            times.append(await _ask(player, _ASKED[number % len(_ASKED)].format(n=number)))
            floors.append(await echoes.round_trip_s(f"question {number}") * _MS)
            await asyncio.sleep(0.1)
    return [
        Figure(
            "question to first words, p95",
            percentile(times, 0.95),
            "ms",
            _GOAL_MS,
            "a chat message and its echo by a bare job, p95",
            percentile(floors, 0.95),
            note=f"{_QUESTIONS} questions at {_UTTERANCES} utterances, {load()}",
        ),
        Figure(
            "question to first words, median",
            percentile(times, 0.5),
            "ms",
            None,
            "the same, median",
            percentile(floors, 0.5),
        ),
    ]


async def _feed(ground: Ground, meeting_id: str, player: Player) -> None:
    """Some hundred utterances, through Redis."""
    redis = Redis.from_url(ground.redis_url)
    try:
        for event in spoken(_UTTERANCES):
            segment = {
                "id": event.key,
                "speaker": event.speaker_id,
                "name": event.speaker_name,
                "text": event.text,
                "start_ms": event.start_ms,
                "end_ms": event.end_ms,
            }
            await redis.xadd(DEFAULT_NAMES.of("in", meeting_id), {"json": json.dumps(segment)})
    finally:
        await redis.aclose()
    await player.wait_for(lambda p: len(p.finals) >= _UTTERANCES, _FEED_S, "the meeting's utterances")
    say(f"{_UTTERANCES} utterances are on record")


async def _ask(player: Player, text: str) -> float:
    """Ask; ms until the first words are there. Waits for the whole answer, so that none crosses the next."""
    asked_s = monotonic_s()
    asked_id = await player.chat(text)
    answer = await player.wait_for(lambda p: p.answer_to(asked_id), _ANSWER_S, f"an answer to {text!r}")
    assert answer.first_text_s is not None
    return (answer.first_text_s - asked_s) * _MS
