"""Bounds the tokens of HyperCLOVA X models from above: their tokenizers are not public.

Known are nine texts whose counts NAVER's documentation shows (`tests/data/clova/tokens.json`). Those include
what wraps a message, so o200k undercounts five of the nine. Exact counts come from the token calculator, over
the network; `clova_llm` asks it where this bound is too coarse.
"""

from __future__ import annotations

import re
from typing import Final

from context.budgets.tokens import EstimateTokenizer

MESSAGE_TOKENS: Final = 6
"""Tokens that wrap one message of a CLOVA prompt: at most 5 in the examples."""
_LETTERS: Final = re.compile(r"[A-Za-z]{5,}")
_DIGITS: Final = re.compile(r"[0-9]{2,}")


class ClovaTokenizer:
    """Never below o200k, nor below one token a digit and one for every three letters of a long word."""

    name = "clova-estimate"

    def __init__(self) -> None:
        self._base = EstimateTokenizer()

    def count(self, text: str) -> int:
        """Tokens of `text`, rather too many than too few; 0 for the empty text."""
        total = self._base.count(text)
        for digits in _DIGITS.findall(text):
            total += len(digits) - -(-len(digits) // 3)
        for letters in _LETTERS.findall(text):
            beyond = len(letters) - 4
            total += -(-beyond // 3) - -(-beyond // 5)
        return total
