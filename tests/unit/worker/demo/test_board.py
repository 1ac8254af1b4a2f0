"""What the demo shows: a board filled by live events and chat, as a picture and as lines."""

import io

import pytest
from rich.console import Console

from stt.files.folder import read_folder
from tests.unit.cases import cases
from worker.commands import demo
from worker.demo.room_texts import ChatStream
from worker.demo.show import CUES, sound_folder
from worker.demo.view import Board, PlainView, picture

KOREAN = {"minji": "김민지", "junho": "박준호"}
ENGLISH = {"minji": "Minji Kim", "junho": "Junho Park"}


def utterance(id_: int, speaker: str, text: str, start_ms: int = 0, end_ms: int = 2000) -> dict[str, object]:
    times = {"start_ms": start_ms, "end_ms": end_ms}
    return {"kind": "utterance", "id": id_, "speaker": speaker, "text": text, **times}


def board(names: dict[str, str]) -> Board:
    return Board("회의", dict(names), length_s=100.0, now_s=50.0, stage="live")


def drawn(a_board: Board, width: int = 100, height: int = 30, note: str = "") -> str:
    console = Console(width=width, height=height, file=io.StringIO(), record=True)
    console.print(picture(a_board, note), height=height)
    return console.export_text()


@cases
def test_a_picture_holds_who_said_what_the_topics_and_the_chat(
    language: str, text: str, question: str, answer: str
) -> None:
    names = {"ko": KOREAN, "en": ENGLISH}[language]
    shown = board(names)
    shown.speaking = frozenset({"minji"})
    shown.heard(utterance(1, "minji", text))
    shown.heard(
        {"kind": "topic", "id": "t1", "name": "T-1", "first_utterance": 1, "decisions": [{"text": "D-1"}]}
    )
    asked = ChatStream("q", "junho", 0.0, text=question, done_s=1.0)
    shown.chat = [asked, ChatStream("a", "agent-7", 1.0, text=answer)]
    picture_ = drawn(shown)
    assert text in picture_
    assert question in picture_
    assert f"● {names['minji']}" in picture_
    assert f"○ {names['junho']}" in picture_
    assert "1. T-1" in picture_
    assert "✓ D-1" in picture_
    assert f"Moim  {answer.replace('**', '')} ▌" in picture_  # still being streamed
    assert "00:50 / 01:40" in picture_


def test_a_demo_that_gets_stuck_tells_a_busy_machine_from_another_reason() -> None:
    assert "16 programs want its 2 cores" in demo.advice(15.7, 2)
    assert "MOIM_LOG_LEVEL=debug make demo" in demo.advice(1.2, 2)


def test_an_utterance_that_comes_twice_counts_once() -> None:
    shown = board(KOREAN)
    for _ in range(2):
        shown.heard(utterance(1, "minji", "안녕하세요", 0, 1500))
    shown.heard(utterance(2, "minji", "반갑습니다", 2000, 2500))
    assert [said["text"] for said in shown.said.values()] == ["안녕하세요", "반갑습니다"]
    assert shown.talk_ms("minji") == 2000


def test_the_newest_are_shown_where_not_all_fit_and_markup_is_only_text() -> None:
    shown = board(KOREAN)
    for id_ in range(1, 200):
        shown.heard(utterance(id_, "minji", f"[red]문장{id_}[/red]"))
    picture_ = drawn(shown, note="worker: [bold]")
    assert "[red]문장199[/red]" in picture_
    assert "문장100[" not in picture_
    assert "worker: [bold]" in picture_


@pytest.mark.parametrize(
    ("names", "first", "second"), [(KOREAN, "먼저", "나중"), (ENGLISH, "before", "after")]
)
def test_what_a_busy_engine_brings_late_is_shown_where_it_was_said(
    names: dict[str, str], first: str, second: str
) -> None:
    shown = board(names)
    shown.heard(utterance(1, "minji", second, 40_000, 41_000))
    shown.heard(utterance(2, "junho", first, 28_000, 29_000))
    picture_ = drawn(shown)
    assert picture_.index(f"00:28 {names['junho']}  {first}") < picture_.index(
        f"00:40 {names['minji']}  {second}"
    )


def test_lines_come_once_each_and_an_answer_when_it_is_whole() -> None:
    out = io.StringIO()
    view = PlainView(Console(file=out, width=60))
    shown = board(KOREAN)
    answer = ChatStream("a", "agent-7", 1.0, text="십이월")
    shown.heard(utterance(1, "minji", "안녕하세요", 61_000, 62_000))
    for _ in range(2):
        shown.chat = [answer]
        view.show(shown)
    assert "십이월" not in out.getvalue()
    answer.text, answer.done_s = "십이월 이십이일\n(인용)", 2.0
    for _ in range(2):
        shown.chat = [answer]
        view.show(shown)
    assert out.getvalue().splitlines() == [
        "moim demo: live",
        "01:01 김민지: 안녕하세요",
        "      chat, Moim: 십이월 이십이일",
        "      | (인용)",
    ]


def test_those_who_ask_in_the_script_are_in_the_meeting() -> None:
    people = {track.participant for track in read_folder(sound_folder()).tracks}
    assert {cue.by for cue in CUES} <= people
