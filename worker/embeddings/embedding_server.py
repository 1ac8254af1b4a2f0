"""The server of the shared embedding engine: one model, and two threads, one of them for questions alone.

Frames are those of the speech engine (`stt.engine.protocol`): a JSON header and a body.

    client -> engine   embed {id, query, wanted, body: a JSON list of texts}   cancel {id}   stats {id}
    engine -> client   hello {version, model}   result {id, rows, dim, body: float32, little-endian}
                       busy {id, reason}   failed {id, reason}   stats {id, stats}

Three kinds wait in queues of their own: questions, lines that the answer to a question waits for (`wanted`),
and all other texts, the backlog. The first two have a thread to themselves, since a long passage keeps a
thread for 0.2 s and cannot be interrupted. Requests are small (`MAX_TEXTS`), so that a question waits for
some lines of another question at most. When a queue is full a request is `busy` at once; clients take turns.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from stt.engine.engine_server import Connection, ModelServer
from stt.engine.fair_queue import EngineRequest
from stt.engine.protocol import EngineFrame, ProtocolError
from worker.embeddings.e5_models import TextModel

MAX_TEXTS: Final = 2
"""Most texts of one request. More would not be faster: a passage's tokens fill a core."""
MAX_CHARACTERS: Final = 200_000
"""Most characters of all texts of one request."""
_QUERY, _WANTED, _PASSAGE = "query", "wanted", "passage"


class EmbeddingServer(ModelServer):
    """Serves one embedding model; a request holds a few texts to be encoded."""

    def __init__(self, model: TextModel, socket_path: Path, *, queue_limit: int = 64) -> None:
        super().__init__(
            model.name,
            socket_path,
            workers=1,
            queue_limit=queue_limit,
            stuck_after_s=120.0,
            kinds=(_QUERY, _WANTED, _PASSAGE),
            urgent=2,
        )
        self._model = model

    def enqueue(self, connection: Connection, frame: EngineFrame) -> None:
        """Queue an `embed` frame. Raises `ProtocolError` for another kind, no texts, or too many."""
        if frame.kind != "embed":
            raise ProtocolError(f"unknown kind {frame.kind[:40]!r}")
        try:
            texts = json.loads(frame.body)
        except ValueError as error:
            raise ProtocolError("a body that is not JSON") from error
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ProtocolError("a body that is no list of texts")
        if not 0 < len(texts) <= MAX_TEXTS or sum(map(len, texts)) > MAX_CHARACTERS:
            raise ProtocolError(f"more than {MAX_TEXTS} texts or {MAX_CHARACTERS} characters, or none")
        kind = _WANTED if frame.header.get("wanted") else _PASSAGE
        kind = _QUERY if frame.header.get("query") else kind
        self._put(EngineRequest(connection, frame.id, kind, frame.body), kind)

    def carry_out(self, request: EngineRequest[Connection]) -> dict[str, Any]:
        """Encode a request's texts; the fields of its `result` frame."""
        rows = self._model.encode(json.loads(request.body), query=request.kind == _QUERY)
        return {"rows": rows.shape[0], "dim": rows.shape[1], "body": rows.astype("<f4").tobytes()}
