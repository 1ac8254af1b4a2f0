# ruff: noqa: E501  # patterns read better unbroken
"""Why: what was said around a matter that speaks for or against it.

A reason seldom says "because". It is told right before something is proposed or settled, or right after
somebody doubts it, and most often it tells of trouble: something is missing, broken, too much, not ready.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from context.extractive.cues import kind_of
from context.extractive.sentences import split
from context.language.korean import has_hangul
from context.models import Utterance
from context.quoting.headings import heading_in, turned_away
from context.quoting.quotes import Found
from context.quoting.record import Record
from context.retrieval.questions import take_apart

TROUBLE: Final = re.compile(
    r"(?:^|\s)(?:못|안)(?=[\s가-힣])|[가-힣]지\s?(?:않|못)|없|모자라|부족|고장|위험|아직|너무|힘들|어렵|비싸|비쌌|(?:비용|가격|요금|값|료|비)(?:은|는|이|가|도)?\s(?:\S+\s){0,4}(?:늘[었어]|올랐|올라|뛰었)|늦|떨어[졌지]|다쳤|다치|아프|민원|깨졌|막히|막혔|걱정|무리|초과|넘[었어]|뜨겁|끊[겼겨]|(?:는데|은데|인데|지만)(?=[\s,])"
    r"|n't\b|\b(?:cannot|but|no|not|never|nobody|nothing|none|too|without|broken|breaks?|risk\w*|fail\w*|only|less|late|wrong|shut|closed|lost|lose|losing|crack\w*|expensive|discontinued|short|full|worr\w+|clash\w*|hurt|injur\w+|sick|swells?|behind)\b|\b(?:costs?|prices?|fees?|rents?|bills?)\b[^.?!]*\b(?:rose|risen|doubled|gone up|went up|going up)\b",
    re.IGNORECASE,
)
_EXCUSES: Final = re.compile(r"죄송|미안|\b(?:sorry|apologies)\b", re.IGNORECASE)
"""Sorry I'm late: tells of no matter."""
_SAYS_WHY: Final = re.compile(r"잖아|거든|때문|\bbecause\b", re.IGNORECASE)
_BEFORE: Final = 3
_BEHIND: Final = 2
_STEP: Final = 0.1
_STEP_BEHIND: Final = 0.15
_TELLS: Final = 0.15
_LEAST_WORDS: Final = 3
_LEAST_TOLD: Final = 2
"""Works for me: says nothing that could be a reason."""


def reasons(matter: Utterance, covered: float, record: Record) -> Iterator[Found]:
    """What was said around `matter`, which covers so much of the question; best where it tells of trouble."""
    named = heading_in(matter.text)
    begins = named is not None and has_hangul(named.name)  # 계정도요: nobody spoke of it before
    near = [*range(0 if begins else -_BEFORE, 0), *range(1, _BEHIND + 1)]
    for step in near:
        said = record.get(matter.id + step)
        if said is None or said.topic_id != matter.topic_id:
            continue
        if turned_away(min(said.id, matter.id), max(said.id, matter.id), record):
            continue
        for part in split(said):
            if kind_of(part.text, record.names) not in {"plain", "open"} or _EXCUSES.search(part.text):
                continue
            says_little = (
                len(part.text.split()) < _LEAST_WORDS or len(take_apart(part.text).topic) < _LEAST_TOLD
            )
            if says_little and _SAYS_WHY.search(part.text) is None:
                continue
            far = -step * _STEP if step < 0 else step * _STEP_BEHIND
            yield Found(part.text, said, covered - far + tells(part.text))


def tells(text: str) -> float:
    """What telling of trouble is worth in a sentence."""
    return _TELLS if TROUBLE.search(text) is not None else 0.0
