# ruff: noqa: E501  # patterns read better unbroken
"""Who is to do what a sentence asks for or promises."""

from __future__ import annotations

import re
from typing import Final

from context.extractive.english_forms import plain_form
from context.extractive.english_tasks import by_then, gives_own_work, other_en
from context.extractive.korean_names import named_in
from context.extractive.korean_requests import ASKED, ASKS_POLITELY
from context.language.korean import has_hangul


def owner_in(text: str, speaker: str, names: tuple[str, ...]) -> str | None:
    """Who is to do what a task says: the one it names, else the speaker who takes it on, else nobody."""
    bare = text.strip(" .!?。…")
    if not has_hangul(bare):
        return _owner_en(bare, speaker, names)
    if ASKED.search(bare.rstrip("?")) or ASKS_POLITELY.search(bare):
        named = named_in(bare, names)  # also where "제가" says why it is asked
        return None if named is None else full_name(named, names)
    return speaker


def _owner_en(bare: str, speaker: str, names: tuple[str, ...]) -> str | None:
    form = plain_form(bare)
    if _TOGETHER.match(form):
        return speaker
    other = other_en(form, names)
    if other is not None:
        return other
    own = gives_own_work(form) or by_then(form) or _OWN.match(form) is not None
    return speaker if own else None


_TOGETHER: Final = re.compile(
    r"(?:(?:so|okay|well|and|yes|yeah) )*(?:me and \w+|\w+ and (?:me|i)|(?:the two|both) of us) (?:can|could|will)\b"
)
"""Me and Ben can clear it: whoever says so, too."""
_OWN: Final = re.compile(
    r"(?:(?:so|okay|well|and|but|then|yes|yeah|right|alright|all) )*(?:let me|i'll|i will|i'm going to|my (?:job|task|action|plan|part))\b"
)


def full_name(name: str, names: tuple[str, ...]) -> str:
    """The participant who is called so, else the name as it was said."""
    for known in names:
        if known == name or (has_hangul(known) and len(known) > 2 and known[1:] == name):
            return known
    last = [known for known in names if has_hangul(known) and known.split()[-1] == name]
    if len(last) == 1:
        return last[0]  # 디자이너 수아, called 수아 씨
    first = [known for known in names if known.lower().split()[:1] == [name.lower()]]
    if len(first) == 1:
        return first[0]
    return name if has_hangul(name) else name.title()
