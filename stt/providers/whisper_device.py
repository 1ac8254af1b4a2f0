"""Where the local Whisper computes, and with which numbers: `STT_DEVICE` and `STT_COMPUTE_TYPE`.

Both are tried when the engine starts. So a GPU without its libraries, or numbers that a processor does not
have, are one line at the start and not an error at the first thing that somebody says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from stt.segment import BYTES_PER_MS, EngineFailed, Segment

_TRIAL_MS: Final = 1000


@dataclass(frozen=True, slots=True)
class WhisperDevice:
    """The options of a model that CTranslate2 loads."""

    device: str = "cpu"
    """`cpu` or `cuda`."""
    compute_type: str = "int8"
    """One of CTranslate2's types; its own `auto` is the fastest that the device has."""


ON_CPU: Final = WhisperDevice()
"""What `auto` means on the CPU: the figures in docs/measurements.md were taken so."""


class _Recogniser(Protocol):
    def recognise(self, pcm: bytes, language: str) -> list[Segment]: ...


def chosen(device: str, compute_type: str) -> WhisperDevice:
    """Choose what the settings mean on this machine: `auto` is a GPU where there is one, else the CPU.

    Raises `EngineFailed`, which says what is allowed, where this machine has no such device or the device no
    such numbers; `ImportError` without CTranslate2.
    """
    import ctranslate2

    has_gpu = ctranslate2.get_cuda_device_count() > 0
    if device == "auto":
        device = "cuda" if has_gpu else "cpu"
    if device == "cuda" and not has_gpu:
        raise EngineFailed(
            "STT_DEVICE='cuda': CTranslate2 sees no NVIDIA GPU here (is its driver installed, and may this "
            "container see it?); allowed on this machine: 'cpu' or 'auto'"
        )
    if compute_type == "auto":
        return ON_CPU if device == "cpu" else WhisperDevice(device, "auto")
    has = sorted(ctranslate2.get_supported_compute_types(device))
    if compute_type not in has:
        raise EngineFailed(
            f"STT_COMPUTE_TYPE={compute_type!r}: this machine's {device} does not compute with it; "
            f"allowed: auto, {', '.join(has)}"
        )
    return WhisperDevice(device, compute_type)


def demand_computing(recogniser: _Recogniser, placement: WhisperDevice) -> None:
    """Have a GPU recognise a second of silence: its libraries are loaded only by the first that it computes.

    Raises `EngineFailed` where it cannot. On the CPU there is nothing to find out.
    """
    if placement.device == "cpu":
        return
    try:
        recogniser.recognise(bytes(_TRIAL_MS * BYTES_PER_MS), "ko")
    except RuntimeError as error:
        why = " ".join(str(error).split())
        raise EngineFailed(
            f"STT_DEVICE={placement.device!r}: the GPU is seen and does not compute: {why}; install "
            "the CUDA libraries that faster-whisper names (cuBLAS, cuDNN), or set STT_DEVICE=cpu"
        ) from error
