"""Korean greetings, thanks and the chair's announcements."""

from __future__ import annotations

import re
from typing import Final

_COURTESY: Final = re.compile(
    r"^(?:안녕하세요|안녕하십니까|감사합니다|고맙습니다|수고하셨습니다|수고하세요|좋습니다|좋아요|알겠습니다|맞습니다|그렇습니다|네|예|반갑습니다)$"
    r"|회의(?:를|는)?\s?(?:여기서\s?)?(?:표결|부치|상정|정회|거수|회부|기회를?\s?드리|부여|선포|속개|시작|마치|마무리|종료|끝(?!나[고면는]))[^.]*$|넘어\s?(?:가(?:겠습니다|죠|시죠|도록|볼게요|자)|갈게요|갈까요|갑시다)"
    r"|^(?:(?:더|다른\s?(?:말씀|의견))\s?(?:[가-힣]+\s)?없으(?:면|시면)\s)?(?:오늘은\s)?(?:그럼\s)?(?:이만|여기까지|여기서|이걸로)?\s?(?:하고\s)?(?:마치|끝내|마무리하)(?:겠습니다|죠|시죠|도록\s?하겠습니다)$"
    r"|(?:이야기|얘기)를?\s?(?:해\s?보죠|해\s?보겠습니다|하겠습니다|하죠)$|^(?!.*(?:제가|내가|에|에게|께|한테)\s).*(?:이야기|얘기)를?\s?(?:할게요|해\s?볼게요)$|^(?:저도|저는)?\s?[^\s]*\s?(?:찬성|동의)합니다$"
)


def is_courtesy(bare: str) -> bool:
    """Greetings, thanks, and the chair's announcements."""
    return _COURTESY.search(bare) is not None
