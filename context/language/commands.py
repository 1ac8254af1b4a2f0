"""Commands to the agent, with a slash or in words: to pause, to go off the record, to leave."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal, get_args

from context.language.closed_lists import closed_lists, word_sets
from context.language.durations import minutes_back
from context.models import Frozen

CommandName = Literal["pause", "resume", "off", "on", "leave", "me", "rate"]


class Command(Frozen):
    """A command that somebody gave to the agent."""

    name: CommandName
    rest: str = ""
    """What follows: the question that only its asker gets answered (`/me`), how many of the last minutes go
    as well (`/off 5m`), or the compression rate of the thread's summaries (`/rate 0.2`); else "".
    """


_LISTS: Final = closed_lists("commands")
_SETS: Final = word_sets("commands")
_COMMAND_NAMES: Final[tuple[CommandName, ...]] = get_args(CommandName)
_SPOKEN_COMMANDS: Final[tuple[CommandName, ...]] = ("resume", "leave", "off", "pause")
_MAX_REST_WORDS: Final = 6
_MAX_WORDS: Final = 9
_MAX_COMMAND_NAME_CHARS: Final = 31
_SLASH: Final = re.compile(r"\s*[/／]")
_HEAD: Final = re.compile(r"(/[a-z]+)(?:[.,!:;~…]*|(?=-?\d).*)", re.DOTALL)
"""The first word of a command, without marks, or a time, that stick to it: `/off!`, `/off5m`."""
_ABOUT_WORDS: Final = frozenset[CommandName | None](("me", "off"))
"""What keeps words off the record counts in quotes and in full width, too: nobody is heard by mistake."""
_QUOTES: Final = {"“": "”", "‘": "’", '"': '"', "'": "'", "`": "`"}


def unquoted(text: str) -> str:
    """The line; without its quotes where it is a command in quotes, as our notices on consent show one."""
    bare = text.strip()
    return bare[1:-1] if bare[1:2] in {"/", "／"} and _QUOTES.get(bare[0]) == bare[-1] else text


def is_slash_command(text: str) -> bool:
    """Whether a line is a command with a slash, known or not: these are written alike in every language."""
    return _SLASH.match(text) is not None


def slash_parts(text: str) -> tuple[str, str]:
    """The first word of a line, as commands are compared (`/me`), and what stands behind it.

    Quotes around a command go, and it may be written in full width; another line is parted as it is.
    """
    parts = unquoted(text).split(maxsplit=1)
    head, rest = (parts[0] if parts else ""), (parts[1].strip() if len(parts) > 1 else "")
    if not is_slash_command(head):
        return head, rest
    plain = unicodedata.normalize("NFKC", head).lower()
    if (match := _HEAD.fullmatch(plain)) is None or match[1][1:] not in _COMMAND_NAMES:
        return plain, rest
    stuck = plain[match.end(1) :].strip(".,!:;~…")
    return match[1], f"{stuck} {rest}".strip()


def command_in(text: str, *, addressed: bool = True) -> Command | None:
    """The command in `text`, or None. In words it must be the whole of a short text.

    `addressed`: whether the agent was called by name; without that only a slash command is one.
    """
    head, rest = slash_parts(text)
    name = next((one for one in _COMMAND_NAMES if head == f"/{one}"), None)
    if name not in _ABOUT_WORDS and not text.lstrip().startswith("/"):
        name = None  # it is quoted, and so talked about
    if name is not None:
        sure = name == "off" and bool(minutes_back(rest))
        talked_about = name in _SPOKEN_COMMANDS and not sure and _talks_about_it(rest)
        return None if talked_about else Command(name=name, rest=rest)
    words = text.lower().replace("’", "'").split()
    if not addressed or len(words) > _MAX_WORDS:
        return None
    bare = " ".join(words).strip(" ,.!?~")
    if (spoken := _in_words(bare)) is not None:
        return Command(name=spoken)
    said = bare.split()
    for place in range(len(said) - 1, 0, -1):  # off the record, last five minutes
        name, rest = _in_words(" ".join(said[:place]).strip(" ,.!?~")), " ".join(said[place:])
        if name == "off" and minutes_back(rest):
            return Command(name=name, rest=rest)
    return None


def unknown_command(text: str) -> str | None:
    """The name of a slash command that does not exist (`summary` of `/summary`); None for any other text.

    `/me` with nothing behind it counts: there is nothing to answer. A path (/etc/hosts) does not, nor does
    talk about a command that exists (/leave를 쓰면).
    """
    head, rest = slash_parts(text)
    name = head[1:]
    if not head.startswith("/") or not _may_be_a_name(name) or "/" in rest:
        return None
    if name == "me":
        return None if rest else name
    return None if name.startswith(_COMMAND_NAMES) else name


def asks_for_help(text: str) -> bool:
    """Whether a line asks, by a slash, what can be written: /help, /도움말."""
    return unknown_command(text) in _SETS["help"]


def _in_words(text: str) -> CommandName | None:
    """The command that a text gives in words, in either language."""
    return (_in_korean(text) or _in_english(text)) if text else None


def _may_be_a_name(name: str) -> bool:
    letters = name.replace("-", "").replace("_", "")
    return (name[:1].isalpha() and letters.isalnum() and len(name) <= _MAX_COMMAND_NAME_CHARS) or name == "?"


def _talks_about_it(rest: str) -> bool:
    words = rest.lower().split()
    asks = "?" in rest or "？" in rest or "\n" in rest
    return asks or len(words) > _MAX_REST_WORDS or (bool(words) and words[0] in _SETS["talked_about"])


def _in_korean(text: str) -> CommandName | None:
    """The command that a Korean text gives, by how it ends: 회의에서 나가 주세요, 녹음 잠깐 중지해 줘."""
    tight = "".join(word for word in text.split() if word != "좀")
    if tight.endswith(_LISTS["leave_alone_ko"]):
        return "leave"
    ordered = _without(tight, "polite_ko")
    for name in _SPOKEN_COMMANDS:
        if ordered.endswith(_LISTS[f"{name}_ko"]):
            return name
        done_to = _without(ordered, f"{name}_things_ko")
        thing = _without(done_to, "meanwhile_ko").rstrip("을를은는")
        if done_to != ordered and thing.endswith(_LISTS["things_ko"]):
            return name
    return None


def _in_english(text: str) -> CommandName | None:
    """The command that an English text gives, by its words but articles and what is polite around them."""
    plain = " ".join(word.strip(",") for word in text.split() if word not in _LISTS["articles"])
    before = None
    while plain != before:
        for name in _SPOKEN_COMMANDS:
            if plain in _LISTS[f"{name}_en"]:
                return name
        before = plain
        plain = _without(plain, "polite_en").strip()
        begun = next((opening for opening in _LISTS["begun_en"] if plain.startswith(f"{opening} ")), "")
        plain = plain.removeprefix(begun).strip()
    return None


def _without(text: str, endings: str) -> str:
    return text.removesuffix(next((ending for ending in _LISTS[endings] if text.endswith(ending)), ""))
