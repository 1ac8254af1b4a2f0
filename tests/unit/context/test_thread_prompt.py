"""Cases A, B and C, the truncations, the floor, and seed 001's system prompt."""

from __future__ import annotations

import pytest

from context.thread.history import SummaryEntry
from context.thread.messages import Message
from context.thread.prompt import build_context_prompt, system_prompt

QUESTION = {"ko": "산소 재활용은 언제죠?", "en": "When is the recycling due?"}


def exchange(first: int, last: int) -> list[Message]:
    return [
        message
        for n in range(first, last + 1)
        for message in (
            Message(role="user", content=f"질문 {n}"),
            Message(role="assistant", content=f"answer {n}"),
        )
    ]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_case_a_the_current_message_alone_and_unchanged(language: str) -> None:
    question = QUESTION[language] + "\n  " + "x" * 5000
    assert build_context_prompt(question) == question
    assert build_context_prompt(question, exchange(1, 1)[:1]) == question


@pytest.mark.parametrize("language", ["ko", "en"])
def test_case_b_recent_and_current(language: str) -> None:
    assert build_context_prompt(QUESTION[language], exchange(1, 2)) == (
        "[RECENT MESSAGES]\nUSER: 질문 1\nASSISTANT: answer 1\nUSER: 질문 2\nASSISTANT: answer 2\n\n"
        f"[CURRENT MESSAGE]\n{QUESTION[language]}"
    )


@pytest.mark.parametrize("language", ["ko", "en"])
def test_case_c_summary_then_recent_then_current(language: str) -> None:
    text = build_context_prompt(
        QUESTION[language], exchange(1, 20), "우주정거장 시뮬레이터를 논의했다.", covered=36
    )
    assert text.startswith("[CONVERSATION CONTEXT]\n")
    assert "우주정거장 시뮬레이터를 논의했다." in text
    assert (
        text.index("[CONVERSATION CONTEXT]")
        < text.index("[RECENT MESSAGES]")
        < text.index("[CURRENT MESSAGE]")
    )
    assert "질문 17\n" not in text
    assert [n for n in range(1, 21) if f"USER: 질문 {n}\n" in text] == [18, 19, 20], "the newest six"
    assert text.endswith(f"[CURRENT MESSAGE]\n{QUESTION[language]}")


def test_a_summary_alone_is_case_c_too() -> None:
    text = build_context_prompt("?", [], "요약")
    assert "[RECENT MESSAGES]" not in text
    assert text.startswith("[CONVERSATION CONTEXT]")


def test_recent_six_is_a_floor_what_nothing_covers_goes_in_too() -> None:
    without = build_context_prompt("?", exchange(1, 10))
    assert all(f"answer {n}\n" in without for n in range(1, 11))
    late = build_context_prompt("?", exchange(1, 10), "요약", covered=6)
    assert [n for n in range(1, 11) if f"answer {n}\n" in late] == list(range(4, 11))
    none = build_context_prompt("?", exchange(1, 10), "요약", covered=18, recent=0)
    assert [n for n in range(1, 11) if f"answer {n}\n" in none] == [10]


def test_long_messages_are_cut_at_2000_characters_and_the_current_one_is_not() -> None:
    long = "가" * 2001
    text = build_context_prompt(
        long, [Message(role="user", content=long), Message(role="assistant", content="b")]
    )
    assert text.count("가") == 1999 + 2001
    assert "가…" in text


def test_switched_off_the_current_message_goes_alone() -> None:
    assert build_context_prompt("질문", exchange(1, 9), "요약", covered=6, enabled=False) == "질문"


def test_the_system_prompt_lists_each_summary_with_its_turns() -> None:
    entries = [
        SummaryEntry(
            thread_id="s", turns=turns, turn_length=len(turns), original_chars=9, summary_chars=3,
            compression_rate=0.3, summary=text,
        )
        for turns, text in (((1, 2, 3), "인사 후 검색"), ((4, 5, 6), "현재 시간"))
    ]  # fmt: skip
    korean = system_prompt(entries)
    assert (
        korean
        == "당신은 유용한 AI 어시스턴트입니다.\n\n[이전 대화 요약]\n[1-3턴] 인사 후 검색\n[4-6턴] 현재 시간"
    )
    assert "[turns 4-6] 현재 시간" in system_prompt(entries, "en")
    assert system_prompt([]) == "당신은 유용한 AI 어시스턴트입니다."
