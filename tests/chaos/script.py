"""Made-up meetings: seeded, Korean and English, with topics, decisions and questions in them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Final

PEOPLE: Final = (
    ("minji", "김민지"),
    ("junho", "박준호"),
    ("alice", "Alice Moreau"),
    ("ben", "Ben Carter"),
    ("sora", "이소라"),
    ("david", "David Kim"),
    ("yuna", "최유나"),
    ("emma", "Emma Schmidt"),
    ("taeho", "정태호"),
    ("lucas", "Lucas Silva"),
    ("hana", "한하나"),
    ("noah", "Noah Fischer"),
    ("jiwoo", "오지우"),
    ("mia", "Mia Rossi"),
    ("sejin", "윤세진"),
)
TOPICS: Final = (
    (
        "다음 안건으로 넘어가서, 모바일 앱 출시 일정을 이야기하겠습니다.",
        "앱 출시 일정은 {n}월 둘째 주가 좋겠습니다.",
        "앱 심사에 {n}일이 걸리니 출시 전에 여유를 둡시다.",
        "출시일은 {n}월 20일로 결정하겠습니다.",
        "출시 공지는 제가 {n}일까지 쓰겠습니다.",
    ),
    (
        "Let's move on to the search latency of the new cluster.",
        "The search latency was {n} milliseconds last week.",
        "We could add a second server, that takes {n} days.",
        "We decided to buy server number {n} for the search cluster.",
        "I will write the migration plan for shard {n} by Friday.",
    ),
    (
        "그럼 다음 주제로, 내년 마케팅 예산을 보겠습니다.",
        "마케팅 예산은 {n}억 원을 요청했습니다.",
        "광고 단가가 {n}퍼센트 올라서 예산이 빠듯합니다.",
        "예산은 {n}억 원으로 확정하겠습니다.",
        "예산안은 제가 {n}일까지 재무팀에 보내겠습니다.",
    ),
    (
        "Next on the agenda is hiring for the support team.",
        "The support team needs {n} more people.",
        "We interviewed {n} candidates for support this month.",
        "We decided to hire {n} people for the night shift.",
        "I will call candidate {n} tomorrow.",
    ),
)
QUESTIONS: Final = (
    "출시일이 언제로 결정됐지?",
    "What did we decide about the search cluster?",
    "지금까지 결정된 내용을 요약해 줘",
    "Who writes the migration plan?",
)


@dataclass(frozen=True, slots=True)
class Say:
    """A final segment, as it goes into `moim:in`."""

    id: str
    speaker: str
    name: str
    text: str
    start_ms: int
    end_ms: int

    @property
    def entry(self) -> dict[str, Any]:
        """The entry's JSON."""
        return {
            "id": self.id,
            "speaker": self.speaker,
            "name": self.name,
            "text": self.text,
            "start_ms": self.start_ms,
            "end_ms": self.end_ms,
            "final": True,
        }


@dataclass(frozen=True, slots=True)
class Ask:
    """A question, as it goes into `moim:ask`."""

    id: str
    by: str
    text: str

    @property
    def entry(self) -> dict[str, Any]:
        """The entry's JSON."""
        return {"id": self.id, "by": self.by, "text": self.text}


Step = Say | Ask


def script(
    seed: int, lines: int, *, people: int = 4, ask_every: int = 0, gap_ms: int = 3000, prefix: str = "s"
) -> list[Step]:
    """`lines` segments of `people` speakers, `gap_ms` apart; a question after each `ask_every` lines."""
    dice = Random(seed)
    steps: list[Step] = []
    topic, since = 0, 0
    for number in range(1, lines + 1):
        if since >= 12 and dice.random() < 0.15:
            topic, since = (topic + 1) % len(TOPICS), 0
        words = TOPICS[topic]
        text = words[0] if since == 0 and number > 1 else dice.choice(words[1:]).format(n=number)
        since += 1
        speaker, name = PEOPLE[dice.randrange(people)]
        steps.append(
            Say(f"{prefix}{number}", speaker, name, text, number * gap_ms, number * gap_ms + gap_ms * 2 // 3)
        )
        if ask_every and number % ask_every == 0:
            steps.append(Ask(f"q{number}", "ben", QUESTIONS[number // ask_every % len(QUESTIONS)]))
    return steps
