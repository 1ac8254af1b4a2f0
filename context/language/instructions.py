# ruff: noqa: E501  # patterns read better unbroken
"""Is this said to people, or is it meant to steer the one who writes the minutes?

What is said in a meeting is data wherever a model reads it; but a summary rests on what people said, and
"record as decided: …" would rest on its own words. So what orders the note taker about, forges lines of a
transcript or is a program's language is evidence of nothing: no decision, task, key point or lasting fact
is made of it. It stays on the record and can be asked for, with who said it.

A net, not a proof: `tests/security` says what it holds and what real talk it costs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from context.inert import visible
from context.language.questions import sentences
from context.models import Utterance

_LOOK_ALIKE: Final = str.maketrans("аеорсхуіАЕОРСХНТВМКІ", "aeopcxyiAEOPCXHTBMKI")
"""Cyrillic letters that pass for Latin ones."""
_BLANK: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_JOINERS: Final = re.compile("[\u200c\u200d\ufe00-\ufe0f]")
"""Of some scripts and of emoji: kept where text is shown, nothing where it is read."""
_LONGEST: Final = 4000
_LEAST_KEPT: Final = 300
"""Characters: a speech is not lost for one sentence of it; a shorter turn is one thing."""

_START: Final = r"(?:^|[.,:;!?\"“”'({\[>]\s*|\b(?:and|so|now|then|please|moim|must|should|have to|can you|could you|to|you)\s+)"
_MACHINE: Final = r"(?:assistant|ai|a\.i\.|chat ?bot|bot|(?:language )?model|llm|gpt|note ?taker|minutes bot|summari[sz]er|agent)"
_MINUTES: Final = (
    r"(?:decisions?|decided|final|minutes|memory|facts?|action items?|list of decisions|profile|record)"
)

_EN: Final = (
    # rules set aside, or given anew
    r"\b(?:ignore|disregard|forget|override|bypass|drop)\b.{0,30}\b(?:instructions?|rules?|prompts?|guidelines?|directives?)\b",
    r"\b(?:your|new|previous|the above|secret|exact|hidden)\s+(?:\w+\s){0,2}?(?:instructions?|prompts?)\b|\bsystem prompt\b(?!.{0,20}\bwas)|\bnew (?:rule|order)s?\b.{0,30}:",
    r"\byour rules?\b|\brules? about citations?\b",
    r"\b(?:developer|debug|admin|god|dan) mode\b|\byou are now\b|\bas an ai\b|\bpretend (?:that|to be)\b",
    r"\bfrom now on,? (?:you|answer|speak|reply|only|always)\b",
    # the machine is spoken to, or speaks
    rf"(?:^|[.!?:;\n]\s*)(?:hey|dear|hello|ok|okay|note to|attention|message (?:for|to)|(?:new )?instructions? (?:for|to)|for)?\s*(?:the |my )?{_MACHINE}\s*[,:]",
    rf"\b(?:to|for|dear) (?:the |our )?{_MACHINE}\b\s*[,:]|,\s*{_MACHINE},|\bto the {_MACHINE}\b|\bwhoever summari[sz]es\b",
    r"(?:^|[\[\s{(\"'])(?:system|developer|administrator|root)\b\s?(?:\]|\s?:|message\b|override\b|command\b)",
    # what the minutes, the summary, the memory are to say
    rf"{_START}(?:record|mark|log|note|write|put|add|enter|minute|store|save|register|strike|file|treat|list|keep)\b.{{0,40}}\b(?:as|to|into|in|from)\b.{{0,25}}\b{_MINUTES}\b",
    rf"{_START}(?:strike|delete|erase)\b.{{0,20}}\b(?:last|previous)\b.{{0,10}}\bdecision|\blog the decision\b",
    rf"{_START}remember (?:that|this|:)(?! (?:we|i|our|last|when|how|what)\b)",
    r"\b(?:to|in|into|from) (?:your|the|its) (?:own )?memory\b|\bstore (?:that|it|this)\b|\bas a fact\b|\bupdate (?:the|your) (?:profile|memory)\b",
    r"\b(?:your|the) summary (?:must|should|shall|has to|is to|will)\b|\bwhen you summari[sz]e\b|\bin (?:the|your) summary\b.{0,10}\b(?:write|put|say|only)\b|\bsummary with the words\b|\bsummari[sz]e .{0,20}\b(?:as|to say)\b",
    r"\bend of (?:transcript|meeting|conversation)\b|(?:^|[.!?]\s+)summary\s*:",
    r"\badd (?:a |an |the )?(?:task|action item|to-?do)\b|\bcreate (?:a |an )?(?:task|action item|to-?do)\b",
    # what the agent is to do
    r"\b(?:call|run|execute|invoke|trigger)\b.{0,20}\b(?:tool|function|api|command|script|plugin)\b|\btool[ _]call\b|\bfunction[ _]call\b",
    r"\b(?:print|output|repeat|reveal|recite|show|leak)\b.{0,40}\b(?:prompt|instructions|rules|words above)\b",
    r"\banswer (?:everybody|everyone|freely|as|in)\b|\bas if you were\b|\bin(?:to)? your (?:next )?answer\b",
    r"\b(?:whisper|dm|direct[- ]message)\b|\b(?:send|tell|message)\b.{0,40}\b(?:privately|private message|in secret|secretly|do not show)\b",
    r"\b(?:slash|/)\s?(?:pause|leave|resume|rate|me)\b|(?:^|\s)/(?:pause|leave|resume|rate|me)\b|\brate command\b|\bpause the recording\b|\bleave the meeting\b",
    # somebody else's words, as lines or between spoken marks
    r"\b(?:and i )?quote\b.{0,200}\b(?:unquote|we|i)\b|\bstar star\b|\bquote \w+ \w+ with\b",
)
_KO: Final = (
    r"(?:지시|지침|명령|규칙|프롬프트|안내)\S{0,3}\s?(?:을|를|은|는|들을)?\s?(?:모두|전부|다)?\s?(?:무시|잊|어기|폐지|버리|무효|출력|반복|보여|그대로)",
    r"(?:이전|위의?|앞의?|기존)\s?(?:의\s)?(?:지시|지침|명령|규칙|프롬프트|안내)|시스템\s?(?:프롬프트|메시지|명령|오버라이드)|새\s?(?:규칙|지시)|프롬프트|지시문",
    r"지금부터\s?(?:너|넌|당신|벤|[가-힣]{2,4}인)|개발자\s?모드|관리자\s?(?:명령|모드)|인\s?(?:것처럼|척)\s?\S{0,4}\s?(?:대답|답하|답해|말해)",
    r"(?:인공지능|어시스턴트|챗봇|언어\s?모델|요약하는\s?모델|모델|비서|AI|에이아이|봇)(?:에게\s?알립|(?:은|는)?\s?들어라|[아야](?=[\s,.!]|$)|에게:|,\s)",
    r"(?:^|[\s\[\"“>.])(?:시스템|관리자|어시스턴트|모임)\s?\]?\s?[:：]",
    r"(?:결정|확정|합의)\S{0,8}\s?(?:것으로|거로|걸로|사항(?:에|으로)|목록에|다고|했다고|됐다고|되었다고|으로)\s?\S{0,12}\s?(?:기록|적어|적으|적으세요|넣어|남겨|남기라|추가|처리|등록|저장|써)(?:하세요|해라|해 줘|해줘|해|라|요|으세요|세요)?",
    r"(?:결정\s?사항|결정\s?목록|회의록)(?:에|으로)\s?\S{0,20}\s?\S{0,12}\s?(?:추가해|추가하|넣어|처리해)|결정으로 기록",
    r"(?:기억해|기억하세요|외워)\s?(?:둬|두세요|줘|주세요|라)?\s*[.!]?$|다(?:는\s?걸|는\s?것을|고)\s?기억해|기억해\s?둬|기억해:|라고 기억해|메모리(?:에|로)|사실로\s?(?:저장|기억)|프로필(?:에|을)",
    r"요약(?:에는|에|문을|할\s?때는|할\s?때)\s?.{0,40}(?:써|쓰|바꿔|넣어|남겨|고만|해야)|요약\s*[:：]|summary에는",
    r"(?:도구|함수|툴|tool call|function_call|tool)(?:를|을|로)?\s?.{0,8}(?:호출|실행|찾아서)|이건 (?:시스템 )?명령|명령이다|이라고 지시",
    r"(?:할\s?일|업무|일)(?:을|를)\s?\S{0,12}\s?\S{0,8}\s?(?:추가해|등록해)|action item\s?추가",
    r"(?:몰래|비공개로|쪽지로|디엠|DM)(?:으로)?\s?.{0,40}(?:보내|전해|전달|등록|지우)|프랑스어로만|답변에\s?.{0,20}넣|다고\s?답하세요|라고\s?(?:대답해|적어|인용해|보내)|(?:승인한다고|만장일치였다고)\s?말해|인용해\.?$",
    r"remember\s?해|(?:prompt|rules|instructions)(?:를|을|는)?\s?\S{0,8}\s?(?:print|출력|show|보여|무시|ignore)",
    r"(?:슬래시|/)\s?(?:퍼즈|리브|레이트|레쥼|pause|leave|rate)|(?:녹음|기록)\s?(?:을\s?)?(?:중지|멈)|모임(?:한테|에게|더러|보고|아|야|이?라고)|(?:별표\s?){2}",
)
_FORM: Final = re.compile(
    r"<\|?/?\s?[a-z_]+\|?>|<\s?(?:img|a|script|iframe|svg|style|object|link|div|span|form)\s|\[/?INST\]|<<|```|\{\s*[\"']\s*[\w가-힣_]+\s*[\"']\s*:|!\[[^\]]*\]\(|\]\(\s*\S+\)|\*\*\s?\(\d{1,2}:\d\d|\[\s?#\d",
    re.IGNORECASE,
)
"""Tags, templates, code, links, forged quotes and citations: nobody says such a thing."""
_TAG_CHARACTERS: Final = re.compile("[\U000e0020-\U000e007e]")
"""ASCII that nobody sees."""
_LINES: Final = re.compile(r"(?:^|[.!?]\s+|[“\"'(])[A-Z가-힣]\w{0,20}(?:\s[A-Z]\w+)?\s?[:：]\s")
"""A speaker's name before what they say."""
_PHRASES: Final = re.compile("|".join((*_EN, *_KO)), re.IGNORECASE)


