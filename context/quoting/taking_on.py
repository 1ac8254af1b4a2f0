# ruff: noqa: E501  # patterns read better unbroken
"""Who took it on, where it was asked aloud: of those who offered, the last one to whom it was left.

"Who writes the report?" — "I can." — "You've been up all night. Joss, would you?" — "Sure, on Thursday."
The first offer is not the answer, and neither the offer nor the promise names the report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from context.extractive.cues import kind_of
from context.extractive.sentences import split
from context.models import Utterance
from context.quoting.quotes import Found
from context.quoting.record import Record
from context.quoting.settling import settles_on
from context.retrieval.questions import Asked, called, coverage, take_apart

_WITHIN: Final = 4
_BARE: Final = 3
_ACCEPTS: Final = re.compile(
    r"^\W*(?:(?:아|어|음)[\s,.]+)?(?:네|예|넵|그럴게|그러죠|그러겠|알겠|제가|저요|저는?\s시간\s?(?:돼|됩|있))(?=[\s,.]|요|습|니|어|$)"
    r"|^\W*(?:(?:oh|um|uh|yeah|yes|ok|okay)[\s,.]+)*(?:sure|of course|will do|happy to|no problem|i can|fine (?:by|with) me|i'll|i will|i'd|i'm free|on it|leave (?:it|that) (?:to|with) me|me\b|that's me)",
    re.IGNORECASE,
)
_OFFERS: Final = re.compile(
    r"(?:제가|저희가|내가)\s?\S{0,6}(?:할게|하겠|맡|챙길|챙기|갈게|볼게)|\b(?:I'll|I will|I can|let me)\b",
    re.IGNORECASE,
)
REFUSES: Final = re.compile(
    r"\bnot me\b|\bcount me out\b|\bi(?: would|'d love to),? but\b|\bi (?:can't|cannot|couldn't|won't|don't have (?:the )?time)\b"
    r"|(?:^|\s)(?:저는|전|제가|나는|난)\s(?:\S+\s)?(?:못\s|안\s|힘들|어려|어렵|곤란|안\s?돼|안\s?됩)|(?:저|나)\s?말고",
    re.IGNORECASE,
)
"""Not me, I did them last year; 저는 이번에 어려워요."""
_TURNS_DOWN: Final = re.compile(
    r"^\W*(?:(?:ah|oh|um|hmm|but|wait|아|어|음)[\s,.]+)*(?:no\b(?! (?:problem|worries))|you (?:can't|cannot)|not you\b|아니(?!면)|안\s?[돼되])",
    re.IGNORECASE,
)
_STANDS_IN_WITHIN: Final = 3
_ASKS_ANYBODY: Final = re.compile(
    r"\b(?:can|could|will|would) (?:some|any)(?:body|one)\b|\bany(?:body|one) (?:free|happy|willing|able|want)"
    r"|[실할]\s(?:분|사람)\s?(?:계|있|없|손)",
    re.IGNORECASE,
)
_ASKS_SOMEBODY: Final = re.compile(
    r"[가-힣]\s?주(?:실래|시겠|실\s?수|세요|시면|시고|십시오|실까)|맡아|부탁"
    r"|\b(?:would|could|can|will) you\b|\bplease\b|\bdo you mind\b|\bwould you mind\b|\byou'll have to\b",
    re.IGNORECASE,
)
_PUTS_FORWARD: Final = re.compile(
    r"[가-힣](?:이|가|님이|씨가)\s(?!그|안|못)[^.?!]*(?:면\s?(?:어때|어떨|돼|되|좋)|는\s?게\s?(?:어때|좋|낫|나))|\b[A-Z]\w+ (?:should|could|has to|ought to)\b"
)
"""Marek should go, he knows it best: 마루 씨가 가는 게 좋겠어요."""


def taken_on(asked_at: Utterance, covered: float, record: Record) -> Iterator[Found]:
    """What the one said who took it on, in the few turns after it was asked who does, or somebody was asked to."""
    text = asked_at.text
    if take_apart(text).kind != "who" and not _asks_one(text, record):
        return
    last: Found | None = None
    asker, refused, objected = asked_at, False, False
    for turn in record.after(asked_at, _WITHIN):
        said = None
        if turn.speaker_id != asker.speaker_id:
            said = _promise(turn, record)
            refused = refused or (said is None and REFUSES.search(turn.text) is not None)
        elif refused:  # nobody else does: all right, I'll do them
            said = _own_task(turn, record)
        if last is not None and turn.speaker_id != last.utterance.speaker_id and settles_on(turn, record):
            last = Found(turn.text, turn, covered, replies=True)
            break
        if last is not None and objected and turn.speaker_id == last.utterance.speaker_id:
            break  # what else they will do
        if said is not None:
            last = Found(said, turn, covered, replies=True)
        elif last is not None and not _asks_one(turn.text, record):
            if objected or take_apart(turn.text).kind == "who":
                break  # they talk of something else
            objected = True
        if _asks_one(turn.text, record):
            asker = turn
    if last is None:
        return
    bare = len(last.text.split()) <= _BARE and asker.id < last.utterance.id
    if bare and _asks_one(asker.text, record):
        yield Found(_request(asker, record), asker, covered, replies=True)  # what "will do" is said to
    yield last


def _handed_over(found: Found, record: Record) -> list[Found]:
    """Who has it instead, where an offer was turned down and somebody else asked: "You've enough. Ben, would you?"."""
    for turn in record.after(found.utterance, 1):
        asked = turn.speaker_id != found.utterance.speaker_id and _asks_one(turn.text, record)
        request = _request(turn, record)
        to_another = not called(found.utterance.speaker_name, request) and _of_the_same(
            request, found, record
        )
        back = turn.speaker_id != found.utterance.speaker_id and not asked
        if back and _ASKS_SOMEBODY.search(turn.text) and (agreed := _answers_it(turn, found, record)):
            return agreed
        if asked and to_another:
            return [Found(turn.text, turn, found.score, replies=True), *taken_on(turn, found.score, record)]
        if turn.speaker_id != found.utterance.speaker_id and _TURNS_DOWN.search(turn.text):
            return list(stands_in(turn, found.score, record, found.utterance.speaker_id))
        own = next((part.text for part in split(turn) if _OFFERS.search(part.text)), None)
        if (
            turn.speaker_id != found.utterance.speaker_id
            and own
            and called(found.utterance.speaker_name, turn.text)
        ):
            instead = [Found(own, turn, found.score, replies=True)]
            after = record.after(turn, 1)
            if after and settles_on(after[0], record):
                instead.append(Found(after[0].text, after[0], found.score, replies=True))
            return instead
    return []


def _of_the_same(request: str, found: Found, record: Record) -> bool:
    """Whether a request may be about what was offered: it names nothing, or something of that."""
    asks = take_apart(request)
    named = [
        word
        for word, worth in zip(asks.topic, asks.importance, strict=True)
        if worth >= 1.0
        and not any(called(name, word) or word in name.lower().split() for name in record.names)
    ]
    about = f"{found.text} {record.leading_to(found.utterance, '')}"
    return not named or coverage(Asked(topic=tuple(named), deciding=False), about) > 0


def _answers_it(turn: Utterance, found: Found, record: Record) -> list[Found]:
    """The yes of whoever proposed something and is asked to do it: "I'd ring them." — "Could you?" — "Sure."."""
    for reply in record.after(turn, 1):
        if reply.speaker_id == found.utterance.speaker_id and (said := _promise(reply, record)) is not None:
            asked = Found(_sentence_that_asks(turn), turn, found.score, replies=True)
            return [asked, Found(said, reply, found.score, replies=True)]
    return []


def stands_in(refusal: Utterance, covered: float, record: Record, who_cannot: str = "") -> Iterator[Found]:
    """Who offers instead of somebody who can't, by default whoever says so: "I can't lift it." — "Then I'll go."."""
    for later in record.after(refusal, _STANDS_IN_WITHIN):
        offered = (p.text for p in split(later) if _OFFERS.search(p.text) and "?" not in p.text)
        own = _own_task(later, record) or next(offered, None)
        if own is not None and later.speaker_id != (who_cannot or refusal.speaker_id):
            yield Found(own, later, covered, replies=True)
            return


