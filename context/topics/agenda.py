"""What a meeting says it will talk about, and the moment in which it takes an item up.

"Two things today, the conference booth and the hiring plan." says nothing yet; "Right, hiring." twenty
turns later would not be a change of subject by itself (so would be "Right, Tuesday."), but it names an
item of the list. 오늘은 앱 개편 일정이랑 고객센터 이전 두 가지만 얘기할게요 … 다음, 고객센터요.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from context.language.closed_lists import STOPWORDS
from context.language.korean import has_hangul
from context.language.questions import bare_sentences
from context.topics.boundary.words import bare

WITHIN_LINES: Final = 10
"""Only so many of a meeting's first utterances are searched for an agenda."""
_MOST_ITEMS: Final = 8
_MAX_ITEM_WORDS: Final = 6
"""Words: what is longer is a sentence, not an item."""
_MAX_CHARACTERS: Final = 600
"""Characters of an utterance that are read."""

_COUNT: Final = r"(?:two|three|four|five|six|a couple of|a few|several|[2-8])"
_THINGS: Final = r"(?:things|items|topics|points|subjects|bits)"
_EN_LISTS: Final = (
    re.compile(
        rf"\b{_COUNT} (?:\w+ )?{_THINGS}(?: (?:for )?(?:today|on the agenda|on my list|"
        r"to (?:cover|discuss|go through|talk about)))*\s*[,:;-]+\s*(?P<n>.+)$",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:the agenda (?:is|today is)|agenda(?: for)?(?: today)?:|"
        r"on the agenda(?: today)?(?: we have| are| is)|"
        r"today (?:we|i)(?:'ll| will| have| want| need|'d like)?(?: to)?"
        r"(?: (?:talk about|cover|discuss|go through|go over|look at))?)\s*:?\s+"
        r"(?P<n>[^?]+,?\s+and\s+[^?]+)$",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:we(?:'ll| will)|i(?:'d like| want) to|let's) "
        r"(?:do|take|cover|discuss|go through|start with|talk about) "
        r"(?P<n>[^?,]+, (?:and )?then [^?]+|[^?,]+(?:, [^?,]+)+,? (?:and|then) [^?]+)$",
        re.IGNORECASE,
    ),
    re.compile(r"^(?:(?:so|okay|right)[,\s]+)*(?P<n>[^?]+? first, (?:and )?then [^?]+)$", re.IGNORECASE),
    re.compile(r"\bwe(?:'ve| have)(?: got)? (?P<n>the [^?,]+, [^?]+?,?\s+and\s+[^?]+)$", re.IGNORECASE),
)
_KO_LISTS: Final = (
    re.compile(
        r"(?:오늘\s?(?:회의는?|안건은?)?|오늘은|이번\s?(?:주|회의)(?:에)?는?|안건은?)[,\s]+"
        r"(?:\S*[할볼룰릴]\s?(?:건|것은|거는|게|안건은)[,\s]+)?"
        r"(?P<n>[^?]+?)[,\s]+(?:이렇게\s?)?(?:두|세|네|다섯|[2-8])\s?(?:가지|개|건)"
    ),
    re.compile(
        r"(?:오늘은|오늘\s?(?:회의는?|안건은?)|오늘|안건은?)[,\s]+(?P<n>[^?]+(?:이랑|랑|하고|과|와|,)\s[^?]+?)"
        r"(?:을|를|에\s?대해서?|만|까지)?\s?(?:이야기|얘기|논의|말씀|다루|보겠|볼게|보려고|볼까|정하|정해)"
    ),
)
_EN_COUNTS: Final = re.compile(
    rf"\b{_COUNT} (?:\w+ )?{_THINGS}"
    r"(?: (?:for )?(?:today|tonight|on the agenda|on my list|to \w+(?: \w+)?))*$",
    re.IGNORECASE,
)
_KO_COUNTS: Final = re.compile(
    r"(?:^|\s)(?:오늘|이번|안건)\S*\s(?:.*\s)?(?:두|세|네|다섯|[2-8])\s?(?:가지|개|건)(?:예요|이에요|입니다|인데요?|요)$"
)
"""A sentence that only counts the items; the next one lists them: 오늘 정할 게 네 가지예요."""
_EN_CLAUSE: Final = re.compile(
    r",?\s+(?:and|so|but) (?:i|we|you|it|that|this)\b.*$|\s+if (?:we|there)\b.*$", re.IGNORECASE
)
"""What goes on behind the last item: … then the water, and I'd like to be out by eight."""
_EN_PARTS: Final = re.compile(
    r"(?: first)?\s*(?:,\s*(?:and\s+)?then|,\s*and|,|;|\band then\b|\band\b)\s+", re.IGNORECASE
)
_KO_PARTS: Final = re.compile(r"(?:이랑|(?<=[가-힣])랑|하고|(?<=[가-힣])과|(?<=[가-힣])와|,|그리고)\s+")
_DETERMINER: Final = re.compile(r"^(?:the|our|a|an|some|also|first|then|my)\s+", re.IGNORECASE)
_KO_LIST_END: Final = re.compile(
    r"(?<=[가-힣]{2})(?:(?:\s건)?(?:(?:까지|부터)?(?:입니다|이에요|예요|이고요|인데요)|까지|부터)|\s건)$"
)
"""What the first and the last of a list carry: 예산부터 …, 시간 연장까지 세 가지."""
_CLAUSE: Final = re.compile(
    r"\b(?:i|you|he|she|it|we|they|am|is|are|was|were|has|had|will|would|could|should)\b|'(?:d|ll|m|re|ve)\b"
    r"|(?:[어아해세네]요|죠|니다|[었았했]고|지만|는데)$",
    re.IGNORECASE,
)
"""What has a verb states something already and is no item."""

