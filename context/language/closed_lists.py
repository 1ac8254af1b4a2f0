"""English words of talk that tell nothing about its topic.

The two languages' closed lists: question words, particles, counters, whatever one can count up.

They stand in `lists/*.toml`, so that whoever speaks the language reads and mends them without the code.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

STOPWORDS: Final = frozenset(
    """
    a about actually again ah all also am an and any are as at back be because been being bit but by
    can can't come could did didn't do does doesn't don't done down even for from get go going gonna
    good got had has have having he her here him his hmm how i i'd i'll i'm i've if in into is isn't
    it it's its just kind know let let's like look lot make many may maybe me mean might mm more
    most much must my need no not now of off oh ok okay on one only or other our out over people
    really right said say see shall she should so some something sort still sure take than that
    that's the their them then there these they they're thing things think this those time to too uh
    um up us very want was wasn't way we we'd we'll we're we've well were what when where which
    while who whom whose why will with won't would yeah yep yes you you'd you'll you're you've your
    """.split()  # noqa: SIM905  a list of 200 words, one a line, is no easier to read
)


Lists = Mapping[str, tuple[str, ...]]


def closed_lists(name: str) -> Lists:
    """The lists of `lists/<name>.toml`: words apart by blanks, or, where one holds a blank, an array."""
    kept = tomllib.loads(Path(__file__).with_name("lists").joinpath(f"{name}.toml").read_text("utf-8"))
    return {key: tuple(value.split() if isinstance(value, str) else value) for key, value in kept.items()}
