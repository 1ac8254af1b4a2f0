"""Everything of one person, over all meetings: what they said, asked and agreed to. As JSON.

Examples:
    moim person minji
    moim person minji --export minji.json
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from worker.commands.name_arguments import an_id
from worker.commands.record_access import from_record
from worker.configuration.settings import Settings
from worker.errors import DONE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "person", metavar="ID", type=an_id, help="the participant's id: their LiveKit identity"
    )
    parser.add_argument("--export", metavar="FILE", type=Path, help="write it there, readable by you alone")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the JSON, or write it to the file of `--export`."""
    everything = from_record(settings, lambda tables: tables.people.everything(args.person))
    text = json.dumps(everything, ensure_ascii=False, indent=2)
    if args.export is None:
        print(text)
    else:
        args.export.touch(mode=0o600)
        args.export.chmod(0o600)  # if the file was there before
        args.export.write_text(text + "\n", encoding="utf-8")
        print(f"written to {args.export}", file=sys.stderr)
    return DONE
