# ruff: noqa: E501  # patterns read better unbroken
"""What a Korean team settles by naming it: "몇 명으로 할까?" "여섯 명이 딱 좋아." "그래 여섯 명."

Told like its English twin (`choices`) by what it answers: it was asked what to choose, somebody named a figure, a
day or a thing, and somebody else names it again, or says in so many words that it is good.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.extractive.agreement import answer_to
from context.extractive.conclusions import concludes
from context.extractive.sentences import Said
from context.extractive.subjects import agree, facts
from context.language.korean import has_hangul
from context.models import Statement

_HEARD: Final = 6
"""Utterances in which it was put what to choose, and named."""
_LONGEST: Final = 6
_MOST_PUT: Final = 18
_FIGURE: Final = 4
_PUT: Final = re.compile(
    r"(?:할까|갈까|될까|어때|살까|낼까|줄까|받을까|쓸까|잡을까|정할까|좋을까|나을까|어떨까|어떠세요|어떠신가|하죠|할래|갈래|할지|정하죠)(?:요)?$|(?:몇|얼마|언제|어디|까지).*가능(?:해|할까|한가)(?:요)?$|(?:중에|중에서|하나)\s?(?:골라|정해)\S*(?:\s\S+)?$"
)
_LEAD: Final = re.compile(
    r"^(?:(?:그래요?|그럼|그러면|좋아요?|좋습니다|오케이|오키|응|자|네|넵|음|아)[\s,.!]+)+"
)
_NAME: Final = re.compile(
    r"^(?:저는\s|저도\s|난\s|나도\s)?(?P<what>[가-힣A-Za-z0-9]{2,10}?)(?:이?요|으?로요?|으?로\s?(?:하죠|해요|가죠|가요|하자|가자)|\s가(?:자|요|죠)|[이가]\s?(?:좋아요?|좋네요?|좋습니다|낫죠|나아요?)|에\s한\s표)?$"
)
_NO_NAME: Final = re.compile(
    r"^(?:그거|그것|이거|저거|그게|이게|저요|저도|나도|글쎄|아니|네네|좋|맞아|그냥|정말|진짜|당연|물론|괜찮|다음|오늘은|상관|아무|모르|둘\s?다|전부|그쵸|그죠|그렇|알겠|감사|고마)"
)
_NOT: Final = re.compile(r"모르|글쎄|아직|아닌|아니[,\s]|안\s|못\s|었|았|했|됐|까요|나요|지만$|는데요?$|던데")
_APPROVES: Final = re.compile(
    r"^(?:좋아|좋습니다|좋네|그래요?[.!]?$|그러죠|그럽시다|그러자|오케이|오키|콜|알겠|확정|찬성|동의|괜찮)|알겠습니다|좋아요|좋습니다|그렇게\s"
)


def chosen(said: Sequence[Said], place: int) -> Statement | None:
    """The decision that the Korean sentence at `place` is by naming what was to be chosen; None where it is none."""
    sentence = said[place]
    bare = sentence.text.strip(" .!~…")
    if (
        bare.endswith("게요")
        or "?" in sentence.text
        or not has_hangul(bare)
        or len(bare.split()) > _LONGEST
        or _NOT.search(bare)
    ):
        return None
    here = sentence.utterance.id
    if (first := _taken_from(said, place, bare)) is not None:
        return _of(first, sentence)
    recent = [each for each in said[max(0, place - 30) : place] if here - _HEARD <= each.utterance.id < here]
    put = next((each for each in reversed(recent) if _puts(each.text)), None)
    if put is None:
        return None
    rest = _LEAD.sub("", bare)
    since = [each for each in recent if each.utterance.id >= put.utterance.id]
    others = [each for each in since if each.utterance.speaker_id != sentence.utterance.speaker_id]
    if rest != bare and any(_names_same(each.text, rest) for each in others if each is not put):
        return _of(put, sentence)
    if put.utterance.speaker_id == sentence.utterance.speaker_id or not _names(bare):
        return None
    by = _agrees(said, place)
    return None if by is None else _of(put, sentence, by)


_TAKEN: Final = re.compile(r"(?:(?:으로|로)\s(?:해요|하죠|하자|가요|가죠|가자)|\s가자)(?:\s그럼)?$")
_JUST_BEFORE: Final = 2


def _taken_from(said: Sequence[Said], place: int, bare: str) -> Said | None:
    """Who named it right before: "그럼 흰색." – "흰색으로 해요."; "나도 홍천." – "홍천 가자 그럼."."""
    noun = _noun(_THEN_BEHIND.sub("", bare))
    if not noun or _TAKEN.search(bare) is None:
        return None
    here = said[place].utterance
    for before in reversed(said[max(0, place - _JUST_BEFORE) : place]):
        if before.utterance.speaker_id != here.speaker_id and _noun(before.text) == noun:
            return before
    return None


_THEN_BEHIND: Final = re.compile(r"\s그럼$")


def _names(bare: str) -> bool:
    """Whether it is no more than a name, a day or a figure: what says something of them is no choice."""
    if _noun(bare):
        return True
    return (
        bool(facts(bare))
        and len(bare.split()) <= _FIGURE
        and not bare.endswith(("니다", "어요", "게요", "거든요", "잖아요"))
    )


def _agrees(said: Sequence[Said], place: int) -> Said | None:
    """Who names it again with a yes, or finds it good; a mere 네 may only say that it was heard."""
    sentence = said[place]
    reply = next(
        (
            each
            for each in said[place + 1 : place + 4]
            if each.utterance.speaker_id != sentence.utterance.speaker_id
        ),
        None,
    )
    if reply is None or "?" in reply.utterance.text:
        return None
    if concludes(said, said.index(reply)):
        return None  # it says so itself
    found = answer_to(said, place)
    if found is not None and found[0] == "no":
        return None
    if _APPROVES.search(reply.utterance.text.strip()) and len(reply.utterance.text.split()) <= _LONGEST:
        return reply
    return reply if _names_same(reply.text, sentence.text) and len(reply.text.split()) <= _LONGEST else None


def _puts(text: str) -> bool:
    bare = text.strip(" .!?~…")
    return (
        has_hangul(bare)
        and len(bare.split()) <= _MOST_PUT
        and _PUT.search(bare) is not None
        and ("?" in text or "골라" in text or "정해" in text)
    )


def _noun(text: str) -> str:
    """The one thing that a fragment names, "" if it says more or nothing."""
    found = _NAME.match(_LEAD.sub("", text.strip(" .!~…")))
    what = found.group("what") if found is not None else ""
    return "" if _NO_NAME.match(what) else what


def _names_same(text: str, what: str) -> bool:
    """Whether a text names the same figure, day or thing."""
    one, other = facts(text), facts(what)
    if other:
        return agree(one, other)
    noun = _noun(what)
    return bool(noun) and noun in text


def _of(*parts: Said) -> Statement:
    texts = dict.fromkeys(each.text for each in parts)
    evidence = tuple(dict.fromkeys(each.utterance.id for each in parts))
    return Statement(text=" ".join(texts), evidence=evidence, status="decided")