def _sentence_that_asks(turn: Utterance) -> str:
    return next((part.text for part in split(turn) if _ASKS_SOMEBODY.search(part.text)), turn.text)


def _request(turn: Utterance, record: Record) -> str:
    """The sentence of a turn by which somebody is asked."""
    return next((part.text for part in split(turn) if _asks_one(part.text, record)), turn.text)


def _asks_one(text: str, record: Record) -> bool:
    """Whether somebody is asked to, by name, or whoever will."""
    if _ASKS_ANYBODY.search(text) is not None:
        return True
    asks = _ASKS_SOMEBODY.search(text) is not None or _PUTS_FORWARD.search(text) is not None
    return asks and any(called(name, text) for name in record.names)


def _promise(turn: Utterance, record: Record) -> str | None:
    """The sentence of a turn by which its speaker takes something on, with what stands behind a bare yes."""
    own = _own_task(turn, record)
    if own is not None:
        return own
    return turn.text if _ACCEPTS.search(turn.text) is not None else None


def _own_task(turn: Utterance, record: Record) -> str | None:
    """The sentence of a turn by which its speaker says what they will do."""
    return next((part.text for part in split(turn) if kind_of(part.text, record.names) == "action"), None)


def in_whose_hands(chosen: Sequence[Found], record: Record) -> list[Found]:
    """`chosen`, and behind an offer that was turned down, who has it instead."""
    quoted = list(chosen)
    for each in chosen:
        known = {one.utterance.id for one in quoted}
        quoted += [one for one in _handed_over(each, record) if one.utterance.id not in known]
    return quoted
