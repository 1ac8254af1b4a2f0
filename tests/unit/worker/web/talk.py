"""Talk that is written to a meeting's record while somebody follows it."""

from __future__ import annotations

from context.events.events import Event, UtteranceSpoken
from context.ports import RecordedEvent
from tests.unit.worker.web.server import ID, Site

LINES = [
    ("김민지", "출시일은 11월 20일로 결정하겠습니다."),
    ("Ben", "Then I will write to the customers by Friday."),
    ("김민지", "다음은 예산입니다. <script>alert(1)</script>"),
    ("Ben", "We agreed on two thousand dollars."),
]


class Talk:
    """Writes a meeting's record as its holder does."""

    def __init__(self, site: Site, epoch: int) -> None:
        self.site, self.epoch, self.seq, self.said = site, epoch, 0, 0

    async def record(self, *events: Event) -> None:
        numbered = [RecordedEvent(seq=self.seq + place, event=event) for place, event in enumerate(events, 1)]
        await self.site.store.append(ID, self.epoch, numbered)
        self.seq += len(events)

    async def say(self, count: int) -> None:
        for _ in range(count):
            self.said += 1
            name, text = LINES[self.said % len(LINES)]
            start_ms = 4000 * self.said
            spoken = UtteranceSpoken(
                key=f"k{self.said}",
                speaker_id=name,
                speaker_name=name,
                text=text,
                start_ms=start_ms,
                end_ms=start_ms + 3000,
            )
            await self.record(spoken)
