"""However a model cites, it is read; a number that somebody put in brackets is a number."""

from __future__ import annotations

from typing import Any

import pytest

from context.prompts.citing import as_cited, balanced, bracketed, cited_ids, cited_in, without_citations


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        (12, [12]), ("#12", [12]), ("[#12, #13]", [12, 13]), (["#12", 13], [12, 13]), ("12-14", [12, 13, 14]),
        ("[#12] (14:32:07)", [12]), ([{"id": 12}], [12]), (["[12]", "13번"], [12, 13]), (["#12", "later"], [12]),
        ("3번 발언", [3]), ("발언 3, 4", [3, 4]), (["utterance 3"], [3]), ("lines 3 to 5", [3, 5]), ("U3", [3]), ("제3번", [3]), ("３", [3]),
        ("3번부터 5번까지", [3, 5]), ("12 (14:32:07)", [12]), ("[12] Ben: yes, 300", [12]), ("#12 for 300 dollars", [12]),
        ("Changed in utterance 12, to 300", [12]), ("13번 발언에서 300명으로 바뀜", [13]), ({"id": 12, "confidence": 3}, [12]), ({"start": 3, "end": 5}, [3, 5]), ({"utterance_id": "#4", "speaker": "B2"}, [4]),
        (None, []), ("", []), ([], []), ([None], []), ("none", []), ("없음", []), ("N/A", []), (False, []), (12.0, [12]),
    ],
)  # fmt: skip
def test_ids_in_a_field(value: Any, ids: list[int]) -> None:
    assert cited_ids(value) == ids


@pytest.mark.parametrize(
    "value",
    ["yes", True, ["later"], "나중에", [True], "300 dollars", "300명", "$300", "Q3", "12월 22일", "2026-11-29", "12/22", 12.5, "3.5", "Ben at 14:32"],
)  # fmt: skip
def test_what_is_no_id_is_not_taken_for_none(value: Any) -> None:
    with pytest.raises(ValueError, match="no ids"):
        cited_ids(value)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("A. [#12]", "A. [#12]"), ("A. [#12, #13]", "A. [#12, #13]"), ("A. [#12-14]", "A. [#12-14]"),
        ("A. (#12)", "A. [#12]"), ("A. （＃12）", "A. [#12]"), ("A. 【12】", "A. [#=12]"), ("A. 【#12】", "A. [#12]"),
        ("A. ［＃12］", "A. [#12]"), ("A. [[#12]]", "A. [#12]"), ("A. **[#12]**", "A. [#12]"), ("A. *(#12)*.", "A. [#12]."),
        (r"A. \[#12\]", "A. [#12]"), ("A. `[#12]`", "A. [#12]"), ("A. [12]", "A. [#=12]"), ("A. [12, 13]", "A. [#=12, 13]"),
        ("A. [12-14]", "A. [#=12-14]"), ("A. [12][13]", "A. [#=12][#=13]"),
        ("A. [2026]", "A. [2026]"), ("A. [12, 99]", "A. [12, 99]"), ("A. (12)", "A. (12)"), ("A. [x]", "A. [x]"),
        ("A. #12", "A. [#12]"), ("A. #12, #13.\nB.", "A. [#12, #13].\nB."), ("Ticket #12 is open.", "Ticket #12 is open."),
        ("A. {#12}", "A. [#12]"), ("A. {12}", "A. {12}"), ("A. <#12>", "A. [#12]"), ("A. [^12]", "A. [#=12]"), ("A. <12>", "A. <12>"),
        ("A. #99", "A. #99"), ("A. (발화 12)", "A. [#=12]"), ("A. (see #12)", "A. [#12]"), ("A. [Line 12]", "A. [#=12]"),
        ("A. (line 99)", "A. (line 99)"), ("A. [#12] (14:32:07)", "A. [#12] (14:32:07)"),
        ("A. (12번 발언)", "A. [#=12]"), ("A. (발언 12번, 13번)", "A. [#=12, 13]"), ("A. （12번 발언 참고）.", "A. [#=12]."),
        ("A. (근거: 발언 12)", "A. [#=12]"), ("A. (utterances 12 and 13)", "A. [#=12 and 13]"), ("A. [turn 12]", "A. [#=12]"),
        ("A. [12번]", "A. [#=12]"), ("A. [12번][13번] B.", "A. [#=12][#=13] B."), ("A. (＃12번)", "A. [#12]"), ("A. (utterance 99)", "A. [#=99]"),
        ("3번 발언에 따르면 A.", "[#=3] A."), ("- 발언 3: A.", "- [#=3] A."), ("In utterance 3, A.", "[#=3] A."),
        ("According to utterances 3 and 4, A.\nB.", "[#=3 and 4] A.\nB."), ("A — utterance 12.", "A [#=12]."), ("A. - 12번 발언", "A. [#=12]"),
        ("A. 출처: 12번 발언", "A. 출처: [#=12]"), ("A, as in utterance 12", "A [#=12]"), ("A. Utterance 12.", "A. [#=12]."),
        ("A. (12번)", "A. (12번)"), ("[12번] 안으로 간다.", "[12번] 안으로 간다."), ("12번 간다.", "12번 간다."), ("발언 3분이다.", "발언 3분이다."),
        ("Ben denied utterance 12.", "Ben denied utterance 12."), ("박준호는 12번 발언을 취소했다.", "박준호는 12번 발언을 취소했다."),
        ("Line 12 stops.", "Line 12 stops."), ("A. line 12", "A. line 12"), ("12월 22일 발언에서는 A.", "12월 22일 발언에서는 A."),
        ("In utterance 3, 4 servers.", "In utterance 3, 4 servers."), ("#12: A.", "#12: A."), ("The third utterance.", "The third utterance."),
        ("A. [12월]", "A. [12월]"), ("x[3](y)", "x[3](y)"),
    ],
)  # fmt: skip
def test_citations_in_a_text(text: str, read: str) -> None:
    assert as_cited(text, {12, 13, 14}) == read


