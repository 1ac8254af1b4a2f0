from __future__ import annotations

from pathlib import Path

import pytest

from stt.providers import whisper_weights
from stt.segment import EngineFailed

pytestmark = pytest.mark.skipif(
    not whisper_weights.packaged_installed(), reason="needs the offline extra (moim[offline])"
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def test_the_packaged_model_is_joined_once_and_nothing_is_left_over(cache: Path) -> None:
    first = whisper_weights.resolve("auto", cache)
    assert {path.name for path in first.path.iterdir()} == {
        "model.bin",
        "config.json",
        "tokenizer.json",
        "vocabulary.txt",
    }
    before = (first.path / "model.bin").stat().st_mtime_ns
    assert whisper_weights.resolve("base", cache) == first
    assert whisper_weights.resolve("", cache) == first
    assert (first.path / "model.bin").stat().st_mtime_ns == before
    assert list(first.path.parent.iterdir()) == [first.path]
    assert first.name == "whisper-base"


def test_a_damaged_copy_is_made_anew(cache: Path) -> None:
    model = whisper_weights.packaged(cache).path / "model.bin"
    with model.open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"damage")
    assert whisper_weights.packaged(cache).path / "model.bin" == model
    assert whisper_weights._is_intact(model.parent)


def test_another_file_than_the_pinned_one_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = list(whisper_weights._PACKAGED_BASE)
    parts[0] = whisper_weights._Part(parts[0].package, parts[0].name, "0" * 64)
    monkeypatch.setattr(whisper_weights, "_PACKAGED_BASE", tuple(parts))
    with pytest.raises(EngineFailed, match=r"config\.json of .* is not the file we know") as caught:
        whisper_weights.packaged(tmp_path)
    assert "\n" not in str(caught.value)
    assert list((tmp_path / "models").iterdir()) == []


def test_a_folder_is_taken_as_it_is(cache: Path, tmp_path: Path) -> None:
    packaged = whisper_weights.packaged(cache)
    assert whisper_weights.resolve(str(packaged.path), tmp_path).path == packaged.path


@pytest.mark.parametrize(
    ("model", "what"),
    [
        ("./nowhere", "no such folder"),
        ("/nowhere/at/all", "no such folder"),
        ("gigantic", "no model of that name"),
    ],
)
def test_what_is_no_model_is_named_with_its_mend(tmp_path: Path, model: str, what: str) -> None:
    with pytest.raises(EngineFailed, match=what) as caught:
        whisper_weights.resolve(model, tmp_path)
    assert f"STT_MODEL={model}" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineFailed, match=r"no model\.bin in it"):
        whisper_weights.resolve(str(tmp_path), tmp_path)


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "models").touch()  # a file where the folder belongs
    with pytest.raises(EngineFailed, match="could not be unpacked"):
        whisper_weights.packaged(tmp_path)


def test_the_hub_out_of_reach_is_one_line_with_the_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_args: object, **_options: object) -> str:
        raise ConnectionError("no route")

    monkeypatch.setattr("faster_whisper.utils.download_model", unreachable)
    with pytest.raises(EngineFailed, match=r"STT_MODEL=small: the model is not here .*offline") as caught:
        whisper_weights.resolve("small", tmp_path)
    assert "\n" not in str(caught.value)
