"""CLOVA Speech against a server that speaks its proto: what goes well, and every fault at its switch."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from itertools import pairwise

import pytest
from structlog.testing import capture_logs

from stt.outage import Outage
from stt.providers.clova import stream as clova_stream
from stt.providers.clova.domains import _trusted, parse_domain
from stt.providers.clova.engine import ClovaSpeech, probe
from stt.segment import EngineBusy, EngineFailed, Segment, Stretch
from stt.sound import Sound
from stt.transcription import GaveUp, Patience, Transcription, TryLater
from tests.fakes import spoken
from tests.fakes.clova_speech import TLS, ClovaSpeechServer, Mood
from tests.unit.cases import cases

Make = Callable[..., ClovaSpeech]


@pytest.fixture
async def server() -> AsyncIterator[ClovaSpeechServer]:
    async with ClovaSpeechServer().running() as server:
        yield server


@pytest.fixture
async def make(server: ClovaSpeechServer) -> AsyncIterator[Make]:
    """Engines on the server, or on several; closed after the test."""
    made: list[ClovaSpeech] = []

    def engine(*servers: ClovaSpeechServer, **options: object) -> ClovaSpeech:
        domains = [each.address for each in servers or (server,)]
        made.append(ClovaSpeech(domains, **({"ahead_s": 60, "deadline_s": 5.0} | options)))  # type: ignore[arg-type]  # of every option
        return made[-1]

    yield engine
    for one in made:
        await one.aclose()
        assert one.channels == 0, "every channel is given back"


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A domain is asked again at once, whatever it said."""
    for pause in ("_FULL_S", "_QUOTA_S", "_AWAY_S", "_REFUSED_S"):
        monkeypatch.setattr(f"stt.providers.clova.domains.{pause}", 0.0)


async def ask(
    engine: ClovaSpeech, value: int = 1, ms: int = 800, language: str = "auto", terms: tuple[str, ...] = ()
) -> list[Segment]:
    stretch = spoken.stretch(value, ms, language=language, terms=terms)
    return [segment async for segment in engine.transcribe(stretch)]


def text(segments: list[Segment]) -> str:
    return " ".join(segment.text for segment in segments if segment.final)


def transcribing(engine: ClovaSpeech, sound: Sound) -> Transcription:
    """With its retries."""
    return Transcription(
        engine,
        sound,
        key="s",
        language="ko",
        patience=Patience(),
        outage=Outage(ask_every_s=0.01),
        on_segment=lambda _: None,
    )


# ---- what goes well -----------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "language"), [(1, "ko"), (2, "en")])
async def test_settled_pieces_show_while_the_speech_goes_on_and_are_final_in_the_end(
    make: Make, value: int, language: str
) -> None:
    half_heard = asyncio.Event()

    async def sound() -> AsyncIterator[bytes]:
        yield spoken.pcm(value, 1000)
        await asyncio.wait_for(half_heard.wait(), 5)
        yield spoken.pcm(value, 1000)

    segments = []
    async for segment in make().transcribe(Stretch("s", language, sound())):
        segments.append(segment)
        half_heard.set()  # only a piece that comes before the end can set this
    assert not segments[0].final
    assert segments[0].text == " ".join(spoken.LINES[value][1].split()[: len(segments[0].text.split())])
    assert text(segments) == spoken.LINES[value][1]
    assert segments[-1].end_ms == 2000
    assert segments[-1].language == language
    assert segments[-1].confidence == 0.97


@pytest.mark.parametrize(("language", "sent"), [("ko", "ko"), ("en", "en"), ("ja", "ja"), ("auto", "ko")])
async def test_the_language_is_one_that_the_server_knows(
    make: Make, server: ClovaSpeechServer, language: str, sent: str
) -> None:
    await ask(make(), language=language)
    assert server.streams[0].config["transcription"] == {"language": sent}
    assert server.streams[0].config["semanticEpd"]["skipEmptyText"] is False


async def test_no_message_is_longer_than_the_sample_sends(make: Make, server: ClovaSpeechServer) -> None:
    stretch = Stretch("s", "ko", spoken.chunks(spoken.pcm(1, 5000), chunk_ms=4000))
    assert text([s async for s in make().transcribe(stretch)]) == spoken.LINES[1][1]
    sizes = [size for _, size in server.streams[0].chunks]
    assert max(sizes) <= 32_000
    assert sum(sizes) == 32 * (5000 + 100), "all of it, and the silence that carries the flush"


