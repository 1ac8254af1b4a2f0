"""What the fakes of OpenAI's services have in common: an address, a key, a model, and errors in its shape."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from aiohttp import web

from tests.fakes.listening import listen


@dataclass(frozen=True)
class Status:
    """An HTTP error in OpenAI's shape."""

    code: int
    message: str = "scripted failure"
    error_code: str | None = None
    retry_after: str | None = None

    @property
    def response(self) -> web.Response:
        """The response as it goes out."""
        headers = {"Retry-After": self.retry_after} if self.retry_after else {}
        error = {"message": self.message, "type": "error", "param": None, "code": self.error_code}
        return web.json_response({"error": error}, status=self.code, headers=headers)


@dataclass
class OpenAIServer(ABC):
    """Answers POST requests on one path below `base_url`; keeps every request body."""

    path: ClassVar[str]
    key: str = "secret"
    model: str = "test-model"
    base_url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    listed: Any = None
    """What stands in its list of models; None: its one model."""
    _runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post(f"/v1/{self.path}", self._answer)
        app.router.add_get("/v1/models", self._models)
        self._runner, url = await listen(app, cancels=True)
        self.base_url = f"{url}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    @abstractmethod
    async def _answer(self, request: web.Request) -> web.StreamResponse:
        """Answer a request."""

    async def _models(self, _request: web.Request) -> web.Response:
        listed = [{"id": self.model, "object": "model"}] if self.listed is None else self.listed
        return web.json_response({"object": "list", "data": listed})

    def stranger(self, request: web.Request, body: dict[str, Any]) -> web.Response | None:
        """The error for who has another key, or asks for another model."""
        if request.headers.get("Authorization") != f"Bearer {self.key}":
            return Status(401, "Incorrect API key provided", "invalid_api_key").response
        if body.get("model") != self.model:
            return Status(404, f"The model `{body.get('model')}` does not exist", "model_not_found").response
        return None


def cut(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    """Break the connection."""
    assert request.transport is not None
    request.transport.abort()
    return response


async def drip(response: web.StreamResponse, data: bytes) -> None:
    """Send it a byte at a time."""
    for index in range(len(data)):
        await response.write(data[index : index + 1])
