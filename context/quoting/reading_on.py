# ruff: noqa: E501  # patterns read better unbroken
"""What stands right behind a quote and belongs to it: the reply it got, the figure it leaves out, how it ended.

People name a matter, and say what is wanted of it a turn or five later: "The dishwasher." — "It's leaking again.",
"six hundred kits, then" — … — "so four hundred". A quote of the first alone is half an answer, and where the
matter ended otherwise, a false one. Read on only as far as the talk is of the same matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from context.extractive.cues import kind_of
from context.extractive.sentences import Said, split
from context.extractive.subjects import facts
from context.language.addressing import wake
from context.models import Utterance
from context.quoting.closing import VERDICT
from context.quoting.corrections import figures, same_sort
from context.quoting.headings import heading_in
from context.quoting.look import names_nothing
from context.quoting.quotes import Found
from context.quoting.reasons import tells
from context.quoting.record import Record
from context.quoting.settling import SETTLES, THEN
from context.quoting.unsettled import PUTS_OFF
from context.retrieval.questions import Asked, coverage, gives, take_apart
from context.topics.cues import find

_REACH: Final = 9
_GIVES_WITHIN: Final = 3
_ECHOED_WITHIN: Final = 6
_NAMED_LEAST: Final = 0.5
_MOST: Final = 4
"""Utterances quoted in all, with what is read on to."""
_KEPT: Final = 2
_NAMELESS_WITHIN: Final = 5
_REVISED_WITHIN: Final = 2
"""What names nothing belongs to what was said right before it."""
_CLOSING: Final = re.compile(
    r"여기까지|수고|마치겠|마칠게|끝낼게|끝내죠|이상입니다|\b(?:stop|leave it) there\b|\bthat's (?:all|it|everything)\b|\bwrap(?:ping)? up\b|\b(?:thanks|thank you|bye),? (?:everyone|everybody|all)\b",
    re.IGNORECASE,
)
_MEASURED: Final = frozenset(["when", "how_much"])
_SAID_OTHERWISE: Final = frozenset(["who", "why"])
"""Who does it, and why, is not told by how a matter ended."""
_TIME: Final = re.compile(
    r"(?:minute|hour|day|week|month|year|today|tomorrow)s?$|[월화수목금토일]요일$|오늘|내일|다음|이번|\d"
)
"""No matter: what is due next week has nothing to do with what took two weeks."""
_EXPLAINED_WITHIN: Final = 2
_BARE_WORDS: Final = 3
_COUNTERS: Final = re.compile(
    r"\b(?:i'd rather|rather not|instead|what about|how about|why not just)\b|차라리|말고|그것보다|보다는",
    re.IGNORECASE,
)
"""Another thing is proposed."""
_ENDS: Final = re.compile(
    r"^\W*(?:(?:음|아|흠|네|예|um|uh|hmm|oh|yeah|yes)[\s,.…]+)*(?:(?:좋아요|좋습니다|좋네요|그래요|그럽시다|오케이|그렇죠|맞아요|okay|ok|all right|alright|right|fine|agreed|deal|thanks|thank you|good|perfect|great)\b(?:,? \w+)?[\s,.!:]+(?=\S)|(?:그럼|그러면|일단|so|then)\b)"
    r"|[가-힣](?:로|걸로|만|은|는)?\s?(?:하죠|합시다|합니다|갑시다|갑니다|하자|가자|해요|쓰죠|찍어요|두죠)\W*$|아직(?:은|요)?\W*$|그대로|^\W*if\b[^,?]{2,60},\s(?:then )?(?:we|I|you|they|he|she)\b",
    re.IGNORECASE,
)
_TAKES_ON: Final = re.compile(
    r"^\W*(?:(?:네|예|넵)(?![가-힣])|알겠|그럴게|그러죠|제가|감사|고마|그럼 부탁|sure|will do|yes|yep|yeah|okay|ok\b|of course|no problem|happy to|i'll|thank)",
    re.IGNORECASE,
)


def read_on(chosen: Sequence[Found], asked: Asked, record: Record) -> list[Found]:
    """`chosen` with what is read on to, in order of time; where that is much, the best of `chosen` only."""
    if not chosen or asked.saying:
        return list(chosen)
    best = max(chosen, key=lambda each: each.score)
    known = {each.utterance.id for each in chosen}
    further: dict[int, Found] = {}
    behind = list(_behind(best, asked, record))
    newest = max(chosen, key=lambda each: each.utterance.id)
    plain = asked.kind not in _SAID_OTHERWISE and newest is not best
    if plain and (ended := outcome(newest, asked, record)) is not None:
        behind.append(ended)
    for each in behind:
        if each.utterance.id not in known:
            further.setdefault(each.utterance.id, each)
    kept = list(chosen)
    if further and len(known | further.keys()) > _MOST:
        ids = list(dict.fromkeys(each.utterance.id for each in sorted(chosen, key=lambda one: -one.score)))
        kept = [each for each in chosen if each.utterance.id in ids[:_KEPT]]
    return sorted([*kept, *further.values()], key=lambda each: each.utterance.id)


def _behind(best: Found, asked: Asked, record: Record) -> Iterator[Found]:
    talk = list(_same_talk(best, asked, record))
    if not talk:
        return
    given = asked.kind in _MEASURED and gives(asked, best.text, record.names)
    if asked.kind == "why":
        yield from _objection(best, talk, record)
        return
    if asked.kind == "who":
        yield from _accepted(best, talk)
        return
    if not given:
        yield from _given(best, talk, asked, record)
        yield from _echoed(best, talk, asked, record)
        yield from _replied(best, talk, asked, record)
        yield from _explained(best, talk, asked, record)
    if not best.superseded_by and (ended := outcome(best, asked, record, talk)) is not None:
        yield ended


def outcome(
    found: Found, asked: Asked, record: Record, talk: Sequence[Utterance] | None = None
) -> Found | None:
    """How the matter of a quote ended: the last that was settled or said anew in the same talk."""
    last: Found | None = None
    decisions = record.statements().decisions
    decided = {id_ for each in decisions for id_ in each.evidence[-1:]}
    settling = {id_ for each in decisions for id_ in each.evidence}
    measured = asked.kind in _MEASURED
    settled = found.utterance.id in decided or (measured and found.decision)
    open_yet = not settled and kind_of(found.text, record.names) != "action"
    open_yet = open_yet and not (measured and gives(asked, found.text, record.names))
    turns = talk if talk is not None else list(_same_talk(found, asked, record))
    countered = False
    for later in turns:
        if _CLOSING.search(later.text):
            break  # "Thanks, all. Let's get lunch."
        for part in split(later):
            if _asks(part, record):
                continue
            off = open_yet and PUTS_OFF.search(part.text) is not None
            if settled and not countered and not same_sort(part.text, found.text):
                continue  # what was settled changes by another day or figure only
            if settled and kind_of(part.text, record.names) == "action":
                continue  # what somebody does by some day is another matter
            again = _again(part.text, found, asked)
            if not (again or off or _ends(part.text, later, found, decided)):
                continue
            step = later.id - (last or found).utterance.id
            near = step <= (_REVISED_WITHIN if settled else _NAMELESS_WITHIN)
            if again or _of_it(part.text, found, asked, record, near=near):
                last = Found(part.text, later, found.score, later.id in decided, replies=True)
            elif later.id in settling and not names_nothing(part.text):
                return last  # they settle something else by now
        countered = countered or _COUNTERS.search(later.text) is not None
    return last


def _same_talk(found: Found, asked: Asked, record: Record) -> Iterator[Utterance]:
    """The turns behind a quote, as far as nobody turned to another matter or to the agent."""
    for later in record.after(found.utterance, _REACH):
        if later.topic_id != found.utterance.topic_id or wake(later.text, record.wake_words) is not None:
            return
        cue = find(later.text)
        turned = (cue is not None and cue.strength != "weak") or _headed_anew(later, asked)
        if turned and not coverage(asked, later.text):
            return
        yield later


def _headed_anew(later: Utterance, asked: Asked) -> bool:
    heading = heading_in(later.text)
    return heading is not None and not coverage(asked, heading.name) and len(heading.name.split()) > 0


def _asks(part: Said, record: Record) -> bool:
    return "?" in part.text or kind_of(part.text, record.names) in {"question", "courtesy"}


def _given(best: Found, talk: Sequence[Utterance], asked: Asked, record: Record) -> Iterator[Found]:
    """The day or amount that a quote leaves to the turns behind it."""
    if asked.kind not in _MEASURED or coverage(asked, best.text, asked.importance or None) < _NAMED_LEAST:
        return
    for later in talk[:_GIVES_WITHIN]:
        for part in split(later):
            another = kind_of(part.text, record.names) == "decision" and not names_nothing(part.text)
            if another and not coverage(asked, part.text):
                return
            if not _asks(part, record) and gives(asked, part.text, record.names):
                yield Found(part.text, later, best.score, replies=True)
                return


def _echoed(best: Found, talk: Sequence[Utterance], asked: Asked, record: Record) -> Iterator[Found]:
    """The question's verb, that a quote lacks: "the engineer says …" — … — "he can come on Thursday"."""
    verbs = tuple(word for word in asked.wide if len(word) > 2 and not coverage(_of((word,)), best.text))
    measured = asked.kind in _MEASURED
    for later in talk[: _ECHOED_WITHIN if measured else _GIVES_WITHIN] if verbs else ():
        for part in split(later):
            if _asks(part, record) or (measured and not gives(asked, part.text, record.names)):
                continue
            if coverage(_of(verbs), part.text) > 0:
                yield Found(part.text, later, best.score, replies=True)
                return


