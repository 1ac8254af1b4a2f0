"""What a turn brings up: "The fridge alarm went off again." → fridge alarm; 그늘막은요? → 그늘막.

Where a topic has just begun, nothing has been repeated yet; but whoever raises it mostly names it at once.
English: the first nouns behind an article, or those that the turn begins with. Korean: the first phrase of
two nouns in a sentence, else its first noun.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from context.language.korean import has_hangul
from context.topics.boundary.brisk_phrases import LEAD, NAMED_KO, SENTENCE_END
from context.topics.naming import TOKEN, Noun, noun_of, talkers_in, without_people
from context.topics.naming_words import DAYS_KO, NOUNS_ALL_THE_SAME

_MOST_WORDS: Final = 2
_MOST_WORDS_KO: Final = 3
_LONGEST: Final = 200
_SENTENCES: Final = 3
_BEFORE_A_NOUN: Final = frozenset(
    "the a an our my your his her their this about on with for new any of hire want wants and".split()  # noqa: SIM905  # reads better
)
_NO_NAME: Final = frozenset({"item", "items", "thing", "things", "bit", "asks", "note"})
_COPULA: Final = re.compile(r"(?:이에요|예요|입니다|인데요?)(?=[?.,!])")
_POLITE: Final = re.compile(r"(?:은|는|이|도)?요(?=[?.,!])")
_NO_SUBJECT: Final = re.compile(
    r"(?:서|게|면|고|지|러|려|던|혀|달라|됐나|볼까|까지|부터|에서)$|^(?:시로|분에|월에|일에|호실|학년)$"
)
"""Korean endings of verbs that look like nouns."""


def subject_of(text: str, speakers: Iterable[str] = ()) -> str:
    """The noun phrase that a turn raises; "" where it names nothing."""
    text = without_people(text[:_LONGEST])
    lead = LEAD.match(text)
    body = (text[lead.end() :] if lead else "") or text
    talkers = talkers_in(speakers)
    for sentence in SENTENCE_END.split(body)[:_SENTENCES]:
        korean = has_hangul(sentence)
        bare = _COPULA.sub("", sentence)
        if korean and NAMED_KO.search(bare):
            bare = _POLITE.sub("", bare, count=1)
        runs = _runs(bare, talkers)
        found = _korean(runs) if korean else _english(runs)
        if found:
            return found
    return ""


def _runs(sentence: str, talkers: frozenset[str]) -> list[tuple[bool, list[Noun]]]:
    """Nouns that stand together, and whether what is before them makes them a subject."""
    runs: list[tuple[bool, list[Noun]]] = []
    subject, going_on = True, False
    for place, token in enumerate(TOKEN.findall(sentence)):
        noun = noun_of(token)
        if not noun.key or noun.key in _NO_NAME or talkers & {noun.key, noun.shown.lower()}:
            subject = token.lower() in _BEFORE_A_NOUN
            going_on = False
            continue
        if going_on:
            runs[-1][1].append(noun)
        else:
            runs.append((subject or place == 0, [noun]))
        going_on = not noun.ends
        subject = False
    return runs


def _english(runs: list[tuple[bool, list[Noun]]]) -> str:
    named = [
        nouns if subject else [noun for noun in nouns if not noun.key.endswith(("ing", "ed"))]
        for subject, nouns in sorted(runs, key=lambda run: not run[0])
    ]
    first = next((nouns for nouns in named if nouns), [])
    words = [noun.shown for noun in first[:_MOST_WORDS]]
    if len(words) > 1 and words[1].endswith(("ed", "ing")):
        del words[1]
    return " ".join(words)


def _korean(runs: list[tuple[bool, list[Noun]]]) -> str:
    phrases = [[noun for noun in nouns if _may_be_one(noun.shown)] for _, nouns in runs]
    phrases = [nouns for nouns in phrases if any(noun.shown not in DAYS_KO for noun in nouns)]
    first = next((nouns for nouns in phrases if len(nouns) > 1), phrases[0] if phrases else [])
    return " ".join(noun.shown for noun in first[:_MOST_WORDS_KO])


def _may_be_one(word: str) -> bool:
    """Whether a Korean word is a subject: 창고 and 광고 end like verbs and are; 보고 mostly is one."""
    return (word in NOUNS_ALL_THE_SAME and word != "보고") or _NO_SUBJECT.search(word) is None