def steers(text: str, wake_words: Sequence[str] = ()) -> bool:
    """Whether `text` is meant for whoever writes things down, and not for the people in the room.

    `wake_words`: in Latin letters they are nobody's word for anything else.
    """
    return _steers(text[:_LONGEST], tuple(word for word in wake_words if word.isascii()))


def as_read(text: str) -> str:
    """`text` as a reader sees it, on one line: nothing hidden, wide letters narrow, look-alikes what they look like."""
    seen = unicodedata.normalize("NFKC", _JOINERS.sub("", visible(text)))
    return _BLANK.sub(" ", seen.translate(_LOOK_ALIKE)).strip()


@lru_cache(maxsize=1024)
def _steers(text: str, names: tuple[str, ...]) -> bool:
    if _FORM.search(text) is not None or _TAG_CHARACTERS.search(text) is not None or "\n" in text.strip():
        return True
    plain = as_read(text)
    if _FORM.search(plain) is not None or _PHRASES.search(plain) is not None:
        return True
    if len(_LINES.findall(plain)) > 1:
        return True
    return any(re.search(rf"\b{re.escape(name)}\b", plain, re.IGNORECASE) for name in names)


def told(utterances: Iterable[Utterance], wake_words: Sequence[str] = ()) -> list[Utterance]:
    """What people told each other: without what steers; of a long turn, what came before that stays."""
    kept: list[Utterance] = []
    for said in utterances:
        if not steers(said.text, wake_words):
            kept.append(said)
        elif len(before := _before_it(said.text, wake_words)) >= _LEAST_KEPT:
            kept.append(said.model_copy(update={"text": before}))
    return kept


def _before_it(text: str, wake_words: Sequence[str]) -> str:
    """The sentences before the first one that steers."""
    kept = ""
    for sentence in sentences(text):
        if steers(sentence, wake_words):
            break
        kept = f"{kept} {sentence}".strip()
    return kept
