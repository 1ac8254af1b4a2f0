"""What keeps two questions from sharing an answer. A false answer costs trust, a miss only time.

Each guard looks at one part of the readings. The last, `topic`, is the net below: every word of one
question that the other has no equal for keeps them apart, whatever it means.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, Literal, get_args

from context.answer_cache.concepts import OPPOSITES
from context.answer_cache.reading import Reading, Role

Guard = Literal[
    "language", "leaning", "asker", "question", "polarity", "number", "moment", "name", "scope", "tense",
    "antonym", "swap", "topic", "encoder", "evidence", "newer",
]  # fmt: skip
GUARDS: Final[tuple[Guard, ...]] = get_args(Guard)
"""The last three are the cache's own: unlike for the encoder, evidence changed, something newer was said."""

_SPOKEN: Final = frozenset({"VOICE", "PROPOSE", "ASK", "SUPPORT", "OPPOSE"})
_OPPOSED_ROLES: Final = frozenset({"to", "than", "from"})


def objections(stored: Reading, asked: Reading) -> tuple[Guard, ...]:
    """Why the answer to `stored` must not answer `asked`; empty where it may."""
    found: list[Guard] = []
    if stored.language != asked.language:
        found.append("language")
    if asked.leaning or stored.leaning:
        found.append("leaning")
    if stored.own != asked.own:
        found.append("asker")
    if not _asks_alike(stored, asked):
        found.append("question")
    if _denials(stored) != _denials(asked):
        found.append("polarity")
    if stored.numbers != asked.numbers:
        found.append("number")
    if stored.moments != asked.moments:
        found.append("moment")
    if stored.names != asked.names:
        found.append("name")
    if stored.scope != asked.scope:
        found.append("scope")
    if stored.tense != asked.tense and stored.tense and asked.tense:
        found.append("tense")
    left = unmatched(stored, asked)
    if left[0] or left[1]:
        found.append("antonym" if _opposite(*left) else "topic")
    elif _swapped(stored, asked):
        found.append("swap")
    return tuple(found)


def _asks_alike(stored: Reading, asked: Reading) -> bool:
    """The same kind of answer; who wants the day is served by the hour's answer only the other way round."""
    return stored.asking == asked.asking or (stored.asking == "hour" and asked.asking == "when")


def _denials(reading: Reading) -> tuple[str, ...]:
    return tuple(sorted(word.key for word in reading.words if word.denied))


def unmatched(stored: Reading, asked: Reading) -> tuple[list[str], list[str]]:
    """The words of each that the other has no equal for; two words may equal one that is their compound."""
    first = Counter(word.key for word in stored.words if not word.soft)
    second = Counter(word.key for word in asked.words if not word.soft)
    soft = {word.key for word in (*stored.words, *asked.words) if word.soft}
    left = [key for key in _surplus(first, second) if key not in soft]
    right = [key for key in _surplus(second, first) if key not in soft]
    _join(left, right)
    _join(right, left)
    return left, right


def _surplus(one: Counter[str], other: Counter[str]) -> list[str]:
    return list((one - other).elements())


def _join(whole: list[str], parts: list[str]) -> None:
    """설문결과 and 설문 결과, login and log in: take a compound and its parts off both lists."""
    for key in list(whole):
        for one in parts:
            for two in parts:
                if one + two == key:
                    whole.remove(key)
                    parts.remove(one)
                    if two in parts:
                        parts.remove(two)
                    break
            else:
                continue
            break


def _opposite(left: list[str], right: list[str]) -> bool:
    return any(frozenset((one, other)) in OPPOSITES for one in left for other in right)


def _swapped(stored: Reading, asked: Reading) -> bool:
    """Whether who does and whom it is done to may have changed places."""
    if stored.language == "en":
        clash = _placed(stored) != _placed(asked) or _actors_clash(stored, asked)
        return clash or stored.subjects != asked.subjects
    return _roles_clash(stored, asked) or _unmarked_swap(stored, asked)


def _placed(reading: Reading) -> frozenset[tuple[str, str]]:
    """Whence, whither, than what; and by or with whom."""
    return frozenset(
        (word.key, word.role)
        for word in reading.words
        if (word.role in {"from", "to", "than"} and not word.concept and not word.soft)
        or (word.role in {"with", "for"} and word.key in reading.names)
    )


def _actors_clash(stored: Reading, asked: Reading) -> bool:
    """What Ben said isn't what was said about Ben, nor whom Ben was named by."""
    for one, other in ((stored, asked), (asked, stored)):
        others = {word.key: word.role for word in other.words}
        for word in one.words:
            if word.concept:
                continue
            if word.role in {"actor", "by"} and others.get(word.key, "") in {
                "about",
                "object",
                "to",
                "from",
                "for",
            }:
                return True
            if word.role == "by" and others.get(word.key, "by") not in {"actor", "by"}:
                return True
    return False


def _roles_clash(stored: Reading, asked: Reading) -> bool:
    first = {word.key: word.role for word in stored.words}
    changed: list[tuple[Role, Role]] = []
    for word in asked.words:
        before = first.get(word.key, "")
        if not before or not word.role or before == word.role:
            continue
        pair = {before, word.role}
        acting = pair & {"subject", "topic"}
        if acting and (pair & _OPPOSED_ROLES or (word.key in stored.names and pair & {"object", "about"})):
            return True
        if {"subject", "object"} == pair and asked.asking in {"who", "anyone"}:
            return True
        if acting and "about" in pair and asked.matter & _SPOKEN:
            return True
        changed.append((before, word.role))
    return any((after, before) in changed for before, after in changed)


def _unmarked_swap(stored: Reading, asked: Reading) -> bool:
    """Two people without particles in another order."""
    first = [word.key for word in stored.words if word.key in stored.names]
    second = [word.key for word in asked.words if word.key in asked.names]
    return len(first) > 1 and first != second and not _marked(stored) & _marked(asked) >= set(first)


def _marked(reading: Reading) -> set[str]:
    return {word.key for word in reading.words if word.role}