async def test_sound_is_sent_at_the_pace_of_speech(make: Make, server: ClovaSpeechServer) -> None:
    await ask(make(ahead_s=0.2), ms=700)
    chunks = server.streams[0].chunks
    began_s, sent_s = chunks[0][0], 0.0
    for at_s, size in chunks[:-1]:
        assert sent_s - (at_s - began_s) <= 0.2 + 0.05, "never further ahead of real time"
        sent_s += size / 32_000
    assert chunks[-1][0] - began_s >= 0.4


# ---- one stream for each stretch ----------------------------------------------------------------


async def test_each_stretch_has_a_stream_of_its_own_on_one_connection_and_says_goodbye(
    make: Make, server: ClovaSpeechServer
) -> None:
    engine = make()
    for value, ms in ((1, 800), (2, 1200), (3, 300)):
        segments = await ask(engine, value, ms)
        assert text(segments) == spoken.LINES[value][1]
        assert (segments[-2].start_ms, segments[-1].end_ms) == (0, ms)
        for segment in segments:
            assert 0 <= segment.start_ms <= segment.end_ms <= ms
    while engine.channels:
        await asyncio.sleep(0.01)
    assert [heard.flushes for heard in server.streams] == [[1], [1], [1]]
    assert all(heard.ended for heard in server.streams)
    assert len({heard.connection for heard in server.streams}) == 1


@pytest.mark.parametrize("mood", ["late", "stray", "twice"])
@pytest.mark.parametrize(("value", "after"), [(1, 2), (2, 1)])
async def test_a_word_that_comes_after_the_echo_is_not_the_next_stretchs(
    make: Make, server: ClovaSpeechServer, mood: Mood, value: int, after: int
) -> None:
    """Nothing in a reply says which stretch it answers, so no stream hears two."""
    server.once = [mood]
    engine = make()
    assert text(await ask(engine, value)) == spoken.LINES[value][1]
    assert text(await ask(engine, after)) == spoken.LINES[after][1]


async def test_a_goodbye_holds_up_no_words_and_makes_room_for_who_waits(
    make: Make, server: ClovaSpeechServer
) -> None:
    engine = make(max_channels=1)
    assert text(await ask(engine, 1, language="ko")) == spoken.LINES[1][1]
    assert engine.channels == 1, "it is still saying goodbye"
    assert text(await ask(engine, 2, language="en")) == spoken.LINES[2][1]
    assert [heard.config["transcription"]["language"] for heard in server.streams] == ["ko", "en"]
    assert server.open_most == 1


