# ruff: noqa: E501  # patterns read better unbroken
"""What one asks another to do in English, what one offers, and the answers that take it on."""

from __future__ import annotations

import re
from typing import Final

from context.extractive.english_forms import opening_left_out
from context.extractive.english_tasks import A_NOTE, DUE, LIVE, STATE
from context.extractive.english_verbs import ADVERBS, is_errand
from context.extractive.moments import MOMENT_EN as MOMENT

_DOES_IT: Final = re.compile(
    r"^(?:but |and |so |then |well |yeah |yes |okay |sure )*(?:i|we) ?(?:definitely |certainly )?(?:'ll|will) (?:definitely |certainly |also |then |try to |see to |look at )?(?:do (?:that|it|this)|take (?:that|it|this)(?: one| on)?|take care of (?:that|it|this)|look into (?:that|it|this))(?: then| tomorrow| today| next week| tonight)?$"
    r"|^(?:(?:yes|yeah|okay|sure|of course|right) )*(?:(?:i'd be |i'm )?happy to(?: do (?:that|it))?|will do|(?:i'm on it|i'll (?:do|handle|take|own|sort) (?:it|that)|i've got (?:it|that|this)|leave (?:it|that) (?:with|to) me) (?:(?:by|before|on|tonight|today|tomorrow|this|next|at|it'll|over|first|straight|right)\b.*)|i'll (?:handle|own|sort) (?:it|that)(?: out)?|(?:(?:yeah|yes|i think) )*i can (?:do|take) (?:that|it|this)(?: one)?|i've got (?:that|this) one|leave (?:it|that) (?:with|to) me|consider it done|i'm on it)$"
)
_OFFER: Final = re.compile(
    rf"^(?:(?:yes|yeah|well|maybe|perhaps|so|okay|i think|i guess|i suppose|then|and|but|no|oh|sure|if you (?:want|like)) )*(?:i|me and \w+|\w+ and (?:i|me)|the two of us|both of us) (?:can|could) {ADVERBS}(?P<errand>.+)"
)
_NO_OFFER: Final = re.compile(
    r"\b(?:no promises|how|what|where|why|who|which|whether|you (?:see|know|have)|always|sometimes|often|imagine|when|not|n't|never|only|barely|anymore|already|see|think|hear|understand|say|tell|remember|it'd|would|problem|was|were|for example|here|now)\b|n't\b"
)


def offers(form: str) -> bool:
    """Whether somebody says that they can do something afterwards: a task, once somebody says yes."""
    if len(form.split()) > 25 or LIVE.search(form):
        return False
    meant = _MEANT.match(form)
    if meant is not None:
        return is_errand(meant.group("errand")) and not _DONE_AT_ONCE.match(meant.group("errand"))
    helps = _IF_IT_HELPS.search(form)
    form = form[: helps.start()] if helps else form
    form = _WHILE.sub("", form)
    found = _OFFER.match(form)
    if found is None or _NO_OFFER.search(form) or takes_on(form):
        return False
    errand = found.group("errand")
    return is_errand(errand) or (
        (helps is not None or DUE.search(errand) is not None) and not STATE.match(errand)
    )


def asks_to_do(form: str) -> bool:
    """Shall I book the train?, do you want me to ask them?: the speaker's task, once somebody says yes."""
    if _WHAT_IF_I.match(opening_left_out(form)) is not None:
        return True
    found = _SHALL_I.match(opening_left_out(form))
    if found is None or LIVE.search(form):
        return False
    errand = found.group("errand")
    return is_errand(errand) and not _DONE_AT_ONCE.match(errand)


_WHAT_IF_I: Final = re.compile(
    r"^(?:what if i|how about i) (?:took|did|made|asked|wrote|called|rang|brought|handled|covered|sent|take|do|make|ask|write|call|ring|bring|handle|cover|send) (?:the|them|it|that|those|my|a|over)\b"
)
_SHALL_I: Final = re.compile(
    rf"^(?:(?:shall|should) i|(?:do|would) you (?:guys |all )?(?:want|like) me to) {ADVERBS}(?P<errand>.+)"
)
_MEANT: Final = re.compile(
    rf"^(?:(?:yes|yeah|well|maybe|perhaps|probably|so|okay|i think|then|and|but) )*(?:i(?:'d| would) (?:need|have) to|i(?:'d| would) be happy to|i don't mind|i(?:'m| am) happy to|i was going to) {ADVERBS}(?P<errand>.+)"
)
"""I'd need to check with platform: done, once somebody says "do that"."""
_DONE_AT_ONCE: Final = re.compile(
    r"(?:do (?:it|that|this)|share|read|explain|start|begin|continue|go (?:on|through|over|first)|present|show|repeat|add (?:something|one)|ask (?:you|a|one|the question)\b|come back|move|talk|see|tell you|take (?:that|it) as|put (?:it|this|that) up)\b"
)
_WHILE: Final = re.compile(r"(?<=\w) (?:when|while|after|once|before) (?:we|i|you|they|the|it|she|he)\b.*$")
_IF_IT_HELPS: Final = re.compile(
    r" if (?:that helps|that's (?:any )?(?:help|useful|easier|okay|ok)|you(?:'d)? (?:like|want|prefer)|it helps|needed|need be|anyone wants|everyone(?:'s| is) okay with (?:that|it))$"
)


def takes_on(form: str) -> bool:
    """I'll do that: takes on what was asked just before."""
    return _DOES_IT.match(form) is not None


