"""What programs tell a meeting, as its streams give it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence

from worker.messages import AskMessage, ConsentMessage, InputEntry, SegmentMessage


class Asked:
    """The stream of what programs tell a meeting, with the same entries twice."""

    def __init__(self, *messages: AskMessage | ConsentMessage | SegmentMessage) -> None:
        self._messages, self.refusals = [*messages, *messages], list[str]()

    async def read_inputs(
        self, _meeting_id: str, _positions: Mapping[str, str]
    ) -> AsyncGenerator[InputEntry, None]:
        for number, message in enumerate(self._messages):
            yield InputEntry("ask", str(number), message)

    def refused(self, kind: str) -> None:
        self.refusals.append(kind)

    async def drop(self, stream: str, positions: Sequence[str]) -> None:
        del stream, positions
