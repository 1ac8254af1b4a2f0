"""The closed lists of both languages (question words, particles, counters), and the agent's wording in each.

They stand in `lists/*.toml` and `wording/*.toml`, so that whoever speaks the language reads and mends them
without the code.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

Lists = Mapping[str, tuple[str, ...]]
Wording = Mapping[str, Mapping[str, str]]


def closed_lists(name: str) -> Lists:
    """The lists of `lists/<name>.toml` by key; in the file a list is words between blanks, or an array."""
    kept = _table("lists", name)
    return {key: tuple(value.split() if isinstance(value, str) else value) for key, value in kept.items()}


def word_sets(name: str) -> Mapping[str, frozenset[str]]:
    """The lists of `lists/<name>.toml` by key, as sets to look words up in."""
    return {key: frozenset(words) for key, words in closed_lists(name).items()}


def one_of(words: Iterable[str]) -> str:
    """A pattern, in a group of its own, that matches one of the words, the longest that does."""
    return f"(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})"


def wording(name: str) -> Wording:
    """The texts of `wording/<name>.toml`: by language (`ko`, `en`), then by key."""
    return _table("wording", name)


def in_words(texts: Wording, language: str, *keys: str, **fields: object) -> str:
    """Give the texts of `keys`, one behind another and filled in, in a language as `texts_in` has it."""
    return "\n".join(
        " ".join(each[key].format(**fields) for key in keys) for each in texts_in(texts, language)
    )


def texts_in(texts: Wording, language: str) -> Iterable[Mapping[str, str]]:
    """Give the texts of a language, or of all, Korean first, where it has none of its own."""
    return [texts[language]] if language in texts else texts.values()


def _table(folder: str, name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(folder).joinpath(f"{name}.toml").read_text("utf-8"))


def spaced(text: str) -> str:
    """The words of a text in small letters between single blanks (" it's so "), no marks: see `holds`."""
    kept = "".join(char if char.isalnum() or char == "'" else " " for char in text.lower().replace("’", "'"))
    words = (word.strip("'") for word in kept.split())
    return f" {' '.join(word for word in words if word)} "


def holds(words: str, phrases: Iterable[str]) -> bool:
    """Whether one of the phrases stands in `words`, a text as `spaced` gives it.

    Korean ones are looked for anywhere, English ones as words; `refus*` begins a word, `*n't` ends one.
    """
    return any(_spelt(phrase) in words for phrase in phrases)


@cache
def _spelt(phrase: str) -> str:
    return f" {phrase} ".replace(" *", "").replace("* ", "") if phrase.isascii() else phrase


STOPWORDS: Final = frozenset(closed_lists("stopwords")["topics"])
"""English words of talk that tell nothing about its topic."""
