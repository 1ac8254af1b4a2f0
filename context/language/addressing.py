"""Who is spoken to? The agent by its name, somebody else, or nobody in particular.

Names are matched by sound: a base speech model writes 모임아 as 모이마 or 모님아. 모임 is a common
noun too ("모임은 몇 시에…"), so in Korean a call needs a vocative (아, 야, 님, 씨) or a pause after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal

from rapidfuzz.distance import Levenshtein

from context.language.commands import Command, command
from context.language.korean import has_hangul, jamo
from context.language.questions import is_question, is_request

__all__ = [
    "DEFAULT_WAKE_WORDS",
    "Command",
    "addressed_elsewhere",
    "called_upon",
    "command",
    "for_agent",
    "wake",
]

DEFAULT_WAKE_WORDS: Final = ("모임", "Moim")
"""What the agent is called where nothing else is set (`MOIM_WAKE_WORDS`)."""

ChatMode = Literal["questions", "mentions", "all"]

_TOKEN: Final = re.compile(r"[\w@'’]+")
_PAUSE: Final = re.compile(r"\s*[,.!?:;…~、，。-]")
_FILLERS: Final = frozenset(
    {"hey", "hi", "hello", "ok", "okay", "so", "um", "uh", "well", "and", "yo", "dear"}
    | {"저기", "음", "어", "그", "자", "야", "네", "예", "아", "그럼", "그러면", "헤이", "안녕", "오케이"}
)
_VOCATIVES: Final = tuple(jamo(end) for end in ("님아", "아", "야", "님", "씨", "이야", ""))
_NOT_A_NAME: Final = frozenset(["mom", "mum", "maim", "main", "moms", "mime", "mold", "more", "moin"])
_NEAR: Final = ("ㅁㄴㅇ", "ㅗㅓㅜㅡ", "ㅣㅢㅟㅡ", "ㄱㅋㄲ", "ㄷㅌㄸ", "ㅂㅍㅃ", "ㅅㅆ", "ㅈㅊㅉ", "ㅐㅔ")
_TO_ALL: Final = re.compile(
    r"^\s*(?:여러분|다들|모두들?|everyone|everybody|guys|folks|team|all)\b[\s,:]", re.IGNORECASE
)
_MENTION: Final = re.compile(r"(?:^|[\s(])@(?=\w)")
_GREETING: Final = (
    r"^\s*(?:(?:hi|hey|hello|ok|okay|so|and|thanks|thank you|네|저기|음|그럼|그러면|안녕하세요)[\s,.]+)?"
)
_UNKNOWN_KO: Final = re.compile(
    _GREETING + r"[가-힣]{1,4}\s?(?:님|씨|선배|과장|부장|대리|팀장)(?:[,:]|\s?[은는]\s)"
)
_UNKNOWN_EN: Final = re.compile(
    r"^\s*(?:(?:[Hh]i|[Hh]ey|[Hh]ello)\s+)?(?!Okay|Ok|So|And|Well|Yes|No|Now|Also|Please|Then|Sorry|Right|Great|Thanks)"
    r"[A-Z][a-z]+,\s+(?:can|could|would|will|do|did|are|have|please|what|how|when|where|why)\b.*\b(?:you|your)\b"
)
_PAST_KO: Final = re.compile(r"[가-힣](?:지|죠|나요|나|니|냐|어요?|까|습니까|는지|지요|어)\W*$")


def wake(text: str, wake_words: Sequence[str]) -> str | None:
    """`text` without the wake word, where one stands at its start or end; else None.

    A text that is nothing but the wake word gives "": the question comes in the next utterance.
    """
    return _wake(text, tuple(wake_words))


@lru_cache(maxsize=1024)
def _wake(text: str, wake_words: tuple[str, ...]) -> str | None:
    tokens = list(_TOKEN.finditer(text[:4000]))
    if not tokens:
        return None
    rest = _wake_at_start(text, tokens, wake_words)
    if rest is None and len(text) <= 4000:
        rest = _wake_at_end(text, tokens, wake_words)
    return rest


def for_agent(
    text: str,
    *,
    mode: ChatMode = "questions",
    wake_words: Sequence[str],
    participant_names: Iterable[str],
) -> bool:
    """Whether a chat message is for the agent, by the rule of `MOIM_CHAT`.

    A wake word makes anything so, in every mode; so does `/me`. What is said to somebody else never is.
    """
    order = command(text, addressed=False)
    if order is not None:
        return True
    if wake(text, wake_words) is not None or _mentions(text, wake_words):
        return True
    if mode == "mentions" or not text.strip() or addressed_elsewhere(text, participant_names):
        return False
    return mode == "all" or is_question(text) or is_request(text)


def addressed_elsewhere(text: str, participant_names: Iterable[str]) -> bool:
    """Whether `text` speaks to a person: "@Ben", "민지님, …", "Ben, can you…", "준호 씨는 언제 …"."""
    if _MENTION.search(text) or _TO_ALL.match(text):
        return True
    if _UNKNOWN_EN.match(text) or (_UNKNOWN_KO.match(text) and not _about_the_past(text)):
        return True
    return any(_calls(text, name) for name in _called(tuple(participant_names)))


def called_upon(text: str, names: Mapping[str, str]) -> str | None:
    """Whom of `names` (by id) `text` speaks to by name; None for nobody, or for more than one."""
    lowered = text.lower()
    called = [
        person
        for person, name in names.items()
        if any(said.lower() in lowered and _calls(text, said) for said in _called((name,)))
    ]
    return called[0] if len(called) == 1 else None


def _mentions(text: str, wake_words: Sequence[str]) -> bool:
    return any(re.search(rf"(?:^|\s)@{re.escape(word)}", text, re.IGNORECASE) for word in wake_words)


def _wake_at_start(text: str, tokens: list[re.Match[str]], wake_words: Sequence[str]) -> str | None:
    for first in range(min(3, len(tokens))):
        for count in (1, 2, 3):
            if first + count > len(tokens):
                break
            span = tokens[first : first + count]
            rest = text[span[-1].end() :]
            paused = _PAUSE.match(rest) is not None or not rest.strip()
            heard = "".join(token.group() for token in span)
            cleaned = rest.lstrip(" ,.!?:;…~、，。-")
            if any(_is_call(heard, word, paused=paused, rest=cleaned) for word in wake_words):
                return cleaned.strip()
        if tokens[first].group().lower() not in _FILLERS:
            return None
    return None


def _wake_at_end(text: str, tokens: list[re.Match[str]], wake_words: Sequence[str]) -> str | None:
    for count in (1, 2):
        if count >= len(tokens):
            break
        span = tokens[-count:]
        heard = "".join(token.group() for token in span)
        before = text[: span[0].start()].rstrip()
        paused = before.endswith((",", ".", "?", "!", "、", "，"))
        if any(_is_call_at_end(heard, word, paused=paused) for word in wake_words):
            return before.rstrip(" ,、，")
    return None


def _is_call(heard: str, word: str, *, paused: bool, rest: str) -> bool:
    heard = heard.removeprefix("@")
    if has_hangul(word):
        return _calls_ko(heard, word, paused=paused, slack=1)
    distance = _latin_distance(heard, word)
    if distance == 0:
        return True
    return distance == 1 and (paused or is_question(rest) or is_request(rest))


def _is_call_at_end(heard: str, word: str, *, paused: bool) -> bool:
    heard = heard.removeprefix("@")
    if has_hangul(word):  # 내일 모이자 ends much like 모임아: no slack here
        return _calls_ko(heard, word, paused=paused, slack=0)
    return _latin_distance(heard, word) <= (1 if paused else 0)


def _calls_ko(heard: str, word: str, *, paused: bool, slack: int) -> bool:
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
            meant[edit.src_pos] in group and heard[edit.dest_pos] in group for group in _NEAR
        )
        cost += 1 if near else 2
    return cost


def _latin_distance(heard: str, word: str) -> int:
    lowered = re.sub(r"['’]s$|[아야님씨]$", "", heard.lower())
    meant = word.lower()
    if lowered == meant:
        return 0
    if has_hangul(lowered) or lowered in _NOT_A_NAME or lowered[:1] != meant[:1] or len(meant) < 4:
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
    spoken = re.escape(name)
    if has_hangul(name):
        if re.search(rf"{_GREETING}{spoken}\s?(?:님|씨|아|야)?\s?[,:!]", text):
            return True
        topic = re.search(rf"{_GREETING}{spoken}\s?(?:님|씨|이)?(?:은|는|아|야)?\s", text)
        about = re.match(
            r"\s?(?:님|씨)?\s?(?:이|가|의|께서|한테|에게|을|를|도|랑|과|와)(?:\s|$)", text[len(name) :]
        )
        if topic and not about and re.search(rf"{spoken}\s?(?:(?:님|씨)(?:은|는)?|아|야|이?는|은)\s", text):
            return not _about_the_past(text)
        return re.search(rf"[,\s]{spoken}\s?(?:님|씨|아|야)\s?[?.!]*$", text) is not None
    if re.search(rf"{_GREETING}{spoken}\s*[,:]", text, re.IGNORECASE):
        return True
    if re.search(
        rf"{_GREETING}{spoken}\s+(?:can|could|would|will|do|did|are|were|have|please)\s+(?:you|we|i)\b",
        text,
        re.IGNORECASE,
    ):
        return True
    return re.search(rf",\s*{spoken}\s*[?.!]*$", text, re.IGNORECASE) is not None


def _about_the_past(text: str) -> bool:
    """민지 님은 뭐라고 했지: asked about a person, not of the person."""
    tail = text.rstrip(" ?.!")[-6:]
    return _PAST_KO.search(tail) is not None and "ㅆ" in jamo(tail)