async def test_an_old_connection_is_replaced_between_two_streams_and_never_under_one(
    make: Make, server: ClovaSpeechServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server would end it after 100 hours, in the middle of somebody's words."""
    engine = make()

    async def sound() -> AsyncIterator[bytes]:
        yield spoken.pcm(1, 300)
        monkeypatch.setattr("stt.providers.clova.domains.RENEW_AFTER_S", -1.0)
        assert text(await ask(engine, 2)) == spoken.LINES[2][1]
        yield spoken.pcm(1, 300)

    assert (
        text([segment async for segment in engine.transcribe(Stretch("s", "ko", sound()))])
        == spoken.LINES[1][1]
    )
    while engine.channels:
        await asyncio.sleep(0.01)
    assert text(await ask(engine, 3)) == spoken.LINES[3][1]
    first, beside, after = (heard.connection for heard in server.streams)
    assert first == beside != after


# ---- pieces -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mood", ["unordered", "twice", "no_times"])
@pytest.mark.parametrize("value", [1, 2])
async def test_pieces_are_put_together_by_their_place_in_the_text(
    make: Make, server: ClovaSpeechServer, mood: Mood, value: int
) -> None:
    server.mood = mood
    segments = await ask(make(), value, 900)
    assert text(segments) == spoken.LINES[value][1]
    finals = [segment for segment in segments if segment.final]
    for earlier, later in pairwise(finals):
        assert earlier.start_ms <= later.start_ms
        assert earlier.end_ms <= later.end_ms == 900


# ---- words to prefer ----------------------------------------------------------------------------


async def test_terms_are_preferred_as_the_server_wants_them(make: Make, server: ClovaSpeechServer) -> None:
    engine = make()
    await ask(engine, terms=("김민수", "모임", "Moim", "a,b", "콕", "모임"))
    await ask(engine, terms=("Alice Smith", "모임"))
    words = [heard.config["keywordBoosting"]["boostings"] for heard in server.streams]
    assert words == [
        [{"words": "김민수,모임,Moim,a b", "weight": 2.0}],
        [{"words": "Alice Smith,모임", "weight": 2.0}],
    ], "no commas, no single syllables, each once; a stretch has its own"


@pytest.mark.parametrize("mood", ["boosting_failure", "boosting_left_out"])
async def test_words_that_the_server_dislikes_cost_no_speech(
    make: Make, server: ClovaSpeechServer, mood: Mood
) -> None:
    server.mood = mood
    engine = make()
    with capture_logs() as logs:
        assert text(await ask(engine, 1, terms=("모임", "결제"))) == spoken.LINES[1][1]
        assert text(await ask(engine, 2, terms=("결제", "모임"))) == spoken.LINES[2][1]
    said = [line for line in logs if line["event"] == "clova_keywords_refused"]
    assert len(said) == 1, "once, not for every stretch"
    assert "keywordBoosting" in said[0]["error"]
    assert "keywordBoosting" not in server.streams[-1].config


@pytest.mark.usefixtures("no_pauses")
async def test_words_that_the_server_dislikes_are_left_out_also_where_it_is_full_just_then(
    make: Make, server: ClovaSpeechServer
) -> None:
    server.once = ["boosting_failure", "no_slot", "no_slot"]
    engine = make()
    for _ in range(2):
        with pytest.raises(EngineBusy):
            await ask(engine, terms=("모임",))
    assert text(await ask(engine, terms=("모임",))) == spoken.LINES[1][1]
    assert len(server.streams) == 4
    assert ["keywordBoosting" in heard.config for heard in server.streams] == [True, False, False, False]


# ---- faults -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_pauses")
@cases
async def test_each_fault_is_the_ports_error_with_its_reason_and_costs_one_stretch(
    mood: Mood, busy: bool, what: str, make: Make, server: ClovaSpeechServer
) -> None:
    server.once = [mood]
    engine = make()
    with pytest.raises(EngineBusy if busy else EngineFailed, match=what) as caught:
        await ask(engine)
    assert server.secret not in str(caught.value)
    assert engine.channels == 0
    assert text(await ask(engine, 2)) == spoken.LINES[2][1]


async def test_an_answer_to_the_configuration_that_never_comes_is_waited_for_in_bounds(
    make: Make, server: ClovaSpeechServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clova_stream.RecogniseStream.open.__func__, "__kwdefaults__", {"deadline_s": 0.1})
    server.once = ["config_hang"]
    with pytest.raises(EngineBusy, match=r"no answer to CONFIG within 0\.1 s"):
        await ask(make())
    server.release.set()


async def test_a_server_that_hangs_costs_its_deadline_and_no_more(
    make: Make, server: ClovaSpeechServer
) -> None:
    server.once = ["hang"]
    engine = make(deadline_s=1)
    with pytest.raises(EngineFailed, match=r"no result 1 s after the speech"):
        await ask(engine)
    assert text(await ask(engine, 2)) == spoken.LINES[2][1]


async def test_without_an_echo_the_end_of_the_stream_says_that_all_was_said(
    make: Make, server: ClovaSpeechServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clova_stream.RecogniseStream.hear, "__kwdefaults__", {"echo_s": 0.1})
    server.mood = "no_echo"
    engine = make()
    assert text(await ask(engine, 1)) == spoken.LINES[1][1]
    assert server.streams[0].ended
    assert text(await ask(engine, 2)) == spoken.LINES[2][1]
    assert len(server.streams) == 2, "such a stream is not used again"


async def test_a_server_that_takes_no_more_sound_does_not_hold_the_stretch_for_ever(
    make: Make, server: ClovaSpeechServer
) -> None:
    server.mood = "deaf"
    with pytest.raises((EngineBusy, EngineFailed), match=r"takes no more sound|no result"):
        await ask(make(deadline_s=0.3), ms=20_000)


async def test_a_server_that_is_not_there_is_waited_for(make: Make) -> None:
    nobody = ClovaSpeech([parse_domain("http://127.0.0.1:1|x")])
    with pytest.raises(EngineBusy, match=r"127\.0\.0\.1:1: UNAVAILABLE"):
        await ask(nobody)
    await nobody.aclose()


async def test_a_closed_engine_says_so(make: Make) -> None:
    engine = make()
    await engine.aclose()
    with pytest.raises(EngineFailed, match="closed"):
        await ask(engine)


async def test_a_growing_stretch_survives_a_disconnect_with_every_sample(
    make: Make, server: ClovaSpeechServer
) -> None:
    server.once = ["disconnect", "lifespan"]
    sound = Sound()
    task = asyncio.get_running_loop().create_task(transcribing(make(), sound).run())
    async for chunk in spoken.chunks(spoken.pcm(1, 800)):
        sound.append(chunk)
        await asyncio.sleep(0.005)
    sound.end()
    assert text(await task) == spoken.LINES[1][1]
    assert len(server.streams[-1].sound) == 32 * 900, "from the first sample, and the flush"


@pytest.mark.parametrize("mood", ["config_hang", "hang", "deaf"])
async def test_giving_up_anywhere_gives_the_channel_back(
    make: Make, server: ClovaSpeechServer, mood: Mood
) -> None:
    server.once = [mood]
    engine = make()
    asking = asyncio.get_running_loop().create_task(ask(engine))
    while not server.streams or not (server.streams[0].config or server.streams[0].chunks):
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.02)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert engine.channels == 0
    server.release.set()
    assert text(await ask(engine, 2)) == spoken.LINES[2][1]