def _of(words: tuple[str, ...]) -> Asked:
    return Asked(topic=words, deciding=False)


def _replied(best: Found, talk: Sequence[Utterance], asked: Asked, record: Record) -> Iterator[Found]:
    """The reply to a turn that asks, or that only names a matter."""
    parts = split(best.utterance)
    asks = bool(parts) and "?" in parts[-1].text
    bare = len(best.utterance.text.split()) <= _BARE_WORDS or (
        heading_in(best.text) is not None and len(best.text.split()) <= _BARE_WORDS + 1
    )
    if asked.kind in _MEASURED or not (asks or bare):
        return
    first = next((turn for turn in talk if turn.speaker_id != best.utterance.speaker_id), None)
    if first is not None and not all(_asks(part, record) for part in split(first)):
        yield Found(first.text, first, best.score, replies=True)


def _explained(best: Found, talk: Sequence[Utterance], asked: Asked, record: Record) -> Iterator[Found]:
    """What somebody says next of a matter they told of, asked no more than that: "Do we know why?" — "The seal's gone."."""
    if asked.kind is not None or best.decision or len(talk) < _EXPLAINED_WITHIN:
        return
    asks, reply = talk[:_EXPLAINED_WITHIN]
    by = best.utterance.speaker_id
    if asks.speaker_id == by or reply.speaker_id != by or not names_nothing(asks.text):
        return
    parts = [part for part in split(reply) if not _asks(part, record)]
    if parts and all(_asks(part, record) for part in split(asks)):
        yield Found(parts[-1].text, reply, best.score, replies=True)


