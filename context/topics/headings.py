"""A subject that is named before it is talked about, without a verb: "Item two, the market.", 미수금은 어떻게 됐어요?

Short meetings change the subject so. A *numbered* heading ("Item two, …", 세 번째는 …) is an announcement like
any other. A *bare* one ("Good. Certification.", 주차는요?) may as well be an echo, praise or a detail: it counts
only from whoever leads the meeting and with words that were not just talked about (`context.topics.boundaries`).
"""  # noqa: E501 - a pattern reads better unbroken

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from context.language.closed_lists import STOPWORDS, closed_lists
from context.language.korean import has_hangul
from context.language.questions import sentences
from context.models import TopicSegment, Utterance
from context.topics.boundary.words import bare as stem
from context.topics.phrases.continuations import joined
from context.topics.phrases.cue_phrases import SAID_TO_ONE
from context.topics.phrases.topic_phrases import NOUNS_ALL_THE_SAME

_MIN_TOPIC_LINES: Final = 4
"""Turns of a topic before a bare heading ends it."""
_LINES_LATELY: Final = 12
"""A bare heading has no word that stands in so many utterances before it."""
_PEOPLE_UTTERANCES: Final = 100
"""Nor a word of the name of anybody who spoke in so many utterances."""
_RECENT_TOPICS: Final = 20
"""Whoever announced one of so many newest topics leads the meeting."""
_WORD: Final = re.compile(r"[가-힣]+|[A-Za-z0-9][A-Za-z0-9'-]*")

_MAX_CHARACTERS: Final = 300
"""Characters at an utterance's beginning: a heading comes first, or behind a word or two that close what was before."""  # noqa: E501 - a pattern reads better unbroken
_SENTENCES_READ: Final = 3
"""A heading is one of so many first sentences."""
_CLOSING_WORDS: Final = 4
"""An English sentence before it, which closes what was before, has at most so many words."""

_COUNT_EN: Final = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})"
_NTH: Final = r"(?:first|second|third|fourth|fifth|sixth|seventh|next|last|final)"
_LEAD_EN: Final = r"(?:(?:and|so|okay|ok|now|well|right|good|great|lovely|perfect|excellent|brilliant|fine|noted|thanks|thank you|alright|all right|anyway|then)\b\s*(?P<stop>[,.!:]?)\s*)"  # noqa: E501 - a pattern reads better unbroken
_NUMBERED_EN: Final = re.compile(
    rf"^{_LEAD_EN}*(?:(?:(?:agenda\s)?item|topic|point)(?:\snumber)?\s{_COUNT_EN}|number\s{_COUNT_EN}|(?:the\s)?{_NTH}\s(?:agenda\s)?(?:item|topic|thing|one))\s*(?:[,:.]\s*|$)(?P<n>.*)$",
    re.IGNORECASE,
)
_ORDERED_EN: Final = re.compile(
    rf"^{_LEAD_EN}*(?:second|secondly|third|thirdly|fourth|fifth|lastly|finally)\s*[,:]\s*(?P<n>(?:the\s|our\s)?[A-Za-z][\w'-]*(?:\s[\w'-]+){{0,2}})\s*[.:]$",
    re.IGNORECASE,
)
_OTHER_BUSINESS: Final = re.compile(
    r"^(?:\w+[,.]\s)?(?P<n>any other business|a\.?o\.?b)[.?]*$", re.IGNORECASE
)
_BARE_EN: Final = re.compile(
    r"^(?:(?:so|now|then|next|right|okay|ok)[,\s]+)?(?P<n>(?:the\s|our\s)?[A-Za-z][\w'-]*(?:\s[\w'-]+){0,2})\s*[.:?]$",
    re.IGNORECASE,
)
_LED_EN: Final = re.compile(
    r"^(?:(?:right|okay|ok|good|great|lovely|now|so|alright|all right|anyway|perfect|thanks|fine)[,.!]\s*)+(?P<rest>.+)$",  # noqa: E501 - a pattern reads better unbroken
    re.IGNORECASE,
)
_CLOSES_EN: Final = re.compile(
    r"^(?:right|okay|ok|good|great|lovely|now|so|alright|all right|anyway|perfect|excellent|brilliant|fine|noted|thanks|thank you|cheers|of course|agreed|settled|done|super)\b",  # noqa: E501 - a pattern reads better unbroken
    re.IGNORECASE,
)
_NO_NAME_EN: Final = STOPWORDS | frozenset(closed_lists("subjects")["no_heading"])
_DETAILS: Final = frozenset(closed_lists("subjects")["details"])
"""Asked for in one word, they are no subject: "We meet on the fourth. – Good. Venue?"."""