_EN_LEAD: Final = (
    r"(?:(?:and|well|good|great|fine|yeah|yes|thanks)[,\s]+)*"
    r"(?:(?:right|okay|ok|so|now|then|next|alright|all right|anyway|"
    r"(?:(?:and )?last|final|first|second|third|fourth|fifth)(?:ly)?|(?:first|next) up)\b[,\s]*)+"
)
_EN_TAKES: Final = re.compile(
    rf"^(?:{_EN_LEAD}(?:(?:on|about|for|to|as for|with|onto|let's do|let's start with|start with)\s+)?"
    r"|(?:(?:actually|sorry|oh|also|and|but)[,\s]+)*(?:on|about|as for|regarding)\s+)"
    r"(?:the |our )?(?P<n>[\w'-]+(?:\s[\w'-]+){0,3}?)(?:\s(?:first|then|next|now))?(?:$|\s*[,:-]\s)",
    re.IGNORECASE,
)
_KO_TAKES: Final = re.compile(
    r"^(?:(?:네|예|자|좋아요|좋습니다|오케이|음)[,\s]+)*(?:먼저|우선|그럼|그러면|이제|다음은|다음으로는?(?:\s넘어\s?가서)?|다음|그다음은?|마지막으로|마지막은|끝으로|"
    r"(?:첫|두|세)\s?번째는?)[,\s]+"
    r"(?P<n>[가-힣A-Za-z0-9]+(?:\s[가-힣A-Za-z0-9]+){0,3}?)(?:부터|은|는|이요|요|건|쪽|관련)*(?:$|[,\s])"
)
_EN_BEGINS: Final = re.compile(
    r"^(?:the |our )?(?P<n>[\w'-]+(?:\s[\w'-]+){0,3}?),? (?:first|next|then|now)$", re.IGNORECASE
)
_KO_BEGINS: Final = re.compile(
    r"^(?P<n>[가-힣A-Za-z0-9]+(?:\s[가-힣A-Za-z0-9]+){0,3}?)(?:\s?(?:건|얘기|이야기|문제))?(?:부터|(?:을|를)?\s먼저)(?:요?$|\s)"
)
"""The drive first? 독서교실부터 해요. 퇴비 건 먼저 보죠."""
_ASSENT: Final = re.compile(r"^(?:and|so|then|now|okay|right)\s+", re.IGNORECASE)
_KO_END: Final = re.compile(r"(?:이요|부터요|부터|에\s?대해서?|관련해서|관련|은요|는요|은|는|요|건)$")


