"""What telling a model the terms of a meeting is worth: errors, terms found, words invented, and what it costs.

The lines of the recorded meetings, cut out of their tracks, through the packaged Whisper: with no terms, with
the title and people's names, with the list that the product makes when a short agenda was added as a document,
with the terms of another meeting, and with hotwords. The agendas below are written as people write them, but
by somebody who knew what would be talked about; real ones may help less.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from context.corpora.passage import Passage
from context.events.events import MeetingOpened, MeetingStarted, ParticipantJoined, UtteranceSpoken
from context.fold.meeting import Meeting
from context.terms import known_terms, likely, spoken_last
from stt.hallucinations import bare
from stt.providers.whisper import Whisper
from stt.providers.whisper_weights import packaged
from stt.segment import SAMPLE_RATE_HZ
from stt.spoken_terms import told
from tests.bench.figures import Figure
from tests.bench.interims import Line, lines_of
from tests.bench.live import say
from tests.fakes.passages import FakePassages
from tests.fakes.record import START
from worker.agent.term_sources import TermSources
from worker.configuration.settings import Settings

Terms = tuple[str, ...]
Floats = NDArray[np.float64]


class Known(NamedTuple):
    """What is known of a meeting before it."""

    title: str
    people: Terms
    agenda: str
    said: Terms
    """Terms that are really said in it, and counted."""


_MEETINGS: Final = {
    "ko-release-planning": Known(
        "출시 계획 회의",
        ("김민지", "박준호", "이서연", "최하나"),
        "출시 계획 회의 안건\n"
        "1. 모바일 앱 출시 일정: 결제 기능 마무리, 테스트 계획 (박준호)\n"
        "2. 내년 예산: 마케팅과 광고 예산, 서버 비용, 캐시 도입 검토\n"
        "3. 채용: 백엔드 개발자, 채용 공고, 면접 진행\n"
        "4. 고객 장애 대응: 로그인 서버, 은행 연동, 인증서 만료와 갱신, 장애 보고서",
        ("출시", "안건", "결제", "캐시", "면접", "채용", "예산", "마케팅", "인증서", "백엔드", "모임"),
    ),
    "en-sprint-review": Known(
        "Sprint review",
        ("Alice Moreau", "Ben Carter", "Chloe Park"),
        "Sprint review, agenda\n"
        "1. Search latency: size of the index, a second server, its cost\n"
        "2. Office move: rent, contract, moving companies, network\n"
        "3. Customer interviews: export to Excel, plan of the next sprint",
        ("search latency", "index", "server", "sprint", "export", "Excel", "contract", "network", "Moim"),
    ),
}
_OTHER_DOCUMENTS: Final = (
    "외래 진료 회의 안건\n1. 당뇨병 환자 처방: 메트포르민, 인슐린, 혈당 검사\n2. 혈압 약 복용 안내, 신장 기능 검사",
    "Spring fair\n1. Raffle and tombola: prizes, tickets\n2. Stalls: gazebo, bunting, bake sale\n3. Insurance, volunteers",
    "휴가 규정\n연차 신청은 이 주 전까지 한다. 병가에는 진단서를 붙인다.",
    "Expenses\nReceipts are handed in by the fifth of the month; taxis need an approval.",
)
"""What lies in the tenant's library beside the meeting's agenda, as it would."""
_OTHERS: Final = {
    "ko": ("당뇨병", "메트포르민", "혈압", "처방", "혈당", "외래", "검사", "인슐린", "복용", "신장"),
    "en": (
        "raffle",
        "bake sale",
        "stall",
        "volunteers",
        "gazebo",
        "insurance",
        "bunting",
        "tombola",
        "mayor",
    ),
}
_WAKE_WORDS: Final = ("모임", "Moim")


@dataclass(slots=True)
class Tally:
    """Sums over the lines of one meeting."""

    letters: int = 0
    wrong: int = 0
    said: int = 0
    found: int = 0
    """How often a term that is said is in the text of its line."""
    invented: int = 0
    """How often a term that was told is in the text and neither in the truth nor in the text without terms."""
    steps: int = 0
    """How many tokens the decoder gave, one after the other: that is what costs."""
    prompted: int = 0
    """How many tokens of prompts it took in, all of one at once."""

    def add(self, line: Line, text: str, known: Known, terms: Sequence[str], plain: str) -> None:
        """Count one line."""
        truth, heard, before = bare(line.text), bare(text), bare(plain)
        self.letters += len(truth)
        self.wrong += Levenshtein.distance(truth, heard)
        for term in map(bare, known.said):
            self.said += term in truth
            self.found += term in truth and term in heard
        self.invented += sum(term in heard and term not in truth + before for term in map(bare, terms))


class _Counting:
    """A model that counts the tokens that its decoder steps over."""

    def __init__(self, model: Any) -> None:
        self._model, self.steps, self.prompted = model, 0, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def generate(self, encoded: Any, prompts: list[list[int]], **options: Any) -> Any:
        """What the model gives; its steps are counted."""
        found = self._model.generate(encoded, prompts, **options)
        self.prompted += len(prompts[0])
        self.steps += len(found[0].sequences_ids[0]) + 1
        return found


def terms(_data: Path | None) -> list[Figure]:
    """Errors and terms with and without them, what is invented, and the decoder's steps."""
    weights = packaged(Settings.load().process.cache_dir)
    model = Whisper(weights.path, name=weights.name, workers=1)
    model._whisper.model = counting = _Counting(model._whisper.model)
    vars(model)["_encode"] = _Encoder(model)
    vars(model)["_doubtful"] = lambda *_: ()  # asking for figures again is no step of a text
    figures: list[Figure] = []
    for name, known in _MEETINGS.items():
        figures += _of_meeting(model, counting, name, known)
    return [*figures, *_of_no_speech(model)]


