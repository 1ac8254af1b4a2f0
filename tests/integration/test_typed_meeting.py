"""`moim replay -` as somebody types it, through a pipe; how it ends, and what is no text, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import call

TYPED = {
    "ko": (
        "민지: 출시일은 11월 20일로 결정했습니다.\n준호: 서버 비용은 제가 금요일까지 확인하겠습니다.\n",
        "출시일이 언제로 결정됐지?",
        "11월 20일",
    ),
    "en": (
        "Minji: We decided to ship on November 20.\nBen: I will check the cost of the servers by Friday.\n",
        "When did we decide to ship?",
        "November 20",
    ),
}


def typed(text: str, *options: str, **variables: str) -> tuple[int, str]:
    done = call("replay", "-", *options, cwd=Path.cwd(), environ={**os.environ, **variables}, typed=text)
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize("language", TYPED)
def test_lines_questions_context_and_minutes(language: str) -> None:
    lines, question, answer = TYPED[language]
    code, out = typed(f"{lines}/ask {question}\n/context summary\n/topics\n/end\nBen: too late\n")
    assert code == 0
    said, _, rest = out.partition("##")
    assert answer in said, "the answer quotes what was typed"
    assert "SUMMARY" in rest
    assert f"] {lines.partition(':')[0]}: " in rest, "the context shows who said what, and when"
    assert rest.count("too late") == 0


def test_the_context_tells_no_times_where_the_setting_says_so() -> None:
    _, out = typed("민지: 출시일을 정합시다.\n/context\n", CONTEXT_L0_INCLUDE_TIMESTAMPS="0")
    assert "\n민지: 출시일을 정합시다." in out
    assert "[00:00:0" not in out


def test_the_document_counts_typed_lines_from_0_as_those_of_a_file() -> None:
    code, out = typed("민지: 출시일을 정합시다.\n/topics\nBen: We ship on Friday.\n", "--json")
    assert code == 0
    document = json.loads(out[out.index("{") :])
    assert [said["source"] for said in document["utterances"]] == [[0, 0], [1, 1]]


def test_what_is_no_line_and_no_command_is_said_so() -> None:
    code, out = typed(
        "hello\nyes, at 10:30.\nThe plan: we ship\n결론: 금요일\n/nope\n/ask\n/context lunch\n/help\n"
    )
    assert code == 0
    for told in (
        "'hello': say who speaks",
        "'yes, at 10:30.': say who speaks",
        "'The plan: we ship': say who speaks",
        "'결론: 금요일': say who speaks",
        "/nope: there is no such command",
        "/ask: the question is missing",
    ):
        assert told in out
    assert "/context LUNCH: there are IMMEDIATE_RESPONSE" in out
    assert "somebody says something" in out


def test_ctrl_c_ends_it_without_another_key() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "worker", "replay", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - jobs of a shell ignore it
    ) as it:
        assert it.stdout is not None
        assert it.stdout.readline().startswith(b"Type `Name: text`")
        it.send_signal(signal.SIGINT)
        try:
            assert it.wait(timeout=30) == 130
        finally:
            it.kill()


@pytest.mark.parametrize(
    ("encoding", "code", "told"),
    [
        ("utf-8:strict", 2, b"moim: the standard input is not in utf-8: invalid start byte\n"),  # ko_KR.UTF-8
        ("utf-8:surrogateescape", 0, b""),  # the locale C, as in containers
    ],
)
def test_bytes_that_are_no_text_end_it_or_are_taken_as_the_locale_says(
    encoding: str, code: int, told: bytes
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "worker", "replay", "-"],
        input=b"Ben: Hello.\n" + "민지: 안녕하세요.\n".encode("cp949"),
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, told)
