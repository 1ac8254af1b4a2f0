"""Sayers: the people whose words a claim says that it tells ("Karl said …", 김철수 님에 따르면).

A sayer is whom a claim names beside a verb of saying, or after "according to"; both are closed lists. A sayer
must have spoken one of the cited utterances; of somebody who is not in the meeting, one of those utterances
must tell what they said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from context.evidence.words import is_called, is_named
from context.language.closed_lists import closed_lists, word_sets
from context.language.korean import has_hangul
from context.language.questions import BREAK

_LISTS: Final = closed_lists("sayers")
_SETS: Final = word_sets("sayers")
_SOURCES_EN: Final = tuple(tuple(phrase.split()) for phrase in _LISTS["sources_en"])
_NOBODY: Final = frozenset((*_LISTS["nobody_en"], *_LISTS["nobody_ko"]))
_ENGLISH_TITLES: Final = ("Dr.", "Mr.", "Mrs.", "Ms.", "Prof.")
_LONGEST_NAME: Final = 4
"""Most words of an English name."""
_TITLES: Final = _LISTS["titles_ko"]
_HONORIFICS: Final = ("님", "씨")
_SUBJECT: Final = ("께서는", "께서", "은", "는", "이", "가", "도")
_PARTICLES: Final = (*_SUBJECT, "의", "에게", "에")
_NO_NAME: Final = ("고", "면", "며", "에", "는", "의", "여")
"""Endings of a word that is no name though it stands before a title: 높고 원장님도."""
_QUOTED: Final = ("다고", "라고", "자고", "냐고")
_HEARSAY: Final = ("대", "래", "대요", "래요")
_MARKS: Final = ".,:;!?()[]\"'“”‘’…"


def speakers_stand(text: str, cited: Sequence[str], names: Sequence[str]) -> bool:
    """Whether each sayer of the claim `text` is borne out by the cited utterances, each "name: words".

    `names`: of the participants. A participant must have spoken; of anybody else something must be told.
    """
    said = [source.partition(": ") for source in cited]
    who = "\n".join(name for name, colon, _ in said if colon)
    for sayer in sayers(text, names):
        present = [each for each in names if is_called(each, sayer)]
        if is_named(sayer, who) or any(is_named(each, who) for each in present):
            continue
        if present or not any(_told_of(sayer, spoken if colon else name) for name, colon, spoken in said):
            return False
    return True


def persons_stand(text: str, spoken: str) -> bool:
    """Whether everybody whom a Korean claim calls 님 or 씨, or by a title, is named in its evidence.

    What stands before a title is not always a name (비싸다며 원장님께): it is enough that the title was said.
    """
    said = _joined(spoken)
    for name in map(_joined, _persons(text)):
        title = next((title for title in _TITLES if name.endswith(title)), "")
        if not any(part and part in said for part in (name, name.removesuffix(title), title)):
            return False
    return True


def sayers(text: str, names: Sequence[str] = ()) -> list[str]:
    """The names of the sayers of the claim `text`, as written there; `names`: of the participants."""
    return [
        name
        for sentence in BREAK.split(text)
        for name in (_in_korean(sentence, names) if has_hangul(sentence) else _in_english(sentence.split()))
        if name and name.split()[-1].lower() not in _NOBODY
    ]


def _in_english(said: Sequence[str]) -> Iterator[str]:
    """The sayers of an English sentence, given as its words: Karl said; said Karl; according to Karl."""
    bare = _bare(" ".join(said))
    for place, word in enumerate(bare):
        if word in _SETS["says_en"]:
            yield _beside_saying(said, bare, place)
        for phrase in _SOURCES_EN:
            begin = place + len(phrase)
            if tuple(each.lower() for each in bare[place:begin]) == phrase:
                yield " ".join(bare[begin : _end_of_name(said, begin)])


def _beside_saying(said: Sequence[str], bare: Sequence[str], place: int) -> str:
    """The name before the verb of saying at a place, else the one behind it; "" where neither stands."""
    last = place
    while last > max(0, place - 2) and bare[last - 1] in _SETS["adverbs_en"]:
        last -= 1
    before = _without_aside(said[:last])
    first = last = len(before)
    while first > max(0, last - _LONGEST_NAME) and _goes_on(before[first - 1]):
        first -= 1
    if first < last or (last and before[-1].lower() in _NOBODY):
        return " ".join(bare[first:last])
    begin = place + (2 if bare[place + 1 : place + 2] == ["by"] else 1)
    end = _end_of_name(said, begin)
    ends_there = end == len(said) or said[end - 1].endswith((".", ","))
    return " ".join(bare[begin:end]) if ends_there else ""


def _without_aside(said: Sequence[str]) -> Sequence[str]:
    """The words before an aside that ends them: "Ben Carter" of "Ben Carter, who runs ops,"."""
    before, who, aside = " ".join(said).rpartition(" who ")
    return before.removesuffix(",").split() if who and aside.find(",") == len(aside) - 1 else said


def _goes_on(word: str) -> bool:
    """Whether a word may be part of a name that goes on behind it."""
    return word.lstrip(_MARKS)[:1].isupper() and (word[-1].isalnum() or word in _ENGLISH_TITLES)


def _end_of_name(said: Sequence[str], begin: int) -> int:
    end = begin
    while end < min(len(said), begin + _LONGEST_NAME) and said[end][:1].isupper():
        end += 1
        if not _goes_on(said[end - 1]):
            break
    return end


def _in_korean(sentence: str, names: Sequence[str]) -> Iterator[str]:
    """The sayers of a Korean sentence: 김민지 님에 따르면, 민지 씨 말로는, 민지가 말했다, or its subject."""
    said = _bare(sentence)
    for place, word in enumerate(said[1:], 1):
        before = place - 1
        if word.startswith(_LISTS["sources_ko"]):
            if place > 1 and said[before].rstrip("에") in _LISTS["words_ko"]:
                before -= 1
            yield _person(said, before)
        # Of "이 발표는" the 이 is no particle.
        elif said[before][1:].endswith(("께서", "이", "가")) and word.startswith(_LISTS["says_ko"]):
            yield _person(said, before)
    if _tells(said):
        present = next(
            (each for each in _subjects(said) if any(is_called(name, each) for name in names)), None
        )
        yield present or next(_persons(sentence), "")


def _subjects(said: Sequence[str]) -> Iterator[str]:
    """The possible subjects of a Korean sentence, each with the word before it, as of 김민지 의견은."""
    for before, word in pairwise(["", *said]):
        if word.endswith(_SUBJECT):
            yield f"{before} {_core(word)}".strip() if _core(before) == before else _core(word)


def _persons(text: str) -> Iterator[str]:
    """The people whom a Korean text calls 님 or 씨, or by a title: 김민지 님이, 박 부장님, 정다은 대리는.

    A title behind a punctuation mark, or with one behind it, names nobody: "(교수, 박사과정)".
    """
    words, said = text.split(), _bare(text)
    for place, word in enumerate(said):
        titles = (title for title in _TITLES if _core(word).endswith(title))
        title = next(titles, "") if words[place][-1] not in _MARKS else ""
        apart = place == 0 or words[place - 1][-1] in _MARKS or words[place][0] in _MARKS
        before = _core(word).removesuffix(title) or ("" if apart else said[place - 1])
        if "님" in word or "씨" in word or (title and 2 <= len(before) <= 4):
            yield _person(said, place)


def _person(said: Sequence[str], place: int) -> str:
    """The name at a place, without particle and honorific; 박 of 박 부장님 stands a word before."""
    word = said[place]
    honoured = max(map(word.rfind, _HONORIFICS))
    name = word[:honoured] if honoured >= 0 else _core(word)
    before = said[place - 1] if place else ""
    goes_on = not name or (name in _TITLES and not before.endswith(_NO_NAME))
    return f"{before} {name}".strip() if goes_on else name


def _core(word: str) -> str:
    """A Korean word without a particle that may follow a name; 을 is left, as 책임을 is mostly no person."""
    for particle in _PARTICLES:
        if len(word) > len(particle) and word.endswith(particle):
            return word.removesuffix(particle)
    return word


def _joined(text: str) -> str:
    return "".join(text.split())


def _bare(text: str) -> list[str]:
    return [word.strip(_MARKS) for word in text.split()]


def _tells(said: Sequence[str]) -> bool:
    """Whether a Korean sentence tells what somebody said: … 밝혔다, … 하자고 했습니다."""
    return any(
        any(says in after for says in _LISTS["tells_ko"])
        or (word.endswith(_QUOTED) and after.startswith(_LISTS["says_behind_quote_ko"]))
        for word, after in pairwise(["", *said])
    )


def _told_of(sayer: str, spoken: str) -> bool:
    """Whether somebody tells in `spoken` what `sayer` said: 원장님도 그러자고 하셨어요."""
    core = _joined(sayer).lower()
    told = ((_bare(part), _joined(part).lower()) for part in BREAK.split(spoken))
    return any(
        core in joined
        and (_tells(said) or any(word in _SETS["says_en"] or word.endswith(_HEARSAY) for word in said))
        for said, joined in told
    )
