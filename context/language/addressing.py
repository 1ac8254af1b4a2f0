"""Who is spoken to: the agent by its name, somebody else, or nobody in particular.

Names are matched by sound: a base speech model writes 모임아 as 모이마 or 모님아. 모임 is a common
noun too ("모임은 몇 시에…"), so in Korean a call needs a vocative (아, 야, 님, 씨) or a pause after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from rapidfuzz.distance import Levenshtein

from context.language.closed_lists import closed_lists, word_sets
from context.language.commands import Command, command_in
from context.language.korean import has_hangul, jamo
from context.language.questions import is_question, is_request

DEFAULT_WAKE_WORDS: Final = ("모임", "Moim")
"""What the agent is called where nothing else is set (`MOIM_WAKE_WORDS`)."""

ChatMode = Literal["questions", "mentions", "all"]
"""Which chat messages are for the agent (`MOIM_CHAT`): see `for_agent`."""

_TOKEN: Final = re.compile(r"[\w@'’]+")
_PAUSES: Final = tuple(",.!?:;…~、，。-")
_LISTS: Final = closed_lists("addressing")
_SETS: Final = word_sets("addressing")
_VOCATIVES: Final = tuple(jamo(end) for end in (*_LISTS["vocatives"], ""))
_CALLED_WITH: Final = _LISTS["called_with"]
_MAX_NAME_SYLLABLES_KO: Final = 4
_MAX_CHARACTERS: Final = 4000
"""Characters that are read."""


def without_wake_word(text: str, wake_words: Sequence[str]) -> str | None:
    """`text` without the wake word by which it calls the agent; None where none stands at its start or end.

    A text that is nothing but the wake word gives "": the question comes in the next utterance.
    """
    return _wake(text, tuple(wake_words))


@lru_cache(maxsize=1024)
def _wake(text: str, wake_words: tuple[str, ...]) -> str | None:
    tokens = list(_TOKEN.finditer(text[:_MAX_CHARACTERS]))
    rest = _wake_at_start(text, tokens, wake_words)
    if rest is None and len(text) <= _MAX_CHARACTERS:
        rest = _wake_at_end(text, tokens, wake_words)
    return rest


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A line of chat, understood: whether it calls the agent, and what it commands."""

    text: str
    rest: str | None
    """The line without the agent's name (`without_wake_word`); None where the name is not called."""
    command: Command | None
    """The command with a slash, or in words beside the agent's name; None where there is none."""
    called: bool
    """Whether it is for the agent in every `ChatMode`: by a wake word, a mention (@Moim) or a command."""


def chat_line(text: str, wake_words: Sequence[str], *, may_command: bool = True) -> ChatLine:
    """Understand a line of chat; without `may_command` it is taken for no command."""
    rest = without_wake_word(text, wake_words)
    command = (
        command_in(text, addressed=False) or (command_in(rest) if rest else None) if may_command else None
    )
    mentions = tuple(f"@{word.lower()}" for word in wake_words)
    mentioned = any(word.startswith(mentions) for word in text.lower().split())
    return ChatLine(text, rest, command, called=mentioned or rest is not None or command is not None)


def for_agent(
    line: ChatLine,
    *,
    mode: ChatMode = "questions",
    participant_names: Iterable[str],
    asks: Callable[[str], bool] = lambda _text: False,
    among_people: Callable[[str], bool] = lambda _text: False,
) -> bool:
    """Whether a line is for the agent: in mode "questions" a question or request, in "all" anything.

    One that calls it is so in every mode; of the others, what is said to one of `participant_names` or to
    everybody never is. `asks` says of another line that it is a request all the same ("action items pls"),
    and `among_people` of a question that it is none to the agent ("shall we begin?").
    """
    if line.called:
        return True
    text = line.text
    if mode == "mentions" or not text.strip() or addressed_elsewhere(text, participant_names):
        return False
    if mode == "all" or is_request(text) or asks(text):
        return True
    return is_question(text) and not among_people(text)


