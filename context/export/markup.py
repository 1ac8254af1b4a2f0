"""Somebody's words inside minutes in Markdown: they stay text, whatever they hold.

While minutes are written, words are in disguise: each character that Markdown or HTML could read as markup is
replaced by its *stand-in*, the tag character of Unicode that mirrors it. Words have none of their own, since
`one_line` takes what nobody can see out of them, and neither our text nor that of a template has any.
`settled` then escapes each stand-in where it has ended up, so that words are text whatever a template has
done with them: cut them off, turned them round, begun a line with them.
"""

from __future__ import annotations

import re
from typing import Final

from context.primitives.text import one_line

_FIRST_TAG_CHAR: Final = 0xE0000
"""Where the tag characters begin, in the order of ASCII."""
_MARKUP: Final = "\\`*_[]<>|#~&\"'=+-:.)"
"""What may be markup somewhere, at least at the beginning of a line or inside a tag."""
_DISGUISES: Final = {ord(char): chr(_FIRST_TAG_CHAR + ord(char)) for char in _MARKUP}


def _of(chars: str) -> str:
    """The inside of a pattern's brackets that finds the stand-ins of these characters."""
    return "".join(chr(_FIRST_TAG_CHAR + ord(char)) for char in chars)


_STAND_IN: Final = re.compile(f"[{_of(_MARKUP)}]")
_ENTITY: Final = re.compile(f"{_of('&')}(?={_of('#')}?\\w)")
_BEFORE_PIPE: Final = re.compile(f"{_of(chr(92))}(?=[|])")
_BLANK: Final = "(?=[ \t]|$)"
_OPENING: Final = re.compile(
    rf"^((?:[ \t>]|[-*+][ \t]|\d{{1,9}}[.)][ \t])*)"  # quotes and items of lists that the template has opened
    rf"(?:(\d{{1,9}})([{_of('.)')}]){_BLANK}"  # an item of a numbered list
    rf"|()([{_of('-+:')}]){_BLANK}"  # one of another list, or of definitions
    rf"|()([{_of('-=:')}])(?=[{_of('-=:|')} \t]*$))",  # a line that makes a heading, a rule or a table
    re.MULTILINE,
)
_IN_TAG: Final = re.compile(f"(<[A-Za-z/!?]\\w{{0,20}})[^<>]*[{_of(_MARKUP)}]")
_ENTITIES: Final = {"<": "&lt;", ">": "&gt;"}
"""They are text inside HTML, too, where a backslash keeps nothing."""
_BACKSLASHED_CHARS: Final = "\\`*_[]|#~"
_SHOWN_AS: Final = {
    chr(_FIRST_TAG_CHAR + ord(char)): _ENTITIES.get(char)
    or (f"\\{char}" if char in _BACKSLASHED_CHARS else char)
    for char in _MARKUP
}
"""How a stand-in is shown in the middle of a line."""
_ESCAPED_CHARACTER: Final = re.compile(r"\\([\\`*_\[\]<>|#~=+\-:.)])|&(lt|gt|amp);")
_NAMED_ENTITIES: Final = {"lt": "<", "gt": ">", "amp": "&"}


class WordsInTag(ValueError):
    """A template puts words inside an HTML tag, where nothing could keep them from being markup."""


def disguised(text: str) -> str:
    """Somebody's words on one line, with stand-ins for all that could be markup."""
    return one_line(text).translate(_DISGUISES)


def settled(written: str) -> str:
    """What was written with words in disguise, with these as the text that they are."""
    apart = _BEFORE_PIPE.sub("&#92;", written)  # else it would escape the pipe, and two cells were one
    opened = _OPENING.sub(_opened, apart)
    return _STAND_IN.sub(lambda match: _SHOWN_AS[match[0]], _ENTITY.sub("&amp;", opened))


def _opened(match: re.Match[str]) -> str:
    before, number, point, _, item, _, line = match.groups("")
    return f"{before}{number}\\{_SHOWN_AS[point or item or line]}"


def demand_between_tags(written: str) -> None:
    """Raise `WordsInTag` where words in disguise stand inside a tag."""
    if match := _IN_TAG.search(written):
        raise WordsInTag(f"what was said stands inside the HTML tag {match[1]}…: put it between tags")


def plain(shown: str) -> str:
    """Somebody's words as they were, from how `settled` has shown them."""
    return _ESCAPED_CHARACTER.sub(lambda match: match[1] or _NAMED_ENTITIES[match[2]], shown)
