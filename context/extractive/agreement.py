# ruff: noqa: E501  # patterns read better unbroken
"""What one proposes and another agrees to, what one asks for and another takes on.

A proposal is a decision when the next that others say of it is a yes; a request is a task when somebody says
that they'll do it. Looked for in the few sentences that follow, so a stretch of talk costs what it
is long.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from context.extractive import english_cues as english
from context.extractive import english_requests as asking
from context.extractive import korean_answers as answers
from context.extractive import korean_promises
from context.extractive import korean_requests as korean
from context.extractive.cues import kind_of, owner_in
from context.extractive.english_forms import plain_form
from context.extractive.moments import due_in
from context.extractive.sentences import Said
from context.extractive.subjects import SETTLING, Facts, facts, matter
from context.language.korean import has_hangul

_LOOK_AHEAD: Final = 8
"""Sentences in which an answer is looked for."""
_A_QUESTION: Final = 3
_OTHERS: Final = 3
"""So many sentences of others are heard before the chance is over."""


@lru_cache(maxsize=512)
def proposes(text: str) -> bool:
    """Whether a sentence becomes a decision by somebody's yes."""
    bare = text.strip(" .!?…。\"'”")
    return answers.proposes(bare) if has_hangul(bare) else english.proposes(plain_form(text))


@lru_cache(maxsize=512)
def requests(text: str) -> bool:
    """Whether a sentence asks somebody for work that is done afterwards."""
    bare = text.strip(" .!?…。\"'”")
    if has_hangul(bare):
        return korean.asks_for_work(bare) or korean.asks_in_passing(bare)
    form = plain_form(text)
    if "?" in text and asking.adds_to_it(form):
        return True
    return asking.requests(form) or (_CALLED.search(text) is not None and asking.requests_of_one(form))


def asks_one(text: str) -> bool:
    """정리해 주세요: whoever says yes to it is who does it, where nobody is named."""
    return has_hangul(text) and korean.asks_in_passing(text.strip(" .!?…。\"'”"))


_CALLED: Final = re.compile(r"^[A-Z][a-z]+, |, [A-Z][a-z]+(?=[,?.])")
"""Could you get those, Raj, …: somebody is called by name."""


@lru_cache(maxsize=512)
def offers(text: str) -> bool:
    """I can set that up, 제가 여쭤볼까요?: a task for whoever says so, once somebody says yes."""
    if has_hangul(text):
        return korean.offers(text.strip(" .!?…。\"'”"))
    form = plain_form(text)
    return asking.asks_to_do(form) if "?" in text else asking.offers(form)


@lru_cache(maxsize=512)
def takes_on(text: str) -> bool:
    """I'll do that: takes on what was said just before."""
    bare = text.strip(" .!?…。\"'”")
    return answers.takes_on(bare) if has_hangul(bare) else asking.takes_on(plain_form(text))


@lru_cache(maxsize=512)
def promises(text: str) -> bool:
    """I'll put it in the runbook, 내가 신청 넣을게: the speaker's own work."""
    return kind_of(text) == "action" and owner_in(text, _SPEAKER, ()) == _SPEAKER


@lru_cache(maxsize=512)
def _answer(text: str) -> str:
    """`yes`, `no`, `will` (takes it on) or nothing of it."""
    bare = text.strip(" .!…。\"'”")
    if bare in _TYPED_YES:
        return "yes"
    if has_hangul(bare):
        if answers.objects(bare):
            return "no"
        return "will" if answers.accepts(bare) else "yes" if answers.assents(bare) else ""
    form = plain_form(text)
    if english.objects(form):
        return "no"
    return "will" if asking.accepts(form) else "yes" if english.assents(form) else ""


_TYPED_YES: Final = frozenset({"ㅇㅇ", "ㅇㅋ", "ㄱㄱ", "ㅇㅋㅇㅋ"})
_LED_BY_YES: Final = re.compile(
    r"^(?:(?:음|어|아|oh|um|uh)[\s,.]+)?(?:(?:네|예|넵|넹|응|오케이|오키|그래요?|좋아요?|좋습니다|알았어|알겠습니다|yeah|yes|yep|sure)[,.!]+\s|ㅇ[ㅇㅋ][\s,.!]+)",
    re.IGNORECASE,
)
_ENDS_IN_YES: Final = re.compile(r"\b(?:yeah|yes|yep|okay)[\s.!]*$", re.IGNORECASE)
_BUT_YES: Final = re.compile(
    r"\bbut (?:okay|ok|fine|sure|yes|alright|all right|(?:i (?:can|could) live|i'm (?:fine|okay|happy|good)|let's go) with (?:it|that)|go ahead|why not)[\s.!]*$",
    re.IGNORECASE,
)
"""It's generous, but okay."""
_PRAISED: Final = re.compile(
    r"^(?!if\b|what\b|that\b|it\b|i\b)(?:[\w'-]+ ){1,5}?(?:works|is(?: just| more than| totally)? (?:fine|good|plenty|fair|enough|perfect|better|great|okay|ok|ideal|right)|sounds? (?:good|right|fair|fine|about right|great)|makes sense|it is)(?: (?:for|with|by|to) (?:me|us)(?: too| as well)?| then| too| as well)?$"
)
"""Eighty works: a yes that names what was proposed."""
_NAMED_YES: Final = 12
_SPEAKER: Final = "\0"
_SHORT_KO: Final = 4
_SHORT_EN: Final = 10
_SHORT_TAIL: Final = 5
"""Words behind a yes, or before it: more than that, and it only opens what is said."""


