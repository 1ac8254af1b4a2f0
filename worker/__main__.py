"""The command line `moim`. Each command is a module that is imported when it is called.

A command's module has `add_arguments(parser)` and `run(args, settings) -> exit code`; its docstring is what
`moim COMMAND --help` says, with examples. Results go to stdout, everything else to stderr.
"""

from __future__ import annotations

import sys

_INTERRUPTED_CODE = 130
"""The exit code after Ctrl-C, as shells have it: 128 and the signal's number."""

try:
    import argparse
    import difflib
    import importlib
    import os
    import textwrap
    import traceback
    import warnings
    from collections.abc import Sequence
    from dataclasses import dataclass
    from importlib.metadata import version
    from pathlib import Path
    from typing import Final, NoReturn, Protocol, cast

    from context.config import ConfigError
    from worker.configuration.setting_values import hide_password
    from worker.configuration.settings import Settings
    from worker.errors import DONE, FAILED, WRONG_INPUT, exit_code, one_line
except KeyboardInterrupt:  # half a second in which `main` cannot catch it yet
    sys.exit(_INTERRUPTED_CODE)


@dataclass(frozen=True, slots=True)
class Subcommand:
    """A command: one line of `moim --help`, and how it is run."""

    module: str
    """The module's name in `worker.commands`."""
    summary: str
    own_metrics: bool = False
    """Its child processes count metrics for it, in a directory that must exist before these are imported."""
    reads_env_file: bool = True
    """Its `--env-file` names settings to read; `moim dev` has one that it writes."""
    serves: bool = False
    """It runs until it is told to stop, which it must obey from the first moment on, still importing."""
    audited: bool = False
    """It shows or changes what is on record: first it is noted in the audit log that it was called."""


class CommandModule(Protocol):
    """The interface of a command's module in `worker.commands`."""

    __doc__: str | None

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, args: argparse.Namespace, settings: Settings) -> int:
        """Run the command and give its exit code."""


