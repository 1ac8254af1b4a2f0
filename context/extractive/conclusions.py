# ruff: noqa: E501  # patterns read better unbroken
"""What a team settles in passing: "Then we'll pour on Monday instead", 그럼 일주일만 늦춥시다.

No word of deciding stands in it. It is told by its place and its form: somebody, after others have
talked, opens with "then", "okay", 그럼 and says what is to be done, without a question, a condition or
a doubt. What only orders the meeting ("then let's move on", 그럼 시작합시다) settles nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.extractive.agreement import agreed_by
from context.extractive.english_cues import without_condition
from context.extractive.english_forms import opening_left_out, plain_form
from context.extractive.korean_mood import urges
from context.extractive.moments import due_in
from context.extractive.sentences import Said
from context.language.korean import final, has_hangul

_WORDS: Final = range(3, 26)
_CHARS_KO: Final = range(5, 80)
_RECENT: Final = 8
"""Sentences within which it was named what to pick from."""
_SHORT: Final = 4
"""Words of an agreement that stands before: Good catch."""

# English
_HABITS: Final = """
have need know think want see hear feel hope like love mean believe agree understand guess do did are were was can could should
would may might must will all just only always usually often never also already really still either get talk say seem tend
aren't don't didn't haven't used mostly normally currently both each probably generally go look
"""
_PLAN: Final = rf"we (?:(?:stop|start|keep) (?!going|talking|saying)\w+ing\b|(?!(?:{'|'.join(_HABITS.split())})\b)(?!\w+ed\b)\w{{3,}} (?:the|a|an|it|them|that|this|these|those|no|our|her|him|with|on|for|in|nothing|everything|only)\b)"
"""What we do from now on: we bin the top rack; not what we have, think, or did."""
_LEAD_EN: Final = re.compile(
    r"^(?:(?:ok(?:ay)?|right|fine|good|great|sure|agreed|alright|all right|yes|yeah|deal|perfect|hmm|mm|so|well)\b[\s,.!]*)+$"
    r"|^(?:good (?:catch|point|idea)|makes sense|fair enough|that settles it|i like (?:that|it)|works for me|safety first|no leave it|you're right|(?:no )?(?:nor|neither) (?:do|would|will|am|can|should) (?:i|we)|me neither|nor me|i agree)$"
)
_CONCLUDED_EN: Final = re.compile(
    r"^(?:then|so then|okay then|right then|fine then) (?:let's|let us|we|we'll|we will|we're|we are|it's|it is|the|no|only|just)\b"
    rf"|^{_PLAN}|^(?:the |our )?(?!(?:it|that|he|she|this|time|there|what|one|i|we|you|they)\b)\w+(?: \w+){{0,2}} (?:stays?|goes|is (?:out|off|in)|are (?:out|off|in)|waits?)(?: |$)(?!well|on\b|to\b|up\b|down\b|back\b|without|like)"
    r"|^we're (?:buying|dropping|keeping|cutting|moving|replacing|cancelling|canceling|hiring|ordering|switching|skipping|postponing|delaying|shipping|launching|closing|opening|selling|adding|removing|taking|giving|paying|splitting|merging)\b"
    r"|^(?:then )?(?:let's|let us) \w+|^(?:then )?(?:we|we'll|we will|we're|we are) \w+.*\b(?:instead|after all|from (?:now|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|next)\b.*)$"
)
_FOR_NOW_EN: Final = re.compile(
    r"^so we (?:stay|remain|keep|hold|stick|close|skip|run|use|leave|pause)\b.*\b(?:until|till|for now|for the time being|(?:this|next) (?:week|month|season|term|year))\b"
)
"""So we stay inside the headland until it's fixed."""
_APPROVAL_EN: Final = re.compile(
    r"^(?:agreed|deal|good|great|excellent|lovely|love (?:it|that)|i like (?:it|that)|good idea|makes sense|perfect|fair enough|that settles it|sounds good)$"
)
_A_DAY_EN: Final = re.compile(
    r"\d|day\b(?<!today)|january|february|march|april|may|june|july|august|september|october|november|december"
)
_SO_EN: Final = re.compile(r"^so (?!far|what|that|i\b|you\b|this|it\b|they|there)\w+")
"""Agreed. So one person per weekend day."""
_BY_ITSELF_EN: Final = re.compile(
    r"^(?!what|how|that|as|so|whatever|whoever|the way|there|here|where|this|which|wherever|because|whether|if|yes|of course|i (?:suppose|think|guess|know|believe|hope|wonder|see)|we (?:think|know|say))\w.{2,50} it is(?: then)?$"
    r"|^we(?:'ll| will) (?:then )?(?:skip|drop|cancel|scrap|ditch|do without|pass on) (?:it|that|this|them|those|both)$"
    r"|^(?:so|then) we (?:take part|go ahead|say (?:yes|no)|decline|accept)\b(?! if\b)"
    r"|^(?:okay )?new rule\b|\b(?:is|are) (?:now |then |hereby )?(?:fixed|capped|locked(?: in)?|set) (?:at|to|for)\b"
    r"|^then (?:it's|it is) (?:\$?\d|the|a|on|in|at|going to be|\w+day)\b|^then (?:we'll|we will|we're going to|let's) \w+"
    r"|^(?:we'll|we will|we're|we are) \w+.*\b(?:instead|after all)$"
    r"|^(?=.*\b(?:from now on|as of (?:now|today|next|\w+day)|starting (?:next|\w+day|from))\b)(?=.*\b(?:we|every\w*|all|each|any|no|nobody|nothing|the|our)\b)(?!.*\b(?:i|i'm|i'll|you)\b)"
    r"|^(?:so |okay |right )?then we (?:stay|remain|close|open|cancel|skip|hold|keep|drop|leave|stick|pay|charge)\b"
    rf"|^(?:so |okay |right )?then {_PLAN}|^so no (?!one\b|more\b|body\b|matter\b|problem|need\b|wonder|idea|worries|questions?\b|comments?\b|i\b|it\b|that\b)\w+"
    r"|^then (?:it|that|they|those|he|she|the \w+|(?!(?:i|we|you|who|what|there)\b)\w+) (?:goes|stays?|go)(?: (?:out (?:of|for)|off|there|where|as|until)\b|$)"
    r"|^so (?!far|that|what|this|there|it|i|we|you|they|he|she|how|why|when)\w+(?: \w+){0,2} (?:goes|stays?|is out|are out)\b.*\b(?:starting|from|until|as of)\b"
)
_NOT_EN: Final = re.compile(
    r"\b(?:move on|moving on|next (?:item|topic|point|slide|one)|start(?:ed)?|begin|wrap up|finish|break|lunch|coffee|look at|have a look|see|hear|discuss|talk|think|wait|go through|come back|get back|check|maybe|perhaps|might|could|should|would|if|unless|whether|not sure|i guess|how|what|why|who|when|don't know|have to|need to|vote|leave it (?:there|for)|next (?:time|meeting)|decide|later|say|said|were|was|had|did|can|can't|try to|go on|the question of|focus|continue|carry on|go ahead|go to|spent|took|made|got|went|came|put up|found|wanted|needed|used|tried|thought|looked|worked|general discussions?|trying|hoping)\b"
)