def _objection(best: Found, talk: Sequence[Utterance], record: Record) -> Iterator[Found]:
    """What was told against a quote right behind it, or, of what was settled, the trouble told right before it."""
    before = record.get(best.utterance.id - 1)
    turns = [turn for turn in talk[:1] if turn.speaker_id != best.utterance.speaker_id]
    settled = best.decision or SETTLES.search(best.text) is not None or THEN.search(best.text) is not None
    if settled and before is not None and before.topic_id == best.utterance.topic_id:
        turns.append(before)
    for turn in turns:
        part = next((p for p in split(turn) if not _asks(p, record) and tells(p.text) > 0), None)
        if part is not None and len(part.text.split()) > _BARE_WORDS:
            yield Found(part.text, turn, best.score, replies=True)


def _accepted(best: Found, talk: Sequence[Utterance]) -> Iterator[Found]:
    """The yes of whoever was asked, or who takes an offer up."""
    first = talk[0]
    agrees = _TAKES_ON.search(first.text) or any(SETTLES.search(part.text) for part in split(first))
    if first.speaker_id != best.utterance.speaker_id and agrees:
        yield Found(first.text, first, best.score, replies=True)


def _ends(text: str, said: Utterance, found: Found, decided: set[int]) -> bool:
    if said.id in decided or SETTLES.search(text) or THEN.search(text) or _ENDS.search(text):
        return True
    return VERDICT.search(text) is not None and said.speaker_id != found.utterance.speaker_id


def _again(text: str, found: Found, asked: Asked) -> bool:
    """Whether another figure is given of the same matter."""
    if asked.kind not in _MEASURED:
        return False
    told, new = figures(found.text), figures(text)
    if told and not same_sort(text, found.text):
        return False
    return bool(new - told) and coverage(asked, text, asked.importance or None) >= 0.5


def _of_it(text: str, found: Found, asked: Asked, record: Record, *, near: bool) -> bool:
    """Whether a sentence is on the matter of a quote: of the kind asked for, and of no other subject."""
    nameless = near and names_nothing(text)
    if asked.kind in _MEASURED and PUTS_OFF.search(text) is None:
        if not gives(asked, text, record.names):
            return False
        given = gives(asked, found.text, record.names)
        alike = not given or not facts(found.text) or same_sort(text, found.text)
        return alike and (nameless or coverage(asked, text) > 0)
    told = take_apart(found.text)
    named = [
        word
        for word, worth in zip(told.topic, told.importance, strict=True)
        if worth >= 1.0 < len(word) and not _TIME.match(word)
    ]
    about = Asked(topic=tuple(named), deciding=False)
    return nameless or coverage(asked, text) > 0 or coverage(about, text) > 0
