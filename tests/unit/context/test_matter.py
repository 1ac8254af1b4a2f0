"""The main of what was said on one matter, quoted from where it was talked about."""

from __future__ import annotations

import pytest

from context.answers import answer
from context.models import Statement, Summary, TopicSegment, Utterance
from tests.unit.context.test_whole_meeting_answers import told

ENGLISH = {
    "budget": (
        ("Ana", "The budget for the autumn fair stands at nine thousand euros."),
        ("Ben", "Printing alone eats four thousand of that, and the hall has not been paid yet."),
        ("Ana", "Then the posters have to shrink, or the band plays for less money."),
        ("Ben", "The band agreed to play for half the fee last year."),
    ),
    "parking": (
        ("Cleo", "About the parking spaces behind the school: neighbours complained again."),
        ("Ana", "Delivery vans block the parking spaces from seven in the morning."),
        ("Cleo", "A barrier with a code costs some six hundred euros, the caretaker asked around."),
        ("Ben", "Good point."),
        ("Cleo", "Okay, we've decided to buy the barrier for the parking spaces."),
    ),
    "garden": (
        ("Ben", "The school garden needs new soil before the children plant tomatoes."),
        ("Cleo", "A gardener from the nursery offered two tons of compost for free."),
        ("Ana", "Somebody has to water the beds during the summer holidays."),
        ("Ben", "Last summer everything dried out within two weeks."),
    ),
}
KOREAN = {
    "budget": (
        ("민지", "가을 행사 예산은 모두 구백만 원으로 잡혀 있습니다."),
        ("준호", "인쇄비만 사백만 원이 나가고 강당 대관료도 아직 내지 않았습니다."),
        ("민지", "그러면 포스터 크기를 줄이거나 밴드 출연료를 깎아야 합니다."),
        ("준호", "작년에는 밴드가 출연료를 절반만 받고 공연했습니다."),
    ),
    "parking": (
        ("서연", "학교 뒤 주차장 문제로 주민들이 또 항의 전화를 했습니다."),
        ("민지", "아침 일곱 시부터 택배 차량이 주차장 입구를 막고 있습니다."),
        ("서연", "주차장 차단기 설치에 육십만 원쯤 든다고 관리소에서 알아봤습니다."),
        ("준호", "네, 맞아요."),
        ("서연", "그럼 주차장 차단기를 설치하기로 결정하겠습니다."),
    ),
    "garden": (
        ("준호", "텃밭에 토마토를 심기 전에 흙을 새로 갈아야 합니다."),
        ("서연", "화원에서 퇴비 두 톤을 무료로 주겠다고 제안했습니다."),
        ("민지", "여름 방학 동안에는 텃밭에 물을 줄 사람이 필요합니다."),
        ("준호", "지난여름에는 이 주 만에 전부 말라 버렸습니다."),
    ),
}


def meeting(parts: dict[str, tuple[tuple[str, str], ...]]) -> list[Utterance]:
    """The parts one after another."""
    return told(*(line for part in parts.values() for line in part))


PARKING = {5, 6, 7, 9}


@pytest.mark.parametrize(
    ("parts", "question"),
    [
        (ENGLISH, "Summarize the discussion about the parking spaces."),
        (ENGLISH, "Can you sum up what was said on parking?"),
        (KOREAN, "주차장에 대한 논의를 요약해 줘"),
        (KOREAN, "주차장 얘기 좀 정리해 주세요"),
    ],
)
def test_a_summary_of_one_matter_comes_first_from_the_talk_about_it(
    parts: dict[str, tuple[tuple[str, str], ...]], question: str
) -> None:
    reply = answer(question, utterances=meeting(parts))
    assert set(reply.evidence) >= PARKING
    assert 8 not in reply.evidence  # it says nothing by itself
    assert len(reply.evidence) <= 6
    decided = "- [결정] **서연**" if parts is KOREAN else "- [decided] **Cleo**"
    assert reply.text.count(decided) == 1


@pytest.mark.parametrize(
    ("parts", "question"),
    [
        (ENGLISH, "Summarize the meeting, please"),
        (ENGLISH, "Give me an overview of the main points"),
        (KOREAN, "지금까지 나온 얘기 정리해 줘"),
        (KOREAN, "핵심만 세 줄로 요약해 줘"),
        (KOREAN, "회의 전체를 요약해 주세요"),
    ],
)
def test_a_summary_of_the_whole_has_the_main_points(
    parts: dict[str, tuple[tuple[str, str], ...]], question: str
) -> None:
    said = meeting(parts)
    notes = Summary(key_points=(Statement(text=said[0].text, evidence=(1,)),))
    whole = TopicSegment(
        id="t1", name="x", start_utterance_id=1, end_utterance_id=13, notes=notes, covered_until=13
    )
    reply = answer(question, utterances=said, segments=[whole])
    assert reply.evidence == (1,)
    assert reply.text.splitlines()[-1].startswith(f"- **{said[0].speaker_name}**")


@pytest.mark.parametrize(
    ("parts", "question", "speaker"),
    [(ENGLISH, "Summarize what Cleo said", "Cleo"), (KOREAN, "서연이가 한 얘기 요약해 줘", "서연")],
)
def test_a_summary_of_one_persons_words_quotes_them_alone(
    parts: dict[str, tuple[tuple[str, str], ...]], question: str, speaker: str
) -> None:
    said = meeting(parts)
    reply = answer(question, utterances=said)
    assert len(reply.evidence) >= 3
    assert {said[place - 1].speaker_name for place in reply.evidence} == {speaker}


@pytest.mark.parametrize(
    ("parts", "question"),
    [
        (ENGLISH, "Summarize the discussion about the swimming pool"),
        (KOREAN, "수영장에 대한 논의를 요약해 줘"),
    ],
)
def test_what_was_never_mentioned_is_not_summed_up(
    parts: dict[str, tuple[tuple[str, str], ...]], question: str
) -> None:
    assert answer(question, utterances=meeting(parts)).declined
