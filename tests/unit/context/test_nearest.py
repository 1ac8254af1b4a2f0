"""What comes closest to a question, where no sentence plainly answers."""

from __future__ import annotations

import pytest

from context.answers import record_of
from context.quoting.nearest import nearest
from context.retrieval.questions import take_apart
from tests.unit.context.test_whole_meeting_answers import told

ENGLISH = (
    ("Ana", "The cargo bikes would save us two vans a week, that much is clear to me."),
    ("Ben", "Somebody has to repair the cargo bikes, and I see nobody in the workshop for it."),
    ("Ana", "A mechanic comes by on Tuesdays, and he likes cargo bikes."),
    ("Ben", "One mechanic on one day leaves half of the cargo bikes standing."),
)
KOREAN = (
    ("민지", "화물 자전거를 쓰면 일주일에 승합차 두 대를 줄일 수 있습니다."),
    ("준호", "화물 자전거를 고칠 사람이 정비실에 한 명도 없어 보입니다."),
    ("민지", "화요일마다 정비사가 오는데 화물 자전거를 좋아합니다."),
    ("준호", "정비사 한 명으로는 화물 자전거 절반이 서 있게 됩니다."),
)


@pytest.mark.parametrize(
    ("lines", "question", "speaker"),
    [
        (ENGLISH, "What did Ben think of the cargo bikes?", "Ben"),
        (ENGLISH, "What did Ana say about the cargo bikes?", "Ana"),
        (KOREAN, "화물 자전거에 대해 준호는 뭐라고 했어?", "준호"),
        (KOREAN, "화물 자전거에 대한 민지 씨 의견은?", "민지"),
    ],
)
def test_where_somebodys_words_are_asked_for_theirs_alone_are_quoted(
    lines: tuple[tuple[str, str], ...], question: str, speaker: str
) -> None:
    said = told(*lines)
    record = record_of(question, utterances=said)
    reply = nearest(question, take_apart(question), record, "IMMEDIATE_RESPONSE")
    assert [said[place - 1].speaker_name for place in reply.evidence] == [speaker, speaker]
