"""What the agent says stands in one folder, in Korean and in English alike."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from context import language
from context.language.closed_lists import in_words, wording
from worker.agent.reply import speaking
from worker.participants import room_commands

NAMES = sorted(path.stem for path in Path(language.__file__).parent.joinpath("wording").glob("*.toml"))


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_have_the_same_texts_and_are_filled_in_with_the_same(name: str) -> None:
    texts = wording(name)
    assert list(texts) == ["ko", "en"]
    assert list(texts["ko"]) == list(texts["en"])
    for key, korean in texts["ko"].items():
        english = texts["en"][key]
        fields = [set(re.findall(r"\{(\w*)[^}]*\}", each)) - {"name"} for each in (korean, english)]
        assert fields[0] == fields[1], key
        assert re.search("[가-힣]", english) is None, key


def test_a_text_is_given_in_a_language_or_else_in_both() -> None:
    texts = {"ko": {"hi": "{name} 님", "bye": "잘 가요."}, "en": {"hi": "Hi {name}", "bye": "Bye."}}
    assert in_words(texts, "ko", "hi", name="민지") == "민지 님"
    assert in_words(texts, "en", "hi", "bye", name="{x}") == "Hi {x} Bye."
    assert in_words(texts, "auto", "hi", "bye", name="Ana") == "Ana 님 잘 가요.\nHi Ana Bye."


@pytest.mark.parametrize("chosen", ["ko", "en"])
def test_each_notice_has_its_text(chosen: str) -> None:
    for kind in get_args(speaking.AnswerNotice):
        assert speaking.notice(kind, chosen)
        assert speaking.notice(kind, chosen, quoted=False)
    for name in get_args(room_commands.CommandNotice):
        assert room_commands.notice(name, chosen, minutes=5)
