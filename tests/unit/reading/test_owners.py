"""Whose task something is."""

from __future__ import annotations

import pytest

from context.language.said import said_in
from context.reading.owners import owner_of
from tests.unit.context.samples import utter

NAMES = {"ko": ("김민지", "박준호", "이서연"), "en": ("Ben", "Priya", "Tom")}


@pytest.mark.parametrize(
    ("language", "text", "owner"),
    [
        ("ko", "제가 금요일까지 정리해서 올릴게요.", "김민지"),
        ("ko", "박준호 님은 금요일까지 테스트 계획을 공유해 주세요.", "박준호"),
        ("en", "I'll send it by Friday.", "Ben"),
        ("en", "Priya, can you send it by Friday?", "Priya"),
    ],
)
def test_who_takes_it_on_and_who_is_asked_by_name(language: str, text: str, owner: str) -> None:
    names = NAMES[language]
    assert owner_of(said_in([utter(1, names[0], text)]), 0, names) == owner


def test_nobody_is_there_to_own_it() -> None:
    assert owner_of(said_in([utter(1, "a", "I'll send it by Friday.")]), 0, ()) is None
