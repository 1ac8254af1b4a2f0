"""Whose task something is."""

from __future__ import annotations

from context.language.spoken_sentences import split_utterances
from context.reading.owners import owner_of
from tests.unit.cases import cases
from tests.unit.context.samples import utter

NAMES = {"ko": ("김민지", "박준호", "이서연"), "en": ("Ben", "Priya", "Tom")}


@cases
def test_who_takes_it_on_and_who_is_asked_by_name(language: str, text: str, owner: str | None) -> None:
    names = NAMES[language]
    assert owner_of(split_utterances([utter(1, names[0], text)]), 0, names) == owner


def test_nobody_is_there_to_own_it() -> None:
    assert owner_of(split_utterances([utter(1, "a", "I'll send it by Friday.")]), 0, ()) is None