@pytest.mark.usefixtures("no_pauses")
@pytest.mark.parametrize("seed", range(3))
async def test_in_a_storm_of_faults_every_stretch_is_its_own_text(
    make: Make, server: ClovaSpeechServer, seed: int
) -> None:
    """Two domains that fail in every way but by hanging; each stretch, retried, is whole or nothing."""
    dice = random.Random(seed)
    faults: tuple[Mood, ...] = (
        "auth", "quota", "too_many", "no_slot", "internal", "ends_at_once", "drops_at_once", "config_error",
        "disconnect", "lifespan", "cancels", "garbage", "error", "unordered", "twice", "stray", "late", "slow",
        "well",
    )  # fmt: skip
    async with ClovaSpeechServer(secret="other", max_channels=4).running() as second:
        for each in (server, second):
            each.once = dice.choices(faults, k=40)
        engine = make(server, second)

        async def one(value: int) -> str:
            sound = Sound()
            for chunk in [chunk async for chunk in spoken.chunks(spoken.pcm(value, 600))]:
                sound.append(chunk)
            sound.end()
            try:
                return text(await transcribing(engine, sound).run())
            except (GaveUp, TryLater):
                return ""

        values = [dice.randint(1, 4) for _ in range(40)]
        said = await asyncio.gather(*map(one, values))
    for value, heard in zip(values, said, strict=True):
        assert heard in ("", spoken.LINES[value][1])
    assert sum(map(bool, said)) >= 25, "a failure is tried once more at once"


# ---- several domains ----------------------------------------------------------------------------


async def test_no_domain_gets_more_streams_than_it_takes_and_the_rest_overflows(
    make: Make, server: ClovaSpeechServer
) -> None:
    async with ClovaSpeechServer(secret="other").running() as second:
        engine = make(server, second)
        hold, speaking = asyncio.Event(), []

        async def sound() -> AsyncIterator[bytes]:
            yield spoken.pcm(1, 300)
            speaking.append(1)
            await hold.wait()

        async def one(n: int) -> str:
            stretch = Stretch(str(n), "ko", sound())
            return text([segment async for segment in engine.transcribe(stretch)])

        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(one(n)) for n in range(30)]
            while len(speaking) < 30:
                await asyncio.sleep(0.01)
            assert (server.open_now, second.open_now) == (15, 15)
            with pytest.raises(EngineBusy, match=r"all 15 channels of .* are in use here") as caught:
                await ask(engine)
            assert caught.value.retry_after_s == 0.5
            hold.set()
        assert {task.result() for task in running} == {spoken.LINES[1][1]}
        assert (server.open_most, second.open_most) == (15, 15)
        assert text(await ask(engine, 2)) == spoken.LINES[2][1]