def _of_meeting(model: Whisper, counting: _Counting, name: str, known: Known) -> list[Figure]:
    lines = list(lines_of(name))
    language = lines[0].language
    people = tuple(dict.fromkeys((known.title, *known.people, *_WAKE_WORDS)))
    ways: dict[str, Callable[[list[str]], Terms]] = {
        "none": lambda _heard: (),
        "title and names": lambda _heard: people,
        "the product's list": lambda heard: asyncio.run(_products(known, language, heard)),
        "ten terms of the meeting": lambda _heard: known.said[:10],
        "terms of another meeting": lambda _heard: _OTHERS[language],
        "terms in the other language": lambda _heard: _OTHERS["en" if language == "ko" else "ko"],
    }
    plain: list[str] = []
    tallies: dict[str, Tally] = {}
    for way, of in ways.items():
        tally, heard = Tally(), list[str]()
        counting.steps = counting.prompted = 0
        for number, line in enumerate(lines):
            given = of(heard)
            segments = model.recognise(line.pcm, language, terms=given)
            heard.append(" ".join(segment.text for segment in segments))
            before = plain[number] if way != "none" else heard[-1]
            tally.add(line, heard[-1], known, told(given, language), before)
        plain = plain or heard
        tally.steps, tally.prompted = counting.steps, counting.prompted
        tallies[way] = tally
    hot = Tally()
    for line, before in zip(lines, plain, strict=True):
        hot.add(line, _with_hotwords(model, line, known.said[:10]), known, known.said[:10], before)
    tallies["ten terms of the meeting as hotwords"] = hot
    say(f"{name}: {tallies}")
    return [_figure(language, way, tally, tallies["none"]) for way, tally in tallies.items()]


def _figure(language: str, way: str, tally: Tally, none: Tally) -> Figure:
    note = f"terms {tally.found} of {tally.said}, invented {tally.invented}"
    if tally.steps:
        note += f"; decoder: {tally.steps / none.steps:.2f} × the steps, {tally.prompted} tokens of prompts"
    return Figure(
        f"letters wrong with terms, {language}: {way}",
        tally.wrong / tally.letters,
        "",
        None,
        "" if way == "none" else "none",
        None if way == "none" else none.wrong / none.letters,
        note=note,
    )


async def _products(known: Known, language: str, heard: Sequence[str]) -> Terms:
    """The list that the product makes after these lines, with the agenda among the tenant's documents."""
    meeting, store = Meeting("m-bench"), FakePassages()
    meeting.receive(MeetingOpened(meeting_id="m-bench", title=known.title, language=language))
    meeting.receive(MeetingStarted(at=START))
    for who in known.people:
        meeting.receive(ParticipantJoined(participant_id=who, name=who, at_ms=0))
    for number, text in enumerate(heard):
        meeting.receive(
            UtteranceSpoken(
                key=f"{number}", speaker_id="a", speaker_name="A", text=text or "…",
                start_ms=number * 4_000, end_ms=number * 4_000 + 3_000,
            )
        )  # fmt: skip
    texts = (known.agenda, *_OTHER_DOCUMENTS)
    await store.put(
        [Passage(corpus="document", source_id=f"d{n}", position=0, text=text) for n, text in enumerate(texts)]
    )
    written = await TermSources(store).written(meeting)
    return likely([*known_terms(meeting, wake_words=_WAKE_WORDS), *written], spoken_last(meeting))


