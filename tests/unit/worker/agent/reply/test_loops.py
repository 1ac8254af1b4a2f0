"""A loop is cut at its third line, whatever it is made of, and nothing else is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.languages import BOTH
from worker.agent.reply.loops import Loops

LINES = {
    "ko": (
        "- 출시일은 12월 22일로 결정되었습니다. [#3]",
        "- 해외 배포는 이번에 하지 않습니다. [#5]",
        "- 네. [#2]",
    ),
    "en": (
        "- They add a second server this week. [#3]",
        "- They will not move the database. [#5]",
        "- Yes. [#2]",
    ),
}


def through(text: str, cuts: list[int] | None = None) -> tuple[str, bool]:
    loops, out, last = Loops(), "", 0
    for cut in [*(cuts or []), len(text)]:
        out += loops.feed(text[last:cut])
        last = cut
    return out + loops.finish(), loops.found


@BOTH
@pytest.mark.parametrize("cycle", [1, 2, 3])
@pytest.mark.parametrize("step", [1, 7, 10_000])
def test_a_loop_is_cut_where_its_first_line_comes_for_the_third_time(
    language: str, cycle: int, step: int
) -> None:
    round_ = "".join(f"{line}\n" for line in LINES[language][-cycle:])
    text = f"{LINES[language][0]}\n" * (cycle < 3) + round_ * 50
    shown, found = through(text, list(range(step, len(text), step)))
    assert found
    assert shown == f"{LINES[language][0]}\n" * (cycle < 3) + round_ * 2


@BOTH
def test_lines_are_compared_without_numbers_citations_marks_and_case(language: str) -> None:
    line = LINES[language][0]
    other = [line, f"**{line.upper()}**", line.replace("- ", "3. ").replace("[#3]", "[#4][#5]"), "?"]
    shown, found = through("\n".join(other))
    assert found
    assert shown == "\n".join([*other[:2], ""])


@BOTH
def test_a_long_line_is_known_again_wherever_it_stands(language: str) -> None:
    one, two, _ = LINES[language]
    shown, found = through(f"{one}\n{two}\n{one}\nx y z\n{one}\n{two}")
    assert found
    assert shown == f"{one}\n{two}\n{one}\nx y z\n"


@BOTH
@pytest.mark.parametrize("end", ["", "\n"])
def test_the_third_line_may_be_the_last(language: str, end: str) -> None:
    line = LINES[language][0]
    assert through(f"{line}\n{line}\n\n{line}{end}") == (f"{line}\n{line}\n\n", True)


@pytest.mark.parametrize(
    "text",
    [
        "## Decisions\nNone.\n## Tasks\nNone.\n## Open\nNone.\n## Other\nNone. At all.",
        "## 결정\n없음\n## 할 일\n없음\n## 미정\n없음\n끝.",
        "- They meet on Monday. [#1]\n- They meet on Monday and Friday. [#2]\n- They meet on Monday, they say. [#3]\n- They meet on Mon",
        "- 네, 네, 네, 네. 알겠습니다. [#1]\n\n\n\n- 하하하하하하하 [#2]",
        "No, no, no, no, no, no, that is not it. [#1] Never, never, never. [#2]",
    ],
)  # fmt: skip
@pytest.mark.parametrize("step", [1, 5, 10_000])
def test_what_is_no_loop_is_let_through(text: str, step: int) -> None:
    assert through(text, list(range(step, len(text), step))) == (text, False)


@pytest.mark.parametrize(
    "phrase",
    [
        "the second server, ",
        "출시일은 결정되었고 ",
        "아니 ",
        "ha",
        "It is Elm Street. [#3] ",
        "엘름가입니다. [#3] ",
    ],
)
def test_a_loop_within_a_line_ends_it(phrase: str) -> None:
    shown, found = through(f"So it is: {phrase * 300}")
    assert found
    assert len(shown) < 5 * len(phrase) + 200


@given(st.lists(st.integers(min_value=0, max_value=300), max_size=20).map(sorted))
def test_the_cuts_of_the_stream_make_no_difference(cuts: list[int]) -> None:
    text = "\n".join([*LINES["ko"], *LINES["en"], *LINES["ko"][:2] * 3])
    assert through(text, cuts) == through(text)


@given(st.text(alphabet="ab가.\n[#1] -*", max_size=200))
def test_nothing_is_added_or_turned_round(text: str) -> None:
    shown, found = through(text)
    assert text.startswith(shown)
    assert found or shown == text


@pytest.mark.timeout(20)
@pytest.mark.parametrize("noise", [" ", "[", "a ", "1", "가나다라 ", "x\n", "\n"])
def test_babble_costs_no_more_than_its_length(noise: str) -> None:
    loops = Loops()
    loops.feed("x\nx\n")
    for number in range(8_000):
        loops.feed(f"{number:b}{noise}")
    loops.finish()
