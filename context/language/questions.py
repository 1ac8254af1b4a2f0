"""Sentences, and whether they are questions or requests: by endings and question words, from closed lists.

A question mark settles it; but speech comes without reliable punctuation, so there are rules for texts
without one. Korean 죠 and 지 end questions and statements alike; there a second sign is needed.

`as_question` reads what was said to the agent by name. A base speech model garbles question words, too:
"언제로 결정됐지" comes as "안제로 결정받지". Whoever has called the agent's name wants something of it, so
there a question word may be off by one vowel or in two pieces ("한 제로"), and an ending in 지 needs no
second sign.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.language.closed_lists import closed_lists, word_sets
from context.language.korean import final, has_hangul, jamo

_LISTS: Final = closed_lists("questions")
_SETS: Final = word_sets("questions")
_DOT_WITHIN: Final = (
    r"(?:(?<=[0-9A-Za-z])\.(?=[0-9a-z])|(?<=\s)\.(?=[0-9])"
    r"|(?:(?<=\b[MD]r)|(?<=\bM[rs]s)|(?<=\bMs)|(?<=\bProf)|(?<=\bvs)|(?<=e\.g)|(?<=i\.e))\.)"
)
"""A full stop that ends nothing: 2.3퍼센트, node.js, Dr. Kim."""
SENTENCE: Final = re.compile(rf"[^.!?。？！\n]+(?:{_DOT_WITHIN}[^.!?。？！\n]*)*[.!?。？！]*")
"""One sentence with its punctuation."""
BREAK: Final = re.compile(r"(?<=[.!?。？！])\s+|\n+")
"""What stands between two sentences of a written text."""
_CLAUSE_BREAK: Final = re.compile(
    r"[,;:.?!]\s+|\s[—–-]\s|(?<=니까|는데|은데|지만|어서|아서|돼야|해야|라서)\s"
)
_EDGE_CHARACTERS: Final = " \t\"'’”“‘)(,;:~…-·"
_NEAR_WORDS: Final = 8
"""Words before the end of a Korean sentence in which its question word stands."""


_AUXILIARIES: Final = frozenset(_LISTS["auxiliaries"])
_ASKED_WITH: Final = {
    word: frozenset(_LISTS[f"asked_with_{word}"]) for word in ("how", "what", "which", "why", "any")
}
"""Words behind a question word that make it ask: how much, what time."""
_ORDERS: Final = ("do it", "do that", "do this", "do so", "have a", "have an")
"""Beginnings of orders that look like questions: do it now; have a seat."""


def sentences(text: str) -> list[str]:
    """The sentences of `text` by their punctuation, which they keep; no outer blanks, none without a word."""
    parts = (part.strip() for part in SENTENCE.findall(text))
    return [part for part in parts if part.strip(_EDGE_CHARACTERS + ".!?。？！")]


def clauses(text: str) -> list[str]:
    """The clauses of a sentence, each of which may have a subject of its own."""
    return _CLAUSE_BREAK.split(text)


def bare_sentences(text: str) -> list[str]:
    """The sentences of `text` on one line each, without the signs at their ends."""
    return [" ".join(sentence.split()).strip(" ,~…\"'“”.!?。？！") for sentence in sentences(text)]


def is_question(text: str) -> bool:
    """Whether any sentence of `text` asks something. A question mark anywhere settles it."""
    if "?" in text or "？" in text:
        return True
    return any(_asks_ko(bare) if has_hangul(bare) else _asks_en(bare) for bare in _bare(text))


def is_request(text: str) -> bool:
    """Whether any sentence of `text` asks to be told something (a summary, a list), and not for work."""
    return any(_requests_ko(bare) if has_hangul(bare) else _requests_en(bare) for bare in _bare(text))


def _bare(text: str) -> list[str]:
    """The sentences without punctuation; of a very long text only those at both ends, where people ask."""
    bounded = text if len(text) <= 4000 else f"{text[:2000]}\n{text[-2000:]}"
    return [part.strip(_EDGE_CHARACTERS + ".!?。？！") for part in sentences(bounded)]


def _asks_ko(sentence: str) -> bool:
    words = sentence.split()
    # what asks wherever it stands ends so: most sentences have none of these
    asking = "요" in sentence or "까" in sentence or "냐" in sentence
    if asking and any(_strong_ending(word.strip(_EDGE_CHARACTERS)) for word in words):
        return True
    last = words[-1].strip(_EDGE_CHARACTERS)
    if _closing_question(last, words):
        return True
    # 어디 가세요; the ending is asked first, for it costs little and settles most
    if not last.endswith("세요") and (
        not last.endswith(_LISTS["wh_ends"]) or last.endswith(_LISTS["declares"])
    ):
        return False
    near = words[-_NEAR_WORDS:]
    return _has_question_word(near) and not " ".join(near).endswith(_LISTS["gives_orders"])


def _has_question_word(words: Sequence[str]) -> bool:
    for place, word in enumerate(words):
        if word.startswith(_LISTS["wh"]) and not word.startswith(_LISTS["wh_false"]):
            behind = words[place + 1] if place + 1 < len(words) else ""
            if not f"{word} {behind}".startswith(_LISTS["wh_false_pairs"]):
                return True
    return False


def _strong_ending(word: str) -> bool:
    """Endings that ask wherever they stand: 할까요, 하나요, 합니까, 인가요."""
    if word.endswith("까요"):
        return len(word) > 2 and final(word[-3]) == "ㄹ"
    if word.endswith("니까"):  # 합니까, but not 하니까
        return len(word) > 2 and final(word[-3]) == "ㅂ"
    if word.endswith("나요"):
        return len(word) > 2 and not word.endswith(_LISTS["not_nayo"])
    if word.endswith("가요"):  # 인가요, but not 가요
        return len(word) > 2 and final(word[-3]) == "ㄴ"
    return word.endswith(_LISTS["anywhere"])


def _closing_question(last: str, words: Sequence[str]) -> bool:
    """Endings that ask at the end of a sentence only."""
    before = final(last[-2]) if len(last) > 1 else ""
    if last.endswith("까"):
        return before == "ㄹ"
    if last.endswith("가"):  # 하는가, 인가
        return before == "ㄴ" and not last.endswith(_LISTS["not_nga"])
    if last.endswith("냐"):
        return len(last) > 1
    if last.endswith("니"):
        return before == "ㅆ" or (last.endswith(_LISTS["asking_ni"]) and last != "아니")
    return last.endswith(_LISTS["at_the_end"]) or _asks_for_consent(last, words)


def _asks_for_consent(last: str, words: Sequence[str]) -> bool:
    """죠 and 지: after a past or a copula they ask; in 넘어가죠 (let us) and 그렇죠 (I agree) they don't."""
    tail = next((end for end in ("지요", "죠") if last.endswith(end)), None)
    if tail is None or (len(words) < 3 and last.startswith(_LISTS["agrees"])):
        return False
    stem = last[: -len(tail)]
    return bool(stem) and (final(stem[-1]) == "ㅆ" or stem.endswith(_LISTS["tags"]))


