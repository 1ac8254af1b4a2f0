"""Ask about a meeting. While it is live its holder answers, and the reply is kept on the record. After that
the answer is made from the record, and is kept nowhere. A dispatcher on this machine makes it, if one runs.

Examples:
    moim ask m-7f3a "출시일이 언제로 결정됐지?"
    moim ask m-7f3a "What did we decide about the second server?" --json
    moim ask m-7f3a "출시일이 언제죠?" --feature response_cache_enabled=0 --feature retrieval_mode=bm25
"""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from typing import Any

from context.features import FeatureError, Features, parsed_overrides
from context.primitives.askers import nobodys
from context.primitives.text import one_line
from worker.commands.dispatcher_client import NoDispatcher, asked
from worker.commands.name_arguments import an_id
from worker.configuration.settings import Settings
from worker.errors import DONE, FAILED, InputError, warn
from worker.messages import FOLLOWED_PREFIX, NOBODY_AT_A_TERMINAL


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "meeting", metavar="MEETING", type=an_id, help="the meeting's id (see `moim meetings`)"
    )
    parser.add_argument("question", metavar="QUESTION", help="in Korean or English")
    parser.add_argument(
        "--json", action="store_true", help="the whole reply instead of its text, and how it came about"
    )
    add_features(parser)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the reply, on a terminal as it grows; exit 1 if it is empty."""
    question = one_line(args.question)
    if not question:
        raise InputError("ask: the question is empty")
    features = features_of(args.feature)
    settings.require("DATABASE_URL")
    shown = _Shown(as_json=args.json)
    try:
        for piece in asked(settings, args.meeting, {"text": question, "features": features}):
            shown.add(piece)
    except NoDispatcher:
        _answer_here(args.meeting, question, settings, features, shown)
    return DONE if shown.reply.get("text") else FAILED


def _answer_here(
    meeting_id: str, question: str, settings: Settings, features: dict[str, str], shown: _Shown
) -> None:
    # Not before: what answers takes seconds to import, and a command that asks a dispatcher needs none of it.
    from context.question import Question
    from worker.commands.answer_here import answer_here

    asking = Question(
        id=f"{FOLLOWED_PREFIX}cli-{uuid.uuid4().hex[:12]}",
        by=nobodys(NOBODY_AT_A_TERMINAL),
        via="cli",
        text=question,
        features=features,
        at_ms=0,  # when that is in the meeting, whoever answers knows
    )
    answer_here(settings, meeting_id, asking, shown.add)


class _Shown:
    """Prints an answer: on a terminal its pieces as they come, else the whole reply at its end."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._grows = not as_json and sys.stdout.isatty()
        self._so_far = ""
        self.reply: dict[str, Any] = {}
        """The whole reply; empty until it is there."""

    def add(self, piece: str | dict[str, Any]) -> None:
        """Show one more piece, or the reply, which counts where it differs from its pieces."""
        if isinstance(piece, str):
            if self._grows:
                self._so_far += piece
                print(piece, end="", flush=True)
            return
        self.reply = piece
        if self._as_json:
            print(json.dumps(piece, ensure_ascii=False, indent=1))
        elif not self._so_far:
            print(piece["text"])
        elif self._so_far.strip() == str(piece["text"]).strip():
            print()
        else:
            print()
            warn("the answer was corrected while it was checked:")
            print(piece["text"])


def add_features(parser: argparse.ArgumentParser) -> None:
    """Declare `--feature`, for every command that asks questions."""
    parser.add_argument(
        "--feature",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a flag of MOIM_FEATURE_* for this question alone, e.g. self_refine_enabled=0",
    )


def features_of(settings: list[str]) -> dict[str, str]:
    """Feature flags by name, from the `NAME=VALUE` of a command line. Raises `InputError` for a wrong one."""
    try:
        overrides = parsed_overrides(settings)
        Features().with_overrides(overrides)
    except FeatureError as error:
        raise InputError(f"--feature: {error}") from error
    return overrides
