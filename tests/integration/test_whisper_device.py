"""`STT_DEVICE`, `STT_COMPUTE_TYPE` and `STT_WORKERS` reach the real library, by the way that a worker goes."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import ctranslate2
import pytest

from context.config import ConfigError
from stt.engine.engine_client import EngineClient
from stt.providers.whisper import Whisper
from stt.providers.whisper_device import WhisperDevice, chosen, demand_computing
from stt.providers.whisper_weights import packaged, packaged_installed
from stt.segment import EngineFailed, Segment, Stretch
from tests.fakes.spoken import chunks
from tests.integration.spoken_lines import errors, line
from worker.bootstrap.speech_engines import engine_socket, local_engine
from worker.configuration.settings import Settings

pytestmark = [
    pytest.mark.speech,
    pytest.mark.skipif(not packaged_installed(), reason="needs the offline extra (moim[offline])"),
]

CACHE = Path(__file__).parents[2] / ".cache"
HAS_GPU = ctranslate2.get_cuda_device_count() > 0
DEVICES = ("cpu", "cuda") if HAS_GPU else ("cpu",)
NO_GPU = (
    []
    if HAS_GPU
    else [
        (
            {"STT_DEVICE": "cuda"},
            r"STT_DEVICE='cuda': CTranslate2 sees no NVIDIA GPU .*; allowed on this machine: 'cpu' or 'auto'",
        )
    ]
)


def settings(tmp_path: Path, **environ: str) -> Settings:
    told = {"MOIM_STATE_DIR": str(tmp_path), "MOIM_CACHE_DIR": str(CACHE)}
    return Settings.from_env({**told, **environ})


@pytest.mark.parametrize("compute_type", ["int8", "float32"])
def test_the_library_computes_where_and_with_what_it_is_told(compute_type: str) -> None:
    weights = packaged(CACHE)
    made = Whisper(weights.path, name="w", workers=2, placement=chosen("cpu", compute_type))
    model = made._whisper.model
    # int8 is computed between floats, which CTranslate2 names behind it.
    assert (model.device, model.compute_type.removesuffix("_float32")) == ("cpu", compute_type)
    assert model.num_workers == 2
    truth, sound = line("ko-release-planning", 0)
    assert errors(truth, made.recognise(sound, "ko")) < 0.25


async def test_the_settings_reach_the_engine_of_a_worker(tmp_path: Path) -> None:
    told = settings(tmp_path, STT_DEVICE="cpu", STT_COMPUTE_TYPE="float32", STT_WORKERS="3")
    truth, sound = line("ko-release-planning", 0)
    async with local_engine(told), aclosing(EngineClient(engine_socket(told))) as client:
        (pid,) = [
            path.parent for path in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path) in path.read_text()
        ]
        arguments = (pid / "cmdline").read_text().split("\0")
        heard = [segment async for segment in client.transcribe(Stretch("s", "ko", chunks(sound)))]
    assert errors(truth, heard) < 0.25
    for name, value in {"--device": "cpu", "--compute-type": "float32", "--workers": "3"}.items():
        assert arguments[arguments.index(name) + 1] == value


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        (
            {"STT_COMPUTE_TYPE": "float16"},
            r"STT_COMPUTE_TYPE='float16': this machine's cpu does not compute with it; allowed: auto, .*float32",
        ),
        *NO_GPU,
    ],
)
async def test_what_the_machine_does_not_have_is_one_line_at_the_start(
    tmp_path: Path, environ: dict[str, str], told: str
) -> None:
    with pytest.raises(ConfigError, match=told) as caught:
        async with asyncio.timeout(60), local_engine(settings(tmp_path, **environ)):
            pass
    assert "\n" not in str(caught.value)


def test_auto_is_a_gpu_where_there_is_one() -> None:
    assert chosen("auto", "auto") == (
        WhisperDevice("cuda", "auto") if HAS_GPU else WhisperDevice("cpu", "int8")
    )
    assert chosen("cpu", "auto") == WhisperDevice()


@pytest.mark.parametrize("device", DEVICES)
def test_every_device_of_this_machine_hears_the_same(device: str) -> None:
    placement = chosen(device, "auto")
    made = Whisper(packaged(CACHE).path, name="w", placement=placement)
    demand_computing(made, placement)
    truth, sound = line("ko-release-planning", 0)
    assert errors(truth, made.recognise(sound, "ko")) < 0.25


def test_a_gpu_that_cannot_compute_is_told_at_the_start() -> None:
    with pytest.raises(
        EngineFailed, match=r"libcublas\.so\.12 is not found.*; install the CUDA libraries"
    ) as caught:
        demand_computing(_WithoutLibraries(), WhisperDevice("cuda", "auto"))
    assert "\n" not in str(caught.value)


class _WithoutLibraries:
    """Does as CTranslate2 does where the CUDA libraries are missing."""

    def recognise(self, pcm: bytes, language: str) -> list[Segment]:
        raise RuntimeError("Library libcublas.so.12 is not found or cannot be loaded")