def _heard(reply: Said) -> str:
    """What a reply says to a proposal; a sentence is told without the "yes," that it opens with."""
    heard = _answer(reply.text)
    if heard or "?" in reply.text:
        return heard
    words = len(reply.text.split())
    if reply.place == 0 and _LED_BY_YES.match(reply.utterance.text) and promises(reply.text):
        return "yes"
    if reply.place == 0 and _LED_BY_YES.match(reply.utterance.text):
        return "yes" if words <= (_SHORT_KO if has_hangul(reply.text) else _SHORT_EN) else ""
    if words <= _NAMED_YES and _BUT_YES.search(reply.text):
        return "yes"
    return "yes" if words <= _SHORT_TAIL and _ENDS_IN_YES.search(reply.text) else ""


def _praises(reply: Said, proposal: Said) -> bool:
    """Eighty works, every two weeks is plenty: the figure or the thing that was proposed is found good."""
    form = plain_form(reply.text)
    if has_hangul(form) or len(form.split()) > _NAMED_YES or not _PRAISED.match(form.replace("'s ", " is ")):
        return False
    return _same_facts(reply.text, proposal.text) or bool(
        matter(reply.text) & matter(proposal.text) - SETTLING
    )


def _same_facts(one: str, other: str) -> bool:
    first, second = facts(one), facts(other)
    return bool(
        first.numbers & second.numbers
        or first.weekdays & second.weekdays
        or first.dates & second.dates
        or _month_days(first) & _month_days(second)
    )


def _month_days(told: Facts) -> frozenset[int]:
    return told.days | {day for _, day in told.dates}


def _thanks(text: str) -> bool:
    """The chair's "Thank you" after "Are Members content?": nobody objected."""
    return text.lower().startswith("thank you")


def _asks_on(text: str) -> bool:
    """Whether somebody has gone on to another question; okay? and right? are none."""
    return text.rstrip().endswith("?") and len(text.split()) >= _A_QUESTION


@lru_cache(maxsize=512)
def asks_if_one_can(text: str) -> bool:
    """간사님 가능하시겠습니까?: whether one can do what was said right before it."""
    return "?" in text and korean.asks_if_one_can(text.strip(" .!?…"))


@lru_cache(maxsize=512)
def asks_who(text: str) -> bool:
    """Whether a question looks for somebody to do something: 보고 올 사람?"""
    bare = text.strip(" .!?…")
    return "?" in text and (korean.asks_who(bare) if has_hangul(text) else asking.asks_who(plain_form(text)))


def volunteers(text: str) -> bool:
    """다녀올게요; I will: what whoever does it says to that."""
    if has_hangul(text):
        return korean_promises.volunteers(text.rstrip(" .!~"))
    return asking.volunteers(plain_form(text))


@lru_cache(maxsize=512)
def orders_it(text: str) -> bool:
    """Do it then: what somebody said they could do is wanted."""
    return not has_hangul(text) and asking.orders_it(plain_form(text))


_INQUIRES: Final = re.compile(
    r"\b(?:check|ask|see|find out|look into|think|talk|have a look)\b|확인|알아|물어|여쭤|검토|생각|찾아",
    re.IGNORECASE,
)
"""I'll check: no yes."""


_A_NUMBER: Final = 4


@lru_cache(maxsize=512)
def _counters(text: str) -> bool:
    """Twenty?, how about Leeds?: another is put in the place of what was proposed."""
    if "?" not in text:
        return False
    return proposes(text) or (len(text.split()) <= _A_NUMBER and bool(facts(text)))


def sets_about(text: str) -> bool:
    """I'll put it in the runbook: who sets about what was proposed has agreed to it; not who looks into it."""
    return promises(text) and not _INQUIRES.search(text)