@dataclass(frozen=True, slots=True)
class Agenda:
    """The items that a meeting has announced at its beginning, in that order; none before it has."""

    items: tuple[str, ...] = ()

    def heard(self, text: str) -> Agenda:
        """Hear one of the meeting's first utterances; the first list that is announced stays the agenda."""
        return self if self.items else Agenda(announced(text))

    def taken_up(self, text: str) -> str | None:
        """The item that an utterance turns to, as it was announced; None where it turns to none."""
        sentences = bare_sentences(text[:_MAX_CHARACTERS])[:3] if self.items else ()
        if not sentences:
            return None
        short = len(sentences) > 1 and len(sentences[0].split()) <= _MAX_ITEM_WORDS
        if short and (alone := self._in_full(sentences[0])):
            return alone  # Open day. Ailsa, where did we get to?
        behind_a_word = len(sentences) > 1 and len(sentences[0].split()) == 1
        head, comma, _ = sentences[1 if behind_a_word else 0].partition(",")
        if comma and (led := self._in_full(_ASSENT.sub("", head))):
            return led  # Fine. Planting, quickly. Devon?
        for sentence in sentences:
            for pattern in (_KO_TAKES, _KO_BEGINS) if has_hangul(sentence) else (_EN_TAKES, _EN_BEGINS):
                takes = pattern.search(sentence)
                if takes is not None and (item := self.item(takes.group("n"))) is not None:
                    return item
        return None

    def item(self, mention: str) -> str | None:
        """The item that has every word of `mention`; None where no item has, or more than one."""
        words = _words(mention)
        fitting = [item for item in self.items if words and words <= _words(item)]
        return fitting[0] if len(fitting) == 1 else None

    def _in_full(self, mention: str) -> str | None:
        """The item whose words are exactly those of `mention`; None where there is none."""
        item = self.item(mention)
        return item if item is not None and _words(mention) == _words(item) else None

    def ahead(self, current: str, names: Iterable[str]) -> tuple[str, ...]:
        """The items behind `current` that are not in `names`; none where `current` itself is no item."""
        if current not in self.items:
            return ()  # so are most topics of a long meeting: `names` are not gone through for them
        taken = set(names)
        return tuple(item for item in self.items[self.items.index(current) + 1 :] if item not in taken)

    def said_in(self, text: str, items: Sequence[str]) -> str | None:
        """The one of `items` of which an utterance holds every word; None where it holds none, or several."""
        words = _words(" ".join(bare_sentences(text[:_MAX_CHARACTERS])))
        fitting = [item for item in items if _words(item) <= words]
        return fitting[0] if len(fitting) == 1 else None


def announced(text: str) -> tuple[str, ...]:
    """The items, two to eight, of the agenda that an utterance lists; none where it lists no agenda."""
    counted = False
    for sentence in bare_sentences(text[:_MAX_CHARACTERS]):
        korean = has_hangul(sentence)
        lists = [
            found.group("n")
            for pattern in (_KO_LISTS if korean else _EN_LISTS)
            if (found := pattern.search(sentence))
        ]
        for named in (sentence, *lists) if counted else lists:
            parts = _KO_PARTS.split(named) if korean else _EN_PARTS.split(_EN_CLAUSE.sub("", named))
            plain = (_KO_LIST_END.sub("", _DETERMINER.sub("", part.strip(" ,:;"))) for part in parts)
            items = tuple(item for item in plain if item)
            if 2 <= len(items) <= _MOST_ITEMS and all(_fits(item) for item in items):
                return items
        counted = (_KO_COUNTS if korean else _EN_COUNTS).search(sentence) is not None
    return ()


def _fits(item: str) -> bool:
    return len(item.split()) <= _MAX_ITEM_WORDS and bool(_words(item)) and _CLAUSE.search(item) is None


@lru_cache(maxsize=64)  # the items of the agenda are compared with every utterance
def _words(text: str) -> frozenset[str]:
    words = (word.strip(",:;?!") for word in text.split())
    plain = [_KO_END.sub("", word) if has_hangul(word) else word.lower() for word in words]
    return frozenset(bare(word) for word in plain if word) - STOPWORDS