_LEAD_KO: Final = r"(?:(?:네|예|자|아|음|좋아요|좋습니다|그럼|그러면|알겠습니다|오케이|고마워요|고맙습니다|감사합니다|부탁해요)[\s,.!]+)*"  # noqa: E501 - a pattern reads better unbroken
_END_KO: Final = r"(?:\s?(?:건|얘기|이야기|문제))?"
_NAME_KO: Final = r"(?P<n>[가-힣A-Za-z0-9]+?(?:\s[가-힣A-Za-z0-9]+?){0,3}?)"
_NUMBERED_KO: Final = re.compile(
    rf"^{_LEAD_KO}(?:다음은|다음으로는?|(?:그\s?)?다음(?:\s안건)?(?=,)|그\s?다음은?|(?:두|세|네|다섯|여섯)\s?번째(?:는|로는?)?|(?:둘|셋|넷)째(?:는|로)?|마지막으로는?|마지막은|끝으로)(?!\s(?:주|날|달|해|줄|칸|쪽)(?:로|은|는|에|까지|부터|쯤|이|가)?[\s,])[,\s]+"
    rf"{_NAME_KO}{_END_KO}(?:은요|는요|이요|요|입니다|이에요|예요|인데요|부터요|\s?보죠|\s?볼까요)[.?!]*$"
)
_BARE_KO: Final = re.compile(
    rf"^{_LEAD_KO}{_NAME_KO}{_END_KO}(?:(?:은|는)요\?|\s?(?:은|는)\s어떻게\s?(?:됐|되|돼)[가-힣]*\s?[?.])$"
)
_NO_NAME_KO: Final = re.compile(
    r"페이지|자료|화면|피피티|위원|의원|질의|질문|발언|말씀|답변|장관|차관|\d|^(?:저|제|저희|우리|그|이|왜|언제|누구|뭐|어디|여기|거기|지금|오늘|내일)"
    r"|[가-힣](?:고|서|면|지|며|님|씨|게|까|나|에|에서|으로|까지|부터|때문)$|말고|[가-힣](?:은|는|을|를|이|가|으로|에|에서)\s"
)
_PARTICLE_KO: Final = re.compile(r"(?<=[가-힣]{2})(?:은|는|이|가|을|를|도)$")


class Heading(NamedTuple):
    """A subject that an utterance names before it is talked about."""

    name: str
    """The subject as it was said, without article and particle."""
    numbered: bool
    """Whether it is announced as an item of several ("Item two, …"), and not only named."""