def addressed_elsewhere(text: str, participant_names: Iterable[str]) -> bool:
    """Whether `text` speaks to a person or to all: "@Ben", "민지님, …", "Ben, can you…", "준호 씨는 언제 …".

    `participant_names`: of those who are there; with a title or a comma other names are recognised, too.
    """
    words = text.split()
    if len(words) > 1 and words[0].rstrip(",:").lower() in _SETS["to_all"]:
        return True
    if "@" in text and any(word.lstrip("(")[:1] == "@" and word.lstrip("(@")[:1].isalnum() for word in words):
        return True
    if _calls_a_stranger_en(words) or (_calls_a_stranger_ko(text) and not _about_the_past(text)):
        return True
    return any(_calls(text, name) for name in _called(tuple(participant_names)))


def called_upon(text: str, names: Mapping[str, str]) -> str | None:
    """The id of the one in `names` (by id) to whom `text` speaks by name; None for nobody, or for several."""
    called = [
        person for person, name in names.items() if any(_calls(text, said) for said in _called((name,)))
    ]
    return called[0] if len(called) == 1 else None


def _wake_at_start(text: str, tokens: list[re.Match[str]], wake_words: Sequence[str]) -> str | None:
    for first in range(min(3, len(tokens))):
        for count in range(1, min(3, len(tokens) - first) + 1):
            span = tokens[first : first + count]
            rest = text[span[-1].end() :].lstrip()
            paused = not rest or rest.startswith(_PAUSES)
            heard = "".join(token.group() for token in span).removeprefix("@")
            cleaned = rest.lstrip(f" {''.join(_PAUSES)}")
            mentioned = count == 1 and span[0].group().startswith("@")
            if mentioned and heard.lower() in {word.lower() for word in wake_words}:
                return cleaned.strip()  # "@모임 나 …": what follows is no ending of the name
            if any(_is_call(heard, word, paused=paused, rest=cleaned) for word in wake_words):
                return cleaned.strip()
        if tokens[first].group().lower() not in _SETS["fillers"]:
            return None
    return None


def _wake_at_end(text: str, tokens: list[re.Match[str]], wake_words: Sequence[str]) -> str | None:
    for count in (1, 2):
        if count >= len(tokens):
            break
        span = tokens[-count:]
        heard = "".join(token.group() for token in span).removeprefix("@")
        before = text[: span[0].start()].rstrip()
        paused = before.endswith((",", ".", "?", "!", "、", "，"))
        for word in wake_words:
            # 내일 모이자 ends much like 모임아: no slack here
            korean = has_hangul(word) and _calls_ko(heard, word, paused=paused, slack=0)
            if korean or (not has_hangul(word) and _latin_distance(heard, word) <= paused):
                return before.rstrip(" ,、，")
    return None


def _is_call(heard: str, word: str, *, paused: bool, rest: str) -> bool:
    """Whether `heard` calls the wake word `word`; `rest` follows, or `paused`: a pause or nothing does."""
    if has_hangul(word):
        return _calls_ko(heard, word, paused=paused, slack=1)
    distance = _latin_distance(heard, word)
    return distance == 0 or (distance == 1 and (paused or is_question(rest) or is_request(rest)))


def _calls_ko(heard: str, word: str, *, paused: bool, slack: int) -> bool:
    """The same in Korean: `word` with a vocative, or before a pause; up to `slack` sounds may be misheard."""
    if not has_hangul(heard):
        return False
    letters, name = jamo(heard), jamo(word)
    if abs(len(letters) - len(name)) > 8:
        return False
    for vocative in _VOCATIVES:
        if not letters.endswith(vocative) or (not vocative and not paused):
            continue
        stem = letters[: len(letters) - len(vocative)]
        allowed = slack if vocative and len(name) >= 4 else 0
        if _sound_distance(stem, name) <= allowed:
            return True
    return False


@lru_cache(maxsize=1024)
def _sound_distance(heard: str, meant: str) -> int:
    """Edits between two letter strings; letters that don't sound alike cost two to exchange."""
    if abs(len(heard) - len(meant)) > 1:
        return 9
    cost = 0
    for edit in Levenshtein.editops(meant, heard):
        near = edit.tag != "replace" or any(
            meant[edit.src_pos] in group and heard[edit.dest_pos] in group for group in _LISTS["sounds_alike"]
        )
        cost += 1 if near else 2
    return cost


