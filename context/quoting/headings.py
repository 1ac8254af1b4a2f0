# ruff: noqa: E501  # patterns read better unbroken
"""What the talk is headed by: "Item two, the market.", "Good. Certification.", 다음은 전기 트럭입니다, 미수금은 어떻게 됐어요?

Topics are found by what changes over tens of turns; in a short meeting many begin with a bare noun that no
scorer trusts. What is settled some turns later leaves its subject to that noun. A heading decides nothing here:
it says what a decision without a subject is about, and where the search for one ends.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from context.language.korean import has_hangul
from context.language.questions import sentences
from context.models import Utterance
from context.quoting.record import Record
from context.retrieval.terms import STOPWORDS
from context.topics.agenda import announced
from context.topics.cues import find

_REACH: Final = 14
_REACH_UNMARKED: Final = 8
_LONGEST: Final = 5
_AHEAD_EN: Final = re.compile(
    r"^\W*(?:(?:right|okay|ok|good|great|so|now|all right|well|fine|thanks|thank you)\b[,.!\s]+)*",
    re.IGNORECASE,
)
_MARK_EN: Final = re.compile(
    r"^(?:(?:the )?(?:first|second|third|fourth|next|last|final) (?:item|point|thing|topic)|item \w+|number \w+|first(?:ly)?|second(?:ly)?|next|then|finally|lastly|last|now|one more(?: thing)?|and)\b[,.:\s]*(?:is\s+|up\s+is\s+|about\s+|let's\s+(?:talk|look)\s+(?:about|at)\s+)?",
    re.IGNORECASE,
)
_NO_HEADING: Final = frozenset(
    "sure noted exactly agreed done theirs mine ours yours maybe perhaps sorry correct true same deal seconded instead er um uh hm ha ooh wow fair lovely brilliant wonderful excellent absolutely definitely understandable sorted enough time times week month year nice perfect cheers hello hi bye thanks please".split()  # noqa: SIM905  # reads better
)
_LINKING: Final = frozenset("the of on for and in a an at to our".split())  # noqa: SIM905  # reads better
_KO: Final = re.compile(
    r"^\W*(?:(?:네|자|아|음|참|좋아요|좋습니다|그럼|알겠습니다)[\s,.]+)*(?P<mark>(?:다음(?:은|으로)?(?!\s(?:주|달|번|모임|회의|해))|(?:첫|두|세|네|다섯)\s?번째(?:는|로)?|먼저|마지막(?:은|으로)?|우선|이제|오늘은?|그리고)[\s,]+)?(?P<name>[가-힣a-zA-Z0-9]+(?:\s[가-힣a-zA-Z0-9]+){0,3}?)\s?(?P<end>(?:얘기|건|문제|이야기)?(?:은요|는요|도요|이요|요|입니다|이에요|예요|부터요|부터\s?보죠|보죠|얘기하죠)\W*$|(?:은|는)\s어떻게\s?(?:됐|되)[가-힣]*\W*$|,\s)"
)
_NAMED_KO: Final = re.compile(r"[가-힣](?:은|는|도)요\W*$|어떻게\s?(?:됐|되)")
"""Without a mark only 주차는요? and 미수금은 어떻게 됐어요? name a subject."""
_SAYING_IT: Final = re.compile(r"(?:얘기|건|이야기)(?:입니다|이에요|예요|부터)")
_NO_NAME: Final = re.compile(
    r"시작|^(?:끝|정리|하나|저|제|저희|우리|그|이|왜|언제|누구|뭐)|\d|(?:^|\s)[한두세네열일이삼사오육칠팔구십백천만]+\s?(?:시|일|명|원|개|달|송이|대)|[가-힣](?:게|래|세|줘|네|나|예|에|까지|으로|때문)$"
)
_FIGURES_EN: Final = frozenset(
    "one two three four five six seven eight nine ten twenty thirty forty fifty sixty seventy eighty ninety hundred thousand today tomorrow nothing".split()  # noqa: SIM905  # reads better
)


class Heading(NamedTuple):
    """A subject that is named before it is talked about."""

    name: str
    marked: bool
    """Announced as the next one, and not only named."""


@lru_cache(maxsize=1024)  # each question looks around the same turns again
def heading_in(text: str) -> Heading | None:
    """The subject that a turn begins with or announces; None where it goes on talking."""
    if announced(text):
        return None  # several subjects, of which each has its turn
    cue = find(text)
    if cue is not None and cue.strength != "weak":
        return Heading(cue.name or text, True)
    told = sentences(text)[:3]
    for place, sentence in enumerate(told):
        found = _korean(sentence) if has_hangul(sentence) else _english(sentence)
        if found is not None and found.name == sentence and place + 1 < len(told):
            return Heading(
                told[place + 1], found.marked
            )  # "Item three. Twenty miles an hour on Station Road."
        if found is not None:
            return found
    return None


def heading_of(utterance: Utterance, record: Record) -> str:
    """What a turn's stretch of talk is headed by: the nearest subject named before it, and the nearest announced."""
    names: list[str] = []
    for step in range(1, _REACH + 1):
        before = record.get(utterance.id - step)
        if before is None:
            break
        found = heading_in(before.text)
        if found is not None and (found.marked or (not names and step <= _REACH_UNMARKED)):
            names.append(found.name)
        if found is not None and found.marked:
            break
    return " ".join(names)


def turned_away(first: int, last: int, record: Record) -> bool:
    """Whether somebody announced another subject behind the utterance `first`, up to and with `last`."""
    between = (record.get(id_) for id_ in range(first + 1, last + 1))
    return any(
        said is not None and (found := heading_in(said.text)) is not None and found.marked for said in between
    )


def _english(sentence: str) -> Heading | None:
    bare = _AHEAD_EN.sub("", sentence)
    mark = _MARK_EN.match(bare)
    name = bare[mark.end() :] if mark else bare
    first = re.split(r"[.:?!,]", name, maxsplit=1)[0].strip()
    words = first.lower().split()
    if not 0 < len(words) <= _LONGEST:
        return Heading(sentence, True) if mark and not words and "item" in mark.group(0).lower() else None
    telling = [word for word in words if word not in _LINKING]
    if not telling or any(_tells_nothing(word) for word in telling):
        return None
    if mark is None and (len(words) > 2 or sentence.rstrip()[-1:] not in ".:" or _is_adverbial(telling[-1])):
        return None
    if mark is not None and mark.group(0).lower().strip(" ,.:") in {"and", "then"} and words[0] != "the":
        return None
    return Heading(first, mark is not None)


def _tells_nothing(word: str) -> bool:
    numbers = _FIGURES_EN.intersection(word.split("-"))
    return word in STOPWORDS or word in _NO_HEADING or "'" in word or bool(numbers)


def _is_adverbial(word: str) -> bool:
    return word.endswith(("ed", "ly", "ing")) or word[0].isdigit()


def _korean(sentence: str) -> Heading | None:
    found = _KO.match(sentence)
    if found is None or _NO_NAME.search(found.group("name")):
        return None
    marked = found.group("mark") is not None or _SAYING_IT.search(found.group("end")) is not None
    if not marked and _NAMED_KO.search(sentence) is None:
        return None
    return Heading(found.group("name"), marked)
