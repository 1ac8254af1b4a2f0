"""What people said stays text in Markdown, wherever it stands and whatever a template has done with it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from context.export.markup import WordsInTag, demand_between_tags, disguised, plain, settled
from context.primitives.text import one_line
from tests.security.doors.forms import shape_of as shape
from tests.unit.context.export.markup import ODD, text_of

PLACES = (
    "{}\n", "- {}\n", "1. {}\n", "- - {}\n", "> {}\n", "> - {}\n", "# {}\n", "before\n{}\nafter\n", "**{}**\n", "{} {}\n",
    "| a | b |\n|---|---|\n| {} | c |\n", "|a|b|\n|---|---|\n|{}|{}|\n", "- a\n  {}\n", "a {} b {} c\n", "{}: x\n", "[x](y) {}\n", "{}\n{}\n", "- a\n- {}\n- b\n",
)  # fmt: skip
WORDS = st.one_of(
    st.sampled_from(ODD), st.text(max_size=30), st.text("-+=:.)|*_`#<>&[]!~ 1a\\\n", max_size=12)
)


@pytest.mark.parametrize("place", PLACES)
@given(words=WORDS)
@example(words="1. one")
@example(words="---")
@example(words="===")
def test_words_have_no_structure_of_their_own(place: str, words: str) -> None:
    said = one_line(words)
    if not said:
        return
    shown = settled(place.replace("{}", disguised(words)))
    assert shape(shown) == shape(place.replace("{}", "x"))
    assert said in text_of(shown), "and are shown as they were said"


@pytest.mark.parametrize(
    "turned",
    [
        lambda text: text[::-1],
        lambda text: text[1:],
        lambda text: text[: len(text) // 2],
        lambda text: "\n".join(text.split()),
        "\n".join,
        str.upper,
        lambda text: text * 3,
        " ".join,
    ],
)
@given(words=WORDS)
def test_nor_once_they_are_cut_turned_and_joined(turned: object, words: str) -> None:
    assert callable(turned)
    shown = settled(turned(disguised(words)))
    paragraphs = {"paragraph_open ", "inline ", "softbreak", "hardbreak", "paragraph_close "}
    assert set(shape(shown)) <= paragraphs


@given(words=WORDS)
def test_in_html_they_are_text(words: str) -> None:
    shown = settled(f"<div>\n{disguised(words)}\n</div>\n").removeprefix("<div>\n").removesuffix("\n</div>\n")
    assert "<" not in shown
    assert ">" not in shown


@given(words=WORDS)
def test_they_are_read_back_as_they_were(words: str) -> None:
    assert plain(settled(f"x {disguised(words)}")).removeprefix("x ") == one_line(words)
    assert plain(settled(disguised(words))) == one_line(words)


@pytest.mark.parametrize(
    "written", ['<a href="{}">x</a>', "<b\n title={}>", "<!-- {} -->", "<img src=x alt='{}'>", "</p {}"]
)
@pytest.mark.parametrize("words", ["x onclick=alert(1)", '" onclick="a', "javascript:a", "> <script>"])
def test_words_inside_a_tag_are_refused(written: str, words: str) -> None:
    with pytest.raises(WordsInTag, match="put it between tags"):
        demand_between_tags(written.replace("{}", disguised(words)))


@pytest.mark.parametrize("written", ["<b>{}</b>", "a < b {}", "<br>{}", "{} <b>x</b>", "1 <2> {}"])
def test_between_tags_they_may_stand(written: str) -> None:
    demand_between_tags(written.replace("{}", disguised("a = 'b' > <c>")))