_WHOEVER_EN: Final = re.compile(r"\b(?:(?:any|every|some)(?:one|body)|people|those|customers) who\b")
"""Let's do refunds for anyone who bought it: no question."""

# Korean
_LEAD_KO: Final = re.compile(
    r"^(?:(?:아|음|어|네|예|자|그래요?|좋아요?|좋습니다|오케이|그쵸|맞아요|할\s?수\s?없지|그렇네요?|그)[\s,.!]*)*(?:그럼|그러면|그렇다면|그래서|일단|오케이|오키|그래|그치|그러게|좋아요?|좋습니다|이번엔|차라리|할\s?수\s?없지|음)(?:[\s,.!]|$)"
)
_ENDS_KO: Final = re.compile(
    r"(?:자고요?|(?:걸로|거로|것으로)(?:\s?(?:하고요?|해요|하자고?요?|가요|요))?|(?:으로|로|부터로|까지로)(?:\s?(?:가요|하자고?요?|해요|합니다|하고요?|요))?|(?:으로|로)\s(?:맞춰요|바꿔요|정해요|잡아요|줄여요|늘려요|미뤄요|옮겨요|넘겨요|통일해요|넣어요|둬요)|(?:[을를은는]|만|도)\s(?:빼요|없애요|넣어요|사요|줄여요|늘려요|미뤄요|받아요|써요)|(?:놔?둬요|두죠|두시죠|없애죠|하죠|시죠|늘리죠|줄이죠|미루죠|바꾸죠|보죠|가죠|받죠|쓰죠|넣죠|빼죠))$"
)
_NOT_KO: Final = re.compile(
    r"오늘은\s(?:이쯤|여기까지|이만|그만)|넘어|시작|논의|이야기|얘기|들어\s?(?:보|봅)|생각해|쉬(?:죠|시|었|고)|알아\s?[보봅]|살펴|검토|확인|정리|다시\s?(?:논의|이야기|얘기|보|봐|봅|생각|검토|확인|정하|정해|말씀|모이|모여|만나|한번|여쭤|물어)|다음에|다음\s?(?:회의|안건|주제|번)|나중에|보십시다|한번\s?[보봅]|(?<![해아어여려텨켜쳐져겨워와봐줘둬춰써])\s봅시다|천천히|물어|여쭤|공유|마무리|끝내|끝내|마치|정하(?:죠|시)|정합|결정하죠|기다리|지켜\s?[보봅]|제가|저는|어떨|까요|나요|같아|같은데|좋겠|싶|모르|아마|혹시|면\s|수도\s|해야|인사|박수|밥|점심|커피|감사|건배|따로\s?말씀"
)

