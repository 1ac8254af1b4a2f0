"""The command line: lazy, one line per mistake, the contract's exit codes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from context.config import ConfigError
from context.ports import Fenced, Refused, Unavailable
from stt.files.bad_input import BadInput
from tests.command_line import call
from tests.unit.cases import cases
from worker import __main__ as cli
from worker.errors import InputError, exit_code, one_line

ROOT = Path(__file__).parents[3]
_PLAIN = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


def moim(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "worker", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",  # no .env of the developer's
        env={**_PLAIN, **environ},
    )


@pytest.mark.parametrize("name", sorted(cli.COMMANDS))
def test_each_command_exists_and_its_help_has_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = cli.COMMANDS[name]
    module = cli.importlib.import_module(f"worker.commands.{command.module}")
    parser = cli._command_parser(name, command, module)
    with pytest.raises(SystemExit) as left:
        parser.parse_args(["--help"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    assert "examples:" in shown
    assert f"moim {name}" in shown.split("examples:")[1]


def test_the_command_line_imports_no_command_before_it_is_called() -> None:
    code = (
        "import sys, worker.__main__; "
        "print([m for m in sys.modules if m.startswith('worker.commands.') or m in "
        "('livekit', 'asyncpg', 'prometheus_client', 'aiohttp', 'numpy', 'openai')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("module", ["worker.configuration.settings", "worker.commands.replay"])
def test_an_interrupt_while_modules_are_read_is_quiet(module: str) -> None:
    code = f"""if True:
        import os, signal, sys
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background commands ignore it
        class Interrupts:
            def find_spec(self, name, path=None, target=None):
                if name == {module!r}:
                    os.kill(os.getpid(), signal.SIGINT)
        sys.meta_path.insert(0, Interrupts())
        from worker.__main__ import main
        sys.exit(main(["replay", "--help"]))"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_help_goes_to_stdout_and_lists_every_command() -> None:
    done = moim("--help")
    assert done.returncode == 0
    assert all(f"  {name} " in done.stdout for name in cli.COMMANDS)


@cases
def test_a_mistake_is_one_line_on_stderr_and_a_code(
    arguments: tuple[str, ...], environ: dict[str, str], code: int, line: str
) -> None:
    done = call(*arguments, cwd=Path("/"), environ={**_PLAIN, **environ})
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith(line.replace("moim: unrecognized", "moim meetings: unrecognized"))
    assert "Traceback" not in done.stderr
    assert "geheim" not in done.stderr


def test_debug_shows_the_traceback_as_well() -> None:
    done = moim("meetings", MOIM_LOG_LEVEL="debug", DATABASE_URL="postgresql://moim:x@127.0.0.1:1/moim")
    assert done.returncode == 3
    assert "Traceback" in done.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("x"), 2),
        (InputError("x"), 2),
        (BadInput(Path("a.vtt"), "no WebVTT"), 2),
        (Refused("Postgres: wrong password"), 2),
        (Unavailable("x"), 3),
        (ConnectionRefusedError("x"), 3),
        (TimeoutError(), 3),
        (Fenced("x"), 1),
        (ZeroDivisionError("x"), 1),
        (ExceptionGroup("several", [InputError("x"), Unavailable("y")]), 2),
        (ExceptionGroup("g", [ExceptionGroup("h", [Unavailable("away")])]), 3),
    ],
)
def test_exit_codes_follow_the_contract(error: BaseException, code: int) -> None:
    assert exit_code(error) == code


def test_an_error_is_told_on_one_line() -> None:
    assert one_line(InputError("first\n  second")) == "first second"
    assert one_line(ExceptionGroup("g", [ValueError("한 줄\n두 줄")])) == "ValueError: 한 줄 두 줄"
    assert one_line(KeyError()) == "KeyError"


def test_the_short_secret_of_livekits_dev_server_is_no_python_warning() -> None:
    done = moim(
        *("check", "--only", "livekit"),
        LIVEKIT_URL="ws://127.0.0.1:1",
        LIVEKIT_API_KEY="devkey",
        LIVEKIT_API_SECRET="secret",
    )
    assert done.returncode == 3
    assert done.stderr == ""
