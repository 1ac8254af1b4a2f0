"""Korean questions taken apart for comparison, without a dictionary: particles and endings are cut off.

What is cut too little keeps two questions apart, which costs a miss; so the cutting is careful, and
the same for both questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from context.answer_cache import korean_words as table
from context.answer_cache.concepts import KOREAN
from context.answer_cache.reading import Asking, Role, Tense, Word
from context.language.numbers import spelled, stated


def leans(text: str) -> bool:
    """Whether a question can't be understood alone."""
    return table.LEANING.search(table.CALLING.sub("", text)) is not None or text.startswith(
        ("그럼 ", "그래서 ", "그리고 ")
    )


def moves(text: str) -> bool:
    """Whether it asks for the state of things as of now."""
    return table.MOVING.search(text) is not None


def looks_back(text: str) -> bool:
    """Whether it asks for the newest only: what was said 방금 is another question than what was said."""
    return table.RECENT.search(text) is not None


def owned(text: str) -> bool:
    """Whether the answer depends on the asker."""
    return table.OWN.search(text) is not None


def tense_of(text: str) -> Tense:
    """Whether what is asked about lies behind or ahead, where the words say so."""
    decided = table.DECIDED.sub(" ", text)
    if table.PLANNED.search(decided) or "기로" in text:
        return "coming"
    if table.PAST.search(
        re.sub(r"(?:뭐|뭐라고|뭘)\s?(?:했|하셨)\S*|나왔\S*|였\S*|(?:맡|들)았?\S*", " ", decided)
    ):
        return "past"
    return ""


def asking_of(text: str) -> Asking:
    """What kind of answer is wanted."""
    for pattern, asking in table.ASKING:
        if pattern.search(text):
            return asking
    return "yes_no"


def joined_phrases(text: str) -> str:
    """Phrases that are one idea as one word."""
    text = table.CALLING.sub("", text)
    for pattern, put in table.PHRASES:
        text = pattern.sub(put, text)
    return text


def marked_denials(text: str) -> str:
    """`text` with a mark for each negation: ⊖ denies the word before it, ⊕ the word behind."""
    text = table.SUGGESTS.sub(" ", text)
    return table.SHORT_NOT.sub(" ⊕ ", table.NONE.sub(" ⊖ ", table.BEFORE_NOT.sub(" ⊖ ", text)))


def cut_numbers(text: str) -> tuple[str, list[float]]:
    """`text` with what was counted but without the numbers; the numbers as they came."""
    numbers: list[float] = []

    def cut(found: re.Match[str]) -> str:
        counted = table.COUNTED.fullmatch(found.group())
        if counted is not None:
            word = counted.group(1) or counted.group(2)
            numbers.append(table.ORDINAL[word])
            return " " + found.group().removeprefix(word).strip()
        if table.SINO_RUN.fullmatch(found.group()):
            numbers.extend(spelled(found.group()) or {0.0})
            return " " + re.sub(r"^[일이삼사오육칠팔구십백천만억]+\s?", "", found.group()).strip()
        numbers.extend(stated(found.group()))
        return " " + re.sub(r"[\d.,]+\s?[조억만천백]*\s?", " ", found.group()).strip()

    return table.ANY_NUMBER.sub(cut, text), numbers


def scope_of(text: str) -> tuple[str, set[str]]:
    """`text` without its words of scope, and those."""
    scope: set[str] = set()
    for pattern, name in table.SCOPE:
        text, found = pattern.subn(" ", text)
        if found:
            scope.add(name)
    if table.CAN.search(text):
        scope.add("can")
    if table.MUST.search(text) and "마감" not in text:
        scope.add("must")
    if table.OR.search(text):
        scope.add("or")
    return text, scope


def words_of(text: str, asking: Asking, named: Callable[[str], str]) -> tuple[list[Word], set[str]]:
    """The words that count, and what their particles say of scope. `named`: whom a word names, or ""."""
    words: list[Word] = []
    scope: set[str] = set()
    denied = False
    pieces = table.TOKEN.findall(text)
    for piece, following in pairwise([*pieces, ""]):
        if piece == "⊖" and words:
            words[-1] = replace(words[-1], denied=not words[-1].denied)
            continue
        if piece in table.MARKS:
            denied = not denied
            continue
        word = _word_of(piece, following, asking, named, scope)
        if word is not None:
            words.append(replace(word, denied=denied))
            denied = False
    if denied:
        words.append(Word("NOT", denied=True))
    return words, scope


def _word_of(
    piece: str, following: str, asking: Asking, named: Callable[[str], str], scope: set[str]
) -> Word | None:
    """The word that a piece of the text is, or None where it only asks, or means little."""
    if piece == "할일":
        return Word("TASK", concept=True)
    if _is_asking(piece, asking, scope):
        return None
    person = named(piece)
    if not person and table.LIGHT.match(piece):
        return None
    if piece in table.ORPHANS:
        scope.update(table.ORPHANS[piece])
        return None
    bare, role, said = _without_particle(piece)
    scope.update(said)
    if role in {"at", "with"} and table.ABOUT.match(following):
        role = "about"
    if person:
        return Word(person, role)
    if bare == "마감":
        return Word("DEADLINE", concept=True)
    return None if bare in table.LIGHT_NOUNS else _word(bare, piece, role)


def _is_asking(piece: str, asking: Asking, scope: set[str]) -> bool:
    """A question word is told by `asking`; a second one of another kind is kept in the scope."""
    if table.QUESTION_WORD.match(piece) is None:
        return False
    for start, kind in table.KIND_OF:
        if piece.startswith(start):
            if kind != asking and (asking, kind) != ("how_long", "how_much"):
                scope.add(f"and {kind}")
            return True
    return True


def _without_particle(piece: str) -> tuple[str, Role, set[str]]:
    said: set[str] = set()
    if len(piece) > 2 and table.ONLY.search(piece):
        piece, said = table.ONLY.sub("", piece), {"only"}
    elif len(piece) > 2 and table.ALSO.search(piece):
        piece, said = table.ALSO.sub("", piece), {"also"}
    if not "가" <= piece[-1] <= "힣":
        return piece, "", said
    for particle, role in table.PARTICLES:
        least = 1 if particle in table.AFTER_ONE else 2
        if piece.endswith(particle) and len(piece) - len(particle) >= least:
            return piece[: -len(particle)], role, said
    return piece, "", said


def _word(bare: str, piece: str, role: Role) -> Word:
    whole = (bare, piece, table.DOING.sub("", bare), table.DOING.sub("", piece))
    cut = (
        table.ENDING.sub("", piece),
        table.ENDING.sub("", bare),
        table.ENDING.sub("", table.ENDING.sub("", piece)),
    )
    for place, shape in enumerate((*whole, *cut)):
        if place >= len(whole) and shape in table.NOUN_STEMS:
            continue
        stem = table.NOT_STEM.get(shape, shape)
        if stem in KOREAN:
            group = KOREAN[stem]
            return Word(group, role, soft=group == "MEETING", concept=True)
        if shape in table.NOT_STEM:
            return Word(stem, role)
    return Word(table.DOING.sub("", bare) if len(bare) > 2 else bare, role)