def _forms_en(sentence: str) -> list[list[str]]:
    """The words of a sentence without fillers (so, okay) before them; and again without who is called."""
    parts = sentence.lower().replace("’", "'").split()
    words = [part.strip(_EDGE_CHARACTERS + "@") for part in parts]
    start = next(
        (at for at, word in enumerate(words) if word and word not in _SETS["fillers_en"]), len(words)
    )
    forms = [words[start:]]
    called = next((at for at in (start, start + 1) if at < len(parts) - 1 and parts[at].endswith(",")), None)
    return forms if called is None else [*forms, words[called + 1 :]]


def _asks_en(sentence: str) -> bool:
    statement, comma, tail = sentence.lower().replace("’", "'").rpartition(",")
    tag = tail.split()
    is_tag = tag == ["right"] or (len(tag) == 2 and tag[0] in _AUXILIARIES and tag[1] in _SETS["subjects"])
    if comma and is_tag and not _SETS["fillers_en"].issuperset(statement.replace(",", " ").split()):
        return True
    return any(_opens_a_question(form) for form in _forms_en(sentence) if form)


def _opens_a_question(words: Sequence[str]) -> bool:
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first in _AUXILIARIES:
        return second in _SETS["subjects"] and f"{first} {second}" not in _ORDERS
    if first in _SETS["contracted"] or second in _ASKED_WITH.get(first, ()):
        return True
    if first not in _SETS["wh_en"] or second in _SETS["subordinate"]:
        return False
    if first == "who" and second not in ("", "ever"):  # who owns the export
        return True
    return any(word in _AUXILIARIES for word in words[1:5])