async def test_two_processes_that_know_nothing_of_each_other_fill_all_domains_to_the_last_channel(
    make: Make, server: ClovaSpeechServer
) -> None:
    async with ClovaSpeechServer(secret="other").running() as second:
        engines = [make(server, second) for _ in range(2)]
        hold, speaking = asyncio.Event(), []

        async def one(number: int) -> str:
            async def sound() -> AsyncIterator[bytes]:
                yield spoken.pcm(1, 300)
                speaking.append(number)
                await hold.wait()

            stretch = Stretch(str(number), "ko", sound())
            return text([segment async for segment in engines[number % 2].transcribe(stretch)])

        async with asyncio.TaskGroup() as tasks:
            running = []
            for number in range(30):  # one after the other: who comes at once is refused at once
                running.append(tasks.create_task(one(number)))
                while len(speaking) <= number:
                    await asyncio.sleep(0.01)
            assert (server.open_now, second.open_now) == (15, 15)
            assert [engine.channels for engine in engines] == [15, 15]
            with pytest.raises(EngineBusy, match="Too many channels"):
                await ask(engines[0])
            hold.set()
        assert {task.result() for task in running} == {spoken.LINES[1][1]}


async def test_who_was_told_that_a_domain_is_full_asks_the_others_first(
    make: Make, server: ClovaSpeechServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By our own count it has the most room, however often it refuses: others hold its channels."""
    monkeypatch.setattr("stt.providers.clova.domains._FULL_S", 0.0)
    server.max_channels = 0
    async with ClovaSpeechServer(secret="other").running() as second:
        engine = make(server, second)
        for value in (1, 2, 3):
            assert text(await ask(engine, value)) == spoken.LINES[value][1]
        assert (len(server.streams), len(second.streams)) == (1, 3)
        second.max_channels, server.max_channels = 0, 15
        assert text(await ask(engine, 4)) == spoken.LINES[4][1], "and where those are full, it is asked again"


async def test_a_wrong_secret_in_one_domain_does_not_silence_the_others(
    make: Make, server: ClovaSpeechServer
) -> None:
    server.mood = "auth"
    async with ClovaSpeechServer(secret="other").running() as second:
        engine = make(server, second)
        for value in (1, 2, 3):
            assert text(await ask(engine, value)) == spoken.LINES[value][1]
        assert len(server.streams) == 1, "and it is left alone for a while"


async def test_a_refusal_that_has_passed_costs_one_attempt_where_no_other_domain_serves(
    make: Make, server: ClovaSpeechServer
) -> None:
    server.once = ["auth"]
    engine = make()
    with pytest.raises(EngineFailed, match="secret"):
        await ask(engine)
    assert text(await ask(engine, 2)) == spoken.LINES[2][1]


async def test_a_server_is_spoken_to_over_tls_if_its_certificate_is_trusted(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ClovaSpeechServer(tls=True).running() as secured:
        _trusted.cache_clear()
        with pytest.raises(EngineBusy, match=r"UNAVAILABLE.*(?i:certificate|handshake|ssl)"):
            await ask(make(secured))
        monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "localhost.crt"))
        _trusted.cache_clear()
        assert text(await ask(make(secured), 2)) == spoken.LINES[2][1]
    _trusted.cache_clear()
    assert len(secured.streams) == 1, "and not a word before it is"


# ---- asking whether it serves -------------------------------------------------------------------


async def test_a_probe_opens_a_stream_and_closes_it(server: ClovaSpeechServer) -> None:
    await probe(server.address)
    assert server.streams[0].ended
    assert json.dumps(server.streams[0].config)
    server.secret = "changed"
    with pytest.raises(EngineFailed, match="secret"):
        await probe(parse_domain(f"http://{server.target}|s3cret"))


async def test_nothing_is_preferred_without_terms(make: Make, server: ClovaSpeechServer) -> None:
    await ask(make(), terms=())
    assert "keywordBoosting" not in server.streams[0].config
