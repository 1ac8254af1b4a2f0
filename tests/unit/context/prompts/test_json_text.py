"""What models write as JSON is read leniently, whatever stands around it, and never what is half written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from context.prompts.json_text import read_text

_TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc")), max_size=20)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)


@example({"\\": [{'{"': None}]}, False, 1)
@example({"a": ['{"\\', 1]}, False, None)
@given(st.dictionaries(_TEXT, _VALUES, min_size=1, max_size=4), st.booleans(), st.sampled_from([None, 1]))
def test_correct_json_is_read_as_it_is(value: dict[str, Any], ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert read_text(text).values == (value,)
    assert read_text(text).begun == ()


@given(st.text(alphabet="{}[]\",:'“”\\ \n#12abnull가", max_size=200))
def test_anything_can_be_read(text: str) -> None:
    read_text(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('{"a": "Kim: </think> and <think>"}', {"a": "Kim: </think> and <think>"}),
        ('Here is the JSON [checked]: {"a": 1}\nDo you need {more}?', {"a": 1}),
        ('요청하신 JSON입니다 [#12]:\n{"a": 1}', {"a": 1}),
        ('{"a": [1, 2,], "b": 3,}', {"a": [1, 2], "b": 3}),
        ('{"a": [1 2] "b": 3}', {"a": ["1 2"], "b": 3}),
        ("{'a': None, 'b': True, 'c': 'it\\'s', 'd': \"it's\"}", {"a": None, "b": True, "c": "it's", "d": "it's"}),
        ("{'a': 'it's hers', 'b': 2}", {"a": "it's hers", "b": 2}),
        ('{"a": "Dana said "yes" to it", "b": "그는 "네"라고 했다"}', {"a": 'Dana said "yes" to it', "b": '그는 "네"라고 했다'}),
        ("{“a”： “나”，“b”： [1，2]}", {"a": "나", "b": [1, 2]}),
        ('{a: yes, verdict: not said, "b": [#3, #4]}', {"a": "yes", "verdict": "not said", "b": ["#3", "#4"]}),
        ('{"a": "one\ntwo", // that is all\n "b": /* why */ 1}', {"a": "one\ntwo", "b": 1}),
        ('{"a": [1]], "b": 2}', {"a": [1], "b": 2}),
        ('{"a": {"b": [1, 2}, "c": 3}', {"a": {"b": [1, 2]}, "c": 3}),
        ('{"a": [1], "a": [2]}', {"a": [1, 2]}),
        ('{"a": "\\ud83d\\ude00\\n\\"x\\""}', {"a": '😀\n"x"'}),
        ('["예산"]', ["예산"]),
        ('{\\"a\\": \\"예산 \\\\\\"안\\\\\\"\\"}', {"a": '예산 "안"'}),
        ('"{\\"a\\": 1, \\"b\\": [2]}"', {"a": 1, "b": [2]}),
    ],
)  # fmt: skip
def test_what_small_models_make_of_it(text: str, value: Any) -> None:
    assert read_text(text).values == (value,)


@pytest.mark.parametrize(
    ("text", "begun"),
    [
        ('{"a": [{"t": "x", "e": [1]}, {"t": "y", "e": [1, 2', {"a": [{"t": "x", "e": [1]}]}),
        ('{"a": [{"t": "x", "e": [12', {"a": []}),
        ('{"a": 1, "b": 12', {"a": 1}),
        ('{"a": 1, "b": "supporte', {"a": 1}),
        ('[{"a": 1}, {"a":', [{"a": 1}]),
    ],
)
def test_of_what_was_cut_off_only_whole_items_are_kept(text: str, begun: Any) -> None:
    assert read_text(text).values == ()
    assert read_text(text).begun == (begun,)


@pytest.mark.parametrize("text", ["", "죄송합니다", "\x00", "see [#12] and [checked]", "No {name} here."])
def test_what_is_no_json_has_no_values(text: str) -> None:
    assert read_text(text).values == ()


def test_several_values_stand_in_their_order() -> None:
    found = read_text('first {"a": 1}\nthen {"a": 2}.')
    assert found.values == ({"a": 1}, {"a": 2})
    assert found.rest == "first \nthen ."


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "noise", ["{", "[", '"', '{"a":', "\\", "[{", "' ", "//", "/*", '{"a":"b"', "[1,", "a ", '\n"']
)
def test_babble_costs_no_more_than_its_length(noise: str) -> None:
    read_text(noise * 40_000)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "unit", ["[", "{", '["', '{"a":', "[a ", "[/*", "[/* a ", "[//", '[":"', '["\\', "[,", "［｛", '"', "[{'"]
)
def test_garbage_costs_no_more_than_its_length(unit: str) -> None:
    """A model, or whoever is between, that sends such a text held the loop for six minutes."""
    read_text(unit * (200_000 // len(unit)))