def _with_hotwords(model: Whisper, line: Line, words: Sequence[str]) -> str:
    """The text with hotwords as faster-whisper tells them: with spaces between, whoever speaks, whatever comes of it."""
    sound = np.frombuffer(line.pcm, "<i2").astype(np.float32) / np.float32(32768)
    tokenizer = model._tokenizer(line.language)
    hot = [tokenizer.sot_prev, *tokenizer.encode(f" {' '.join(words)}")]
    prompt = [*hot, *tokenizer.sot_sequence, tokenizer.no_timestamps]
    found = model._whisper.model.generate(model._encode(sound), [prompt], beam_size=5)[0]
    return str(tokenizer.decode(found.sequences_ids[0]))


class _Encoder:
    """Encodes each sound once: all ways of telling terms decode the same."""

    def __init__(self, model: Whisper) -> None:
        self._encode, self._known = model._encode, dict[bytes, Any]()

    def __call__(self, sound: NDArray[np.float32], seconds: int | None = None) -> Any:
        key = sound.tobytes()
        if key not in self._known:
            self._known[key] = self._encode(sound, seconds)
        return self._known[key]


# ---- where nobody speaks ----------------------------------------------------------------------


def _of_no_speech(model: Whisper) -> list[Figure]:
    """How many sounds without speech, and with speech backwards, get another text by terms than without."""
    changed, more, count, examples = 0, 0, 0, list[str]()
    for name, sound in _noises():
        pcm = (np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes()
        for language, known in zip(("ko", "en"), _MEETINGS.values(), strict=True):
            plain = " ".join(segment.text for segment in model.recognise(pcm, language))
            for given in (known.said, _OTHERS[language]):
                text = " ".join(segment.text for segment in model.recognise(pcm, language, terms=given))
                count += 1
                changed += text != plain
                new = any(bare(term) in bare(text) and bare(term) not in bare(plain) for term in given)
                if (text and not plain) or new:
                    more += 1
                    examples.append(f"{name}: {plain!r} -> {text!r}")
    note = f"of {count}; {changed} texts differ at all; {'; '.join(examples[:3])}".rstrip("; ")
    return [Figure("sounds without words in which terms make some appear", more, "", 0, note=note)]


def _noises() -> Iterator[tuple[str, Floats]]:
    """Silence, noise, hum, tones, keys and backward speech, one to eight seconds of each."""
    rng = np.random.default_rng(38)
    for seconds in (1.2, 3.0, 7.0):
        n = int(SAMPLE_RATE_HZ * seconds)
        t = np.arange(n) / SAMPLE_RATE_HZ
        yield f"silence {seconds} s", np.zeros(n)
        for level in (0.01, 0.3):
            yield f"white noise {level}", rng.standard_normal(n) * level / 2
            shaped = np.fft.rfft(rng.standard_normal(n)) / np.sqrt(np.arange(1, n // 2 + 2))
            pink = np.fft.irfft(shaped, n)
            yield f"pink noise {level}", pink / np.abs(pink).max() * level
            yield f"hum {level}", level * (np.sin(120 * np.pi * t) + np.sin(240 * np.pi * t) / 2) / 1.5
            beats = np.sin(2 * np.pi * 261.6 * 2 ** (np.floor(t * 3) % 5 * 2 / 12) * t)
            yield f"tune {level}", level * beats * np.exp(-3 * (t * 3 % 1))
            keys = np.zeros(n)
            for at in rng.integers(0, n - 200, int(seconds * 6)):
                keys[at : at + 150] += rng.standard_normal(150) * np.exp(-np.arange(150) / 40)
            yield f"keys {level}", level * keys
            yield f"breath {level}", level / 3 * rng.standard_normal(n) * np.clip(np.sin(5 * t), 0, 1)
    for name in _MEETINGS:
        for line in list(lines_of(name))[::6]:
            sound = np.frombuffer(line.pcm, "<i2").astype(np.float64) / 32768
            yield f"backwards {line.language}", sound[::-1]
            yield f"faint {line.language}", sound / 100 + rng.standard_normal(len(sound)) / 100
