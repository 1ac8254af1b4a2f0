# ruff: noqa: E501  # patterns read better unbroken
"""Settled in passing: "so it's the LCD", "printed, then", "Lumen it is", 그럼 서른 명으로 합시다.

No decision by itself: nobody is sure enough of these words to put them on the list of decisions. But asked
"which display are we using?", where the display was talked about right before, they are the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from context.extractive.cues import kind_of
from context.extractive.sentences import split
from context.extractive.subjects import facts, subject_of
from context.language.korean import has_hangul
from context.models import Utterance
from context.quoting.headings import heading_in
from context.quoting.quotes import Found
from context.quoting.record import Record
from context.retrieval.questions import Asked, called, coverage, gives, take_apart

THEN: Final = re.compile(
    r"^\W*(?:(?:네|아|음|좋아요|좋습니다|그래요|알겠습니다)[\s,.]+)*(?:그럼|그러면)\s"
    r"|,? then\b\W*$|^\W*(?:(?:ok|okay|right|all right|fine|good)\W+)*(?:then|so)\b|\bit is\W*$|^\W*make it\b|[가-힣]로\s?(?:하죠|합시다|할게요|하겠|가죠|갑시다)",
    re.IGNORECASE,
)
SETTLES: Final = re.compile(
    r"\b(?:it is|'s it)\b\W*(?:I'd say)?\W*$|^\W*(?:\w+\W+){1,6}it is\b, |^\W*(?:(?:ok|okay|right|all right|fine|good|yeah|yes)\W+)*(?:so|then)\W+(?:it's|it is|we|we're|let's|the|a)\b|^\W*(?:so )?(?:take|let's (?:take|go|have|do|use|say|keep)|go with|we'll (?:take|go|have|do|use|keep)|make it)\b|,? then\W*$|^\W*then \w+\W*$|\bfine (?:by|with) me\b|\bworks for me\b|\b(?:it's|that's|is) (?:carried|settled|decided|agreed)\b|\bI (?:propose|move)\b"
    r"|^\W*(?:(?:네|아|음|좋아요|좋습니다|그래요|알겠습니다|그렇죠)[\s,.]+)*(?:그럼|그러면)\s[^?]*(?:요|죠|다)\W*$|[가-힣](?:로|걸로)\s?(?:하죠|합시다|할게요|하겠습니다|가죠|갑시다|해요|하시죠|정하죠|갈게요|갑니다)|그대로\s?(?:갑|가죠|가요|하죠|합)",
    re.IGNORECASE,
)
_ORDERS_THE_MEETING: Final = re.compile(
    r"\b(?:wrap (?:it |this )?up|that's (?:it|all|everything)(?! (?!for|then|from|today|folks)[a-z])|finish (?:here|there|up)|stop (?:here|there)|call it a day|move on|next (?:item|topic|point)|see you|thanks?|get (?:started|going))\b"
    r"|(?:여기|오늘은 여기|이것?)까지|마치|마칠|끝내|마무리|수고|넘어가|시작(?:하|할)|들어가\s?보|다음에\s?(?:뵙|봬|봐|보)|쉬었다|잠깐 쉬",
    re.IGNORECASE,
)
"""그럼 여기까지 할게요: settles nothing but the meeting's end."""
_CARRIES: Final = re.compile(
    r"\b(?:it's|that's|is|motion) (?:carried|settled|decided|agreed|passed)\b|\bfine (?:by|with) me\b",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(r"\d|(?:^|\s)(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른)\s")
"""두 명씩 세우는 걸로: no subject, though 는 stands behind it."""
_WHERE_OR_WHEN: Final = re.compile(r"[가-힣](?:에서|에|부터|까지|에게|한테)$")
"""이번 버전에서는 빼요: 는 stands behind where, and no subject is named."""
_WITHIN: Final = 6
_WITHIN_AN_ITEM: Final = 14
_ONLY_CARRIES: Final = 6
_WORTH: Final = 0.3
_LATER: Final = 0.02
_OPEN_ENDED: Final = re.compile(
    r"\b(?:which|what) \w+(?: \w+)? (?:are|did|do|will|have|should) we\b|\b(?:which|what)\b[^?]*\b(?:in the end|finally)\b|\bwhat are we doing\b|\bwhat(?:'s| is) the plan\b|\bwhat (?:do|did|will) we do\b"
    r"|뭘로|뭐로|무엇으로|어떤\s?걸로|어느\s?(?:걸|것|쪽)|어떻게(?!\s?(?:생각|보시|보세|보나|봐))|어디로|어디서|최종|결국|\bwhere (?:are|do|will|did) we\b|\bhow (?:much|many|long|often) (?:will|do we|are we|should)\b|\bwho(?:'s| is)? (?:puts|gets|does|doing|putting|supplies|supplying)\b",
    re.IGNORECASE,
)


def wants_settled(question: str, asked: Asked) -> bool:
    """Whether a question asks for what was settled on: which one, what are we doing about it, where do we go."""
    return asked.deciding or _OPEN_ENDED.search(question) is not None


def settled(
    utterance: Utterance, covered: float, asked: Asked, record: Record, reach: int = 0
) -> Iterator[Found]:
    """The last that was settled in passing after `utterance`, which covers so much of the subject.

    `reach`: utterances to look at; by default a few, and all of its item behind a heading.
    """
    heading = heading_in(utterance.text)
    announced = heading is not None and heading.marked
    best: Found | None = None
    proposed: Found | None = None
    for distance, later in enumerate(
        record.after(utterance, reach or (_WITHIN_AN_ITEM if announced else _WITHIN))
    ):
        if (found := heading_in(later.text)) is not None and found.marked:
            break
        if later.topic_id != utterance.topic_id and not (announced or reach):
            break
        if asked.kind == "who" and _asks_of_another(later, asked, record):
            break
        for part in split(later):
            kind = kind_of(part.text, record.names)
            if kind == "question" or SETTLES.search(part.text) is None or _of_another(part.text, asked):
                continue
            if orders_the_meeting(part.text):
                continue
            if asked.kind is not None and not (
                gives(asked, part.text, record.names) or asked.kind in {"who", "where"}
            ):
                continue
            here = Found(part.text, later, covered + _WORTH - _LATER * distance, True, replies=True)
            if _CARRIES.search(part.text) and len(part.text.split()) <= _ONLY_CARRIES:
                if best is None or best.utterance.id == later.id:
                    here.text = later.text
                proposed, best = best or proposed, here
            else:
                proposed, best = None, here
    if best is None:
        return
    for each in (best, proposed):
        if each is not None:
            yield from _whole(each, record)


def orders_the_meeting(text: str) -> bool:
    """Whether a sentence settles nothing but how the meeting goes on, or ends: 더 없으면 끝냅시다."""
    return _ORDERS_THE_MEETING.search(text) is not None and not facts(text)


def _asks_of_another(turn: Utterance, asked: Asked, record: Record) -> bool:
    """Are we doing the raffle again? Whatever is settled from there on is not who does the posters."""
    if any(called(name, turn.text) for name in record.names):
        return False
    for part in split(turn):
        about = take_apart(part.text)
        named = tuple(w for w, worth in zip(about.topic, about.importance, strict=True) if worth >= 1.0)
        if kind_of(part.text, record.names) == "question" and named and about.kind is None:
            of = tuple(w for w, worth in zip(asked.topic, asked.importance, strict=True) if worth >= 1.0)
            heard = f"{' '.join(of)} {record.leading_to(turn, '')}"
            if not coverage(Asked(topic=named, deciding=False), heard):
                return True
    return False


def _of_another(text: str, asked: Asked) -> bool:
    """그럼 수술은 한 시로 하죠: it names another subject than what is asked about."""
    subject = subject_of(text) if has_hangul(text) else ""
    if _WHERE_OR_WHEN.search(subject):
        return False
    named = bool(subject and asked.topic) and _COUNTED.search(subject) is None
    return named and not coverage(asked, subject)


def _whole(found: Found, record: Record) -> Iterator[Found]:
    """What one proposed and another agreed to is quoted with both, where the ledger has it as one decision."""
    for decision in record.statements().decisions:
        if found.utterance.id in decision.evidence:
            for text, said in record.said_by(decision):
                yield Found(text, said, found.score, True, decision.superseded_by, replies=True)
            return
    yield found


def settles_on(turn: Utterance, record: Record) -> bool:
    """Whether a turn gives something to somebody it names: 그럼 해율 님이 하는 걸로 하죠."""
    return any(
        THEN.search(part.text) is not None
        and kind_of(part.text, record.names) != "question"
        and any(called(name, part.text) for name in record.names)
        for part in split(turn)
    )
