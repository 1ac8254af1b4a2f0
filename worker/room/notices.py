"""What the agent says of itself, in the language of whoever it talks to."""

from __future__ import annotations

from typing import Final, Literal

from context.language.korean import has_hangul
from context.thread.history import HIGHEST_RATE, LOWEST_RATE

Notice = Literal["paused", "resumed", "leaving", "already_paused", "not_paused", "unknown_order"]

_TEXTS: Final[dict[Notice, tuple[str, str]]] = {
    "paused": (
        "기록을 멈췄습니다. 지금부터 하시는 말씀은 듣지 않습니다. 채팅에 /resume 을 쓰시면 다시 듣습니다.",
        "Paused: I hear nothing from here on. Write /resume in the chat to go on.",
    ),
    "resumed": ("기록을 다시 시작합니다.", "Listening again."),
    "leaving": (
        "회의에서 나가겠습니다. 지금까지의 기록은 보관됩니다.",
        "Leaving the meeting. What was said so far is kept.",
    ),
    "already_paused": ("이미 멈춰 있습니다.", "I am paused already."),
    "not_paused": ("지금 기록 중입니다.", "I am listening."),
    "unknown_order": (
        "그런 명령은 없습니다. /me 질문 (나만 보는 답), /pause, /resume, /leave, /rate 0.2 가 있습니다.",
        "There is no such order. There are /me QUESTION (for you alone), /pause, /resume, /leave, /rate 0.2.",
    ),
}


def notice(name: Notice, *, asked_in: str) -> str:
    """The text of a notice, Korean where the order was."""
    korean, english = _TEXTS[name]
    return korean if has_hangul(asked_in) or asked_in.startswith("ko") else english


def rate_notice(rate: float, *, asked_in: str, refused: bool = False) -> str:
    """The thread's compression rate, after it was set or asked for; `refused`: the wish was no rate."""
    if has_hangul(asked_in):
        wrong = f"{LOWEST_RATE:g}부터 {HIGHEST_RATE:g} 사이로 적어 주세요. " if refused else ""
        return f"{wrong}요약 압축률은 {rate:g}입니다. 바뀐 값은 다음 요약부터 적용됩니다."
    wrong = f"Give a rate from {LOWEST_RATE:g} to {HIGHEST_RATE:g}. " if refused else ""
    return f"{wrong}The compression rate of summaries is {rate:g}; a change counts from the next one."
