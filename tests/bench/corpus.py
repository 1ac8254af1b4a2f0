"""Long meetings to measure with: the two sample meetings' lines, said again and again with new numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

from context.events import events

_LINES: Final = (
    "안녕하세요. 첫 번째 안건은 모바일 앱 출시 일정입니다.",
    "현재 개발은 {n} 퍼센트 정도 끝났습니다. 남은 일은 결제 기능입니다.",
    "결제 기능 테스트는 언제 시작할 수 있나요?",
    "다음 주 월요일부터 시작할 수 있습니다. 테스트에는 {n}일이 걸립니다.",
    "출시일은 {n}일로 결정하겠습니다.",
    "마케팅 예산은 {n}만 원을 요청했습니다.",
    "서버 비용은 지난해보다 {n} 퍼센트 늘었습니다.",
    "The average search takes {n} milliseconds. Last month it was faster.",
    "How much would server number {n} cost?",
    "The index grew to {n} million documents, and we still use one server.",
    "I will order the server tomorrow and report on day {n}.",
    "그 부분은 다음 회의에서 다시 논의하겠습니다.",
)
_CUE: Final = "그럼 다음 안건으로 넘어가겠습니다. {n}번 과제 이야기를 해 보죠."
_SPEAKERS: Final = (("minji", "김민지"), ("junho", "박준호"), ("seoyeon", "이서연"), ("ben", "Ben Carter"))
_TOPIC_EVERY: Final = 120


def spoken(count: int, first: int = 1) -> Iterator[events.UtteranceSpoken]:
    """`count` utterances of a meeting that changes its topic every 120 of them."""
    for number in itertools.islice(itertools.count(first), count):
        who, name = _SPEAKERS[number % len(_SPEAKERS)]
        line = _CUE if number % _TOPIC_EVERY == 0 else _LINES[number * 7 % len(_LINES)]
        yield events.UtteranceSpoken(
            key=f"{who}@{number}",
            speaker_id=who,
            speaker_name=name,
            text=line.format(n=number),
            start_ms=number * 3000,
            end_ms=number * 3000 + 2500,
        )
