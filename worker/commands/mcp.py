"""Let agents ask about the meetings by the Model Context Protocol (MCP): a client starts this command and
speaks to it by stdin and stdout, or reaches it by HTTP. It asks the dispatcher's HTTP API at MOIM_API_URL,
with MOIM_API_TOKEN; it changes nothing.

Examples:
    MOIM_API_TOKEN=… moim mcp                        on stdin and stdout, as a client starts it
    MOIM_API_URL=https://moim.example.com MOIM_API_TOKEN=… moim mcp
    moim mcp --http                                  at 127.0.0.1:8091/mcp; each client sends its own token
    moim mcp --http 0.0.0.0:8091 --name mcp.example.com
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys

from worker.configuration.settings import Settings
from worker.errors import DONE, InputError

_ADDRESS = "127.0.0.1:8091"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--http",
        nargs="?",
        const=_ADDRESS,
        metavar="[HOST:]PORT",
        help=f"serve Streamable HTTP there ({_ADDRESS} unless given) instead of stdin and stdout",
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="with --http: a name by which it is reached as well, of a proxy in front say; may be repeated",
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Serve until the client leaves, or a signal comes."""
    if args.name and args.http is None:
        raise InputError("--name is for --http: it says by which names that is reached")
    if args.http is None:
        settings.require("MOIM_API_TOKEN")
        return asyncio.run(_on_stdio(settings))
    from worker.mcp import http_server

    address = http_server.address_of(args.http)
    asyncio.run(http_server.serve(settings.api.url, address, args.name, _tell))
    return DONE


def _tell(url: str) -> None:
    print(url, flush=True)


async def _on_stdio(settings: Settings) -> int:
    from mcp.server.stdio import stdio_server

    from worker.mcp.server import MeetingServer
    from worker.process.stop_signals import on_stop

    token = settings.api.token.get_secret_value()
    served = MeetingServer(settings.api.url, lambda _: token, stays=True).server
    with on_stop(_leave):
        async with stdio_server() as (incoming, outgoing):
            await served.run(incoming, outgoing, served.create_initialization_options())
    return DONE


def _leave() -> None:
    """End the process: nothing is left undone, and the thread that reads stdin cannot be woken."""
    sys.stderr.flush()
    os._exit(DONE)