def _requests_ko(sentence: str) -> bool:
    words = sentence.split()
    if not words[-1].endswith(_LISTS["asked_for"]):
        return False
    joined = "".join(word for word in words if word != "좀")
    return any(
        f"{what}{way}" in joined
        for verbs, ways in (
            (_LISTS["told_ko"], _LISTS["ways_to_tell"]),
            (_LISTS["shown_ko"], _LISTS["ways_to_show"]),
        )
        for what in verbs
        for way in ways
    )


def _requests_en(sentence: str) -> bool:
    for form in _forms_en(sentence):
        asked = " ".join(word for word in form if word != "please") + " "
        polite = next((opening for opening in _LISTS["polite"] if asked.startswith(f"{opening} ")), "")
        if asked.removeprefix(polite).lstrip().startswith(_LISTS["told_en"]):
            return True
    return False


_SPOKEN_QUESTIONS_LISTS: Final = closed_lists("spoken_questions")
_SPOKEN_QUESTIONS_SETS: Final = word_sets("spoken_questions")
_VOWELS: Final = frozenset("ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ")


def as_question(text: str) -> str | None:
    """`text`, said to the agent, as a question with its question word mended; None where it asks nothing."""
    if is_question(text):
        return text
    words = text.split()
    last = words[-1].rstrip(" .!~…") if words else ""
    if (
        len(last) < 2
        or not last.endswith(_SPOKEN_QUESTIONS_LISTS["ends"])
        or text.strip(" ,.!~…") in _SPOKEN_QUESTIONS_SETS["agrees"]
    ):
        return None
    mended = " ".join(_in_one_piece([_mended(word) for word in words]))
    if mended != " ".join(words) and is_question(mended):
        return mended
    return text if last.endswith("지") and len(last) > 2 else None


def _in_one_piece(words: list[str]) -> list[str]:
    """The words with a question word that stands in two pieces as one: 한 제로 as 언제로."""
    pieces: list[str] = []
    for word in words:
        begun = pieces[-1] if pieces else ""
        if (
            len(begun) == 1
            and word[1:] in _SPOKEN_QUESTIONS_LISTS["behind"]
            and (mended := _mended(begun + word)) != begun + word
        ):
            pieces[-1] = mended
        else:
            pieces.append(word)
    return pieces


def _mended(word: str) -> str:
    """The word with the question word that it begins with, off by a vowel, put right; else as it is."""
    for meant in _SPOKEN_QUESTIONS_LISTS["question_words"]:
        if len(word) >= len(meant) and _off_by_a_vowel(jamo(word[: len(meant)]), jamo(meant)):
            return meant + word[len(meant) :]
    return word


def _off_by_a_vowel(heard: str, meant: str) -> bool:
    """Whether two strings of letters differ in one vowel, and perhaps in a breath (ㅎ) at the beginning.

    Vowels are what a speech model gets wrong; a wrong consonant makes another word.
    """
    if meant[0] in _VOWELS:
        heard = heard.removeprefix("ㅎ")
    if len(heard) != len(meant):
        return False
    wrong = [(a, b) for a, b in zip(heard, meant, strict=True) if a != b]
    return len(wrong) == 1 and set(wrong[0]) <= _VOWELS
