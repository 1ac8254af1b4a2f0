"""The baseline of watching: an aiohttp server that sends each line it is given to everybody, and knows nothing."""

from __future__ import annotations

import asyncio
import sys

from aiohttp import web


class Fan:
    """Every open stream, and what goes out to all of them."""

    def __init__(self) -> None:
        self.open: set[web.StreamResponse] = set()

    async def watch(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        self.open.add(response)
        try:
            await asyncio.Event().wait()
        finally:
            self.open.discard(response)
        return response

    async def send(self, request: web.Request) -> web.Response:
        said = await request.read()
        for response in tuple(self.open):
            await response.write(b"data: " + said + b"\n\n")
        return web.Response()


if __name__ == "__main__":
    fan = Fan()
    app = web.Application()
    app.add_routes([web.get("/events", fan.watch), web.post("/send", fan.send)])
    web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None)
