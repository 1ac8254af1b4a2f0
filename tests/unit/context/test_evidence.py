"""What bears on a question is found in meetings of any length, at any moment, in Korean and in English."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.briefing import briefing
from context.budget import ExactTokenizer
from context.builder import ContextBuilder
from context.lines import short_names
from context.models import Utterance
from context.retrieval import LexicalIndex
from context.retrieval.dense import per_utterance
from context.retrieval.evidence import rank
from context.retrieval.lexical import Floats
from context.retrieval.subject import subject_of
from context.retrieval.terms import legible, plain, weigh
from tests.unit.context.samples import load_lines, utter

EXACT = ExactTokenizer()
SMALL_TALK = {
    "ko": (
        "네, 그 부분은 다음 자료에서 보겠습니다.",
        "채용 공고는 지난주에 올렸습니다.",
        "고객 문의가 조금 늘었습니다.",
    ),
    "en": (
        "Yes, we will see that in the next slide.",
        "The job ad went online last week.",
        "Support is busy.",
    ),
}
ASKED = {
    "ko": ("냉각수 펌프 교체 비용이 얼마라고 했지?", "냉각수 펌프 교체 비용은 사백만 원입니다."),
    "en": ("What would replacing the coolant pump cost?", "Replacing the coolant pump costs four thousand."),
}
LINES = [text for name in ("ko-release-planning", "en-sprint-review") for _, text in load_lines(name)]


def meeting(language: str, count: int, wanted: int) -> list[Utterance]:
    """`count` utterances of small talk; number `wanted` is the one that is asked for."""
    talk = SMALL_TALK[language]
    return [
        utter(
            number,
            "ab"[number % 2],
            ASKED[language][1] if number == wanted else f"{talk[number % 3]} {number}",
            name=("김민지", "박준호")[number % 2],
        )
        for number in range(1, count + 1)
    ]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize(("count", "back"), [(1000, 12), (1000, 720), (5000, 12), (5000, 4000)])
def test_what_was_said_a_minute_and_an_hour_ago_is_found_with_its_neighbours(
    language: str, count: int, back: int
) -> None:
    wanted = count - back
    said = meeting(language, count, wanted)
    shown = briefing(ASKED[language][0], said, [], 1500, EXACT, LexicalIndex(said)).utterances
    assert {wanted - 1, wanted, wanted + 1} <= set(shown)
    assert said[-1].id in shown


@pytest.mark.parametrize("language", ["ko", "en"])
def test_nothing_later_than_the_moment_is_shown_or_known(language: str) -> None:
    said = meeting(language, 300, 250)
    then, question = said[:200], ASKED[language][0]
    with_later = briefing(question, then, [], 800, EXACT, LexicalIndex(said))
    assert with_later == briefing(question, then, [], 800, EXACT, LexicalIndex(then))
    assert max(with_later.utterances) <= 200


class _Record:
    def __init__(self, utterances: list[Utterance]) -> None:
        self.utterances, self.segments = utterances, ()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_context_of_a_past_moment_holds_nothing_that_came_later(language: str) -> None:
    said = meeting(language, 120, 100)
    late = said[29].model_copy(update={"absolute_timestamp": said[89].absolute_timestamp})
    record, question = _Record([*said[:29], late, *said[30:]]), ASKED[language][0]
    moment = said[59].absolute_timestamp
    for index in (None, LexicalIndex(record.utterances)):
        then = ContextBuilder().context(
            question, 400, archive=record, tokenizer=EXACT, at=moment, index=index
        )
        assert then.utterances
        assert max(then.utterances) <= 60
        assert 30 not in then.utterances, "heard out of turn: it had not begun"
        assert EXACT.count(then.text) == then.tokens <= 400
        shown = "\n".join(said[id_ - 1].text for id_ in then.utterances)
        assert all(line.split(": ")[-1].strip() in shown for line in then.text.splitlines())
    now = ContextBuilder().context(question, 400, archive=record, tokenizer=EXACT)
    assert 100 in now.utterances


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=60), st.text(max_size=60), st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_utterance_of_a_short_meeting_is_judged(said: list[str], question: str, over: bool) -> None:
    index = LexicalIndex(utter(number, "a", text) for number, text in enumerate(said, 1))
    ranked = rank(question, index, len(said), over=over)
    assert ranked.places.tolist() == list(range(len(said)))
    assert abs(ranked.scores).max() < 1e4


@given(st.text(max_size=400), st.text(max_size=30), st.integers(0, 400))
@settings(max_examples=80, deadline=None)
def test_bounds_hold_for_any_text_and_name(text: str, name: str, budget: int) -> None:
    said = [utter(number, "a", f"{text} {number}", name=name or "a") for number in range(1, 30)]
    made = briefing(text, said, [], budget, EXACT)
    assert EXACT.count(made.text) == made.tokens <= budget
    assert len(made.text.split()) * 1.3 <= 1.1 * budget


def test_lines_of_one_stretch_share_a_time_and_name_a_speaker_where_he_changes() -> None:
    said = [
        utter(1, "p", "Who draws the case?", name="Project Manager"),
        utter(2, "i", "I do.", name="Industrial Designer"),
        utter(3, "i", "{vocalsound} And all of the buttons on it.", name="Industrial Designer"),
        utter(4, "p", "Good.", name="Project Manager"),
    ]
    assert briefing("case", said, [], 500, EXACT).text.splitlines() == [
        "[14:30:00] Project Manager: Who draws the case?",
        "Industrial Designer: I do.",
        "  And all of the buttons on it.",
        "Project: Good.",
    ]


def test_a_name_is_cut_to_what_nobody_else_has() -> None:
    names = ["PhD A", "PhD B", "Lynne Neagle AM", "Hon. Ann Lee (Minister)", "Ann Roe", "김민지"]
    assert list(short_names(names).values()) == ["A", "B", "Lynne", "Lee", "Roe", "김민지"]


def test_marks_are_left_out_unless_they_are_most_of_what_was_said() -> None:
    assert plain("so {disfmarker} we <laugh> begin") == "so we begin"
    assert legible("the remote {disfmarker} is") == "the remote {disfmarker} is"
    assert weigh("출시일은 내일") > weigh("ab cd")


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What did C think about it?", {1}),
        ("What did the Project Manager say?", {0}),
        ("김민지가 예산을 뭐라고 했지?", {2}),
        ("민지 씨는 어떻게 생각해?", {2}),
        ("What did the project cost?", set()),
    ],
)
def test_whose_words_are_asked_for(question: str, asked: set[int]) -> None:
    assert set(subject_of(question, ["Project Manager", "PhD C", "김민지"]).speakers) == asked


IN_OTHER_WORDS = {"ko": "설비를 새로 바꾸는 데 돈이 드나요?", "en": "Is the new machine part expensive?"}


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("count", [1000, 5000])
def test_what_is_asked_in_other_words_is_found_where_vectors_say_so(language: str, count: int) -> None:
    wanted = count // 3
    said = meeting(language, count, wanted)
    index = LexicalIndex(said)
    spans = {number: (10 * number, 10 * number + 9) for number in range(count // 10)}
    similar = {number: 0.80 + 0.001 * (number % 7) for number in spans}
    similar |= dict.fromkeys(range((wanted - 25) // 10, (wanted + 25) // 10), 0.95)
    close = per_utterance(similar, spans, count)
    question = IN_OTHER_WORDS[language]

    def near(close: Floats | None) -> int:
        shown = briefing(question, said, [], 1500, EXACT, index, close=close).utterances
        return sum(abs(id_ - wanted) <= 80 for id_ in shown)

    assert near(close) >= 3 * near(None) + 20
    plain_words = briefing(ASKED[language][0], said, [], 1500, EXACT, index, close=close)
    assert wanted in plain_words.utterances, "words still count"


@pytest.mark.parametrize("count", [1, 3, 40])
def test_vectors_that_say_nothing_change_nothing(count: int) -> None:
    said = meeting("ko", count, 1)
    question = ASKED["ko"][0]
    silent = per_utterance({}, {}, count)
    assert briefing(question, said, [], 500, EXACT, close=silent) == briefing(question, said, [], 500, EXACT)
