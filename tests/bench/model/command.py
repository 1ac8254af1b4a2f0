"""`python -m tests.bench model`: a language model, tried on meetings with gold labels."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from context.config import ConfigError
from tests.bench.model.endpoint import Upstream, reach
from tests.bench.model.meetings import HOME, meetings
from tests.bench.model.table import as_markdown, measured
from tests.bench.model.trying import Plan, Tried, say, tried
from worker.configuration.settings import Settings
from worker.errors import DONE, FAILED, UNREACHABLE, WRONG_INPUT, InputError
from worker.monitoring import telemetry

RECORDED: Final = HOME / "recorded"
PARTS: Final = ("meetings", "pieces", "clumsy", "long")
_DESCRIPTION: Final = """\
Meetings with gold labels go through the real pipeline with the model behind BASE_URL, or with recorded
replies: questions, minutes, topics, and answers whose every piece is labelled right or wrong. Recorded replies
also come from a clumsy twin, which spoils the form of one in five. Of long meetings counts what prompts show.
Results go to stdout, progress to stderr. Exit codes: 0, 2 for wrong input, 3 where the endpoint is away."""
_EXAMPLES: Final = """\
examples:
  python -m tests.bench model --base-url http://127.0.0.1:11434/v1 --model qwen3:14b
  LLM_API_KEY=sk-… python -m tests.bench model --base-url https://api.openai.com/v1 --model gpt-4.1 --json
  python -m tests.bench model --recorded tests/data/bench_model/recorded
  python -m tests.bench model --recorded tests/data/bench_model/recorded --record /tmp/missing
  python -m tests.bench model --recorded tests/data/bench_model/recorded --accept"""


def parser() -> argparse.ArgumentParser:
    """The parser of the command's arguments."""
    made = argparse.ArgumentParser(
        prog="python -m tests.bench model",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("--base-url", default="", metavar="URL", help="an OpenAI-compatible endpoint, with /v1")
    made.add_argument("--model", default="", metavar="NAME", help="the model's name there")
    made.add_argument(
        "--recorded", type=Path, metavar="DIR", help="a folder of replies, instead of an endpoint"
    )
    made.add_argument("--record", type=Path, metavar="DIR", help="write the prompts without a reply there")
    made.add_argument(
        "--accept",
        action="store_true",
        help="what is written of a claim, a question or an utterance holds for its changed prompt too: "
        "whoever gives this says so; DIR is written anew",
    )
    made.add_argument(
        "--meeting", action="append", default=[], metavar="NAME", help="only this one; repeatable"
    )
    made.add_argument("--only", choices=PARTS, help="one part of it")
    made.add_argument(
        "--verifier",
        action="append",
        default=[],
        choices=("honest", "none", "dishonest"),
        help="of labelled answers: only with this one; repeatable",
    )
    made.add_argument(
        "--pace",
        type=float,
        default=0.0,
        metavar="N",
        help="recorded verdicts come at N tokens a second, as from a model (default: at once)",
    )
    made.add_argument("--notable", action="store_true", help="on stderr: each thing that came out wrong")
    made.add_argument("--json", action="store_true", help="data instead of a table")
    return made


def model(arguments: Sequence[str]) -> int:
    """Run it; the exit code."""
    args = parser().parse_args(arguments)
    try:
        found = asyncio.run(_measure(args))
    except (InputError, ConfigError, PermissionError) as error:
        say(str(error))
        return WRONG_INPUT
    except ConnectionError as error:
        say(str(error))
        return UNREACHABLE
    if args.notable:
        for line in [
            *found.scores.notable,
            *(f"{v}: {n}" for v, seen in found.fates.items() for n in seen.notable),
            *(found.clumsiness.notable if found.clumsiness else ()),
            *(f"not in the prompt: {line}" for row in found.long for line in row.missed),
        ]:
            print(line, file=sys.stderr)
    name = args.model or "recorded replies"
    data = measured(found, name)
    print(json.dumps(data, ensure_ascii=False, indent=1) if args.json else as_markdown(data))
    _tell_unknown(args, found)
    return FAILED if found.unknown and args.recorded else DONE


async def _measure(args: argparse.Namespace) -> Tried:
    settings = Settings.load()
    telemetry.configure(settings, quiet=True)
    plan = _plan(args, settings)
    gold = meetings(args.meeting)
    if plan.upstream is not None:
        await reach(plan.upstream)
    return await tried(plan, gold)


def _plan(args: argparse.Namespace, settings: Settings) -> Plan:
    parts = frozenset({args.only} if args.only else PARTS)
    if bool(args.recorded) == bool(args.base_url):
        raise InputError("give --base-url and --model, or --recorded DIR (see --help)")
    if args.recorded:
        # Words alone find what a prompt shows: no prompt may hang on a machine's vectors.
        settings = Settings.from_env({"EMBED_ENGINE": "none"})
        if not args.recorded.is_dir() and not args.accept:
            raise InputError(f"{args.recorded}: no such folder of replies")
        verifiers = tuple(args.verifier) or ("honest", "none", "dishonest")
        args.recorded.mkdir(parents=True, exist_ok=True)
        return Plan(
            settings,
            recorded=args.recorded,
            record=args.record,
            accept=args.accept,
            pace=args.pace,
            verifiers=verifiers,
            parts=parts,
        )
    if not args.model:
        raise InputError("--base-url needs --model")
    if args.accept or args.record:
        raise InputError("--record and --accept are for --recorded")
    upstream = Upstream(args.base_url, settings.llm.api_key.get_secret_value(), args.model)
    return Plan(settings, upstream, verifiers=tuple(args.verifier) or ("honest", "none"), parts=parts)


def _tell_unknown(args: argparse.Namespace, found: Tried) -> None:
    if found.accepted:
        say(f"{found.accepted} replies were accepted for changed prompts")
    if not found.unknown or not args.recorded:
        return
    say(f"{len(found.unknown)} prompts have changed, or never had a reply:")
    for digest, prompt in sorted(found.unknown.items(), key=lambda each: each[1].purpose):
        about = prompt.block("question") or "; ".join(each.text[:40] for each in prompt.claims)
        print(f"  {prompt.purpose} {digest} {about[:100]}", file=sys.stderr)
    if args.record:
        say(f"they lie in {args.record}: write NAME.reply.txt beside NAME.prompt.txt, into --recorded DIR")
