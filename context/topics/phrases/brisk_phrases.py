"""How a matter is raised, gone on with and closed in brisk talk, ko and en: signs for `boundary.brisk`."""

from __future__ import annotations

import re
from typing import Final

_I: Final = re.IGNORECASE

LEADING_WORDS: Final = re.compile(
    r"^\W*(?:(?:great|good|right|okay|ok|lovely|thanks|thank you|cheers|ta|fine|perfect|sure|well|so|now|anyway|all right|alright|please|noted|yes|yeah|oh|hi all|happily|done"  # noqa: E501 - a pattern reads better unbroken
    r"|네|예|자|좋아요|좋습니다|고마워요|감사합니다|알겠습니다|부탁해요|부탁드려요|오케이|음|아|좋아|그래|응|괜찮아요)\b[,.!~ ]+)+",  # noqa: E501 - a pattern reads better unbroken
    _I,
)
"""What closes the last matter before the next is named: "Good. Certification." """
MARKED_BEGINNING: Final = re.compile(
    r"^\W*(?:next|last(?:ly| one| thing)?|one (?:more|thing|last)\b(?! thing (?:on|about|to) (?:that|this|it)\b)|other(?: thing)?|another|also|finally|first(?:ly)?|item|then there|and (?:the|there|who|what|how|when|can|is|one)|by the way|while|speaking|any (?:other|news)"  # noqa: E501 - a pattern reads better unbroken
    r"|다음|마지막|그리고|참\b|아 맞다|맞다|이제|그건 그렇고|하나 더|그 다음|먼저|우선|첫|두 ?번째|세 ?번째|네 ?번째|또 하나|아 그리고|다른)",  # noqa: E501 - a pattern reads better unbroken
    _I,
)
ABOUT_PHRASE: Final = re.compile(
    r"\bby the way\b|\bone (?:more )?thing\b(?! (?:on|about|to) (?:that|this|it)\b)|\bquick one\b|\bgoing back\b|\bjust quickly\b"  # noqa: E501 - a pattern reads better unbroken
    r"|하나만 (?:더|짧게|빨리)|짧게 하나|말인데|얘기(?:예요|인데|부터|도|입니다|할|를|요)|문제요|건은|건도|부터(?:요| ?보| ?듣| ?볼)|말씀드|말이야",  # noqa: E501 - a pattern reads better unbroken
    _I,
)
"""Says, anywhere in a turn, that a matter is being raised."""
INVITES: Final = re.compile(
    r"\b(?:anything(?: else)?|what else|any other (?:business|points?|matters?|topics?)|any more (?:points?|topics?))(?: for today| from (?:anyone|anybody|you|your side))?\?\s*$"  # noqa: E501 - a pattern reads better unbroken
    r"|(?:다른|추가로?|더)\s?(?:안건|건|하실|말씀하실|얘기할|얘기하실|논의할|논의하실)\S*(?:\s(?:말씀|얘기|거|것|분))?\s(?:있|없|계)\S*\?\s*$"
    r"|^(?:네|자|그럼|또|더|뭐|[, ])*(?:또|더)\s(?:있|없)\S*\?\s*$",
    _I,
)
"""Asks for other matters: what comes then is one, unless it is NOTHING."""
NOTHING: Final = re.compile(
    r"^\W*(?:no|nope|nothing|not from|not really|none|that's (?:all|it|everything)|i'm good|all good)\b|^(?:네|아니요?|저는|저도|[,. ])*(?:없|괜찮|아니)",  # noqa: E501 - a pattern reads better unbroken
    _I,
)
RAISES: Final = re.compile(
    r"^\W*(?:can|could|shall|should|do|does|did|are|is|have|has|what(?:'s| are| do| about| is)|how(?:'s| are| is| about| did)|who(?:'s|se)?|which|where(?: are|'s)|any(?:body|one)?|somebody|i'd like|i need|i want|i've got|we need|we have to|we've)\b",  # noqa: E501 - a pattern reads better unbroken
    _I,
)
RAISES_KO: Final = re.compile(
    r"됐|되고 있|어떻게 (?:할|하|됐|되)|누가|언제가?|뽑|해야|할까요|하나요|정해야|돼요\?|으면 해|싶"
)
"""A sign in a Korean question: it opens a matter rather than asks for a detail."""
GOES_ON: Final = re.compile(
    r"^\W*(?:but|because|which|no\b|yes\b|yeah\b|then\b|why\b|isn't|wasn't|didn't|couldn't|it\b|it's|that|that's|they|he\b|he's|she|she's|them|and (?:if|in|we|you|do|are|has)|what if|since when|how (?:much|many|long)|when(?:'s|\b)|at \w+|on what|for (?:a|how)|until|let's|let us|give|take|buy|put|ask|order|can't|we could|me too|same here|agreed"  # noqa: E501 - a pattern reads better unbroken
    r"|그럼|그러면|근데|그런데|그래도|하지만|아니|왜|얼마|언제|몇|누구|저도|저는|그거|그건|그걸|그게|그때|거기|이건|그래서|그렇|하루에|한 |두 |세 |아직|또요|괜찮|좋|맞아|네[,. ]|예[,. ])",  # noqa: E501 - a pattern reads better unbroken
    _I,
)
"""Begins like an answer, an objection or the next question about the same matter."""
POINTS_BACK: Final = re.compile(
    r"\b(?:it|its|it's|that|that's|they|they're|them|this|those|these|he|he's|she|she's|him|her|there|one)\b"
    r"|그거|그건|그걸|거기|이건|그게|그때|그분|그럼|그렇|그래|이거|그 ",
    _I,
)
COMMITS: Final = re.compile(
    r"(?:제가|내가|저희가|제)[^.?]{0,60}(?:겠습니다|[가-힣]게요?)|[을릴할갈볼줄둘올낼쓸될](?:게요?|겠습니다)|[가-힣]겠습니다[.!]?$|기로 (?:하|해)|[걸것](?:로|으로) (?:하|확정|해)|[가-힣]시다[.!]?|[가-힣]죠[.!]|해요[.!]?$|하자[.!]?"  # noqa: E501 - a pattern reads better unbroken
    r"|\b(?:i'll|i will|i'm going to|i can|we'll|we will|then we|then it's|let's|will do|leave it to me|i'm (?:putting|calling)|i've asked)\b",  # noqa: E501 - a pattern reads better unbroken
    _I,
)
ORDERS: Final = re.compile(
    r"\b(?:get|buy|order|book|send|ask|tell|take|give|put|drop|try|settled|carried|decided|it is|from (?:monday|next|the|this)|by (?:monday|tuesday|wednesday|thursday|friday|tomorrow|tonight|the)|today|tonight|tomorrow)\b"  # noqa: E501 - a pattern reads better unbroken
    r"|해 ?주세요|[가-힣] 주세요|해 ?줘요?|까지|바꿔요|사요|[가-힣]습니다\.$|오늘|내일|이번 주",
    _I,
)
AGREEING_PHRASE: Final = re.compile(
    r"^\W*(?:agreed|fine|done|deal|okay|ok|right|fair enough|sure|works for me|suits me|me too|same here|noted|exactly|perfect|good|great|thanks|please|will do|happily|thank god|happy to|true|yes"  # noqa: E501 - a pattern reads better unbroken
    r"|네|예|좋습니다|좋아요|괜찮|그래요|그럽시다|알겠|저도|감사|고마|부탁|응|그래|알았|하하)",
    _I,
)
TELLING_PHRASE: Final = re.compile(
    r"(?:대요|래요|답니다|랍니다|달래요|더라고요?|던데(?:요)?|는데요?|네요|했어요|왔어요|났어요|났습니다|있습니다|왔습니다|올랐|안 \S+(?:요|습니다)|못 \S+(?:요|습니다))[.!?]?(?:\s|$)"  # noqa: E501 - a pattern reads better unbroken
    r"|\b(?:says|said|has (?:asked|complained)|have asked|wants?|asks|is up|went|keeps?|broken|fail(?:ed|ing)|again|'s (?:been|dying|gone|broken)|are|isn't|hasn't|haven't)\b",  # noqa: E501 - a pattern reads better unbroken
    _I,
)
"""Tells news."""
SUBJECT: Final = re.compile(r"^(?:the|our|my|some|somebody|mrs|mr|[a-z]+'s)\b", _I)
"""An English turn that begins with its subject."""


def behind_lead(text: str) -> str:
    """`text` without the words that close the last matter (`LEADING_WORDS`); all where it has no others."""
    lead = LEADING_WORDS.match(text)
    return (text[lead.end() :] if lead else "") or text