_ASKS_WHO: Final = re.compile(
    r"^(?:(?:so|and|then|okay|right) )*who(?:'s going to| is going to|'ll| will| can| could| wants to| would like to|'s| is)? (?!(?:is|was|did|said|had|has|were|knows|thinks|else)\b)[a-z]+\b"
)
_VOLUNTEERS: Final = re.compile(
    r"^(?:(?:okay|oh|well|yes|yeah|sure|right) )*(?:i will|i'll|i can|i could|i'll do (?:it|that)|i can do (?:it|that)|me|happy to|i'd be happy to|on it|leave (?:it|that) (?:to|with) me)$"
)


def asks_who(form: str) -> bool:
    """Who tells finance? Not: who said that?"""
    return _ASKS_WHO.match(form) is not None


def volunteers(form: str) -> bool:
    """I will."""
    return _VOLUNTEERS.match(form) is not None


_ORDERS_IT: Final = re.compile(
    r"^(?:(?:okay|yes|yeah|right|well|so|then|please|great|good|perfect) )*do (?:it|that|so)(?: then| please| anyway| now| first)?$"
)


def orders_it(form: str) -> bool:
    """Do it then."""
    return _ORDERS_IT.match(form) is not None


_REQUEST: Final = re.compile(
    rf"^(?:[\w']+ )?(?:can|could|would|will) (?:you|somebody|someone|we)(?: guys| two| all)? (?:please )?{ADVERBS}(?P<errand>.+)"
)


def requests(form: str) -> bool:
    """Whether a question asks somebody to do something afterwards: can you mail that to the list?"""
    if A_NOTE.search(form) or _MIND.search(form):
        return True
    chance = _CHANCE.match(opening_left_out(form))
    if chance is not None and not LIVE.search(form):
        return is_errand(chance.group("errand")) or _HAVE.match(chance.group("errand")) is not None
    if _ORDER.match(opening_left_out(form)) and is_errand(opening_left_out(form)) and not LIVE.search(form):
        return True
    found = _REQUEST.match(opening_left_out(form))
    if found is None or LIVE.search(form):
        return False
    errand = found.group("errand")
    if DUE.search(errand):
        return is_errand(errand)
    return is_errand(errand) and not re.match(
        r"(?:do (?:that|it|this)|get|take|see|put|make|go|come|explain|tell)\b(?! sure)", errand
    )


_OF_ONE: Final = re.compile(
    r"(?:get|take|do|make|bring|sort|own|handle|sign|pick|run|draw|chase)\b(?! (?:a )?(?:look|seat))"
)


def requests_of_one(form: str) -> bool:
    """Whether a question to somebody by name asks for work: could you get those, Raj?"""
    found = re.search(r"\b(?:can|could|would|will) you (?:please )?(?P<errand>\w.*)", form)
    return found is not None and not LIVE.search(form) and _OF_ONE.match(found.group("errand")) is not None


_ADDED: Final = re.compile(
    r"^(?:and|maybe|then|and maybe|and then) (?P<errand>\w+ (?:a|an|the|it|them|that|our|my|some)\b.*)"
)
_SHORT: Final = 9


def adds_to_it(form: str) -> bool:
    """And put a note on the door? Asked of whoever has just taken something on."""
    found = _ADDED.match(form)
    return found is not None and len(form.split()) <= _SHORT and is_errand(found.group("errand"))


_ORDER: Final = re.compile(
    r"(?:write|draft|send|email|mail|book|order|phone|call|chase|prepare|update|print|buy|contact|invite|arrange|schedule|compile|circulate|post|publish|submit|organi[sz]e|ask|delete|remove|fix) (?:it|that|them|him|her|the|a|an|some|everyone|everybody|my|our|both|all|up)\b(?! (?:who|what|how|why)\b)"
)
"""Write it up and we'll look at it in July: a task for whoever says yes."""
_CHANCE: Final = re.compile(
    rf"^(?:would it be possible (?:for you )?to|(?:is there )?any chance (?:that )?(?:you|of) (?:could |can )?|do you think you (?:could|can)|(?:are|would) you (?:be )?able to|(?:can|could|may) i ask you to) ?{ADVERBS}(?P<errand>.+)"
)
_HAVE: Final = re.compile(r"(?:have|get|getting|having) (?:the|those|that|them|it|a|an|some|your)\b")
_MIND: Final = re.compile(
    r"\bwould you mind (?:writing|sending|checking|looking into|asking|preparing|booking|calling|chasing|sorting|updating|sharing (?!your screen)|drafting|reviewing|setting (?:that |it )?up|finding out|taking (?:care|minutes|notes|the (?:minutes|notes)))\b"
)
_ACCEPTS: Final = re.compile(
    rf"^(?:(?:yes|yeah|okay|sure) )*(?:i|we)(?:'ll| will| can)(?: probably| maybe| try)?(?: {MOMENT})?$|^(?:(?:yes|yeah|sure|okay) )*you(?:'ll| will) (?:have|get) (?:it|them|that|those)\b|^(?:(?:yes|yeah|okay|sure) )*(?:got it|on it|noted|no worries)$|^(?:(?:yes|yeah|okay|sure) )*i will(?: i'll .*)?$|"
    r"^(?:(?:yeah|yes|yep|okay|sure|absolutely|of course|no problem|definitely|oh|mm hmm) ?)+(?:i(?:'ll| will| can)(?: do (?:that|it|so))?|we(?:'ll| will| can)(?: do (?:that|it))?)?$"
    r"|^(?:(?:yeah|yes|okay|sure|oh) )*(?:i|we)(?:'ll| will| can) (?:definitely )?(?:do (?:that|it|so)|\w+ (?:it|that|them))?$"
)


def accepts(form: str) -> bool:
    """Whether an answer takes a request on."""
    return _ACCEPTS.match(form) is not None
