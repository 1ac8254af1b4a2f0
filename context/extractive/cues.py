# ruff: noqa: E501  # patterns and texts read better unbroken
"""What kind of sentence is this: decision, task, open item, question, courtesy?

Precision first: an invented decision costs trust, a missed one costs a look into the transcript. So
proposals, questions, conditions and negations are never decisions.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal

from rapidfuzz.distance import Levenshtein

from context.addressing import wake
from context.korean import has_hangul, jamo
from context.questions import is_question

Kind = Literal["decision", "echo", "action", "open", "question", "courtesy", "plain"]
"""`echo`: decides what was said just before ("그렇게 가시죠", "That is decided")."""

_WAKE_WORDS: Final = ("모임", "Moim")
_MOST_WORDS: Final = 25
"""Longer sentences tell of something rather than settle it."""

# Korean

_DECIDES_KO: Final = re.compile(
    r"(?:결정|확정|채택|승인)\s?(?:을\s?)?(?:하겠|합니다|했습|했어|했죠|하죠|하시죠|합시다|됐|되었|됩니다|할게|하도록\s?하겠|났|지었|짓겠)"
    r"|기로\s?(?:했|하였|하겠|하죠|합니다|하시죠|해요|합시다|결정|합의|정했|정하)"
    r"|합의(?:했|됐|하겠|합니다|되었|를\s?봤)"
    r"|(?<!넘어)(?:으로|로)\s?(?:가시죠|갑시다|가겠습|정하겠|정했|정합|하시죠|합시다)"
    r"|결론은\s.+(?:입니다|니다)$"
)
_ECHO_KO: Final = re.compile(
    r"^(?:(?:좋습니다|네|예|그럼|그러면|자|모두\s?동의하시니|이의\s?없으니)[\s,.]*)*"
    r"(?:그렇게|그대로|그걸로|그것으로|그\s?안으로|이대로)\s?"
    r"(?:가시죠|갑시다|가겠습니다|하시죠|합시다|하죠|가죠|진행하시죠|결정하겠습니다|확정하겠습니다|확정합니다|정하겠습니다)$"
    r"|^(?:그럼|그러면|네|예|자)?\s?(?:결정|확정|합의)(?:됐습니다|되었습니다|합니다|하겠습니다|했습니다)$"
)
_UNDECIDED_KO: Final = re.compile(
    r"잖아|해야겠|제안|가능|(?:결정|확정|합의|승인|채택)(?:해야|하지|을?\s?못|하면|하려|할지|이?\s?필요|할\s|된\s?(?:것|게)\s?아니|되지|되면|전까지|하기\s?전|은\s?아직)"
    r"|않|못\s?[했하]|아직|미정|보류|다시\s?논의|것\s?같|좋겠|싶|어떨|어떻|예정|생각(?:합니다|해요|이에요|입니다|은\s)|아닙니다|만약|경우|건의|의견|검토|안건|주제|이야기|순서"
)
_ACTS_KO: Final = re.compile(
    r"(?:겠(?:습니다|어요|읍니다|슴니다|습다)|(?:[을ㄹ]|할|릴|올|볼|둘|낼|칠|줄|갈)\s?게요)$"
)
_ACT_STEM_KO: Final = re.compile(
    r"(?:시작|마치|마무리|넘어가|종료|말씀\s?드리|소개|논의|이야기|얘기|결정|확정|채택|승인|의결|정회|속개|의견|듣|묻|여쭤?\s?보|좋|괜찮|모르|알|되|있|없|같|맞|않|감사하|나가|끝내|줄이|찬성하|동의하|제안하|들어가|가\s?보|보)(?:해\s?보|하|도록\s?하)?겠"
)
_DUTY_KO: Final = re.compile(r"해야\s?(?:합니다|됩니다)$")
_MEETING_ACT_KO: Final = re.compile(
    r"(?:정리|진행|설명|발표|보고|공유|확인)\s?(?:해\s?보|해|하|드리)*\s?겠습니다$"
)
_SELF_KO: Final = re.compile(r"(?:^|\s)(?:제가|저는|저희가|저희는|저희\s?팀[이은]|내가|저도)(?:\s|$)")
_ASKED_KO: Final = re.compile(
    r"(?:해|아|어|여|와|워|려|겨|내|봐|줘|쳐|켜|혀|뤄|라|가|나|눠|둬)\s?(?:주세요|주십시오|주시기\s?바랍니다|주시면\s?됩니다|주시면\s?좋겠습니다|주시겠어요)$"
    r"|부탁\s?(?:드립니다|드려요|드리겠습니다|합니다|해요)$|(?:하셔야|해야|해\s?주셔야)\s?(?:합니다|됩니다)$"
)
_NOT_ASKED_KO: Final = re.compile(
    r"말씀|질의|질문|여쭙|나와\s?주|시작|받아|기다려|양해|들어\s?주|이해해|참고|조용|앉아|인사|소개해|질문해|눌러|봐\s?주|마이크|잘\s?부탁|음소거|발언해|답변해"
)
_TASK_KO: Final = re.compile(
    r"공유|작성|준비|조사|측정|확인|검토|정리해|보내|올려|올리|만들|수정|추가|업데이트|예약|연락|전달|제출|등록|배포|테스트"
    r"|분석|설정|처리|구현|개발|적용|개선|요청|신청|주문|구매|문의|알아\s?보|찾아\s?보|맡|조율|점검|교체|복구|작업|담당|발송|계약"
)
_NAMED_KO: Final = re.compile(
    r"(?:^|[\s,])([가-힣]{2,4}?)\s?(?:님|씨|팀장|과장|부장|대리|책임|선임|매니저)(?:님)?(?:은|는|이|가|께서|께서는|도)?(?=[\s,])"
)
_OPEN_KO: Final = re.compile(
    r"다시\s?(?:논의|이야기|얘기|검토|정하|살펴|보기로|다루)|추후|보류|미정|미해결|숙제로|나중에\s?(?:다시|논의|정하|이야기|얘기)"
    r"|다음\s?(?:회의|번|미팅|주|달|시간)[^.]{0,12}(?:논의|정하|이야기|얘기|다루|결정하|검토하|미루|넘기)"
    r"|아직\s?(?:결정|정해|확정|미정|답|합의|못\s?정)|(?:확인|검토|논의|조율|협의)[이가]?\s?(?:더\s?)?필요"
    r"|결론(?:을|이)?\s?(?:못|안|나지)|정해지지\s?않"
)
_COURTESY_KO: Final = re.compile(
    r"^(?:안녕하세요|안녕하십니까|감사합니다|고맙습니다|수고하셨습니다|수고하세요|좋습니다|좋아요|알겠습니다|맞습니다|그렇습니다|네|예|반갑습니다)$"
    r"|회의(?:를|는)?\s?(?:여기서\s?)?(?:시작|마치|마무리|종료|끝)[^.]*$|넘어가(?:겠습니다|죠|시죠|도록|볼게요|자)"
    r"|(?:이야기|얘기)를?\s?(?:해\s?보죠|해\s?보겠습니다|하겠습니다|하죠)$|^(?:저도|저는)?\s?[^\s]*\s?(?:찬성|동의)합니다$"
)
_DONE_TAILS_KO: Final = tuple(
    jamo(tail)
    for tail in (
        "결정하겠습니다",
        "확정하겠습니다",
        "결정했습니다",
        "결정됐습니다",
        "하기로했습니다",
        "확정했습니다",
    )
)

# English

_WILL: Final = re.compile(
    r"\b(?:we will|we'll|we are going to|we're going to|we shall)\s+(?:now |also |then )?(\w+)"
)
_IDLE_VERB_WORDS: Final = """
see talk discuss need have be try look come get know probably maybe go say think start hear find not
wait never ever still just hopefully want cover move end begin close meet remember deal worry leave
continue consider first keep pull uh um all always really take listen stay
"""
_IDLE_VERB: Final = frozenset(_IDLE_VERB_WORDS.split())
_DECIDES_EN: Final = re.compile(
    r"\b(?:we(?:'ve| have)?|i(?:'ve| have)?|it (?:is|was|has been)|it's|that(?:'s| is| was)|this is)\s+"
    r"(?:now |already |all |finally )?(?:decided|agreed|settled|approved)\b"
    r"|\blet(?:'s| us) (?:go with|settle on|go ahead with|agree on|stick with|choose|pick)\b|\b(?:the|our) (?:final )?decision is\b"
    r"|\bwe(?: will|'ll|'re going to| are going to)? (?:go with|settle on|choose|stick with)\b"
)
_ECHO_EN: Final = re.compile(
    r"^(?:good |great |okay |ok |alright |so |then |well )*(?:that(?:'s| is| was)|it(?:'s| is)|this is) (?:now |all |then )?"
    r"(?:decided|agreed|settled|approved)(?: then| now)?$|^(?:so )?(?:agreed|decided|approved|settled)(?: then)?$"
    r"|^(?:okay |ok |so |then |great |good )*let(?:'s| us) (?:do (?:that|it|this)|go with (?:that|it|this))(?: then)?$"
    r"|^we(?:'ll| will) (?:do|go with) (?:that|it|this)(?: then)?$"
)
_UNDECIDED_EN: Final = re.compile(
    r"\b(?:i think|i guess|i suppose|i believe|i suggest|i propose|i'd|maybe|perhaps|possibly|probably|could|might|may be|should"
    r"|would|if|unless|whether|not|n't|never|haven't|undecided|suggest|propose|hope|hopefully|until we|once we|when we|before we"
    r"|need to decide|to be decided|have to decide|open question|still open|next meeting|like to|supposed|what|how)\b|n't\b"
)
_I_WILL: Final = re.compile(
    r"\b(?:i will|i'll|i am going to|i'm going to|i can take|i shall|let me take|we'll let me)\s+(?:also |then |now )?(\w+)"
)
_IDLE_ACT_WORDS: Final = """
be say see think try talk show tell start go have just read explain skip stop come get give leave
let agree admit assume guess mention repeat move pass hand begin wait not never also do need
probably put speak discuss draw rub finish resign um uh first turn
"""
_IDLE_ACT: Final = frozenset(_IDLE_ACT_WORDS.split())
_ASKED_EN: Final = re.compile(r"^(?:and |also |so |then |[\w ]{1,25}, )?please\s+(?:also |then )?(\w+)")

_NOT_ASKED_EN_WORDS: Final = (
    "wait note feel say speak go join mute unmute welcome continue start see be let ask look"
)
_NOT_ASKED_EN: Final = frozenset(_NOT_ASKED_EN_WORDS.split())
_OTHER_WILL: Final = re.compile(
    r"^(?:and |so |then |okay |ok )*([a-z]+(?: [a-z]+)?)(?:,? (?:will|is going to|needs to|has to)|, (?:can|could|would|will) you(?: please)?"
    r"|, please)\s+(?:also |then )?(\w+)"
)
_OPEN_EN: Final = re.compile(
    r"\bopen (?:question|issue|point|item)|\b(?:for|until|to|in|at) (?:the|our) next meeting\b|\bto be decided\b|\btbd\b|\bstill open\b|\b(?:not|n't) (?:yet )?decided\b"
    r"|\bundecided\b|\bcome back to (?:this|that|it)\b|\brevisit\b|\bpostpone|\bdefer\b|\btable (?:this|that|it)\b|\bpark (?:this|that|it)\b"
    r"|\bunresolved\b|\bon hold\b|\bneeds? (?:more|further) (?:discussion|work|thought|investigation)\b|\bdecide (?:that |this |it )?later\b"
)
_COURTESY_EN: Final = re.compile(
    r"^(?:good|great|okay|ok|fine|thanks|thank you|yes|no|yeah|right|sure|exactly|perfect|cool|alright|hello|hi|bye|good morning"
    r"|good afternoon|that is fine|that's fine|sounds good|i agree|agreed|of course|no problem)(?: (?:everyone|everybody|all|guys|then|you))*$"
    r"|\bmeeting is (?:closed|over|adjourned)|\blet(?:'s| us) (?:move on|start|begin|get started|continue|go on|turn)|\bnext (?:topic|item)\b"
    r"|\blast topic\b|\bwelcome\b"
)


@lru_cache(maxsize=8192)
def kind_of(text: str, names: tuple[str, ...] = ()) -> Kind:
    """What a cleaned sentence is. `names`: of the participants, to know whom a task is given to."""
    if _tasks_by_question(text, names):
        return "action"
    if is_question(text):
        return "question"
    if wake(text, _WAKE_WORDS) is not None:
        return "courtesy"  # said to the agent: it belongs to its thread
    bare = text.strip(" .!。…\"'”")
    return _kind_ko(bare) if has_hangul(bare) else _kind_en(bare.lower().replace("’", "'"), names)


def _kind_ko(bare: str) -> Kind:
    if _ECHO_KO.search(bare):
        return "echo"
    opened = _at_the_end(_OPEN_KO, bare, 14)
    if not opened and _decides_ko(bare):
        return "decision"
    if _tasks_ko(bare):
        return "action"
    if opened:
        return "open"
    return "courtesy" if _COURTESY_KO.search(bare) else "plain"


def _decides_ko(bare: str) -> bool:
    if _UNDECIDED_KO.search(bare) or len(bare.split()) < 2:
        return False
    return _at_the_end(_DECIDES_KO, bare, 9) or _sounds_decided(bare[-9:])


def _at_the_end(pattern: re.Pattern[str], bare: str, slack: int) -> bool:
    """Whether the last match ends at most `slack` characters before the end: what is told of is no cue."""
    ends = [found.end() for found in pattern.finditer(bare)]
    return bool(ends) and len(bare) - ends[-1] <= slack and len(bare.split()) <= _MOST_WORDS


@lru_cache(maxsize=2048)
def _sounds_decided(tail: str) -> bool:
    """The end of a garbled sentence, e.g. 결정하게씁니다."""
    letters = jamo(tail.replace(" ", ""))
    for meant in _DONE_TAILS_KO:
        start = letters.rfind(meant[:4])
        if start >= 0 and Levenshtein.distance(letters[start:], meant, score_cutoff=2) <= 2:
            return True
    return False


def _tasks_ko(bare: str) -> bool:
    if _ASKED_KO.search(bare):
        if _NOT_ASKED_KO.search(bare):
            return False
        if _NAMED_KO.search(bare):
            return True
        by_duty = _DUTY_KO.search(bare) is not None
        return not by_duty and (_TASK_KO.search(bare) is not None or due_in(bare) is not None)
    if not _ACTS_KO.search(bare) or not 3 <= len(bare.split()) <= _MOST_WORDS:
        return False
    if _NOT_ASKED_KO.search(bare) or _ACT_STEM_KO.search(bare) or _COURTESY_KO.search(bare):
        return False
    if _SELF_KO.search(bare):
        return True
    if _MEETING_ACT_KO.search(bare):
        return due_in(bare) is not None
    return _TASK_KO.search(bare) is not None or due_in(bare) is not None


def _kind_en(bare: str, names: tuple[str, ...]) -> Kind:
    if _ECHO_EN.search(bare):
        return "echo"
    opened = _OPEN_EN.search(bare) is not None and len(bare.split()) <= _MOST_WORDS
    if not opened and _decides_en(bare):
        return "decision"
    if _tasks_en(bare, names):
        return "action"
    if opened:
        return "open"
    return "courtesy" if _COURTESY_EN.search(bare) else "plain"


def _decides_en(bare: str) -> bool:
    if _UNDECIDED_EN.search(bare) or not 4 <= len(bare.split()) <= _MOST_WORDS:
        return False
    settled = _DECIDES_EN.search(bare)
    if settled is not None and settled.start() < 30:
        return True
    will = _WILL.search(bare)
    return (
        will is not None and will.start() < 25 and will.group(1) not in _IDLE_VERB and len(bare.split()) >= 5
    )


def _tasks_en(bare: str, names: tuple[str, ...]) -> bool:
    if len(bare.split()) < 4 or re.search(r"\b(?:if|unless|maybe|perhaps|i think|i guess)\b", bare):
        return False
    mine = _I_WILL.search(bare)
    if mine is not None and mine.group(1) not in _IDLE_ACT:
        return True
    asked = _ASKED_EN.search(bare)
    if asked is not None and (asked.group(1) or "do") not in _NOT_ASKED_EN:
        return True
    return _other_en(bare, names) is not None


def _other_en(bare: str, names: tuple[str, ...]) -> str | None:
    """The participant whom an English sentence gives something to do."""
    found = _OTHER_WILL.match(bare)
    if found is None or found.group(2) in _IDLE_ACT or not _is_known(found.group(1), names):
        return None
    return found.group(1)


def _tasks_by_question(text: str, names: tuple[str, ...]) -> bool:
    """Whether a question gives a task: Ben, can you send it by Friday?"""
    bare = text.strip(" .!?。…")
    if not has_hangul(bare):
        lowered = bare.lower()
        return re.search(r", (?:can|could|would|will) you", lowered) is not None and (
            _other_en(lowered, names) is not None
        )
    return (
        _NAMED_KO.search(bare) is not None
        and re.search(r"주실\s?(?:수\s?있|래)", bare) is not None
        and _TASK_KO.search(bare) is not None
    )


# Who and when

_DAY_KO: Final = (
    r"(?:(?:이번|다음|다다음|지난|오는)\s?주\s?)?[월화수목금토일]요일|(?:이번|다음|다다음)\s?(?:주말|주|달|분기|회의|스프린트|미팅)"
    r"|금주|차주|내주|내달|오늘|내일|모레|글피|주말|월말|연말|분기\s?말|이달\s?말|올해\s?말|내년"
    r"|(?:[0-9]{1,2}|[일이삼사오육칠팔구십시유]{1,3})월\s?(?:(?:[0-9]{1,2}|[일이삼사오육칠팔구십]{1,4})일|말|초|중순)?"
    r"|(?:[0-9]{1,2}|[이삼사오육칠팔구]?십[일이삼사오육칠팔구]?)일"
)
_HOUR_KO: Final = r"(?:\s?(?:오전|오후|저녁|아침)?\s?(?:[0-9]{1,2}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두)\s?시(?:\s?반)?)?"
_DUE_KO: Final = re.compile(
    rf"(?<![가-힣])((?:{_DAY_KO})(?:\s?(?:{_DAY_KO}))?{_HOUR_KO}(?:\s?(?:전까지|까지|이내|안|중|전))?)"
    r"(?=에|으로|로|\s|$|부터|쯤|,)"
)
_DAY_EN: Final = (
    r"(?:(?:next|this|coming) )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?: (?:morning|afternoon|evening|noon))?"
    r"|today|tonight|tomorrow(?: (?:morning|afternoon|evening))?|(?:next|this) (?:week|month|sprint|quarter|meeting|year)"
    r"|(?:the )?end of (?:the |this |next )?(?:day|week|month|sprint|quarter|year)"
    r"|(?:the )?(?:first|second|third|fourth|last) (?:week|day) of [a-z]+"
    r"|(?:january|february|march|april|may|june|july|august|september|october|november|december)(?: \d{1,2}(?:st|nd|rd|th)?)"
    r"|(?:the )?\d{1,2}(?:st|nd|rd|th)(?: of [a-z]+)?|eod|eow|noon"
)
_DUE_EN: Final = re.compile(
    rf"\b((?:(?:by|before|until|no later than|within) (?:the )?)?(?:{_DAY_EN}))\b", re.IGNORECASE
)


def due_in(text: str) -> str | None:
    """Until when, in the words that were said; two moments are joined by a comma. None where none is named."""
    pattern = _DUE_KO if has_hangul(text) else _DUE_EN
    found = dict.fromkeys(" ".join(match.group(1).split()) for match in pattern.finditer(text))
    moments = [moment for moment in found if moment != "내년"][:3]
    return ", ".join(moments) or None


def owner_in(text: str, speaker: str, names: tuple[str, ...]) -> str | None:
    """Who is to do what a task says: the one it names, else the speaker who takes it on, else nobody."""
    bare = text.strip(" .!?。…")
    if not has_hangul(bare):
        return _owner_en(bare, speaker, names)
    if _SELF_KO.search(bare) and _ACTS_KO.search(bare):
        return speaker
    if _ASKED_KO.search(bare.rstrip("?")) or "주실" in bare:
        named = _NAMED_KO.search(bare)
        return None if named is None else _full_name(named.group(1), names)
    return speaker


def _owner_en(bare: str, speaker: str, names: tuple[str, ...]) -> str | None:
    lowered = bare.lower().replace("’", "'")
    other = _other_en(lowered, names)
    if other is not None:
        return _full_name(other, names)
    return speaker if _I_WILL.search(lowered) else None


def _is_known(name: str, names: tuple[str, ...]) -> bool:
    return any(name in {known.lower(), known.lower().split()[0]} for known in names if known.split())


def _full_name(name: str, names: tuple[str, ...]) -> str:
    """The participant who is called so, else the name as it was said."""
    for known in names:
        if known == name or (has_hangul(known) and len(known) > 2 and known[1:] == name):
            return known
        if known.split() and known.lower().split()[0] == name.lower():
            return known
    return name if has_hangul(name) else name.title()