_LAST_LEAD_KO: Final = re.compile(r"\s(?:그럼|그러면)$")
_FIRST_HALF_KO: Final = re.compile(
    r"^[^.?!]{2,40}?(?:(?<!넘어)(?:으로|로)\s?(?:가고|하고|가되|하되|정하고|바꾸고|미루고)|(?:은|는)\s?(?:접고|빼고|취소하고|포기하고|그만두고|없애고))(?=[\s,])"
)
_NAMED_THEN_KO: Final = re.compile(
    r"^(?:[가-힣]{1,3}[\s,.!]+){0,2}(?:그럼|그러면)[\s,]+(?P<what>[가-힣0-9\s]{2,24}?)(?:으로|로)\s(?:주문|진행|예약|신청|변경|발주|구매|계약|배포|출시|처리|공지|통일|적용|운영|준비|잡|가|갑|하|합|할)(?:[가-힣]{0,4})(?:합니다|할게요|하겠습니다|해요|갑니다|가요|니다|게요)$"
    r"|^(?:[가-힣]{1,3}[\s,.!]+){0,2}(?:그럼|그러면)[\s,]+(?P<moment>[가-힣0-9\s]{2,24}?)(?:(?<=[일시반주날])이?요|(?:\s(?:출발|시작|진행|개최))(?:이?요|이에요|입니다)?|이?네요|이?네|입니다|이죠|이지|에\s(?:봬요|뵙겠습니다|뵐게요|봐요|만나요|보죠|모입시다|모이죠|봅시다))$"
)
"""그럼 남색으로 주문합니다, 그럼 24일에 봬요: what was to be chosen, named behind a 그럼."""
_RULE_KO: Final = re.compile(
    r"^(?:[가-힣]{1,3}[\s,.!]+){0,2}(?:앞으로|앞으로는|이제부터|이제|다음\s(?:주|달|번)부터|내일부터|오늘부터|[0-9]+월부터|올해부터|내년부터)(?:는)?\s.*(?:만|까지|부터|씩|로|에|을|를|은|는)\s?(?:합니다|한다|할게요|하기|해요|하세요|받습니다|받을게요|씁니다|엽니다|올립니다|보냅니다|쓸게요|열게요|안\s?합니다|안\s?해요|안\s?받습니다)$"
)
"""앞으로 배포는 목요일에만 합니다."""
_NOUN_KO: Final = re.compile(
    r"^(?!.*(?:했|됐|이번\s?달\s?매출|지난)).{2,30}(?:[은는]|그대로|으로|로|까지|만)\s(?:[가-힣0-9]+\s){0,4}(?:유지|고정|동결|폐지|중단|생략|제외|통일|취소|진행|확정|결정)$"
)
"""회비는 그대로 2만 원 유지."""
_SO_AND_KO: Final = re.compile(
    r"^[^.?!]{4,60}?[는은]\s(?:걸로|것으로|거로)\s?(?:하고|하되|가고|가되),?(?=\s)"
)
"""둘 다 실험 돌리는 걸로 하고, 기간은 …."""
_THEN_KO: Final = re.compile(r"^(?:[가-힣]{1,2}[\s,.!]+){0,2}(?:그러면|그렇다면|그렇다면은|그러면은)[\s,]+")
"""It begins with 'then', which is no 'if' of its own."""
_FROM_WHEN_KO: Final = re.compile(r"(?<=[고죠요자]),\s[가-힣0-9\s]{2,14}(?:부터|까지)(?:요|는|만)?$")
_HOW_BEHIND_KO: Final = re.compile(
    r"(?<=[고죠요자다]),\s[가-힣0-9\s]{2,14}(?:에서|안에서|선에서|씩|으로|로)(?:요|만)?$"
)
"""물하고 빵만 합시다, 천 원 선에서."""
_BY_ITSELF_KO: Final = re.compile(
    r"[가-힣][는은]\s(?:걸로|것으로|거로)(?:\s?(?:하고요?|하자고요?|가요))?$"
    r"|^(?:그럼|그러면)\s.*[은는]\s[가-힣]+[이가]\s하고,\s.+"  # who does which part
    r"|[은는]\s(?:그냥\s)?그대로\s?(?:둬요|두죠|둡시다|두시죠|둘게요|가요|가죠|갑시다|유지하죠|유지합시다)$"
    r"|(?:^|\s)[0-9][0-9.,]*\s?(?:퍼센트|프로|%|원|만\s?원|억|개|명|일|월|시|분|주|번|배|점)?(?:으로|로)\s?(?:가요|가죠|갑시다|하죠|합시다|해요|하자고?요?)$"
)


