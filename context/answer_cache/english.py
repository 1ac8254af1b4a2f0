"""English questions taken apart for comparison."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from context.answer_cache import english_words as table
from context.answer_cache.concepts import ENGLISH
from context.answer_cache.reading import Asking, Role, Tense, Word
from context.retrieval.terms import stem


def spelled_out(text: str) -> str:
    """Contractions and negations in one spelling; `text` in lower case."""
    for pattern, put in table.SPELLINGS:
        text = pattern.sub(put, text)
    return text


def leans(text: str, subjects: int) -> bool:
    """Whether a question can't be understood alone; "they" needs nobody where enough else is named."""
    return table.LEANING.search(text) is not None or (table.THEY.search(text) is not None and subjects < 2)


def moves(text: str) -> bool:
    """Whether it asks for the state of things as of now."""
    return table.MOVING.search(text) is not None


def looks_back(text: str) -> bool:
    """Whether it asks for the newest only: what was *just* said is another question than what was said."""
    return table.RECENT.search(text) is not None


def owned(text: str) -> bool:
    """Whether the answer depends on the asker; "can you tell me" doesn't."""
    return table.OWN.search(table.POLITE.sub(" ", table.CALLING.sub("", text))) is not None


def tense_of(text: str) -> Tense:
    """Whether what is asked about lies behind or ahead, where the words say so."""
    if table.COMING.search(text):
        return "coming"
    if table.PAST.search(text) or table.IS_PAST.search(text):
        return "past"
    words = text.rstrip(" ?.!").split()
    if (
        words[:1]
        and words[0] in {"who", "what", "which"}
        and any(table.PAST_VERB.match(word) for word in words[1:4])
    ):
        return "past"
    return ""


def asking_of(text: str) -> tuple[Asking, str]:
    """What kind of answer is wanted, and the text without the words that said so.

    The first question word tells; a further one after "and" is put back as a word of its own. A clause in
    front ("When the user is unknown, what …") goes to the end.
    """
    text = table.FRONTED.sub(r"\2 \1", table.POLITE.sub(" ", table.CALLING.sub("", text)).strip(" ?.!"))
    found = []
    for asking, pattern in ((asking, pattern) for pattern, asking in table.ASKING):
        match = pattern.search(text)
        if match is not None:
            found.append((match.start(), -len(match.group()), asking, match))
    if not found:
        return ("yes_no", text) if table.AUX.search(text) else ("what", table.SHOWN.sub(" ", text))
    _, _, asking, match = min(found, key=lambda each: each[:2])
    if asking in table.CLAUSES and match.start() > 0 and table.AUX.search(text):
        return "yes_no", text  # "Did we say when …": the answer is yes or no, and the clause is matter
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    second = table.SECOND.search(rest)
    return asking, rest if second is None else f"{rest} also{second.group(1).replace(' ', '')}"


def with_deadline(text: str) -> str:
    """A "by" whose moment was cut out behind it as a word of its own: by Friday isn't on Friday."""
    return re.sub(r"\bby\s\s+|\bby\s*(?=[?.!]*$)", " bythen ", text)


def joined_phrases(text: str) -> str:
    """Phrases that are one idea as one word."""
    for pattern, put in table.PHRASES:
        text = pattern.sub(put, text)
    return text


def words_of(text: str, named: Callable[[str], bool]) -> tuple[list[Word], list[float], set[str]]:
    """The words that count, the numbers, and the words of scope. `named`: is this word of a person's name?"""
    words: list[Word] = []
    numbers: list[float] = []
    scope: set[str] = set()
    heads: list[int] = []
    denied, before = False, ""
    role: Role = ""
    for piece in table.WORD.findall(text):
        bare = piece.removesuffix("'s").rstrip("'")
        if piece == "not":
            denied = not denied
        elif piece == "of":
            heads.append(len(words))
        elif re.fullmatch(r"[\d,]+(?:\.\d+)?", piece):
            numbers.append(float(piece.replace(",", "")))
        elif piece in table.NUMBERS or piece in table.ORDINALS:
            numbers.append(table.NUMBERS.get(piece, table.ORDINALS.get(piece, 0.0)))
        elif piece in table.SCOPE:
            scope.add(table.SCOPE[piece])
        elif bare in table.LIGHT and not named(bare):
            if bare not in table.ARTICLES:
                role = table.PREPOSITIONS.get(bare, "")
        else:
            if words and words[-1].concept and before == words[-1].key and not role:
                role = "object"
            words.append(_word(bare, role, denied=denied, person=named(bare)))
            denied, role, before = False, "", words[-1].key
            continue
        if bare not in table.ARTICLES:
            before = ""
    if denied:
        words.append(Word("NOT", denied=True))
    return _possessed(words, heads), numbers, scope - {""}


def _possessed(words: list[Word], heads: list[int]) -> list[Word]:
    """The price of the remote control as the remote control's price: what stands before "of" goes behind."""
    for place in reversed(heads):
        if not 0 < place < len(words) or words[place - 1].concept:
            continue
        end = place
        while end < len(words) and not words[end].concept and not words[end].role and end - place < 3:
            end += 1
        words[place - 1 : end] = [*words[place:end], words[place - 1]]
    return words


def _word(bare: str, role: Role, *, denied: bool, person: bool) -> Word:
    if person:
        return Word(bare, role, denied=denied)
    group = _group(bare)
    if group is not None:
        return Word(group, role, soft=group == "MEETING", concept=True, denied=denied)
    return Word(stem(bare), role, soft=bare in table.SOFT, denied=denied)


def _group(word: str) -> str | None:
    return (
        ENGLISH.get(word) or ENGLISH.get(table.IRREGULAR.get(word, "")) or table.GROUP_STEMS.get(stem(word))
    )


def roles_by_ask(text: str, names: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Who asks and who is asked, where somebody asks, tells or sends: (name, before or after, passive)."""
    found = table.ASKS.search(text)
    if found is None:
        return frozenset()
    roles = set()
    for name in names:
        for match in re.finditer(rf"\b{re.escape(name)}\b", text):
            place = "before" if match.start() < found.start() else "after"
            passive = (
                "passive" if re.search(r"\b(?:was|were|is|are|been|be)\b", text[: found.start()]) else ""
            )
            roles.add((name, place + passive))
    return frozenset(roles)
