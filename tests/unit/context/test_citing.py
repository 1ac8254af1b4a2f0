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
        (None, []), ("", []), ([], []), ([None], []), ("none", []), ("없음", []), ("N/A", []), (False, []), (12.0, [12]),
    ],
)  # fmt: skip
def test_ids_in_a_field(value: Any, ids: list[int]) -> None:
    assert cited_ids(value) == ids


@pytest.mark.parametrize("value", ["yes", True, ["later"], "나중에", [True]])
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
        ("A. [12월]", "A. [12월]"), ("x[3](y)", "x[3](y)"),
    ],
)  # fmt: skip
def test_citations_in_a_text(text: str, read: str) -> None:
    assert as_cited(text, {12, 13, 14}) == read


def test_one_at_the_end_waits_for_its_marks() -> None:
    assert as_cited("A. **[#12]", {12}, ended=False) == "A. **[#12]"
    assert as_cited("A. **[#12]*", {12}, ended=False) == "A. **[#12]*"
    assert as_cited("A. **[#12]**\n", {12}, ended=False) == "A. [#12]\n"


def test_what_somebody_said_in_brackets() -> None:
    assert bracketed(["목표는 [12]입니다.", "By [2026] and 【7】 (8)", "ticket #9"]) == {12, 2026, 7, 9}


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
