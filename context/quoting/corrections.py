# ruff: noqa: E501  # patterns read better unbroken
"""A figure, a day or a time that somebody puts right a few turns later: both are quoted, the right one last.

"Four hundred and twelve, I think." — "I counted again, it's three hundred and eighty-six." Quoting only the
first would be a false answer, and a convincing one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.answering.told import hours
from context.extractive.cues import kind_of
from context.extractive.sentences import split
from context.extractive.subjects import clash, facts
from context.models import Utterance
from context.quoting.look import names_nothing
from context.quoting.quotes import Found
from context.quoting.reasons import TROUBLE
from context.quoting.record import Record
from context.quoting.settling import THEN
from context.retrieval.questions import Asked, coverage, gives, take_apart
from context.retrieval.terms import words
from context.topics.cues import find

_WITHIN: Final = 3
_AGREED_WITHIN: Final = 5
_COUNTERED_WITHIN: Final = 2
_STEPS: Final = 4
_MAGNITUDE: Final = 10
"""Three lorries do not put 950,000 won right."""
_MEASURED: Final = frozenset(["when", "how_much"])
_PUTS_RIGHT: Final = re.compile(
    r"^\W*(?:어|아|음|저기)?[\s,]*(?:아니|아뇨|그게 아니|정정)|아니(?:에요|예요|고|라|었)|틀렸|틀린|잘못|착각|다시\s?(?:세|계산|확인|보니)|실은|사실은|[가-힣]까지\s?(?:해서|하면|치면)|바뀌었|바뀐|당겨졌|미뤄졌"
    r"|^\W*(?:(?:um|uh|oh|ah|sorry|well|hang on|wait)[\s,.]+)*(?:no\b(?! (?:problem|worries|rush))|not quite|correction|actually)"
    r"|\bactually\b|\bthat was before\b|\bcount(?:ed)? (?:\w+ )?again\b|\bre-?count\w*|\bi mis\w+|\bwrong\b|\bmy mistake\b|\bit's (?:really|now|more like)\b"
    r"|\bthat was (?:with|for|the) (?:the )?(?:old|last|previous)\b|\bplus the\b|^\W*(?:ah|oh)\W+(?:right|yes|yeah)\b|\bnot (?:half|\d+|(?:a |one )?(?:third|quarter)|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\b"
    r"|^\W*아[\s,]+(?:맞|그렇|참)|^\W*(?:그럼|그러면)\s[^?]*맞(?:습니다|아요|네요|죠)|\d\S*\s?말고",
    re.IGNORECASE,
)
_ONLY_A_FIGURE: Final = re.compile(
    r"^\W*(?:(?:no|nope|well|um|uh|아니|아뇨)\W+)?(?:\d[\d,.:]*|(?:(?:twen|thir|for|fif|six|seven|eigh|nine)ty[\s-]?)?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen)?|(?:열|스무|스물|서른|마흔|쉰)?(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉)?\s?(?:명|개|건|대|번|분))\s?(?:명|개|건|대|번|분|시|원|%)?(?:이요|요|이에요|입니다|예요)?(?=[.,!]|$)",
    re.IGNORECASE,
)
_ON_SECOND_THOUGHT: Final = re.compile(
    r"(?:^|[.?!,…])\s*(?:아니|아뇨|아 참|정정|no\b|sorry\b|wait\b|hang on\b|actually\b|i mean\b|or rather\b|make that\b|scratch that\b)",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"\d+(?:[.:,]\d+)*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thir\w+|fourt\w+|fift\w+|sixt\w+|sevent\w+|eight\w+|ninet\w+|twent\w+|fort\w+|hundred|thousand|half|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|(?:(?:열|스물|서른|마흔|쉰|예순|일흔|여든|아흔)?(?:다섯|여섯|일곱|여덟|아홉|한|두|세|네|석|넉)|열|스무|서른|마흔|쉰|예순|일흔|여든|아흔|[일이삼사오육칠팔구십백천만]+)(?=\s?(?:시|개|명|건|분|달|주|번|장|대|원|월|일|퍼센트|상자|박스|톤|킬로|권|병|잔|벌|층|살))|[월화수목금토일]요일",
    re.IGNORECASE,
)


_NOT_SO: Final = re.compile(
    r"\b(?:not|instead of|rather than) (?P<en>[^,.;:?!]{2,30})|(?P<ko>[^,.?!]{1,20}?)(?:이|가)?\s?(?:아니라|아니고|말고)(?=\s)",
    re.IGNORECASE,
)
"""The sixteenth, not the ninth; 1억 천이 아니라 9천9백."""
_DENYING: Final = ("not ", "instead of ", "rather than ", "아니", "말고")
"""One of these is in whatever denies: looked for first, as all that was said since is looked through."""
_MONTH: Final = re.compile(
    r"(?<!\d)\d{1,2}월|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_ORDINAL: Final = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|twentieth|thirtieth)\b",
    re.IGNORECASE,
)


def corrected(chosen: Sequence[Found], asked: Asked, record: Record) -> list[Found]:
    """`chosen`, and behind each figure, day or time that was put right soon after, what it was put right to."""
    quoted = list(chosen)
    if not (asked.kind in _MEASURED or asked.checking) or asked.saying:
        return quoted
    known = {each.utterance.id for each in quoted}
    own = [said for each in chosen if (said := _by_themselves(each)) is not None]
    quoted += own
    for each in [*chosen, *own]:
        chain = standing(each.utterance, record, each.text) or _countered(each, record) or _told(each, record)
        for text, turn in [*chain, *_conceded(each.utterance, chain, record)]:
            if turn.id in known or not (asked.kind is None or gives(asked, text, record.names)):
                continue
            known.add(turn.id)
            quoted.append(Found(text, turn, each.score, replies=True))
    return sorted(quoted, key=lambda each: each.utterance.id)


def _told(found: Found, record: Record) -> list[tuple[str, Utterance]]:
    """The figure that somebody is told who asks whether it is another: "Fifty, wasn't it?" — "Forty-five."."""
    before = figures(found.text) if "?" in found.text else frozenset()
    for later in record.after(found.utterance, 1) if before else ():
        if later.speaker_id == found.utterance.speaker_id:
            break
        for part in split(later):
            new = figures(part.text) - before
            if new and kind_of(part.text, record.names) != "question" and same_sort(found.text, part.text):
                return [(part.text, later)]
    return []


def _by_themselves(found: Found) -> Found | None:
    """A figure that its speaker puts right in the same breath: "Ten? No, hang on, noon."."""
    whole, before = found.utterance.text, figures(found.text)
    end = whole.find(found.text) + len(found.text)
    if not before or end < len(found.text) or _ON_SECOND_THOUGHT.search(whole[end:]) is None:
        return None
    for part in split(found.utterance):
        if whole.find(part.text) >= end and figures(part.text) - before:
            return Found(part.text, found.utterance, found.score, found.decision, replies=True)
    return None


def standing(utterance: Utterance, record: Record, said: str = "") -> list[tuple[str, Utterance]]:
    """What took the place of a turn's figure, step by step; the last is what stands. Empty: it stands itself.

    `said`: the sentence of the turn that counts; by default all of it.
    """
    chain: list[tuple[str, Utterance]] = []
    text, now = said or utterance.text, utterance
    while len(chain) < _STEPS:
        right = (
            put_right(now, record, text)
            or _agreed_instead(now, record, text)
            or _taken_up(now, record, text)
            or _denied(now, record, text)
        )
        if right is None or right[1].id <= now.id:
            break
        chain.append(right)
        text, now = right
    return chain


def _conceded(
    first: Utterance, chain: Sequence[tuple[str, Utterance]], record: Record
) -> list[tuple[str, Utterance]]:
    """Who was put right says the right figure again: "Four, thank you."."""
    if not chain:
        return []
    text, right = chain[-1]
    for later in record.after(right, 1):
        part = split(later)[-1].text
        if (
            later.speaker_id == first.speaker_id
            and figures(later.text)
            and figures(later.text) <= figures(text)
        ):
            return [(part if figures(part) else later.text, later)]
    return []


def _countered(found: Found, record: Record) -> list[tuple[str, Utterance]]:
    """The old figure taken up, and another one named: "Six months is long. Ask for four."."""
    before = figures(found.text) or figures(found.utterance.text)
    for later in record.after(found.utterance, _COUNTERED_WITHIN) if before else ():
        new = figures(later.text)
        if later.speaker_id == found.utterance.speaker_id or not (new & before and new - before):
            continue
        for part in split(later):
            if figures(part.text) - before and kind_of(part.text, record.names) != "question":
                return [(part.text, later)]
    return []


def put_right(utterance: Utterance, record: Record, said: str = "") -> tuple[str, Utterance] | None:
    """The first sentence soon after a turn that says otherwise and gives another figure.

    `said`: the sentence of the turn that counts; by default all of it.
    """
    before = figures(said or utterance.text)
    for distance, later in enumerate(record.after(utterance, _WITHIN) if before else ()):
        bare = not distance and _bare_figure(later, utterance, record)
        if not bare and not puts_right(later):
            continue
        for part in split(later):
            new = figures(part.text)
            if kind_of(part.text, record.names) != "question" and new and not new <= before:
                return part.text, later
    return None


def _bare_figure(later: Utterance, before: Utterance, record: Record) -> bool:
    """Whether another figure, and no more, replies to a turn: "Four. There was one in December."."""
    if later.speaker_id == before.speaker_id or kind_of(split(before)[-1].text, record.names) == "question":
        return False
    return _ONLY_A_FIGURE.search(later.text) is not None and same_sort(before.text, split(later)[0].text)


def _agreed_instead(utterance: Utterance, record: Record, text: str) -> tuple[str, Utterance] | None:
    """What was agreed on after an objection: "That is too soon." … "The sixteenth, then."."""
    named = facts(text)
    if not named:
        return None
    doubted = False
    for later in record.after(utterance, _AGREED_WITHIN):
        if later.topic_id != utterance.topic_id or ((cue := find(later.text)) and cue.strength != "weak"):
            break
        for part in split(later):
            if doubted and THEN.search(part.text) and kind_of(part.text, record.names) != "question":
                said = facts(part.text)
                if names_nothing(part.text) and clash(said, named) and same_sort(part.text, text):
                    return part.text, later
        doubted = doubted or (
            later.speaker_id != utterance.speaker_id and TROUBLE.search(later.text) is not None
        )
    return None


def _taken_up(utterance: Utterance, record: Record, text: str) -> tuple[str, Utterance] | None:
    """What somebody asked for instead, where another says it again: "Can we say Thursday?" — "Thursday, good."."""
    before = figures(text)
    offered: frozenset[str] = frozenset()
    by = ""
    for later in record.after(utterance, _WITHIN) if before else ():
        for part in split(later):
            new = figures(part.text) - before
            if kind_of(part.text, record.names) == "question":
                offered, by = (new, later.speaker_id) if same_sort(part.text, text) else (offered, by)
            elif new & offered and later.speaker_id != by and TROUBLE.search(part.text) is None:
                return part.text, later
    return None


def _denied(utterance: Utterance, record: Record, text: str) -> tuple[str, Utterance] | None:
    """What somebody says it is instead, however much later, who says what it is not: "the sixteenth, not the ninth"."""
    if not figures(text) and _ORDINAL.search(text) is None:
        return None
    said = words(text)
    about = Asked(topic=take_apart(text).topic, deciding=False)
    for later in record.after(utterance, len(record.utterances)):
        if not any(word in later.text for word in _DENYING) or (found := _NOT_SO.search(later.text)) is None:
            continue
        old = found["en"] or found["ko"]
        denied = [*figures(old), *(word.lower() for word in _ORDINAL.findall(old))]
        tokens = [token for figure in denied for token in words(figure)]
        if not tokens or not all(any(word.startswith(token) for word in said) for token in tokens):
            continue
        part = next((part for part in split(later) if _NOT_SO.search(part.text)), None)
        if part is not None and coverage(about, later.text.replace(old, " ")):
            return part.text, later
    return None


def same_sort(one: str, other: str) -> bool:
    """Whether two texts name the same sort of thing: a day both, or amounts of one magnitude."""
    if _MONTH.search(one) and _MONTH.search(other):
        return True
    first, second = facts(one), facts(other)
    days = bool(first.dates or first.days), bool(second.dates or second.days)
    if any(days) or first.weekdays or second.weekdays:
        return all(days) or bool(first.weekdays and second.weekdays)
    if hours(one) and hours(other):
        return True
    return any(
        max(number, than) < _MAGNITUDE * min(number, than)
        for number in first.numbers
        for than in second.numbers
    )


def puts_right(utterance: Utterance) -> bool:
    """Whether a turn says that what was said before it is not so."""
    return _PUTS_RIGHT.search(utterance.text) is not None


def figures(text: str) -> frozenset[str]:
    """The figures, times and weekdays of a text, as they are said."""
    return frozenset(match.lower() for match in _NUMBER.findall(text))
