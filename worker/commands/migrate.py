"""Make the app's role and bring the schema up to date. Running it again changes nothing.

Examples:
    moim migrate                  all of it
    moim migrate --stage before   what is safe while the old version still runs
    moim migrate --stage after    the rest, once it does not
"""

from __future__ import annotations

import argparse
import asyncio

from context.config import ConfigError
from context.ports import Refused
from worker.bootstrap.database import migrate
from worker.configuration.settings import Settings
from worker.errors import DONE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--stage", choices=("before", "after", "all"), default="all", help="default: all")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Apply the migrations that are missing, and print their names, one to a line."""
    settings.require("DATABASE_ADMIN_URL", "DATABASE_URL")
    database = settings.database
    try:
        applied = asyncio.run(
            migrate(database.admin_url.get_secret_value(), database.url.get_secret_value(), args.stage)
        )
    except Refused as error:
        raise ConfigError(str(error)) from error
    for name in applied:
        print(name)
    return DONE
