"""From a question in the chat to the first words of its answer, where no language model takes its time.

Asked are the first question of a meeting, one right after some hundred lines, and many while people go on.
Every question is another one, so that neither its vector nor its answer is remembered, and several people
ask, so that nobody waits for their turn (`worker.participants.question_turns`). What remains is compared with what the
question's own vector takes, since an answer can hardly come before that.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import aclosing
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
from worker.embeddings.embedding_client import SharedEmbedder

_UTTERANCES: Final = 300
_QUESTIONS: Final = 60
_AFTER_LINES: Final = 8
"""Questions right after many lines, while their vectors are being made."""
_ASKERS: Final = ("minji", "junho", "ben", "chloe", "hana")
_PAUSE_S: Final = 0.4
"""Between two questions: each asker has one in two seconds."""
_ASKED: Final = (
    "{n}일에 출시하기로 결정했나?",
    "서버 {n}번의 비용은 얼마나 늘었어?",
    "How much would server number {n} cost?",
    "결제 기능 테스트는 {n}일이면 끝나?",
    "When will server number {n} be ordered?",
)
_FEED_S: Final = 60.0
_ANSWER_S: Final = 20.0
_LIMIT_S: Final = 240.0
_GOAL_MS: Final = 60.0
_MS: Final = 1000.0


def question() -> list[Figure]:
    """Milliseconds from question to first piece of the reply, the extractive engine answering."""
    return measured(_measure, _LIMIT_S)


async def _measure(ground: Ground) -> list[Figure]:
    async with ground.moim(), ground.bare(), ground.stage("question") as stage:
        players = [stage.player(name, name) for name in _ASKERS]
        for player in players:
            await player.join(microphone=False)
        row = await ground.registry.want(stage.room)
        await ground.call_bare(stage.room)
        await moim_in(players[0])
        await bare_in(players[0])
        first = await _ask(players[0], _asked(1))
        await _feed(ground, row.id, players[0])
        after = [await _ask(players[n % len(players)], _asked(n + 2)) for n in range(_AFTER_LINES)]
        await asyncio.sleep(5.0)  # the lines have their vectors
        vectors = await _embedding_ms(ground)
        times, floors = [], []
        echoes = Echoes(players[0].room)
        for number in range(_QUESTIONS):
            times.append(await _ask(players[number % len(players)], _asked(number + 100)))
            floors.append(await echoes.round_trip_s(f"question {number}") * _MS)
            await asyncio.sleep(_PAUSE_S)
    return [
        _beyond("question to first words, p95", percentile(times, 0.95), vectors, f"{_QUESTIONS} questions"),
        _beyond("question to first words, median", percentile(times, 0.5), vectors, ""),
        _beyond("first question of a meeting to first words", first, vectors, "before anybody has spoken"),
        _beyond(
            f"question right after {_UTTERANCES} lines to first words, the slowest",
            max(after),
            vectors,
            f"{_AFTER_LINES} questions, the first took {after[0]:.0f} ms",
        ),
        Figure(
            "a chat message and its echo by a bare job, p95",
            percentile(floors, 0.95),
            "ms",
            None,
            "the same, median",
            percentile(floors, 0.5),
            note=load(),
        ),
    ]


def _asked(number: int) -> str:
    """A question that nobody has asked before."""
    return _ASKED[number % len(_ASKED)].format(n=number)


def _beyond(name: str, took_ms: float, vectors_ms: Sequence[float], note: str) -> Figure:
    """A time beyond what the question's vector takes alone."""
    alone_ms = percentile(vectors_ms, 0.5)
    note = f"{note}, {took_ms:.0f} ms with it" if note else f"{took_ms:.0f} ms with it"
    return Figure(
        f"{name}, beyond embedding the question",
        max(0.0, took_ms - alone_ms),
        "ms",
        _GOAL_MS,
        "embedding a question alone, median",
        alone_ms,
        note=note,
    )


async def _embedding_ms(ground: Ground) -> list[float]:
    """What the machine's engine takes for questions, one after the other, with nothing else to do."""
    took_ms = []
    async with aclosing(SharedEmbedder(ground.embedding_socket)) as embedder:
        await embedder.connect()
        for number in range(20):
            began_s = monotonic_s()
            await embedder.embed_query(_asked(1000 + number))
            took_ms.append((monotonic_s() - began_s) * _MS)
    return took_ms


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