def announced(
    utterances: Sequence[Utterance], turns: Sequence[Utterance], segments: Sequence[TopicSegment]
) -> str | None:
    """The subject that `turns` announce by a heading; None where they announce none.

    `utterances` are all of the meeting; `turns` the newest of them, a sentence of one voice; the last of
    `segments` is the open topic. A bare heading counts from the one who opened the meeting or has announced
    topics before, some turns into the topic, where none of its words was said lately and it calls nobody by
    name.
    """
    heading = heading_of(joined(turns))
    if heading is None or heading.numbered:
        return heading.name if heading else None
    open_since = segments[-1].start_utterance_id
    starts = [
        segment.start_utterance_id for segment in segments[-_RECENT_TOPICS:] if segment.reason == "keyword"
    ]
    leads = any(utterances[start - 1].speaker_id == turns[-1].speaker_id for start in (1, *starts))
    first = len(utterances) - len(turns)
    if not leads or (first + 1 - open_since < _MIN_TOPIC_LINES and open_since > 1):
        return None
    words = _words(heading.name)
    people = utterances[max(0, first + 1 - _PEOPLE_UTTERANCES) :]
    known = any(words & _words(utterance.speaker_name) for utterance in people)
    lately = utterances[max(0, first - _LINES_LATELY) : first]
    known = known or any(words & _words(utterance.text) for utterance in lately)
    return heading.name if words and not known else None


def heading_of(text: str) -> Heading | None:
    """The heading at an utterance's beginning, behind words that close what was before; None: it has none."""
    first = sentences(text[:_MAX_CHARACTERS])[:_SENTENCES_READ]
    for place, (sentence, following) in enumerate(pairwise([*first, ""])):
        korean = has_hangul(sentence)
        heading = _korean(sentence) if korean else _english(sentence, following, led=place > 0)
        if heading is not None:
            return None if SAID_TO_ONE.search(heading.name.lower()) else heading
        short = len(sentence.split()) <= (2 if korean else _CLOSING_WORDS)
        if not short or not (korean or _CLOSES_EN.match(sentence)):
            return None
    return None


def _english(sentence: str, following: str, *, led: bool) -> Heading | None:
    """A numbered heading, or one that is no more than its noun: "Next, the budget.", "Last, lunch" too."""
    if numbered := _NUMBERED_EN.match(sentence):
        asked = SAID_TO_ONE.search(following.lower()) is not None
        name = _short_en(numbered.group("n") or ("" if asked else following))
        return Heading(name, numbered=True) if name else None
    if other := _OTHER_BUSINESS.match(sentence):
        return Heading(other.group("n"), numbered=True)
    ordered, after = _ORDERED_EN.match(sentence), _LED_EN.match(sentence)
    bare = ordered
    if bare is None and (after or led):
        bare = _BARE_EN.match(after.group("rest") if after else sentence)
    if bare is None:
        return None
    name = re.sub(r"^(?:the|our)(?:\s+|$)", "", bare.group("n"), flags=re.IGNORECASE)
    words = name.lower().split()
    if not words or any(word in _NO_NAME_EN or len(word) < 3 or word.endswith("ly") for word in words):
        return None
    if ordered is None and sentence.endswith("?") and name.lower() in _DETAILS:
        return None
    return Heading(" ".join(name.split()), numbered=ordered is not None)


def _short_en(name: str) -> str:
    """A name of at most seven words, without its article; "" where there is none."""
    name = re.split(r"\.(?!\w)|[:;?!]|,\s(?!and\b)", name.strip(), maxsplit=1)[0].strip()
    name = re.sub(r"^(?:(?:then|is)\s+)?(?:(?:the|our|a|an)\s+)?", "", name, flags=re.IGNORECASE)
    words = name.lower().split()
    return name if 0 < len(words) <= 7 and words[0] not in STOPWORDS and words != ["then"] else ""


def _korean(sentence: str) -> Heading | None:
    numbered = _NUMBERED_KO.match(sentence)
    match = numbered or _BARE_KO.match(sentence)
    if match is None:
        return None
    name = _PARTICLE_KO.sub("", match.group("n"))
    noun = name.split()[-1] in NOUNS_ALL_THE_SAME  # 지하 창고 is no 하고
    if len(name) < 2 or (not noun and _NO_NAME_KO.search(name)):
        return None
    if not numbered and sentence.rstrip("?").endswith("요") and name in _DETAILS and "어떻게" not in sentence:
        return None
    return Heading(name, numbered is not None)


def _words(text: str) -> set[str]:
    return {stem(word.lower()) for word in _WORD.findall(text)} - STOPWORDS