def answer_to(said: Sequence[Said], place: int) -> tuple[str, Said] | None:
    """The first yes, no or "I will" of others after a sentence, with who said it."""
    speaker = said[place].utterance.speaker_id
    motion = english.is_motion(plain_form(said[place].text))
    urged = "?" not in said[place].text and proposes(said[place].text)
    others = 0
    for reply in said[place + 1 : place + 1 + _LOOK_AHEAD]:
        if reply.utterance.speaker_id == speaker:
            same = reply.utterance.id == said[place].utterance.id
            if motion and same and (_answer(reply.text) in {"yes", "will"} or _thanks(reply.text)):
                return "yes", reply
            if reply.utterance.id != said[place].utterance.id and (
                (others == 0 and proposes(reply.text))
                or (others and (_asks_on(reply.text) or _TURNED_DOWN.match(reply.text)))
            ):
                return None  # it is put anew, or what is answered from here on is something else
            continue
        others += 1
        heard = _heard(reply)
        if not heard and others == 1 and urged and reply.place == 0 and sets_about(reply.text):
            heard = "yes"
        if not heard and "?" not in reply.text and _praises(reply, said[place]):
            heard = "yes"
        if heard:
            return heard, reply
        if _counters(reply.text) and not _same_facts(reply.text, said[place].text):
            return None  # what is answered from here on is the other proposal
        if has_hangul(reply.text) and kind_of(reply.text) == "decision":
            return None  # 그럼 문자라도 보내는 걸로 하시죠: or this one
        if others >= _OTHERS:
            return None
    return None


_TURNED_DOWN: Final = re.compile(
    r"(?:(?:this (?:year|time|month)|so|then|okay|right|well|for now|until then),? )*no (?!problem|worries|objection|doubt|idea|one\b|matter)\w+",
    re.IGNORECASE,
)
"""No music, then: who asked has answered it."""


def objected_to(said: Sequence[Said], place: int) -> bool:
    """Whether the very next that somebody else says is a no."""
    reply = next((each for each in said[place + 1 : place + 4] if _is_other(each, said[place])), None)
    return reply is not None and _answer(reply.text) == "no" and not reply.text.lower().startswith("if ")


def agreed_by(said: Sequence[Said], place: int) -> Said | None:
    """Who said yes to a proposal, before anybody said no."""
    found = answer_to(said, place)
    return found[1] if found is not None and found[0] in {"yes", "will"} else None


_THANKS: Final = re.compile(
    r"^(?:(?:yes|yeah|okay|oh) )*(?:do (?:that|it)|go ahead|go for it|yes please)\b|\b(?:thanks|thank you|please do|lovely|brilliant|bless you|that'd be|that would be)\b"
    r"|감사|고맙|고마워|부탁|그래\s?주",
    re.IGNORECASE,
)


def wanted_by(said: Sequence[Said], place: int) -> Said | None:
    """Who said yes to an offer, or thanks for it."""
    by = agreed_by(said, place)
    if by is not None or objected_to(said, place):
        return by
    reply = next((each for each in said[place + 1 : place + 4] if _is_other(each, said[place])), None)
    return reply if reply is not None and _THANKS.search(reply.text) else None


def _is_other(reply: Said, sentence: Said) -> bool:
    return reply.utterance.speaker_id != sentence.utterance.speaker_id


_BY_WHEN: Final = re.compile(
    r"\b(?:can|could|will|would) (?:that|it|this|they|the \w+|you|we) (?:be |have (?:it|that|this) |get (?:it|that) )?(?:done|ready|finished|fixed|there|live|out)\b|\bwhen (?:can|could|will|would) (?:you|that|it|this|we|i|the \w+) (?:be (?:done|ready|finished|able|there|through)|have|get|do|send|finish|expect)\b"
    r"|언제(?:까지|쯤)?\s?(?:돼요?|되나요?|되죠|될까요?|되세요|가능|끝나|나와|나오|주실|줄\s?수|받을|볼\s?수|완료)",
    re.IGNORECASE,
)
_SHORT_WHEN: Final = 9
_THOUGHT: Final = re.compile(
    r"\b(?:was|were) (?:thinking|hoping|planning)\b|\b(?:maybe|perhaps|not sure)\b|생각(?:하고|했|이)|글쎄",
    re.IGNORECASE,
)
"""I was thinking the 14th: no promise."""


def promised_by_when(said: Sequence[Said], place: int) -> Said | None:
    """Whoever names a moment when asked by when: Can that be done by Friday? – Wednesday evening."""
    if "?" not in said[place].text or not _BY_WHEN.search(said[place].text):
        return None
    reply = next((each for each in said[place + 1 : place + 4] if _is_other(each, said[place])), None)
    if (
        reply is None
        or "?" in reply.text
        or len(reply.text.split()) > _SHORT_WHEN
        or _answer(reply.text) == "no"
        or _THOUGHT.search(reply.text) is not None
    ):
        return None
    return reply if due_in(reply.text) is not None else None