def concludes(said: Sequence[Said], place: int) -> bool:
    """Whether the sentence at `place` settles what was talked about before it."""
    sentence = said[place]
    if not _after_others(said, place):
        return False
    bare = sentence.text.strip(" .!…~\"'”")
    if "?" in sentence.text:
        return False
    if has_hangul(bare):
        return len(bare) in _CHARS_KO and _concludes_ko(said, place, bare)
    form = (
        opening_left_out(plain_form(bare))
        if bare.lower().endswith(("it is", "it is then"))
        else plain_form(bare)
    )
    for_now = _FOR_NOW_EN.match(form) is not None
    form = _WHOEVER_EN.sub("people", without_condition(form))
    if len(form.split()) not in _WORDS or _NOT_EN.search(form):
        return False
    if for_now or _BY_ITSELF_EN.search(form) or _names_a_moment(form) or _lets_on_a_day(form):
        return True
    if _then_on_a_day(form) or _picks_one(said, place, form):
        return True
    lead = _before(said, place, en=True)
    if _APPROVAL_EN.search(lead) and _SO_EN.match(form):
        return True
    answered = _LEAD_EN.search(lead) is not None or agreed_by(said, place) is not None
    if answered and any(settles.match(form) for settles in (_STAYS_EN, _DROPS_EN, _BIDDEN_EN)):
        return True
    concluded = _CONCLUDED_EN.search(form) is not None or _REFUSED_EN.match(form) is not None
    return concluded and _LEAD_EN.search(lead) is not None


