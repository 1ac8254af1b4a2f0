"""Where the data of a prompt ends and what stands outside it."""

from __future__ import annotations

import re
from typing import Final

from context.ports import ChatMessage

_OPENING: Final = re.compile(r"<([a-z_]+)(?: turns=\"\d+-\d+\")?>")


def outside_sections(message: ChatMessage) -> str:
    """A message without its tagged blocks, read as a parser would: a block ends at the first closing tag."""
    if message.role == "system":
        return message.content  # rules may name the tags
    text, kept = message.content, []
    while (opening := _OPENING.search(text)) is not None:
        kept.append(text[: opening.start()])
        rest = text[opening.end() :]
        _, closing, after = rest.partition(f"</{opening.group(1)}>")
        text = after if closing else ""
    return "".join([*kept, text])
