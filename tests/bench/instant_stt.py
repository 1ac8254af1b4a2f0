"""A speech engine that takes no time: an OpenAI-compatible endpoint that answers at once."""

from __future__ import annotations

from typing import Final

from aiohttp import web

from worker.clock import monotonic_s

LINES: Final = (
    "결제 기능 테스트는 다음 주 월요일에 시작합니다",
    "서버 비용은 지난달보다 조금 늘었습니다",
    "그 부분은 내일까지 확인해서 알려 드리겠습니다",
    "예산은 어제 회의에서 말씀드린 그대로입니다",
)


class InstantStt:
    """Listens on loopback. `work` has, for each request, when its last byte came and when it was answered."""

    def __init__(self) -> None:
        self.work: list[tuple[float, float]] = []
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def start(self) -> None:
        """Listen on any free port."""
        application = web.Application(client_max_size=16 * 1024 * 1024)
        application.router.add_post("/v1/audio/transcriptions", self._transcribe)
        self._runner = web.AppRunner(application, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}/v1"

    async def stop(self) -> None:
        """Listen no more."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _transcribe(self, request: web.Request) -> web.Response:
        await request.read()
        came_s = monotonic_s()
        text = LINES[len(self.work) % len(LINES)]
        answer = web.json_response({"text": text, "language": "korean"})
        self.work.append((came_s, monotonic_s()))
        return answer
