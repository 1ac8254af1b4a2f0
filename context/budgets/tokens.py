"""Token counts, each model's budget, and texts cut to fit: counts are exact or too high, never too low.

`ExactTokenizer` is OpenAI's own encoding with its ranks inside the wheel (0.05 s and 65 MB when first
used, so it loads lazily). `EstimateTokenizer` needs nothing and never counts less than o200k on Korean
and English; on meeting text it counts about a third more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.machinery import PathFinder
from importlib.resources import files
from importlib.util import find_spec, module_from_spec
from typing import Any, Final

from tiktoken.model import encoding_name_for_model

from context.models import Frozen
from context.ports import Tokenizer

ELLIPSIS: Final = "…"
_PIECE: Final = re.compile(r"[A-Za-z]+|[0-9]+|[가-힣]+|\s+|.", re.DOTALL)
_NEWEST_ENCODING: Final = "o200k_base"
_PACKAGED: Final = frozenset({"o200k_base", "cl100k_base"})
"""tiktoken knows which model counts how, but fetches its ranks from the network; these lie in a wheel."""
_CLAUSE_END: Final = re.compile(r"[.!?。\n](?=\s|$)")


class ModelBudget(Frozen):
    """A model's context window in tokens, and how a call shares it: rules, utterances, topics, answer."""

    model: str
    window: int
    system: int
    l0: int
    l1: int
    answer: int

    @property
    def shown(self) -> int:
        """Tokens for what a prompt shows of the meeting, beside rules and question."""
        return self.l0 + self.l1


_SHARES: Final = {8192: (1000, 3000, 1000, 3000), 32000: (2000, 12000, 4000, 4096)}
_LARGE_SHARES: Final = (4000, 24000, 8000, 8192)
_WINDOWS: Final = {
    "HCX-003": 8192,
    "HCX-005": 128000,
    "HCX-007": 128000,
    "HCX-DASH-001": 4096,
    "HCX-DASH-002": 32000,
    "gpt-4o": 128000,
    "gpt-4.1": 1000000,
    "gpt-5": 400000,
    "o3": 200000,
    "o4-mini": 200000,
}


def custom_budget(model: str, window: int) -> ModelBudget:
    """The budget of a model with this window: the shares of 8K scaled up, each at most that of 128K."""
    shares = zip(_SHARES[8192], _LARGE_SHARES, strict=True)
    return _shared_out(model, window, [min(most, window * part // 8192) for part, most in shares])


def budget_for(model: str) -> ModelBudget:
    """The budget of `model` by the longest known name that it starts with; unknown ones get 8K."""
    known = [name for name in _WINDOWS if model.lower().startswith(name.lower())]
    window = _WINDOWS[max(known, key=len)] if known else 8192
    if window not in _SHARES:
        return custom_budget(model, window)
    return _shared_out(model, window, _SHARES[window])


def _shared_out(model: str, window: int, shares: Sequence[int]) -> ModelBudget:
    system, l0, l1, answer = shares
    return ModelBudget(model=model, window=window, system=system, l0=l0, l1=l1, answer=answer)


BUDGETS: Final = tuple(map(budget_for, _WINDOWS))
"""The budgets of all known models."""


@cache
def _encoding(name: str) -> Any:
    """The wheel's compiled encoder alone.

    Its package around it would read the ranks of three encodings once more, into dicts of Python: half a
    second and 80 MB, of which no count has any use.
    """
    package = find_spec("bpe_openai")
    found = package and PathFinder.find_spec("_bindings", package.submodule_search_locations)
    if not found or not found.loader:
        raise ImportError("bpe-openai's compiled encoder is not installed")
    compiled = module_from_spec(found)
    found.loader.exec_module(compiled)
    return compiled.tokenizer_for_encoding(name)


class ExactTokenizer:
    """Counts exactly as `o200k_base` or `cl100k_base`; loads on its first count."""

    def __init__(self, encoding: str = _NEWEST_ENCODING) -> None:
        self.name = encoding

    def count(self, text: str) -> int:
        """Tokens of `text`, special tokens taken as plain text and half a surrogate pair as U+FFFD."""
        encoding = _encoding(self.name)
        try:
            return int(encoding.count(text))
        except UnicodeEncodeError:
            return int(encoding.count(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")))


def encoding_for(model: str) -> str:
    """The encoding that OpenAI's own table names for `model`; the newest one for models it does not know."""
    try:
        name = encoding_name_for_model(model)
    except KeyError:
        return _NEWEST_ENCODING
    return name if name in _PACKAGED else _NEWEST_ENCODING


@cache
def _whole_syllables() -> frozenset[str]:
    """The Hangul syllables that o200k has a token of its own for; the others take two or three."""
    return frozenset((files("context") / "syllables.txt").read_text(encoding="utf-8").strip())


class EstimateTokenizer:
    """Counts as many as o200k or more: 1.3 times as many on English and 1.4 on Korean meetings."""

    name = "estimate"

    def count(self, text: str) -> int:
        """Tokens of `text`, never too few on Korean and English; 0 for the empty text."""
        if not text:
            return 0
        whole = _whole_syllables()
        total = 2
        for piece in _PIECE.findall(text):
            first = piece[0]
            if "가" <= first <= "힣":
                total += sum(1 if char in whole else 3 for char in piece)
            elif first.isascii() and first.isalpha():
                total += 1 + -(-max(0, len(piece) - 4) // 5)
            elif first.isascii() and first.isdigit():
                total += -(-len(piece) // 3)
            elif first.isspace():
                total += 0 if piece == " " else len(piece)
            else:
                total += 1 if first.isascii() else len(piece.encode("utf-8", "replace"))
        return total


def fit(text: str, budget: int, tokenizer: Tokenizer) -> str:
    """`text`, or its longest beginning with an ellipsis that counts at most `budget` tokens.

    It is cut at the end of a sentence where one lies in the last third, else at a blank. "" for no budget.
    """
    if budget <= 0:
        return ""
    if len(text) <= budget * 40 and tokenizer.count(text) <= budget:
        return text
    low, high = 0, min(len(text), budget * 16)
    while low < high:
        middle = (low + high + 1) // 2
        if tokenizer.count(text[:middle].rstrip() + ELLIPSIS) <= budget:
            low = middle
        else:
            high = middle - 1
    kept = text[:low]
    if low < len(text):  # not within a word or, where that costs little, within a sentence
        ends = [found.end() for found in _CLAUSE_END.finditer(kept, low * 2 // 3)]
        blank = kept.rfind(" ")
        if ends:
            kept = kept[: ends[-1]]
        elif blank > low // 2 and not text[low].isspace():
            kept = kept[:blank]
    kept = kept.rstrip() + ELLIPSIS
    # Byte pairs may merge differently at another end: a shorter text can count one more.
    while tokenizer.count(kept) > budget:
        shorter = kept[:-2].rstrip()
        if not shorter:
            return ""
        kept = shorter + ELLIPSIS
    return kept


def shared(texts: Sequence[str], budget: int, tokenizer: Tokenizer) -> list[str]:
    """The texts in at most `budget` tokens together: short ones whole, long ones cut to about one length."""
    kept, left = list(texts), budget
    sizes = [tokenizer.count(text) + 1 for text in texts]
    for done, place in enumerate(sorted(range(len(texts)), key=sizes.__getitem__)):
        share = left // (len(texts) - done)
        if sizes[place] > share:
            kept[place] = fit(texts[place], share - 1, tokenizer)
            sizes[place] = tokenizer.count(kept[place]) + 1
        left -= sizes[place]
    return kept
