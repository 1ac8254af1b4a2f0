# ruff: noqa: E501  # patterns and texts read better unbroken
"""What a question asks about, apart from the way of asking; the door to what is done with that."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from context.retrieval.answer_kinds import MISHEARD_WHEN, gives, kind_asked, kinds_asked, unit_asked
from context.retrieval.asked import AnswerKind, Asked
from context.retrieval.coverage import PARTICLE, UNTIL_NOW, coverage
from context.retrieval.names import called
from context.retrieval.terms import STOPWORDS, words

__all__ = ["MEASURE", "AnswerKind", "Asked", "called", "coverage", "gives", "kinds_asked", "take_apart"]

_ASKING_KO: Final = re.compile(
    rf"^(?:{MISHEARD_WHEN}|"
    r"어떻게|어떤|어때|왜|누가|누구\S*|언제\S*|며칠\S*|어디\S*|무엇\S*|무슨|뭐\S*|뭘|뭔\S*|어느|몇|얼마\S*|우리\S*|저희\S*|지금\S*|오늘\S*|회의\S*"
    r"|(?:님|쌤|씨|선생님|팀장님|대표님)[은는이가도의]?|했\S{0,4}|됐\S{0,3}|되\S{0,4}|하기로|있\S{0,4}|없\S{0,4}|나요|인가요|거(?:[야죠지니냐는를가나]\S?|예요|에요|였\S*|든\S*|라\S*)?|것\S{0,2}|수|좀|대해\S*|대한|관련\S*|관해\S*|말\S{0,4}|건(?:은|이|을|도)?|알려\S*|주세요|줘"
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
wrong went often till until because though again left remaining using use used come comes coming getting put putting take taking make makes making made thing things
"""
_TELLING_KO: Final = re.compile(
    r"(?:며칠로|몇일로|(?:최종|결국)(?:적으로|은|에)?|자꾸|계속|다시|아직|이미|벌써|원래|정말|진짜|빨리|일찍|함께|같이|혹시|어차피)$"
)
_TELLING_EN: Final = frozenset(_TELLING_WORDS.split())
"""Words of a question that are found by, and that an answer need not repeat."""
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
_ATTRIBUTE: Final = re.compile(
    r"(?:원인|이유|까닭|이름|성함|번호|전화번호|연락처|주소|나이)(?:은|는|이|가|을|를)?$"
)
"""도서관장 이름이 뭐야: of what it is asked is the subject."""
_ANY_MATTER: Final = re.compile(
    r"^(?:문제|우려|지적|과정|상황|현황|이슈|사안|논란|쟁점|걱정|사정|얘기|이야기|논의|관련)$"
    r"|^(?:problems?|concerns?|process|situation|issues?|matters?|worry|worries|status)$"
)
_OF_ANY_MATTER: Final = 0.4
_OF_A_VERB: Final = 0.3
_OF_AN_ENGLISH_VERB: Final = 0.6
_OF_THE_SUBJECT: Final = 1.5
MEASURE: Final = re.compile(
    r"(?:기간|날짜|일자|일정|금액|가격|비용|시간|인원|개수|횟수|비율)(?:은|는|이|가|을|를)?$"
)
"""What kind of answer is wanted, rather than what it is about."""
_SHORT_VERB: Final = re.compile(r"^[가-힣]{1,2}(?:나요|까요|니까|어요|아요|지요|죠)$")
_CONTRACTED: Final = re.compile(r"(?:n't|'(?:s|re|ll|d|ve|m))$")
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
_NEEDING: Final = re.compile(
    r"\b(?:did|does|do)\s+\w+\s+(?:want|need|plan|prefer|ask|report|promise|offer)\b|원했|원하|바랐",
    re.IGNORECASE,
)
"""By when does Ines need it: a day is asked for, not her words."""
_OTHERS_CHOSE: Final = re.compile(
    r"\bhow many (?:people|of (?:them|us|you)|\w+s) (?:chose|picked|voted|selected|preferred|wanted|agreed)\b",
    re.IGNORECASE,
)
"""A vote is counted; what the meeting decided is another question."""
_COUNTER: Final = re.compile(
    r"(?<=\d)(?:월|일|시|명|원|개|건|대|분)(?:이|은|는|을|를|에|로|으로)?(?=[\s?]|$)"
)
"""15일이: the word is the figure."""
_LETTERED: Final = re.compile(r"(?<=\d)[a-z](?![a-z])|(?<![a-z])[a-z](?=\d)", re.IGNORECASE)
"""3B, B14: the letter alone says nothing."""


@lru_cache(maxsize=512)  # sentences of the talk are taken apart for each question that is held against them
def take_apart(question: str) -> Asked:
    """What `question` is about, and what kind of answer it wants."""
    topic: dict[str, float] = {}
    wide: list[str] = []
    question = UNTIL_NOW.sub(" ", question)
    kind = kind_asked(question)
    counted = {word for found in _COUNTED.findall(question.lower()) for word in words(found)}
    people = set(_CALLED_KO.findall(question)) | set(_OF_ONE_SYLLABLE.findall(question))
    people |= set(_ASKED_OF.findall(question))
    verbs = {word for found in _VERB_EN.finditer(question.lower()) for word in found.groups() if word}
    named = {noun for found in _NAMED.findall(question.lower()) for noun in words(found)}
    for spoken in words(_LETTERED.sub(" ", _COUNTER.sub(" ", question))):
        if spoken[0] >= "가":
            if _ASKING_KO.match(spoken) or _SHORT_VERB.match(spoken):
                continue
            word = PARTICLE.sub("", _DOING.sub("", spoken))
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
    _leave_to_the_rest(topic)
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
        saying=_SAYING.search(_NEEDING.sub(" ", question) if kind else question) is not None,
        unit=unit_asked(question) if kind == "how_much" else "",
    )


def _leave_to_the_rest(topic: dict[str, float]) -> None:
    """알고리즘에 대한 우려: what is named beside a word for any matter is the subject."""
    general = [word for word in topic if _ANY_MATTER.match(word)]
    if len(general) < len(topic):
        topic.update(dict.fromkeys(general, _OF_ANY_MATTER))


def _importance(word: str, *, measured: bool) -> float:
    if (measured and MEASURE.match(word)) or _ATTRIBUTE.match(word):
        return _OF_A_VERB
    if len(word) == 1 or (_VERB.search(word) and not _TOPIC_MARKED.search(word)):
        return _OF_A_VERB
    return _OF_THE_SUBJECT if _MARKED.search(word) else 1.0
