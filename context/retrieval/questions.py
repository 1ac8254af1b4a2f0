# ruff: noqa: E501  # patterns and texts read better unbroken
"""What a question asks about, apart from the way of asking; and how well a sentence covers it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from rapidfuzz import fuzz

from context.korean import sound
from context.models import Frozen
from context.retrieval.loanwords import same_word
from context.retrieval.synonyms import WORTH, beginnings_like, begins, stems_like
from context.retrieval.terms import STOPWORDS, coarse, stem, words

AnswerKind = Literal["when", "how_much", "who", "why", "where"]

_MISHEARD_WHEN: Final = (
    r"(?:[언안](?:제|재|져|저|절|젤|쩨)(?:로|러|쯤|부터|까지|나|는)?|(?:앉으|얹으|[언안][지즈])(?:로|러|루))"
)
"""언제 as a small speech model writes it."""
_ASKING_KO: Final = re.compile(
    rf"^(?:{_MISHEARD_WHEN}|"
    r"어떻게|어떤|어때|왜|누가|누구\S*|언제\S*|어디\S*|무엇\S*|무슨|뭐\S*|뭘|뭔\S*|어느|몇|얼마\S*|우리\S*|저희\S*|지금\S*|오늘\S*|회의\S*"
    r"|(?:님|쌤|씨|선생님|팀장님|대표님)[은는이가도의]?|했\S{0,4}|됐\S{0,3}|되\S{0,4}|하기로|있\S{0,4}|없\S{0,4}|나요|인가요|거\S{0,3}|것\S{0,2}|수|좀|대해\S*|대한|관련\S*|관해\S*|말\S{0,4}|알려\S*|주세요|줘"
    r"|[그이저](?:렇게|건|게|걸|거\S{0,2}|것\S{0,2})"
    r"|안|시에(?:는|도)?|때(?:는|도|엔|에)?|아니(?:야|에요|예요|죠|지|고|었\S*)?|해(?:요|야\S{0,3})?|하(?:나요|죠|지|니|냐)|할까\S?|합니까|결론\S*|내용\S*|요약\S*|정리\S*|부분\S*|주제\S*|안건\S*|결정\S*|결재\S*|정해\S*|정하\S*|정했\S*|확정\S*|합의\S*|맞\S{0,3}|아\S{0,3}지)$"
)
_DECIDING_KO: Final = re.compile(r"결정|확정|정해|정했|정하|합의|결론|하기로")
_DECIDING_EN: Final = re.compile(
    r"\b(?:decid\w*|decision\w*|agree\w*|settle\w*|conclu\w*|approve\w*|pick(?:ed)?|cho(?:o)?sen?|choose)\b",
    re.IGNORECASE,
)
_ASKING_EN_WORDS: Final = """
decide decided decision decisions agree agreed tell me say said mention please about conclusion conclude settle settled
meeting anybody anyone happen happened going get approve approved much many long know find
summarize summarise summary recap part topic discussion overview
"""
_ASKING_EN: Final = STOPWORDS | frozenset(_ASKING_EN_WORDS.split())
_TELLING_WORDS: Final = """
happens gets got think thought thinks opinion suggest suggested propose proposed talk talked discuss discussed charge whole still
yet ca wo won isn aren wasn weren didn doesn haven hasn couldn shouldn wouldn how's what's who's where's when's let
change changed changes want wanted wants plan planned prefer prefers report reported deciding supposed end ended pick picked choose chose chosen
often again using use used come comes coming getting put putting take taking make makes making made thing things
"""
_UNTIL_NOW: Final = re.compile(r"\bso far\b", re.IGNORECASE)
"""Says when, as 지금까지 does; nothing is far."""
_TELLING_KO: Final = re.compile(r"(?:며칠로|몇일로|(?:최종|결국)(?:적으로|은|에)?)$")
_TELLING_EN: Final = frozenset(_TELLING_WORDS.split())
"""Words of a question that are found by, and that an answer need not repeat."""
_PARTICLE: Final = re.compile(
    r"(?<=[가-힣]{2})(?:에서는|으로는|에게는|까지는|한테는|한테|께서|에서|에는|에게|으로|까지|부터|보다|이랑|은|는|이|가|을|를|의|도|로|와|과|만|에|요|입니까|인가)$"
)
_DOING: Final = re.compile(r"(?<=[가-힣]{2})(?:하|했|할|한|합|해|됐|되|돼)[가-힣]{0,3}$")
_COUNTED: Final = re.compile(
    r"(?<![가-힣])(?:(?:사람|분|인원)(?:들)?(?:이|은)?\s)?몇\s?[가-힣]+|\b(?:what|which) (?:time|day|date)\b"
)
"""몇 번, 몇 건으로, what time: what is counted by is no subject."""
_CALLED_KO: Final = re.compile(
    r"(?<![가-힣])([가-힣]{1,4})\s(?:씨|님|환자|선생님|할머니|할아버지|어머님|아버님|팀장|대리|과장|부장)(?![가-힣]{2})"
)
"""김 씨: one syllable, and the subject."""
_OF_ONE_SYLLABLE: Final = re.compile(
    r"^\W*([^\W그이저새헌첫몇각전온한두세네제내총약더또꼭다좀잘못안왜뭐누맨딴옛본매현아음네자a-zA-Z0-9])\s(?=[가-힣]{2,}(?:은|는|이|가)\s)"
)
"""배 수확은 언제야: a noun of one syllable before the subject."""
_ASKED_OF: Final = re.compile(
    r"(?<![가-힣])([가-힣]{2,})는\s(?=(?:언제|누가|누구|누굴|몇|얼마|어디|왜|뭐|뭘|무엇|어떻게|어느|어떤)(?![가-힣]*\s?(?:할지|인지|는지)))"
)
"""합주는 몇 시에: right before what is asked stands no verb."""
_NAMED: Final = re.compile(r"\b(?:the|a|an|our|your|his|her|their) (report|talk|offer|proposal)\b")
"""A word of telling that is a thing here."""
_VERB: Final = re.compile(
    r"(?<=[가-힣])(?:[았었였했됐겼렸졌웠]\S*|[어아여해려겨져와워봐줘돼]|기|나|니|냐|는|던|려고|려면|으면|[하되]면|[아어해여]야)$"
)
_VERB_EN: Final = re.compile(
    r"\bwho(?:'s| is| are| was| were| will| would| should| can| has| have| had|'ll)?(?: (?:also|really|actually|going|supposed|meant|responsible))?(?: to| for)? (?!the\b|a\b|an\b|our\b|in\b|on\b|at\b|for\b|from\b)([a-z]+)\b"
    r"|\b(?:do|does|did|will|would|should|can|could) (?:we|you|they|people|everyone|somebody) ([a-z]+)\b"
    r"|\b(?:do|does|did|will) (?:the |our |my |a )?[a-z]+ ([a-z]+)\W*$"
    r"|\b(?:are|were) (?:we|they|you) ([a-z]+ing)\b"
    r"|\bhow (big|small|old|far|fast|hot|cold|warm|high|low|deep|often|late|early|tall|wide|heavy|bad)\b"
    r"|\bhow many (people|persons|times|days|hours|minutes|weeks|months|years|copies|pieces)\b"
)
_MARKED: Final = re.compile(r"(?<=[가-힣]{2})(?:은|는|이|가)$")
_TOPIC_MARKED: Final = re.compile(r"[가-힣][^하되있없르꾸드들가오나내리기지추우쓰보주두서키치어는]는$")
"""매트는, 회의는: the particle on a noun, where no verb's stem ends in that syllable."""
_ATTRIBUTE: Final = re.compile(r"(?:이름|성함|번호|전화번호|연락처|주소|나이)(?:은|는|이|가|을|를)?$")
"""도서관장 이름이 뭐야: of what it is asked is the subject."""
_OF_A_VERB: Final = 0.3
_OF_AN_ENGLISH_VERB: Final = 0.6
_OF_THE_SUBJECT: Final = 1.5
MEASURE: Final = re.compile(
    r"(?:기간|날짜|일자|일정|금액|가격|비용|시간|인원|개수|횟수|비율)(?:은|는|이|가|을|를)?$"
)
"""What kind of answer is wanted, rather than what it is about."""
_SHORT_VERB: Final = re.compile(r"^[가-힣]{1,2}(?:나요|까요|니까|어요|아요|지요|죠)$")
_CONTRACTED: Final = re.compile(r"(?:n't|'(?:s|re|ll|d|ve|m))$")
_WHEN: Final = re.compile(
    rf"\b{_MISHEARD_WHEN}\b|"
    r"언제|며칠|몇\s?(?:시(?!간)|일|월|날)|날짜|기한|\bwhen\b|\bwhat (?:date|day|time)\b|\bdeadline\b",
    re.IGNORECASE,
)
_MUCH: Final = re.compile(
    r"얼마|몇\s?(?:명|건|원|개|퍼센트|대|살|층|권|병|장|마리|곳|군데|그루|벌|톤|상자|박스|킬로|잔|켤레|봉지|시간|그릇|번(?!째)|달|주|년|가지|팀)|\bhow (?:much|many|long|big|small|old|far|fast|hot|cold|warm|high|low|deep|often|late|early|tall|wide|heavy|bad)\b"
    r"|(?:비용|가격|금액|요금|회비|값|예산|월세|단가|참가비)(?:은|는|이|가)?\s?어떻게\s?[되돼될]"
    r"|\bwhat(?:'s| is| was| are| will| does| do| did| would)\b[^?]*\b(?:cost|fee|price|rent|rate|budget|deposit|salary)s?\b(?! for\b)",
    re.IGNORECASE,
)
_WHO: Final = re.compile(r"누가|누구|담당자|\bwho(?:'s|se)?\b|\bin charge\b", re.IGNORECASE)
_WHY: Final = re.compile(r"왜|이유|원인|어째서|\bwhy\b|\breasons?\b|\bcaused?\b", re.IGNORECASE)
_WHERE: Final = re.compile(
    r"어디|장소|어느\s?(?:곳|데|방|회의실)|\bwhere\b|\b(?:which|what) (?:venue|place|location|room)\b",
    re.IGNORECASE,
)
_KINDS: Final[tuple[tuple[AnswerKind, re.Pattern[str]], ...]] = (
    ("when", _WHEN),
    ("how_much", _MUCH),
    ("who", _WHO),
    ("where", _WHERE),
    ("why", _WHY),
)
_CHECKING: Final = re.compile(
    r"(?:지|하|했|로|아니)\s?(?:않았|않나|아니었|아니야|아닌가|아니에요|아닙니까|않아요)|(?:였|했|된|됐|한)\s?(?:거|것|게)?\s?아니"
    r"|^\W*(?:but |so |wait,? |and )*(?:didn't|wasn't|weren't|isn't|aren't|hadn't|haven't|did not|was not|did we|was it|was the|were we)\b"
    r"|\b(?:right|correct|no)\?\s*$|맞(?:지|죠|나요|아요|습니까)",
    re.IGNORECASE,
)
_CHANGING: Final = re.compile(
    r"바뀌|바뀐|변경|달라졌|달라진|번복|수정(?:된|했)|\bchang(?:e|ed|es)\b|\bdifferent(?:ly)?\b",
    re.IGNORECASE,
)
_SAYING: Final = re.compile(
    r"뭐라고|뭐라|말했|말한|말씀|의견|생각|라고\s?했|자고\s?(?:했|하셨|하던)|주장|\bsa(?:y|id|ys)\b|\bthink\b|\bthought\b|\bopinion\b|\bmention\w*\b|\bsuggest\w*\b|\bpropos\w*\b|\bargu\w*\b|\b(?:did|does|do)\s+\w+\s+(?:want|need|plan|prefer|ask|report|promise|offer)\b|원했|원하|바랐|물었|물어\s?봤|제안했|요청했|보고했",
    re.IGNORECASE,
)
_REASON: Final = re.compile(
    r"때문|덕분|원인|이유|거든요|(?:어서|아서|해서|니까|으니|라서|[져려겨쳐워돼]서)요?(?:[\s,.]|$)|\bbecause\b|\bsince\b|\bdue to\b|\bcause\b|\breason\b|,? so\b|\bcan't\b|\bcannot\b|\btoo\b",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(
    r"[가-힣](?:에서|(?:으)?로\s|에\s)|\b(?:in|at|on|to|the)\s+\w|\bit's the\b", re.IGNORECASE
)
_PERSON: Final = re.compile(
    r"(?:^|\s)(?:제가|저는|저희가|내가|저하고|저랑|저와|우리가)(?:\s|$)|(?:님|씨|팀|팀장|선생님)(?:이|은|는|가|하고|께서|에서|으로|로)?(?:\s|$)|\b(?:I|I'll|I'm|I've|me|we'll)\b"
)
_DATE: Final = re.compile(
    r"[0-9]+\s?[월일시]|\b\d{1,2}:\d{2}\b|(?:^|\s)(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두)\s?시(?!간)(?:까지|부터|쯤|에|(?![가-힣]{2}))|주말|자정|정오"
    r"|\b(?:noon|midnight|o'clock|half past)\b|\bat (?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?!\w|[ -](?:percent|per|hundred|thousand))|\bthe \d{1,2}(?:st|nd|rd|th)\b|\bthe (?:twenty-\w+|thirt(?:y-first|ieth)|(?:four|fif|six|seven|eigh|nine|thir)teenth|twentieth|twelfth|eleventh|tenth|ninth|eighth|seventh|sixth|fifth)\b|^(?:(?:four|fif|six|seven|eigh|nine|thir)teenth|twentieth|twelfth|eleventh|tenth)\b|[일이삼사오육칠팔구십시유비]{1,4}[월일](?:로|에|까지|은|이|\s)|요일|(?<![가-힣])(?:[월화수목금토일](?=[월화수목금토일]))+[월화수목금토일](?![가-힣])|다음\s?(?:주|달)|이번\s?(?:주|달)|내일|모레|오늘"
    r"|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|tomorrow|today|tonight|(?:this|in the) (?:morning|afternoon|evening)|(?:after|before|at|over) (?:lunch|breakfast|dinner)|(?:from|by|on|until|before|after|for) the (?:first|second|third|fourth)|week|month|sprint|quarter)\b",
    re.IGNORECASE,
)
_AMOUNT: Final = re.compile(
    r"[0-9]|[일이삼사오육칠팔구십백천만억]+\s?(?:원|명|건|퍼센트|분|시간)|(?:한|두|세|네|석|넉|다섯|여섯|일곱|여덟|아홉|열|스무|서른|마흔|쉰)\s?(?:명|건|개|달|주(?!일)|시간)"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand"
    r"|million|percent|half)\b",
    re.IGNORECASE,
)
_OTHERS_CHOSE: Final = re.compile(
    r"\bhow many (?:people|of (?:them|us|you)|\w+s) (?:chose|picked|voted|selected|preferred|wanted|agreed)\b",
    re.IGNORECASE,
)
"""A vote is counted; what the meeting decided is another question."""
_UNIT: Final = re.compile(
    r"몇\s?(명|분|건|개|대|퍼센트|살|층|권|병|장|마리|곳|군데|그루|벌|톤|상자|박스|킬로|잔|켤레|봉지|그릇)(?=\s|[가-힣]|\?|$)"
)
_SAME_UNIT: Final = {
    "명": "명|분|사람",
    "분": "명|분|사람",
    "퍼센트": "퍼센트|프로|%",
    "곳": "곳|군데",
    "군데": "곳|군데",
}
_COUNT_KO: Final = r"(?:[0-9]|[한두세네섯곱덟홉물흔른순쉰열]|스무|[일이삼사오육칠팔구십백천만])\s?"
_COUNTER: Final = re.compile(
    r"(?<=\d)(?:월|일|시|명|원|개|건|대|분)(?:이|은|는|을|를|에|로|으로)?(?=[\s?]|$)"
)
"""15일이: the word is the figure."""
_ORDINAL: Final = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b", re.IGNORECASE)
"""A day, no amount."""
_NO_AMOUNT: Final = re.compile(
    r"\b(?:the|a|an|this|that|which|last|next|first|other|another|any|every|each|no|only|same) (?:\w+ )?one\b|\b\w+ (?:things|items|topics|points)\b"
    r"|(?:한|두|세|네|다섯)\s?(?:가지|건|개)(?:만|를|을)?\s?(?:논의|이야기|얘기|말씀|안건|보)",
    re.IGNORECASE,
)
"""The last one, three things: 세 가지 논의하겠습니다."""
_A_DAY: Final = re.compile(r"[0-9]+\s?월(?:\s?[0-9]+\s?일)?|[0-9]+\s?시(?!간)")
_HEADS: Final = frozenset("료비금값율률표증서실장법권세자")
"""Last syllables that say what kind of thing a Korean compound names."""
_COSTS: Final = frozenset("비값료")
_DONE: Final = re.compile(r"^(?:하|해|했|할|를|을|은|는|에)")
_FULL_NAME: Final = 3
"""Syllables of a Korean name with its family name, most often."""
_NEAR: Final = 62
"""Two words that sound at least this alike (of 100) may be the same word, misheard."""


class Asked(Frozen):
    """A question taken apart."""

    topic: tuple[str, ...]
    """The words that say what it is about, without particles; may be empty."""
    deciding: bool
    """It asks for what was decided."""
    wide: tuple[str, ...] = ()
    """All words that may find something: those of the topic, and some of the asking."""
    importance: tuple[float, ...] = ()
    """Of each topic word: what the question names as its subject more, its verbs less."""
    kind: AnswerKind | None = None
    checking: bool = False
    """It holds something against the record: didn't we decide otherwise?"""
    changing: bool = False
    """It asks what changed."""
    saying: bool = False
    """It asks what somebody said."""
    unit: str = ""
    """몇 명: what is counted, by its Korean counter."""

    @property
    def query(self) -> str:
        """What to search for."""
        return " ".join(self.wide or self.topic)


def take_apart(question: str) -> Asked:
    """What `question` is about, and what kind of answer it wants."""
    topic: dict[str, float] = {}
    wide: list[str] = []
    question = _UNTIL_NOW.sub(" ", question)
    kind = _kind(question)
    counted = {word for found in _COUNTED.findall(question.lower()) for word in words(found)}
    people = set(_CALLED_KO.findall(question)) | set(_OF_ONE_SYLLABLE.findall(question))
    people |= set(_ASKED_OF.findall(question))
    verbs = {word for found in _VERB_EN.finditer(question.lower()) for word in found.groups() if word}
    named = {noun for found in _NAMED.findall(question.lower()) for noun in words(found)}
    for spoken in words(_COUNTER.sub(" ", question)):
        if spoken[0] >= "가":
            if _ASKING_KO.match(spoken) or _SHORT_VERB.match(spoken):
                continue
            word = _PARTICLE.sub("", _DOING.sub("", spoken))
            wide.append(word)
            if spoken not in counted and not _CHANGING.search(spoken) and not _TELLING_KO.match(spoken):
                worth = _importance(spoken, measured=kind in {"when", "how_much"})
                topic.setdefault(word, _OF_THE_SUBJECT if word in people else worth)
        elif spoken not in _ASKING_EN:  # English: a verb by where it stands
            wide.append(spoken)
            word = _CONTRACTED.sub("", spoken)
            asking = word in _ASKING_EN or (word in _TELLING_EN and word not in named) or spoken in counted
            if word and not asking:
                topic.setdefault(word, _OF_AN_ENGLISH_VERB if word in verbs else 1.0)
    deciding = _DECIDING_KO.search(question) is not None or _DECIDING_EN.search(question) is not None
    deciding = deciding and _OTHERS_CHOSE.search(question) is None
    return Asked(
        topic=tuple(topic),
        wide=tuple(dict.fromkeys(wide)),
        deciding=deciding,
        importance=tuple(topic.values()),
        kind=kind,
        checking=_CHECKING.search(question) is not None,
        changing=_CHANGING.search(question) is not None,
        saying=_SAYING.search(question) is not None,
        unit=unit.group(1) if kind == "how_much" and (unit := _UNIT.search(question)) else "",
    )


def _kind(question: str) -> AnswerKind | None:
    """What is asked for; of two ("who does it, and by when?") the one that is asked first."""
    kind = next((kind for kind, pattern in _KINDS if pattern.search(question)), None)
    if kind == "when" and (who := _WHO.search(question)) is not None:
        when = _WHEN.search(question)
        return "who" if when is not None and who.start() < when.start() else "when"
    return kind


def kinds_asked(question: str) -> list[AnswerKind]:
    """All kinds of answer that are asked for: of 언제 어디서 해? a day and a place."""
    return [kind for kind, pattern in _KINDS if pattern.search(question)]


def _importance(word: str, *, measured: bool) -> float:
    if (measured and MEASURE.match(word)) or _ATTRIBUTE.match(word):
        return _OF_A_VERB
    if len(word) == 1 or (_VERB.search(word) and not _TOPIC_MARKED.search(word)):
        return _OF_A_VERB
    return _OF_THE_SUBJECT if _MARKED.search(word) else 1.0


def coverage(asked: Asked, text: str, weights: Sequence[float] | None = None) -> float:
    """Which part of the topic words stands in `text`, 0 to 1; a word that only sounds alike counts less."""
    if not asked.topic:
        return 0.0
    shares = weights or [1.0] * len(asked.topic)
    heard = _heard(text)
    got = sum(share * _found(word, heard) for word, share in zip(asked.topic, shares, strict=True))
    return got / (sum(shares) or 1.0)


def gives(asked: Asked, text: str, names: Sequence[str] = ()) -> bool:
    """Whether `text` holds the kind of answer that is asked for: a date, an amount, a person, a reason."""
    match asked.kind:
        case "when":
            return _DATE.search(text) is not None
        case "how_much" if asked.unit:
            return re.search(f"{_COUNT_KO}(?:{_SAME_UNIT.get(asked.unit, asked.unit)})", text) is not None
        case "how_much":
            counted = _NO_AMOUNT.sub(" ", _ORDINAL.sub(" ", text))
            return _AMOUNT.search(_A_DAY.sub(" ", counted)) is not None
        case "who":
            return _PERSON.search(text) is not None or any(called(name, text) for name in names)
        case "why":
            return _REASON.search(text) is not None
        case "where":
            return _PLACE.search(text) is not None
        case _:
            return False


def called(name: str, text: str) -> bool:
    """Whether a participant is named: in full, by the given name, by the first name."""
    return bool(name) and _calling(name).search(text) is not None


@lru_cache(maxsize=512)
def _calling(name: str) -> re.Pattern[str]:
    """A question for a person holds every name against every decision of the meeting."""
    if name[0] >= "가":
        given = name[1:] if len(name) == _FULL_NAME else name
        alone = rf"|(?<![가-힣]){re.escape(given)}" if len(given) > 1 else ""
        return re.compile(f"{re.escape(name)}{alone}")
    return re.compile(rf"\b{re.escape(name.split(maxsplit=1)[0])}\b", re.IGNORECASE)


@lru_cache(maxsize=4096)
def _sound(word: str) -> str:
    letters = sound(word)
    return "".join(char for place, char in enumerate(letters) if place == 0 or char != letters[place - 1])


class _Heard(NamedTuple):
    """The words of a text, as topic words are looked for in it."""

    roots: frozenset[str]
    """Of what is not Hangul."""
    hangul: tuple[str, ...]
    """In order, none twice."""


@lru_cache(maxsize=512)
def _heard(text: str) -> _Heard:
    """Questions look at the same few hundred sentences again and again."""
    found = words(_UNTIL_NOW.sub(" ", text))
    return _Heard(
        frozenset(stem(word) if word[0].isalpha() else word for word in found if word[0] < "가"),
        tuple(dict.fromkeys(word for word in found if word[0] >= "가")),
    )


def _found(word: str, heard: _Heard) -> float:
    if word[0] < "가":
        root = stem(word) if word[0].isalpha() else word
        if root in heard.roots:
            return 1.0
        if stems_like(root) & heard.roots or any(same_word(other, root) for other in heard.hangul):
            return WORTH
        return 0.0
    best = 0.0
    for other in heard.hangul:
        if other.startswith(word) or (len(word) > 1 and word in other):
            return 1.0
        if (
            len(word) > 2
            and word[-1] in _COSTS
            and _DONE.match(other.removeprefix(word[:-1]))
            and other.startswith(word[:-1])
        ):
            best = WORTH  # 수리비: 수리하면 얼마래요?
        if len(other) < 2 or len(word) < 2 or _headed_otherwise(word, other):
            continue
        best = max(best, _alike(word, other))
    if best < WORTH and any(same_word(word, root) for root in heard.roots):
        return WORTH
    if best < WORTH and any(
        begins(other, beginning) for beginning in beginnings_like(word) for other in heard.hangul
    ):
        return WORTH
    return best


def _headed_otherwise(word: str, other: str) -> bool:
    """강사료 and 강사님: compounds that begin alike and are different things."""
    if len(word) < 3 or word[-1] not in _HEADS or other.startswith(word):
        return False
    return other.startswith(word[:-1]) or other[len(word) - 1 : len(word)] in _HEADS - {word[-1]}


@lru_cache(maxsize=4096)
def _alike(word: str, other: str) -> float:
    """How much two Korean words sound alike, 0 (not at all) to 0.9."""
    bare = _PARTICLE.sub("", other)
    ratio = max(
        fuzz.ratio(_sound(word), _sound(bare)), fuzz.ratio(_sound(word), _sound(other[: len(word) + 1]))
    )
    if coarse(word)[:2] == coarse(other)[:2]:
        ratio += 8
    return min(0.9, ratio / 110) if ratio >= _NEAR else 0.0
