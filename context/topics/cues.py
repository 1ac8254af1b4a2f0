"""Phrases by which people announce that they change the subject, in Korean and English.

A *strong* cue decides alone, at its utterance, and often names the new topic. A *weak* cue (이제, 다음,
so, next …) says nothing by itself: 다음 주에 하죠 and "next week" are about dates. An *opening* names the
topic that has just begun (첫 번째 안건은 …, "let us begin with …").

A false change is worse than a late one, so a strong cue needs the verb form of somebody who is doing
it now (넘어가겠습니다, "let's move on"), not of somebody who talks about it (넘어가는 길에, "before we
move on").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from rapidfuzz import fuzz

from context.language.korean import has_hangul, jamo
from context.topics import cue_phrases as phrases

Strength = Literal["strong", "weak", "opening"]

LONGEST: Final = 600
"""Only so many characters of an utterance are looked at, from its beginning and its end."""


@dataclass(frozen=True, slots=True)
class Cue:
    """What an utterance says about the change of topic, and the name that it gives, if any."""

    strength: Strength
    name: str | None = None


def find(text: str) -> Cue | None:
    """The strongest cue in an utterance; None where it announces nothing."""
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}. {text[-LONGEST // 2 :]}"
    return _strongest(text)


@lru_cache(maxsize=16)  # the fold asks, and soon after it whoever scores topics beside it
def _strongest(text: str) -> Cue | None:
    best: Cue | None = None
    sentences = [
        s for s in (" ".join(raw.split()).strip(" ,~…\"'“”") for raw in phrases.SENTENCE.findall(text)) if s
    ]
    for index, sentence in enumerate(sentences):
        cue = (
            _korean(sentence)
            if has_hangul(sentence)
            else _english(sentence.lower().replace("’", "'"), sentence)
        )
        if cue is None:
            continue
        if cue.strength == "strong" and cue.name is None and index + 1 < len(sentences):
            cue = Cue("strong", _name(sentences[index + 1]))
        if best is None or (best.strength == "weak" and cue.strength != "weak") or cue.strength == "strong":
            best = cue
    return best


def _name(sentence: str) -> str | None:
    return korean_name(sentence) if has_hangul(sentence) else english_name(sentence)


def _korean(sentence: str) -> Cue | None:
    if phrases.KO_HINT.search(sentence) and len(sentence) <= phrases.LONGEST_SENTENCE:
        announces = any(_holds(pattern, sentence) for pattern in phrases.KO_STRONG) or _sounds_strong(
            sentence
        )
        opens = phrases.KO_OPENING.search(sentence)
        if (announces or opens) and not phrases.KO_NOT.search(sentence):
            return Cue("opening" if opens else "strong", korean_name(sentence))
    if phrases.KO_WEAK.search(sentence) and not phrases.KO_WEAK_NOT.search(sentence):
        return Cue("weak")
    return None


def _holds(pattern: re.Pattern[str], sentence: str) -> bool:
    found = pattern.search(sentence)
    if found is None or pattern is not phrases.KO_ITEM:
        return found is not None
    return phrases.KO_ITEM_NOT.search(found.group("n")) is None


def _sounds_strong(sentence: str) -> bool:
    """Whether a short sentence sounds like an announcement, whatever its spelling and spacing."""
    packed = sentence.replace(" ", "")
    if not 5 <= len(packed) <= 40 or phrases.KO_FUZZY_HINT.search(packed) is None:
        return False
    sound = jamo(packed)
    return any(
        fuzz.partial_ratio(letters, sound, score_cutoff=phrases.FUZZY_ENOUGH) > 0
        for phrase, letters in phrases.KO_FUZZY
        if len(packed) >= len(phrase)
    )


def _english(sentence: str, original: str) -> Cue | None:
    if phrases.EN_HINT.search(sentence) and len(sentence) <= 2 * phrases.LONGEST_SENTENCE:
        announces = any(pattern.search(sentence) for pattern in phrases.EN_STRONG)
        opens = phrases.EN_OPENING.search(sentence)
        if (announces or opens) and not phrases.EN_NOT.search(sentence):
            return Cue("opening" if opens else "strong", english_name(original))
    if phrases.EN_WEAK.search(sentence) and not phrases.EN_WEAK_NOT.search(sentence):
        return Cue("weak")
    return None


@lru_cache(maxsize=16)  # a sentence is asked for its own announcement and for the one before it
def korean_name(sentence: str) -> str | None:
    """The noun phrase that a Korean announcement names: 이제 채용 이야기로 넘어가죠 → 채용."""
    for hint, pattern in phrases.KO_NAMES:
        if hint.search(sentence) is None or (found := pattern.search(sentence)) is None:
            continue
        name = phrases.KO_SENTENCES.split(found.group("n"))[-1]
        previous = ""
        while previous != name:
            previous, name = name, phrases.KO_LEAD.sub("", name).strip(" ,")
        name = phrases.KO_TAIL.sub("", name) if len(name) > 2 else name
        words = name.split()
        if (
            1 <= len(name) <= 40
            and len(words) <= 6
            and not phrases.SAID_TO_ONE.search(name)
            and not re.fullmatch(
                rf"(?:{phrases.ORDER}\s?)?(?:{phrases.AGENDA}|다음|{phrases.ORDER})|(?:다음|마지막)\S{{0,2}}|안|.*\s(?:{phrases.ORDER}\s?{phrases.AGENDA}|다음|마지막)",
                name,
            )
        ):
            return name
    return None


def english_name(sentence: str) -> str | None:
    """The noun phrase that an English announcement names: "let us move on to the move" → move."""
    lowered = sentence.lower().replace("’", "'")
    for pattern in phrases.EN_NAMES:
        if (found := pattern.search(lowered)) is None:
            continue
        start = found.start("n")
        name = phrases.EN_STOP.sub("", sentence[start:]).strip(" .,:;\"'")
        previous = ""
        while previous != name:
            previous, name = name, re.sub(phrases.EN_DETERMINER.pattern, "", name, flags=re.IGNORECASE)
        if phrases.SAID_TO_ONE.search(name.lower()):
            continue
        if name and len(name.split()) <= 7 and len(name) <= 60 and not phrases.EN_EMPTY.match(name.lower()):
            return (
                re.sub(r"\s+(?:problem|issue|topic|question|discussion)$", "", name, flags=re.IGNORECASE)
                or name
            )
    return None