def _latin_distance(heard: str, word: str) -> int:
    """Edits between what was heard and a wake word in Latin letters; 9 where it is surely another word."""
    lowered, meant = heard.lower(), word.lower()
    lowered = _without_one_of(("'s", "’s", *_CALLED_WITH), lowered)
    if lowered == meant:
        return 0
    if has_hangul(lowered) or lowered in _SETS["not_a_name"] or lowered[:1] != meant[:1] or len(meant) < 4:
        return 9
    return min(Levenshtein.distance(lowered, meant), Levenshtein.distance(lowered.replace("y", "i"), meant))


@lru_cache(maxsize=256)
def _called(names: tuple[str, ...]) -> frozenset[str]:
    """What the participants are called by: full name, given name."""
    found: set[str] = set()
    for name in (" ".join(each.split()) for each in names):
        if not name:
            continue
        found.add(name)
        if has_hangul(name) and " " not in name and 3 <= len(name) <= 4:
            found.add(name[1:])
        elif " " in name:
            found.add(name.split()[0])
    return frozenset(each for each in found if len(each) > 1)


def _calls(text: str, name: str) -> bool:
    """Whether `text` speaks to a participant by `name`, at its beginning or end."""
    lowered, called = text.lower(), name.lower()
    if called not in lowered:
        return False
    opened = _opened(lowered)
    behind = opened.removeprefix(called).lstrip() if opened.startswith(called) else ""
    tail = lowered.rstrip(" ?.!")
    if has_hangul(name):
        if _without_one_of(_CALLED_WITH, behind, at_start=True).lstrip().startswith((",", ":", "!")):
            return True
        form, _, more = behind.partition(" ")
        if more and form in _SETS["spoken_of_or_to"]:
            return not _about_the_past(text)
        ended = _without_one_of(_CALLED_WITH, tail)
        return ended != tail and ended.rstrip().endswith((f" {called}", f",{called}"))
    before = tail.removesuffix(called)
    if behind.startswith((",", ":")) or (before != tail and before.rstrip().endswith(",")):
        return True
    asks = behind.split(maxsplit=2)[:2]
    return len(asks) > 1 and asks[0] in _SETS["asks_en"] and asks[1].rstrip(",.?!") in ("you", "we", "i")


def _opened(text: str) -> str:
    """`text` without the greeting that it begins with."""
    bare = text.lstrip()
    for greeting in _LISTS["greetings"]:
        if bare.startswith(greeting) and bare[len(greeting) :].startswith((" ", ",", ".")):
            return bare[len(greeting) :].lstrip(" ,.")
    return bare


def _calls_a_stranger_ko(text: str) -> bool:
    """Whether a text begins by calling somebody with a title, whoever that is: 민지 님, … or 준호 씨는 …"""
    words = _opened(text.lower()).split(maxsplit=2)
    apart = len(words) > 1 and words[1].rstrip(",:은는") in _LISTS["titles"]
    called = "".join(words[: 2 if apart else 1])
    named = called.rstrip(",:")
    if named == called and len(words) > (2 if apart else 1):
        named = called.rstrip("은는")
    name = _without_one_of(_LISTS["titles"], named)
    hangul = all("가" <= char <= "힣" for char in name)
    return hangul and named not in (called, name) and 1 <= len(name) <= _MAX_NAME_SYLLABLES_KO


def _calls_a_stranger_en(words: Sequence[str]) -> bool:
    """Whether a text calls somebody, whoever that is, and asks something of them: Ben, can you …"""
    said = words[1:] if words and words[0] in ("Hi", "Hey", "Hello") else words
    if len(said) < 3 or not said[0].endswith(",") or said[1] not in _SETS["asks_en"]:
        return False
    name = said[0].removesuffix(",")
    if not name.isascii() or not name.istitle() or name.lower() in _SETS["openings_en"]:
        return False
    return any(word.strip(".,?!").partition("'")[0] in ("you", "your") for word in said[2:])


def _without_one_of(parts: Sequence[str], text: str, *, at_start: bool = False) -> str:
    if at_start:
        return text.removeprefix(next((part for part in parts if text.startswith(part)), ""))
    return text.removesuffix(next((part for part in parts if text.endswith(part)), ""))


def _about_the_past(text: str) -> bool:
    """Whether a text asks about what a person did, and so not the person: 민지 님은 뭐라고 했지"""
    tail = text.rstrip(" ?.!,~…")[-6:]
    return tail[1:].endswith(_LISTS["of_the_past"]) and "ㅆ" in jamo(tail)
