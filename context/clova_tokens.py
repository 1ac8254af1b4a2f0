"""Tokens of HyperCLOVA X models, estimated from above: their tokenizers are not public.

What is known are nine texts whose counts NAVER's documentation shows (`tests/data/clova/tokens.json`).
They include what wraps a message, so o200k undercounts five of the nine. Exact counts
come from the token calculator, over the network; the adapter asks it where this bound is too coarse.
"""

from __future__ import annotations

import re
from typing import Final

from context.budget import EstimateTokenizer

MESSAGE_TOKENS: Final = 6
"""What wraps one message of a prompt: at most 5 in the examples."""
_LETTERS: Final = re.compile(r"[A-Za-z]{5,}")
_DIGITS: Final = re.compile(r"[0-9]{2,}")


class ClovaTokenizer:
    """Never below o200k, nor below one token a digit and one for every three letters of a long word."""

    name = "clova-estimate"

    def __init__(self) -> None:
        self._base = EstimateTokenizer()

    def count(self, text: str) -> int:
        """Tokens of `text`, rather too many; 0 for nothing."""
        total = self._base.count(text)
        for found in _DIGITS.finditer(text):
            length = len(found.group())
            total += length - -(-length // 3)
        for found in _LETTERS.finditer(text):
            beyond = len(found.group()) - 4
            total += -(-beyond // 3) - -(-beyond // 5)
        return total
