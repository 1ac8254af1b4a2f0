"""Small talk, answered without the graph: a greeting, thanks, a good-bye, and nothing else beside it.

Whole words only, and never a question or a request: "hi" is not in "this", 네 is not in 네트워크.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from context.language.korean import has_hangul
from context.language.questions import is_question, is_request

Talk = Literal["greeting", "thanks", "farewell", "acknowledgement"]

_LONGEST_CHARS: Final = 30
_WHO: Final = r"(?:모임(?:아|님|씨|이)?|moim|there|all|everyone|여러분)"
_KO: Final[tuple[tuple[Talk, str], ...]] = (
    ("greeting", r"(?:안녕(?:하세요|하십니까)?|반가워요?|반갑습니다|하이|헬로|좋은\s(?:아침|오후|저녁)(?:입니다|이에요)?)"),  # noqa: E501 - a pattern reads better unbroken
    ("thanks", r"(?:(?:정말\s|너무\s|대단히\s)?(?:고마워요?|고맙습니다|감사합니다|감사해요?|감사드립니다)|수고(?:했어요?|하셨습니다|하셨어요|했습니다)|땡큐)"),  # noqa: E501 - a pattern reads better unbroken
    ("farewell", r"(?:잘\s?가요?|안녕히\s(?:계세요|가세요)|다음에\s(?:봐요?|뵙겠습니다|또\s봐요?)|바이바이|바이)"),  # noqa: E501 - a pattern reads better unbroken
    ("acknowledgement", r"(?:네+|예|넵|응|알겠습니다|알겠어요?|알았어요?|좋아요?|좋습니다|그래요?|오케이|확인(?:했습니다|했어요)?)"),  # noqa: E501 - a pattern reads better unbroken
)  # fmt: skip
_EN: Final[tuple[tuple[Talk, str], ...]] = (
    ("greeting", r"(?:hi+|hello|hey|howdy|greetings|good\s(?:morning|afternoon|evening)|nice to meet you)"),
    ("thanks", r"(?:thanks(?:\sa\slot|\sso\smuch)?|thank\syou(?:\s(?:so|very)\smuch)?|thx|ty|cheers|much appreciated|great job|well done)"),  # noqa: E501 - a pattern reads better unbroken
    ("farewell", r"(?:bye(?:[\s-]?bye)?|good\s?bye|see\s(?:you|ya)(?:\s(?:later|soon|tomorrow))?|good\snight|take care)"),  # noqa: E501 - a pattern reads better unbroken
    ("acknowledgement", r"(?:ok(?:ay)?|k|yes|yep|yeah|sure|got it|i see|understood|alright|all right|great|cool|perfect|sounds good)"),  # noqa: E501 - a pattern reads better unbroken
)  # fmt: skip
_GAP: Final = r"[\s,.!~:;)(^ㅎㅋ👋🙏😊]*"
_ANSWERS: Final[dict[Talk, tuple[str, str]]] = {
    "greeting": (
        "안녕하세요. 이 회의에서 나온 이야기라면 무엇이든 물어보세요.",
        "Hello. Ask me anything about what was said in this meeting.",
    ),
    "thanks": ("도움이 되었다니 다행입니다.", "You are welcome."),
    "farewell": ("네, 기록은 그대로 남아 있습니다. 안녕히 가세요.", "Good-bye. The record is kept."),
    "acknowledgement": ("네.", "All right."),
}


def _compiled(talks: tuple[tuple[Talk, str], ...]) -> tuple[tuple[Talk, re.Pattern[str]], ...]:
    every = "|".join(pattern for _, pattern in talks)
    return tuple(
        (
            talk,
            re.compile(
                rf"^{_GAP}(?:(?:{every}|{_WHO}){_GAP})*(?<!\w){pattern}(?!\w){_GAP}(?:{_WHO}{_GAP})?$"
            ),
        )
        for talk, pattern in talks
    )


_PATTERNS: Final = {"ko": _compiled(_KO), "en": _compiled(_EN)}


def kind_of_talk(text: str) -> Talk | None:
    """Which small talk `text` is, all of it; None where anything else stands in it."""
    bare = " ".join(text.split()).lower().replace("’", "'")
    if not bare or len(bare) > _LONGEST_CHARS or "?" in bare or "？" in bare:
        return None
    tongue = "ko" if has_hangul(bare) else "en"
    found = next((talk for talk, pattern in _PATTERNS[tongue] if pattern.match(bare)), None)
    if found is None or is_request(bare):
        return None
    return None if found != "acknowledgement" and is_question(bare) else found


def small_talk(text: str) -> str | None:
    """The answer to small talk, in its language; None where `text` deserves more."""
    found = kind_of_talk(text)
    if found is None:
        return None
    korean, english = _ANSWERS[found]
    return korean if has_hangul(text) else english
