"""Add, list and remove the tenant's documents: Markdown, text, PDF, DOCX. Answers cite them.

Examples:
    moim docs add price-list.pdf 회의록-양식.docx
    moim docs add plan.md --title "Launch plan" --only-for alice --only-for bob
    moim docs list --json
    moim docs remove d-ab3c9k2m4x
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from worker.bootstrap.database import Database
from worker.clock import now_utc
from worker.commands.printing import in_columns
from worker.commands.record_access import from_record
from worker.configuration.settings import Settings
from worker.documents.document_reading import KINDS, ReadDocument, read_document
from worker.documents.library import Added, DocumentRow, Library
from worker.errors import DONE, WRONG_INPUT, InputError
from worker.messages import NOBODY, NOBODY_AT_A_TERMINAL


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="add | list | remove")
    add = actions.add_parser("add", help="read files; one that is there already is replaced")
    add.add_argument("paths", nargs="+", type=Path, metavar="PATH", help=" ".join(sorted(KINDS)))
    add.add_argument("--title", help="what answers call it (one file only); default: its own title")
    add.add_argument(
        "--only-for",
        action="append",
        default=[],
        metavar="IDENTITY",
        help="a participant who may read it, once for each; default: as before, or everybody of the tenant",
    )
    add.add_argument("--json", action="store_true", help="as a JSON list")
    listing = actions.add_parser("list", help="what is there, newest first")
    listing.add_argument("--json", action="store_true", help="as a JSON list")
    remove = actions.add_parser("remove", help="forget documents and all that was kept of them")
    remove.add_argument("ids", nargs="+", metavar="ID", help="see `moim docs list`")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Add, list or remove documents. Exit 2 if a file cannot be read or a document is unknown."""
    match args.action:
        case "add":
            return _add(args, settings)
        case "list":
            rows = from_record(settings, lambda tables: tables.documents.list_all())
            if args.json:
                print(json.dumps([row.model_dump(mode="json") for row in rows], ensure_ascii=False, indent=1))
            else:
                print(_table(rows))
        case _:
            if missing := from_record(settings, lambda tables: _remove(tables, args.ids)):
                raise InputError(f"there is no document {missing[0]!r}: `moim docs list` names them")
    return DONE


def _add(args: argparse.Namespace, settings: Settings) -> int:
    """Keep every file that can be read. Each of the others is one line on stderr, and the exit code is 2."""
    if args.title and len(args.paths) > 1:
        raise InputError("--title names one document: add the files one by one")
    if not all(identity.strip() for identity in args.only_for):
        raise InputError("--only-for is empty: name a participant's identity, or leave it out for everybody")
    if nobody := {NOBODY, NOBODY_AT_A_TERMINAL} & set(args.only_for):
        raise InputError(f"--only-for {min(nobody)}: that is whoever does not say who they are, so everybody")
    read: list[tuple[str, ReadDocument]] = []
    for path in args.paths:
        try:
            read.append((str(path.resolve()), asyncio.run(read_document(path))))
        except InputError as error:
            print(f"moim: {error}", file=sys.stderr)
    added = from_record(settings, lambda tables: _keep(tables, read, args)) if read else []
    if args.json:
        shapes = [
            {**document.document.model_dump(mode="json"), "replaced": document.replaced} for document in added
        ]
        print(json.dumps(shapes, ensure_ascii=False, indent=1))
    else:
        for document in added:
            print(_line(document))
    return DONE if len(read) == len(args.paths) else WRONG_INPUT


async def _keep(
    tables: Database, read: Sequence[tuple[str, ReadDocument]], args: argparse.Namespace
) -> list[Added]:
    library = Library(tables.documents, tables.passages)
    readers = [await tables.people.meant(identity) for identity in args.only_for]
    return [
        await library.add(document, origin, now_utc(), title=args.title or "", access=readers, moves=True)
        for origin, document in read
    ]


async def _remove(tables: Database, ids: Sequence[str]) -> list[str]:
    """Remove the documents `ids`; the ids of which there is no document are returned."""
    library = Library(tables.documents, tables.passages)
    return [id_ for id_ in ids if not await library.remove(id_)]


def _line(added: Added) -> str:
    row = added.document
    pages = f", {row.pages} pages" if row.pages else ""
    verb = "replaced" if added.replaced else "added"
    passages = f"{row.passages} passage{'' if row.passages == 1 else 's'}"
    readers = f", only for {', '.join(row.access)}" if row.access else ""
    return f"{row.id}  {verb}  {row.title} ({row.kind}{pages}, {passages}{readers})"


def _table(rows: Sequence[DocumentRow]) -> str:
    if not rows:
        return "no documents: `moim docs add PATH…`"
    lines = [("DOCUMENT", "KIND", "PAGES", "PASSAGES", "ADDED (UTC)", "ONLY FOR", "TITLE")]
    for row in rows:
        pages, readers = str(row.pages or "-"), ", ".join(row.access) or "-"
        added = f"{row.added_at:%Y-%m-%d %H:%M}"
        lines.append((row.id, row.kind, pages, str(row.passages), added, readers, row.title))
    return in_columns(lines)