_REFUSED_EN: Final = re.compile(
    r"^(?:so |then )*we (?:won't|will not|aren't going to|are not going to) (?!be\b|have\b|know\b|need\b|see\b|get\b|find\b|forget\b|make it\b|reach\b|manage\b|regret\b|win\b|lose\b)\w+ (?:it|that|this|them|the|a|an|any|our|those)\b"
)
"""No, nor would I. We won't sign it."""


_DROPS_EN: Final = re.compile(
    r"^(?:(?:so|then|okay|well) )*(?:we won't|we(?:'re| are) not (?:going to)?) ?(?!be\b|being\b|have\b|know\b|need\b|see\b|get\b|getting\b|find\b|forget\b|make it\b|reach\b|manage\b|regret\b|win\b|lose\b|losing\b|using\b|doing (?:well|badly|great)\b|talking\b|saying\b|looking\b)\w+ (?:it|that|this|them|the|a|an|any|our|those)\b"
)
"""We're not renewing the lease. – Agreed."""
_STAYS_EN: Final = re.compile(
    r"^(?:and |but )?(?:the|our) \w+(?: \w+){0,2} stays? (?:off|on|in|out|open|closed|shut|where|as)\b(?! track\b| touch\b| line\b)|^(?:(?:all right|alright|okay|right|good) )*(?:so|then) (?:the |our )?(?!(?:far|it|that|he|she|this|time|there|what|one|i|we|you|they|how|why|when|who|much|many)\b)\w+(?: \w+){0,2} (?:stays?|is (?:out|off|in)|are (?:out|off|in))\b(?! on\b| up\b| back\b| line\b| charge\b)"
)
"""So free stays, three projects."""


_BIDDEN_EN: Final = re.compile(
    r"^(?:(?:okay|right|fine|so|well|good|yes|no) )*then (?:put|run|keep|leave|take|use|book|order|buy|drop|cut|cancel|move|make|add|hire|give|raise|lower|split|swap|switch|bring|push|pull|limit|offer|charge|pay|skip|replace|ship|write|send|call) (?:the|a|an|it|them|that|those|these|both|all|no|one|our|every\w*|\w+ (?:off|out|in|to|for|at))\b"
)
"""Then put the extra bus on. – Even better."""
_PICKS_EN: Final = re.compile(
    r"^(?:(?:then|so|just|let's|okay|right|yes|we'll) )*(?:get|take|buy|order|book|use|pick|choose|go with|go for) the (?P<which>\w+) (?:one|option|version)s?$"
)


def _picks_one(said: Sequence[Said], place: int, form: str) -> bool:
    """Get the Falmouth one: of those that somebody else has just named."""
    found = _PICKS_EN.match(form)
    if found is None:
        return False
    which = re.compile(rf"\b{re.escape(found['which'])}\b", re.IGNORECASE)
    speaker = said[place].utterance.speaker_id
    recent = said[max(0, place - _RECENT) : place]
    return any(each.utterance.speaker_id != speaker and which.search(each.text) for each in recent)


def _then_on_a_day(form: str) -> bool:
    """Then new prices go live on the fifteenth."""
    moment = due_in(form)
    return (
        moment is not None
        and _THEN_EN.match(form) is not None
        and _A_SUBJECT_EN.match(_THEN_EN.sub("", form)) is not None
    )