def test_one_at_the_end_waits_for_its_marks() -> None:
    assert as_cited("A. **[#12]", {12}, ended=False) == "A. **[#12]"
    assert as_cited("A. **[#12]*", {12}, ended=False) == "A. **[#12]*"
    assert as_cited("A. **[#12]**\n", {12}, ended=False) == "A. [#12]\n"
    assert as_cited("A — utterance 1", {1, 12}, ended=False) == "A — utterance 1"
    assert as_cited("3번 발언에 따르면", {3}, ended=False) == "3번 발언에 따르면"


def test_what_somebody_said_in_brackets() -> None:
    assert bracketed(["목표는 [12]입니다.", "By [2026] and 【7】 (8)", "ticket #9"]) == {12, 2026, 7, 9}
    assert bracketed(["라인 3을 세웁니다", "Stop line 3, not line 14."]) == {3, 14}


def test_a_statement_that_cites_within_its_text() -> None:
    text = "출시일은 22일이다. (#3) **[#4]**"
    assert cited_in(text) == [3, 4]
    assert without_citations(text) == "출시일은 22일이다."
    assert cited_in("the [3] of them") == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("**They add it.", "They add it."), ("They **add** it.", "They **add** it."), ("*They add it.", "They add it."),
        ("- *They add* it.", "- *They add* it."), ("* They add it.", "* They add it."), ("5*3 is 15", "5*3 is 15"),
        ("They add it.**", "They add it."), ("*강조*는 둔다", "*강조*는 둔다"),
        ("They add it. (see", "They add it."), ("They add it (", "They add it"), ("It is (so) it.", "It is (so) it."),
    ],
)  # fmt: skip
def test_marks_without_their_other_half_go(text: str, left: str) -> None:
    assert balanced(text) == left
