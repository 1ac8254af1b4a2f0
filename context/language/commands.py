"""What people may order of the agent: `/pause`, `/resume`, `/leave`, `/me`, or the same in words; `/rate`."""

from __future__ import annotations

import re
from typing import Final, Literal

from context.models import Frozen

CommandName = Literal["pause", "resume", "leave", "me", "rate"]


class Command(Frozen):
    """An order. `rest` is what follows: the question that only its asker gets answered (`/me`), or the
    compression rate of the thread's summaries (`/rate 0.2`).
    """

    name: CommandName
    rest: str = ""


_SLASH: Final = re.compile(r"^\s*/(pause|resume|leave|me|rate)(?:\s+(.*))?\s*$", re.IGNORECASE | re.DOTALL)
_UNKNOWN: Final = re.compile(r"^\s*/([A-Za-z가-힣?][\w가-힣-]{0,30})(?=\s|$)")
_KNOWN: Final = ("pause", "resume", "leave", "me", "rate")
_BARE: Final = frozenset({"pause", "resume", "leave"})
_TALKED_ABOUT: Final = re.compile(
    r"[?？\n]|^(?:라고|이라고|라는|를|을|는|은|가|이)\b|^(?:is|was|does|did|means|as in)\b|(?:\S+\s+){6}"
)
"""Behind `/leave`: whoever goes on like this talks about the order and does not give it."""
_MAX_WORDS: Final = 9
_POLITE_KO: Final = (
    r"\s?(?:줘|조|죠|주세요|주십시오|줄래요?|줄\s?수\s?있\S*|라|봐|요|세요|주시겠어요)?[\s.!?]*$"
)
_POLITE_EN: Final = r"(?:\s+(?:please|now|for now|for a (?:moment|minute|while|second)))*[\s.!?]*$"
_START_EN: Final = (
    r"^(?:okay |ok |so |and |now )?(?:please |just )*"
    r"(?:can you |could you |would you |will you )?(?:please )?"
)

_KO: Final[tuple[tuple[CommandName, re.Pattern[str]], ...]] = (
    (
        "resume",
        re.compile(
            r"(?:(?:다시|계속)\s?(?:(?:녹음|기록|듣기)(?:을|를)?\s?)?"
            r"(?:시작해|들어|기록해|녹음해|진행해|재개해)"
            r"|(?:녹음|기록|듣기)(?:을|를)?\s?(?:재개해|다시\s?시작해|계속해)|재개해)" + _POLITE_KO
        ),
    ),
    (
        "leave",
        re.compile(
            r"(?:(?:회의|방|회의실)(?:에서)?\s?(?:나가|퇴장해)|나가(?=\s?(?:줘|조|주|도|라|$))|퇴장해)"
            + _POLITE_KO
        ),
    ),
    (
        "pause",
        re.compile(
            r"(?:(?:녹음|기록|듣기|받아쓰기|전사)(?:을|를|은|는)?\s?(?:잠깐\s?|잠시\s?|일시\s?)?(?:좀\s?)?"
            r"(?:중지해|중단해|정지해|멈춰|꺼|그만해|하지\s?마)"
            r"|(?:잠깐|잠시|일시)\s?(?:만\s?)?(?:멈춰|중지해|중단해|정지해|듣지\s?마|나가\s?있어)"
            r"|그만\s?(?:들어|녹음해|기록해|듣고\s?있어)|듣지\s?마|멈춰)" + _POLITE_KO
        ),
    ),
)
_EN: Final[tuple[tuple[CommandName, re.Pattern[str]], ...]] = (
    (
        "resume",
        re.compile(
            _START_EN + r"(?:resume(?: (?:the )?(?:recording|listening|transcription|transcribing))?"
            r"|(?:start|continue|keep) (?:recording|listening|transcribing)(?: again)?"
            r"|listen again|start again|go on(?: listening| recording)?|unpause|you can listen again)"
            + _POLITE_EN
        ),
    ),
    (
        "leave",
        re.compile(
            _START_EN + r"(?:leave(?: (?:the |this |our )?(?:meeting|room|call))?"
            r"|(?:get out of|exit) (?:the |this )?(?:meeting|room|call))" + _POLITE_EN
        ),
    ),
    (
        "pause",
        re.compile(
            _START_EN + r"(?:pause(?: (?:the )?(?:recording|listening|transcription|transcribing))?"
            r"|(?:stop|quit) (?:the )?(?:recording|listening|transcribing|transcription|taking notes)"
            r"(?: to us)?"
            r"|don't listen|do not listen|go off the record|off the record)" + _POLITE_EN
        ),
    ),
)


def command(text: str, *, addressed: bool = True) -> Command | None:
    """The order in `text`, or None. In words it must be the whole of a short text.

    `addressed=False` (nobody called the agent by name) takes nothing but a slash command.
    """
    slash = _SLASH.match(text)
    if slash is not None:
        name: CommandName = slash.group(1).lower()  # type: ignore[assignment]  # the pattern's own words
        rest = (slash.group(2) or "").strip()
        if name in _BARE and _TALKED_ABOUT.search(rest):
            return None
        return Command(name=name, rest=rest)
    bare = " ".join(text.split()).strip(" ,.!?~")
    if not addressed or not bare or len(bare.split()) > _MAX_WORDS:
        return None
    lowered = bare.lower().replace("’", "'")
    for found, pattern in _KO:
        if pattern.search(lowered):
            return Command(name=found)
    for found, pattern in _EN:
        if pattern.match(lowered):
            return Command(name=found)
    return None


def unknown_command(text: str) -> str | None:
    """`summary` of `/summary`: what looks like an order and is none; None for all else.

    `/me` with nothing behind it counts: there is nothing to answer. A path (/etc/hosts) does not, nor does
    talk about an order that exists (/leave를 쓰면).
    """
    found = _UNKNOWN.match(text)
    if found is None or text.lstrip().count("/") > 1:
        return None
    name = found.group(1).lower()
    if name == "me":
        return name if not text.strip()[3:].strip() else None
    return None if name.startswith(_KNOWN) else name
