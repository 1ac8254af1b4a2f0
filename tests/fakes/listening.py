"""Where the fakes of HTTP services listen: an application on a loopback port."""

from __future__ import annotations

from aiohttp import web


async def listen(app: web.Application, *, port: int = 0, cancels: bool = False) -> tuple[web.AppRunner, str]:
    """Serve `app` on 127.0.0.1 until the runner's `cleanup()`; returns the runner and `http://127.0.0.1:PORT`.

    `port` 0 takes any free one. With `cancels` a handler is cancelled when its client hangs up, which is how
    a fake learns of it.
    """
    runner = web.AppRunner(app, access_log=None, handler_cancellation=cancels, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    return runner, f"http://127.0.0.1:{runner.addresses[0][1]}"
