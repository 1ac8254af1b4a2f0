"""Who owns a task that was given out: one of the people who are there, somebody else who is named, or nobody.

A linear head says by the words how likely the speaker takes the task on; small trees weigh that, for each
person, with who is called by name, who spoke before, and who says yes next.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.language.closed_lists import closed_lists
from context.language.dates import moments_in
from context.language.korean import has_hangul
from context.language.said import Said
from context.primitives.person_names import called
from context.reading.acts import OWN_ACTS, log_odds
from context.reading.linear import head, trees
from context.reading.replacing import rarity
from context.retrieval.index_terms import STOPWORDS, stem

SURE_CHANCE: Final = 0.6
"""A person whose probability is lower owns no task."""
TAKING: Final = Path(__file__).with_name("taking.npz")
OWNERS: Final = Path(__file__).with_name("owners.npz")
_LINES_BEHIND: Final = 4
"""So many sentences behind the task are read for a yes."""
_TITLES: Final = sorted(closed_lists("labels")["titles_ko"], key=len, reverse=True)
_SURNAMES: Final = frozenset(closed_lists("labels")["surnames_ko"]) - frozenset(
    closed_lists("people")["no_surnames_ko"]
)
_OFFICES: Final = frozenset(closed_lists("labels")["offices_en"])
_TITLES_EN: Final = frozenset(closed_lists("labels")["titles_en"])
_TITLED_EN: Final = re.compile(rf"\b((?:{'|'.join(sorted(map(str.title, _TITLES_EN)))})\.? )(?=[A-Z])")
_NO_DOER_KO: Final = closed_lists("labels")["no_doer_ko"]
_TAKES_ON_KO: Final = re.compile("|".join(closed_lists("labels")["takes_on_ko"]))
_NOT_TAKEN_ON_KO: Final = re.compile("|".join(closed_lists("labels")["not_taken_on_ko"]))
_OF_OFFICE: Final = re.compile(r"\b(?:the|our|my|your) (\w+)", re.IGNORECASE)
_LONE_TITLES: Final = frozenset(f"{title.removesuffix('님')}님" for title in _TITLES if len(title) > 1)
_HONORIFICS: Final = frozenset(closed_lists("people")["titles_ko"])
_SHORTEST, _LONGEST = 2, 4
"""Characters of a Korean name that stands before 씨 or 님."""
_FULL_NAME: Final = 3
"""Characters of one with its family name, most often."""
_LONGEST_PARTICLE: Final = 3
"""Characters behind a title, at most: 씨께서는."""
_UNHEARD: Final = 6.0
"""Rarity of a word that hardly any training meeting has."""
_MARKS: Final = ".,:;!?()\"'“”‘’…"
_ANYBODY: Final = ("Ann", "민지")
"""The English and the Korean name that stand for all."""
_CACHE_SIZE: Final = 512
_YES, _NO, _TASK = OWN_ACTS.index("acceptance"), OWN_ACTS.index("rejection"), OWN_ACTS.index("task")

Floats = NDArray[np.float32]


def owner_of(said: Sequence[Said], place: int, names: Sequence[str]) -> str | None:
    """Who owns the task that the sentence at `place` of `said` gives out; None for nobody.

    `names`: who is there; somebody else whom the sentence names may own it, too, and is told with a title.
    """
    text, there = said[place].text, len(names)
    names = [*names, *named_beside(text, names)]
    if not names:
        return None
    if (bare := _TITLED_EN.sub("", text)) != text:  # "Dr. Kim" is read as "Kim" is
        said = [*said[:place], replace(said[place], text=bare), *said[place + 1 :]]
    takes = taking(unnamed(said[place].text, names))
    rows = np.stack([traits(said, place, name, takes, names) for name in names])
    likely = 1 / (1 + np.exp(-trees(OWNERS).scores(rows)))
    best = int(likely.argmax())
    if likely[best] < SURE_CHANCE:
        return None
    return names[best] if best < there else _with_title(names[best], text)


def _with_title(name: str, text: str) -> str:
    """The name with the English title before it in `text`, if it has one there: Dr. Alvarez."""
    title = next((each for each in _TITLED_EN.finditer(text) if text.startswith(name, each.end())), None)
    return f"{title[1]}{name}" if title is not None else name


def unnamed(text: str, names: Sequence[str]) -> str:
    """A text in which one name of one word stands for who is named, also for "김 대리" and "our doctor"."""
    text = _OF_OFFICE.sub(lambda found: found[1] if _is_office(found[0]) else found[0], text)
    titled = [name for name in names if " " in name and has_hangul(name)]
    for name in titled:
        text = re.sub(rf"{re.escape(name)}\S*", _ANYBODY[True], text)
    words = (_ANYBODY[has_hangul(word)] if _names(word, names) else word for word in text.split())
    return " ".join(words)


def _names(word: str, names: Sequence[str]) -> bool:
    return any(called(name, word) for name in names)


def named_beside(text: str, names: Sequence[str]) -> list[str]:
    """Who else than `names` a sentence names: 유키 씨, 김 대리, 박사님; Yuki, the doctor.

    In English that is what meetings never say, or an office.
    """
    words = [word.strip(_MARKS).replace("’", "'").removesuffix("'s") for word in text.split()]
    found = []
    for before, word, behind in zip(["", *words], words, [*words[1:], ""], strict=False):
        name = _korean_name(before, word, behind) if has_hangul(word) else _english_name(before, word)
        if name is not None and _is_spoken_to(name, word, text):
            continue
        if name is not None and not _names(word, names):
            found.append(name)
    return list(dict.fromkeys(found))


def _is_spoken_to(name: str, word: str, text: str) -> bool:
    """Whether a title without a name, 위원님, is spoken to or of in a text, and so does nothing there."""
    if name not in _LONE_TITLES:
        return False
    particle = word.removeprefix(name)
    of_others = particle.startswith(_NO_DOER_KO) and not particle.startswith("께서")
    return of_others or _TAKES_ON_KO.search(_NOT_TAKEN_ON_KO.sub("", text)) is not None


def _english_name(before: str, word: str) -> str | None:
    """The name or, behind "the" or "our", the office that an English word is: Yuki, doctor."""
    if _is_office(f"{before} {word}"):
        return word
    if before.rstrip(".").lower() in _TITLES_EN and word.istitle() and word.isalpha():
        return word
    known = word.lower() in STOPWORDS or rarity(stem(word.lower())) < _UNHEARD or moments_in(word)
    return word if word.istitle() and word.isalpha() and len(word) > 1 and not known else None


def _is_office(words: str) -> bool:
    found = _OF_OFFICE.fullmatch(words)
    return found is not None and found[1].lower() in _OFFICES


def _korean_name(before: str, word: str, behind: str) -> str | None:
    """The name that a Korean word begins or is, by a title: 김 of "김 대리가", 박사님 of "박사님께서"."""
    if (name := _titled(word, behind)) is not None or (before and _titled(before, word) is not None):
        return name
    title = _title_of(word)
    alone = title is not None and len(title) > 1 and word.startswith(f"{title}님")
    return f"{title}님" if alone and not word.startswith(f"{title}님들") else None


def _titled(word: str, behind: str) -> str | None:
    """The name that `word` is before a title: 유키 of "유키 씨가", "김 대리" of "김 대리님이"."""
    title = _title_of(behind)
    if title in _HONORIFICS and _SHORTEST <= len(word) <= _LONGEST:
        return word
    full = len(word) == _FULL_NAME and word[0] in _SURNAMES
    if title is not None and (full or word in _SURNAMES):
        return f"{word} {title}"
    together = _title_of(word[1:]) if word[0] in _SURNAMES else None
    return word[: 1 + len(together)] if together is not None and len(together) > 1 else None


def _title_of(word: str) -> str | None:
    """The title that a word is, without 님 and a particle."""
    title = next((title for title in _TITLES if word.startswith(title)), None)
    if title is None or len(word) > len(title) + _LONGEST_PARTICLE:
        return None
    return title.removesuffix("님") or title


@lru_cache(maxsize=_CACHE_SIZE)
def taking(text: str) -> float:
    """How likely, 0 to 1, whoever says `text` takes its task on, rather than gives it to somebody else."""
    return head(TAKING).probabilities(text)["speaker"]


def traits(said: Sequence[Said], place: int, name: str, takes: float, names: Sequence[str]) -> Floats:
    """What the trees see of the candidate `name`, one of `names`, for the task at `place`.

    `takes`: `taking` of its text without names.
    """
    sentence = said[place]
    speaker = sentence.utterance.speaker_name
    before = next((each for each in reversed(said[:place]) if each.utterance.speaker_name != speaker), None)
    behind = [
        each for each in said[place + 1 : place + 1 + _LINES_BEHIND] if each.utterance.speaker_name != speaker
    ]
    answers = [log_odds(each.text) for each in behind if each.utterance.speaker_name == name]
    turn = [each for each in said if each.utterance.id == sentence.utterance.id]
    start = sentence.text.split()[:2]
    two = (" " in name and has_hangul(name)) or name.lower() in _OFFICES
    first = start if two else start[:1]
    return np.array(
        [
            name == speaker,
            takes,
            called(name, sentence.text),
            called(name, " ".join(start)),
            called(name, " ".join(first)),
            any(called(other, sentence.text) for other in names if other not in (name, speaker)),
            any(called(name, each.text) for each in turn if each is not sentence),
            *_of_the_other(before, name),
            bool(behind) and behind[0].utterance.speaker_name == name,
            bool(answers),
            *((answers[0][act] for act in (_YES, _TASK, _NO)) if answers else (-6.0, -6.0, -6.0)),
            "?" in sentence.text,
            len(sentence.text.split()),
            *log_odds(sentence.text),
        ],
        dtype=np.float32,
    )


def _of_the_other(before: Said | None, name: str) -> tuple[bool, bool, bool]:
    """Whether the sentence `before`, by another speaker, is the candidate's, names them, and asks."""
    if before is None:
        return False, False, False
    return before.utterance.speaker_name == name, called(name, before.text), "?" in before.text
