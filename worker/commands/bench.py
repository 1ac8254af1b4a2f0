"""`moim bench`: measure, with a baseline beside each figure."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from worker.bench import (
    ablation,
    answer_cache,
    answer_steps,
    answers,
    budgets,
    core,
    cpu,
    decisions,
    dispatch,
    evidence,
    ko_terms,
    latency,
    learnt,
    llm_tokens,
    local_llm,
    memory,
    needed,
    question,
    topic_meaning,
    topics,
    trials,
)
from worker.bench.figures import Figure, as_json, show
from worker.configuration.settings import Settings
from worker.errors import DONE, InputError
from worker.monitoring import telemetry

DESCRIPTION = "Measure speed (and, with --data, quality) beside named baselines of the same run."
EXAMPLES = """  moim bench                  everything that needs no data
  moim bench fold --json
  moim bench learnt           what is learnt, cross-validated, beside the rules' first runs
  moim bench decisions        quality, against labels; other meetings by --data DIR
  moim bench cpu memory       some of those that need a LiveKit server, a minute or two each
  moim bench local-llm        the path of a language model, with a real small one (524 MB, downloaded once)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"of {', '.join((*measures(), *quality(), *on_request()))}; default: those of speed",
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="real meetings, for the quality measures")
    parser.add_argument("--json", action="store_true", help='{"figures": …, "baselines": …}')


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Measure one after the other; progress goes to stderr."""
    telemetry.configure(settings, quiet=True)
    known = measures()
    of_quality = quality()
    names = args.names or [*known, *(of_quality if args.data else ())]
    known |= on_request()
    for name in names:
        if name not in known and name not in of_quality:
            raise InputError(f"no measure {name!r}: there are {', '.join((*known, *of_quality))}")
    figures: list[Figure] = []
    for name in names:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        figures += known[name]() if name in known else of_quality[name](args.data)
    if args.json:
        print(as_json(figures))
    else:
        show(figures)
    return DONE


def measures() -> dict[str, core.Measure]:
    """All of them, by name, in the order in which they run."""
    return {
        **core.MEASURES,
        "latency": latency.latency,
        "question": question.question,
        "dispatch": dispatch.dispatch,
        "memory": memory.memory,
        "cpu": cpu.cpu,
    }


def on_request() -> dict[str, core.Measure]:
    """Those that bring something large from a package registry: by their name only."""
    return {"local-llm": local_llm.local_llm}


def quality() -> dict[str, Callable[[Path | None], list[Figure]]]:
    """Those of what comes out rather than how fast, by name; each is given the folder of `--data`."""
    return {
        "learnt": learnt.learnt,
        "decisions": decisions.decisions,
        "ablation": ablation.ablation,
        "needed": needed.needed,
        "trials": trials.trials,
        "answer-cache": answer_cache.answer_cache,
        "answer-steps": answer_steps.answer_steps,
        "llm-tokens": llm_tokens.llm_tokens,
        "budgets": budgets.budgets,
        "answers": answers.answers,
        "evidence": evidence.evidence,
        "topics": topics.topics,
        "ko-topics": topics.ko_topics,
        "topic-meaning": topic_meaning.topic_meaning,
        "ko-terms": ko_terms.ko_terms,
    }
