"""Validate every setting and reach each part; say what is wrong and how to mend it.

Examples:
    moim check
    moim check --env-file production.env
    moim check --only postgres redis --json
"""

from __future__ import annotations

import argparse
import asyncio
import json

from worker.configuration.settings import Settings
from worker.diagnostics.diagnosis import PARTS, diagnose, worst
from worker.diagnostics.finding import Finding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--only", nargs="+", choices=sorted(PARTS), metavar="PART", help=", ".join(sorted(PARTS))
    )
    parser.add_argument("--json", action="store_true", help="as a JSON list")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print one finding per part; exit 0, 2 (something is wrong) or 3 (something is out of reach)."""
    findings = [
        Finding("settings", "ok", "every value is allowed"),
        *asyncio.run(diagnose(settings, args.only)),
    ]
    if not settings.consent.notice or settings.consent.mode == "off":
        findings.append(
            Finding("notice", "ok", "people are not told that Moim listens (MOIM_NOTICE, MOIM_CONSENT)")
        )
    if args.json:
        print(json.dumps([finding.as_json() for finding in findings], ensure_ascii=False, indent=1))
    else:
        width = max(len(finding.part) for finding in findings)
        for finding in findings:
            print(f"{finding.part.ljust(width)}  {finding.state.ljust(11)}  {finding.text}")
    return worst(findings)
