# ruff: noqa: E501  # patterns read better unbroken
"""What only opens, orders or ends a meeting: greetings, headings, "let me share my screen".

It is said like any other sentence, and often first, so by its place alone it would pass for a key point.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from context.extractive import english_cues, korean_answers
from context.extractive.english_forms import opening_left_out, plain_form
from context.language.korean import has_hangul

_GREETS_EN: Final = re.compile(
    r"^(?:(?:hi|hello|hey)\b|good (?:morning|afternoon|evening)\b|welcome\b|nice to (?:see|meet) (?:you|everyone)|thanks?(?: you)?(?: \w+)? for (?:coming|joining|your time|being here|attending)"
    r"|have a (?:nice|good|great|lovely)\b|see you\b|talk to you (?:soon|later|tomorrow)|bye\b|that's (?:it|all)(?: from me| for today)?$|can (?:you|everyone|everybody) (?:all )?(?:hear|see)\b)"
)
_ORDERS_EN: Final = re.compile(
    r"^(?:let me|i'll|i will|i'm going to) (?:quickly )?(?:share (?:my|the) screen|start (?:the )?recording|open (?:the|my) (?:slides|document|deck)|go first)"
    r"|^(?:let's|let us|shall we) (?:get (?:started|going)|start|begin|kick off|wrap up|move on)\b|^(?:agenda )?(?:item|topic|point|number) (?:\d+|one|two|three|four|five|six|last|next)$"
    r"|^(?:today's|the) agenda (?:has|is)\b|^on (?:the|today's) agenda\b|^we have (?:\w+ )?(?:things|items|points|topics) (?:on the agenda|today)"
)
_HEADS_EN: Final = re.compile(
    r"^(?:(?:okay|ok|right|so|now|alright|and) )*(?:first|firstly|second|secondly|third|next|then|last|lastly|finally|next up)\b"
)
_LONGEST_HEAD: Final = 4
_GREETS_KO: Final = re.compile(
    r"안녕하(?:세요|십니까)|반갑습니다|(?:다|다들|모두)\s?(?:오셨|모이셨|들어오셨)|수고\s?(?:많으셨|하셨)|고생\s?(?:많으셨|하셨)|주말\s?잘\s?보내|좋은\s?(?:하루|주말|저녁)"
    r"|참석해\s?주셔서|와\s?주셔서|(?:잘\s?)?들리(?:시나요|세요|시죠)|화면\s?(?:공유|잘\s?보)"
)
_ORDERS_KO: Final = re.compile(
    r"(?:회의|미팅|스크럼)(?:를|을)?\s?(?:시작|마치|끝)|^오늘은\s(?:여기까지|이만)|^(?:자[,\s]*)?(?:그럼|그러면|이제|일단)?[,\s]*(?:바로\s?)?시작(?:하겠|할게|하죠|하시죠|합시다|해\s?보)|오늘\s?(?:안건|회의|의제|주제)(?:은|는)\s.{0,20}(?:가지|개|건|다룹|다룰|입니다)"
    r"|(?:이야기|얘기|말씀|설명|공유)\s?(?:드리겠습니다|드릴게요|할게요|하겠습니다|시작할게요)$|(?:다음|첫|두|세)\s?(?:번째\s?)?(?:안건|주제)(?:은|는|으로|입니다)?"
)
_HEADS_KO: Final = re.compile(
    r"^(?:자|네|음)?[,\s]*(?:먼저|우선|다음은|다음|첫\s?번째(?:로|는)?|두\s?번째(?:로|는)?|세\s?번째(?:로|는)?|마지막으로|끝으로|이어서)[,\s]+"
)
_ENDS_KO: Final = re.compile(r"(?:다|요|죠|까|자|네|지|함|음|임|됨)$")


@lru_cache(maxsize=512)
def says_nothing(text: str) -> bool:
    """Whether a sentence only greets, announces, heads what comes, or says yes."""
    bare = text.strip(" .!?…~\"'”")
    if has_hangul(bare):
        if korean_answers.assents(bare) and len(bare.split()) <= _LONGEST_HEAD:
            return True
        if _GREETS_KO.search(bare) or _ORDERS_KO.search(bare):
            return True
        return (
            len(bare.split()) <= _LONGEST_HEAD
            and _ENDS_KO.search(bare) is None
            and (_HEADS_KO.match(bare) is not None or len(bare.split()) == 1)
        )
    form = plain_form(bare)
    rest = opening_left_out(form)
    if english_cues.assents(form) and len(form.split()) <= _LONGEST_HEAD:
        return True
    if _GREETS_EN.match(form) or _GREETS_EN.match(rest) or _ORDERS_EN.match(rest) or len(rest.split()) <= 1:
        return True
    return len(form.split()) <= _LONGEST_HEAD and _HEADS_EN.match(form) is not None