COMMANDS: Final = {
    "demo": Subcommand("demo", "a scripted Korean meeting in a real room, on this machine"),
    "dev": Subcommand("dev", "everything on one machine, on loopback", reads_env_file=False),
    "worker": Subcommand("worker", "join meetings: one job process per room", own_metrics=True, serves=True),
    "dispatcher": Subcommand("dispatcher", "see to it that every open meeting has a worker", serves=True),
    "dispatch": Subcommand("dispatch", "want Moim in a room, or a meeting without one", audited=True),
    "end": Subcommand("end", "end a meeting as if everybody had left", audited=True),
    "meetings": Subcommand("meetings", "list the meetings", audited=True),
    "thread": Subcommand("thread", "what was asked of the agent, its summaries, their budget", audited=True),
    "link": Subcommand("link", "a link to one meeting's page, to look or to edit", audited=True),
    "ask": Subcommand("ask", "ask about a meeting; the reply has quotes"),
    "mcp": Subcommand("mcp", "let agents ask about the meetings, by MCP", serves=True),
    "docs": Subcommand("docs", "documents that answers may cite: add, list, remove", audited=True),
    "export": Subcommand("export", "a meeting's record as json, md, vtt or srt", audited=True),
    "replay": Subcommand("replay", "files through the same pipeline, without a room"),
    "briefing": Subcommand("briefing", "the evidence that answers would be built on"),
    "consent": Subcommand("consent", "say for somebody that they agree to be heard, or do not", audited=True),
    "erase": Subcommand("erase", "take words out of the record, for good", audited=True),
    "hold": Subcommand("hold", "erase nothing of a meeting until it is let go of", audited=True),
    "person": Subcommand("person", "everything that the record has of one person", audited=True),
    "audit": Subcommand("audit", "who did what with the meetings"),
    "migrate": Subcommand("migrate", "bring the database's schema up to date"),
    "check": Subcommand("check", "validate the settings and reach each part"),
}


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line on stderr."""

    def error(self, message: str) -> NoReturn:
        """Print the message and exit with `WRONG_INPUT`."""
        print(f"{self.prog}: {message} (see `{self.prog} --help`)", file=sys.stderr)  # noqa: T201 - the user's terminal
        sys.exit(WRONG_INPUT)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` names (None: that of this process) and give its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    # `livekit-server --dev` has a secret of six bytes: its server says so, ours need not at every token.
    warnings.filterwarnings("ignore", message="The HMAC key is .* bytes long")
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return _INTERRUPTED_CODE
    except BrokenPipeError:  # `moim export … | head`: nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except SystemExit as error:  # argparse: --help and mistakes
        return error.code if isinstance(error.code, int) else FAILED
    except Exception as error:  # noqa: BLE001 - the last net: a user never sees a traceback
        if _debug():
            print(hide_password(traceback.format_exc()), file=sys.stderr)  # noqa: T201 - the user's terminal
        _say(one_line(error))
        return exit_code(error)


def _run(arguments: list[str]) -> int:
    top = _top_parser()
    options = top.parse_args(arguments)
    rest: list[str] = options.rest
    if options.command is None:
        top.print_help(sys.stderr)
        return WRONG_INPUT
    command = COMMANDS.get(options.command)
    if command is None:
        near = difflib.get_close_matches(options.command, COMMANDS, 1)
        top.error(f"no such command: {options.command}" + (f"; did you mean {near[0]}?" if near else ""))
    if command.serves:
        from worker.process.stop_signals import go_when_told

        go_when_told()
    if command.own_metrics and not {"-h", "--help"} & set(rest):
        from worker.monitoring import multiproc

        multiproc.own_directory()
    module = cast("CommandModule", importlib.import_module(f"worker.commands.{command.module}"))
    args = _command_parser(options.command, command, module).parse_args(rest)
    settings = Settings.load(options.env_file or (args.env_file if command.reads_env_file else None))
    for warning in settings.warnings:
        _say(warning)
    # Unconfigured, structlog would write to stdout, among the results.
    from worker.monitoring import telemetry

    telemetry.configure(settings, quiet=not settings.process.debug)
    if not command.audited or not settings.database.url:
        return module.run(args, settings)
    from worker.commands.audit import noted

    about = {name: getattr(args, name, None) for name in ("meeting", "person")}
    with noted(settings, options.command, **about):
        return module.run(args, settings)


def _top_parser() -> OneLineParser:
    lines = "\n".join(f"  {name:<11} {command.summary}" for name, command in COMMANDS.items())
    parser = OneLineParser(
        prog="moim",
        usage="moim [--env-file FILE] COMMAND …",
        description="Moim hears a LiveKit meeting, keeps its record and answers with evidence.",
        epilog=f"commands:\n{lines}\n\n`moim COMMAND --help` shows its arguments and examples.\n"
        "Settings come from the environment and .env; .env.example lists them all.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--env-file", type=Path, metavar="FILE", help="settings, instead of .env")
    parser.add_argument("--version", action="version", version=f"moim {version('moim')}")
    parser.add_argument("command", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def _command_parser(name: str, command: Subcommand, module: CommandModule) -> OneLineParser:
    description, _, examples = (module.__doc__ or "").partition("\n\nExamples:\n")
    parser = OneLineParser(
        prog=f"moim {name}",
        description=textwrap.fill(description, 100),
        epilog=f"examples:\n{textwrap.indent(textwrap.dedent(examples.rstrip()), '  ')}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    if command.reads_env_file:
        parser.add_argument("--env-file", type=Path, metavar="FILE", help="settings, instead of .env")
    return parser


def _debug() -> bool:
    try:
        return Settings.load().process.debug
    except ConfigError:
        return False


def _say(line: str) -> None:
    print(f"moim: {line}", file=sys.stderr)  # noqa: T201 - the user's terminal


if __name__ == "__main__":
    sys.exit(main())
