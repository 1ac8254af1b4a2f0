# ruff: noqa: E501  # patterns read better unbroken
"""What a short sentence speaks of: what "let's do that" decides, what "I'll do it" takes on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.extractive.cues import Kind
from context.extractive.english_forms import plain_form
from context.extractive.moments import due_in
from context.extractive.sentences import Said
from context.language.korean import has_hangul

_LEAST_ASKED: Final = 4
_CALL_TO_AGREE: Final = re.compile(
    r"^(?:\w+, )?(?:all (?:those )?in favou?r|(?:is |are )?(?:everyone|everybody|we all) (?:happy|agreed|okay|ok|fine|content)|any objections?"
    r"|(?:one|two|three|four|five|six|seven|\d+) (?:for|against|in favou?r)\b|those against|no objections?|seconded|i'?ll vote|i'?m (?:voting|against|for it))"
    r"|^(?:다들|모두|여러분)?\s?(?:괜찮으|동의하시|이의\s?(?:없|있)|찬성하시|반대하시|좋으시)",
    re.IGNORECASE,
)
"""All in favour? Two for, one against. 이의 없으십니까: what is agreed on stands before it."""
_ANTECEDENTS: Final = 4
"""An echo ("그렇게 가시죠") decides what stands at most so many sentences before it."""


_ONLY_WHEN: Final = re.compile(
    r"^(?:(?:네|그럼|그건|그거|그러면|좋아요|감사합니다)[\s,.]*)*(?:[가-힣\s]{2,24}(?:니까|라서|해서|아서|어서|니)\s)?(?:[가-힣0-9\s]{2,14}?(?:까지|안으로|안에|중으로|내로)(?:는|만|만요|요)?\s?(?:꼭\s)?(?:부탁\s?(?:드려요|드립니다|드릴게요|해요|합니다)|주세요|주시면\s?(?:돼요|됩니다|좋겠어요|좋겠습니다)|해\s?주세요)|부탁\s?(?:드려요|드립니다|해요|합니다))$"
    r"|^(?:(?:okay|great|good|thanks|and|yes) )*(?:by|before|no later than) [\w ]{3,20} please$"
)
"""25일까지는 부탁드려요; by Friday, please."""
_A_MOMENT: Final = re.compile(
    r"^(?:네\s)?[가-힣0-9\s]{2,14}까지(?:이?요|면\s?(?:돼요|됩니다|충분해요|충분합니다))?$"
    r"|^(?:by|before|no later than) [\w ]{3,24}$"
)
"""3월 말까지요; by the end of March. Not: by the way."""


def names_only_when(text: str) -> bool:
    """Whether a sentence only says by when something is wanted."""
    bare = text.strip(" .!…")
    form = bare if has_hangul(bare) else plain_form(bare)
    moment = _A_MOMENT.match(form) is not None and due_in(bare) is not None
    return moment or _ONLY_WHEN.match(form) is not None


_SUITS: Final = re.compile(
    r"^(?:(?:say|how about|would|is) )?(?P<moment>[\w ]{3,24}?) (?:ok|okay|all right|alright|good|fine|enough|soon enough|do)$"
    r"|^[가-힣0-9\s]{2,14}?(?:까지|에|이면|면)?\s(?:괜찮으세요|괜찮아요?|될까요|돼요?|되죠)$"
)


def asks_if_then(text: str) -> bool:
    """Wednesday okay? Whoever takes something on asks whether it may be done by then."""
    bare = text.strip(" .!?…")
    form = bare if has_hangul(bare) else plain_form(bare)
    return "?" in text and _SUITS.match(form) is not None and due_in(bare) is not None


def antecedent(said: Sequence[Said], kinds: Sequence[Kind], place: int) -> int | None:
    """The place of what an echo decides; None where the sentence before stands by itself."""
    for before in range(place - 1, max(-1, place - 1 - _ANTECEDENTS), -1):
        if kinds[before] == "decision":
            return None  # it stands by itself, and the echo only says so again
        if (
            kinds[before] in {"plain", "question"}
            and len(said[before].text) > 6
            and said[before].text[0] != "("
            and not _CALL_TO_AGREE.search(said[before].text)
            and not _remarks(said, before)
        ):
            return before
    return None


_REMARK: Final = re.compile(
    r"[가-힣](?:거든요|잖아요|더라고요|던데요)$|(?:었|았|였|했|됐|갔|왔|렸|졌)(?:어요|습니다|죠|지요|네요)$"
    r"|^(?:and |but |because )?(?:we|i|they|that|it|last (?:year|time|week|month)\b.*) (?:did|was|were|had|used to|worked|went)\b"
)


def _remarks(said: Sequence[Said], place: int) -> bool:
    """Whether a sentence tells how it was, behind another one of its turn: 작년에도 그렇게 했어요."""
    if place == 0 or said[place - 1].utterance.id != said[place].utterance.id:
        return False
    bare = said[place].text.strip(" .!…")
    return _REMARK.search(bare if has_hangul(bare) else plain_form(bare)) is not None


def asked_before(said: Sequence[Said], kinds: Sequence[Kind], place: int) -> int | None:
    """What somebody takes on by "I'll do that": the last proposal, request or wish of somebody else."""
    speaker = said[place].utterance.speaker_id
    for before in range(place - 1, max(-1, place - 1 - _ANTECEDENTS), -1):
        if (
            said[before].utterance.speaker_id == speaker
            and said[before].utterance.id != said[place].utterance.id
        ):
            continue
        if kinds[before] == "action":
            return None  # it is what was asked, and stands by itself
        words = len(said[before].text.split()) + has_hangul(said[before].text)
        if kinds[before] in {"plain", "question"} and words >= _LEAST_ASKED:
            return before
    return None