_THEN_EN: Final = re.compile(r"^(?:(?:so|okay|right|fine|and) )*then ")
_A_SUBJECT_EN: Final = re.compile(
    r"(?!(?:i|you|he|she|they|it|that|this|there|we|on|in|at|by)\b)(?:\w+ ){1,4}?(?:go(?:es)?|starts?|begins?|moves?|opens?|closes?|launch(?:es)?|ends?|runs?|takes? place|comes?|ships?|is|are|stays?|happens?) "
)


def _names_a_moment(form: str) -> bool:
    """Fine, the 21st then; okay, Thursday at nine, then."""
    moment = due_in(form)
    return (
        moment is not None
        and form.endswith(" then")
        and len(opening_left_out(form).split()) <= len(moment.split()) + _SHORT
        and moment in opening_left_out(form)[: len(moment) + 4]
    )


def _lets_on_a_day(form: str) -> bool:
    """Let's take the Foundry, on the 14th of May."""
    moment = due_in(form)
    return form.startswith("let's ") and moment is not None and _A_DAY_EN.search(moment) is not None


def _concludes_ko(said: Sequence[Said], place: int, bare: str) -> bool:
    if _settles_then(bare):
        return True
    bare = _HOW_BEHIND_KO.sub("", _FROM_WHEN_KO.sub("", bare))
    if _NOT_KO.search(_THEN_KO.sub("", bare)):
        return False
    if _BY_ITSELF_KO.search(bare):
        return True
    led = _led(said, place, bare)
    if led and urges(bare):
        return True
    last = bare.rsplit(maxsplit=1)[-1]
    asks_all = last.endswith("시다") and len(last) > 2 and final(last[-3]) == "ㅂ"
    if asks_all:
        return led or len(bare.split()) >= (_SHORT - 1 if urges(bare) else _SHORT)
    return led and _ENDS_KO.search(bare) is not None


def _settles_then(bare: str) -> bool:
    """그럼 21일이네요, 앞으로 배포는 목요일에만 합니다, 회비는 그대로 유지."""
    named = _NAMED_THEN_KO.match(bare)
    if named is not None and named.group("what"):
        return _NOT_KO.search(_THEN_KO.sub("", bare)) is None
    if named is not None:
        return due_in(f"{named.group('moment').strip()}에") is not None
    return _RULE_KO.match(bare) is not None or _NOUN_KO.match(bare) is not None


def _led(said: Sequence[Said], place: int, bare: str) -> bool:
    """Whether it opens with a 그럼 or 그래, or what the speaker said right before it does."""
    return (
        _LEAD_KO.search(bare) is not None
        or _LAST_LEAD_KO.search(bare) is not None
        or _LEAD_KO.search(_before(said, place, en=False)) is not None
    )


def settles_first(said: Sequence[Said], place: int) -> bool:
    """그럼 애니로 가고, 연락은 네가 해 볼래?: the first half settles, whatever the second one asks."""
    bare = said[place].text.strip(" .!?…~\"'”")
    if not has_hangul(bare) or not _after_others(said, place):
        return False
    if (so := _SO_AND_KO.match(bare)) is not None and _NOT_KO.search(so.group()) is None:
        return True
    first = _FIRST_HALF_KO.match(bare)
    return first is not None and _NOT_KO.search(first.group()) is None and _led(said, place, bare)


def _before(said: Sequence[Said], place: int, *, en: bool) -> str:
    """What the speaker said right before the sentence, its own cut-off opening included; "" if that is long."""
    sentence = said[place]
    text = sentence.utterance.text
    start = text.find(sentence.text[:20])
    opening = text[: max(0, start)].strip()
    last = re.split(r"(?<=[.!?])\s+", opening)[-1] if opening else ""
    if len(last.split()) > _SHORT:
        return ""
    return plain_form(last) if en else last


def _after_others(said: Sequence[Said], place: int) -> bool:
    """Whether somebody else spoke within the last few turns."""
    here = said[place].utterance
    return any(
        each.utterance.speaker_id != here.speaker_id
        for each in said[max(0, place - 8) : place]
        if each.utterance.id != here.id
    )
