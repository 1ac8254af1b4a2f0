"""Small talk, which is answered without the graph (seed 001): a greeting, thanks, a good-bye, an "ok".

A text is small talk only if it is nothing else: whole words of these lists, and no question or request.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from context.language.closed_lists import wording
from context.language.korean import language_of
from context.language.questions import is_question, is_request

Talk = Literal["greeting", "thanks", "farewell", "acknowledgement"]

_LONGEST_CHARS: Final = 30
_LONGEST_WORDS: Final = 4
_PHRASES: Final[dict[Talk, str]] = {
    "greeting": """
        안녕, 안녕하세요, 안녕하십니까, 반가워, 반가워요, 반갑습니다, 하이, 헬로, 좋은 아침, 좋은 오후,
        좋은 저녁, 좋은 아침입니다, 좋은 아침이에요, 좋은 오후입니다, 좋은 오후이에요, 좋은 저녁입니다,
        좋은 저녁이에요,
        hi, hello, hey, howdy, greetings, good morning, good afternoon, good evening, nice to meet you,
    """,
    "thanks": """
        고마워, 고마워요, 고맙습니다, 감사합니다, 감사해, 감사해요, 감사드립니다, 수고했어, 수고했어요,
        수고하셨습니다, 수고하셨어요, 수고했습니다, 땡큐,
        thanks, thanks a lot, thanks so much, thank you, thank you so much, thank you very much, thx, ty,
        cheers, much appreciated, great job, well done,
    """,
    "farewell": """
        잘 가, 잘가, 잘 가요, 잘가요, 안녕히 계세요, 안녕히 가세요, 다음에 봐, 다음에 봐요,
        다음에 뵙겠습니다, 다음에 또 봐, 다음에 또 봐요, 바이바이, 바이,
        bye, bye bye, byebye, good bye, goodbye, see you, see ya, see you later, see ya later,
        see you soon, see you tomorrow, see ya soon, see ya tomorrow, good night, take care,
    """,
    "acknowledgement": """
        네, 예, 넵, 응, 알겠습니다, 알겠어, 알겠어요, 알았어, 알았어요, 좋아, 좋아요, 좋습니다, 그래,
        그래요, 오케이, 확인, 확인했습니다, 확인했어요,
        ok, okay, k, yes, yep, yeah, sure, got it, i see, understood, alright, all right, great, cool,
        perfect, sounds good,
    """,
}
_KNOWN_PHRASES: Final = {
    phrase.strip(): talk for talk, phrases in _PHRASES.items() for phrase in phrases.split(",")
}
_GREETED_NAMES: Final = (
    "모임",
    "모임아",
    "모임님",
    "모임씨",
    "모임이",
    "moim",
    "there",
    "all",
    "everyone",
    "여러분",
)
_INTENSIFIERS: Final = ("정말", "너무", "대단히")
_MARKS: Final = re.compile(r"[,.!~:;)(^ㅎㅋ👋🙏😊]+|(?<=bye)-(?=bye)")
_DRAWN_OUT: Final = re.compile(r"(?<=네)네+|(?<=hi)i+")
_ANSWERS: Final = wording("small_talk")


def kind_of_talk(text: str) -> Talk | None:
    """The kind of small talk that `text` is; None where anything else stands in it."""
    bare = " ".join(text.split()).lower().replace("’", "'")
    if not bare or len(bare) > _LONGEST_CHARS or "?" in bare or "？" in bare or is_request(bare):
        return None
    words = _DRAWN_OUT.sub("", _MARKS.sub(" ", bare)).split()
    found: Talk | None = None
    while words:
        for length in range(min(_LONGEST_WORDS, len(words)), 0, -1):
            phrase = " ".join(words[:length])
            if phrase in _KNOWN_PHRASES or phrase in _GREETED_NAMES or phrase in _INTENSIFIERS:
                found = _KNOWN_PHRASES.get(phrase, found)
                del words[:length]
                break
        else:
            return None
    return None if found != "acknowledgement" and is_question(bare) else found


def small_talk(text: str, language: str = "auto") -> str | None:
    """The answer to small talk, in `language` (`auto`: that of `text`); None where `text` is none."""
    found = kind_of_talk(text)
    if found is None:
        return None
    return _ANSWERS[language_of(text, language)][found]
