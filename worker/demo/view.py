"""What a spectator of the demo knows of the meeting, kept up to date by the meeting's live events.

The demo on a terminal: one picture that changes, or, without a terminal, lines as things happen.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from rich.console import Console, ConsoleOptions, RenderResult
from rich.layout import Layout
from rich.live import Live
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from worker.demo.hearsay import ChatMessage


@dataclass(frozen=True, slots=True)
class Said:
    """One utterance as the demo shows it."""

    at_ms: int
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One line of the chat; an answer grows while it is streamed."""

    who: str
    text: str
    done: bool
    agent: bool


@dataclass(slots=True)
class Board:
    """Filled by `heard` (events of `moim:{tenant}:out:…`) and by the chat that a player reads."""

    title: str
    names: dict[str, str]
    length_s: float
    now_s: float = 0.0
    stage: str = ""
    """What is going on, in a word or two."""
    speaking: frozenset[str] = frozenset()
    said: list[Said] = field(default_factory=list)
    talk_ms: dict[str, int] = field(default_factory=dict)
    topics: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    chat: list[Exchange] = field(default_factory=list)
    gaps: int = 0
    _known: set[int] = field(default_factory=set)

    def heard(self, event: Mapping[str, Any]) -> None:
        """Fold one live event; the same utterance twice counts once, unknown kinds are ignored."""
        match event.get("kind"):
            case "utterance" if event["id"] not in self._known:
                self._known.add(event["id"])
                speaker = str(event["speaker"])
                self.said.append(Said(int(event["start_ms"]), speaker, str(event["text"])))
                spoken_ms = int(event["end_ms"]) - int(event["start_ms"])
                self.talk_ms[speaker] = self.talk_ms.get(speaker, 0) + spoken_ms
            case "topic":
                self.topics[str(event["id"])] = event
            case "gap":
                self.gaps += 1
            case _:
                pass

    def read(self, messages: Sequence[ChatMessage]) -> None:
        """Show the chat as a participant has it now."""
        self.chat = [
            Exchange(
                self.name(message.sender),
                message.text,
                message.done,
                agent=message.sender not in self.names,
            )
            for message in messages
        ]

    def name(self, identity: str) -> str:
        """Who that is, for people."""
        return self.names.get(identity, "Moim")


_FRAMES_PER_S: Final = 6
_BAR: Final = 14
_MOST_ROWS: Final = 100
_BOLD: Final = re.compile(r"\*\*(.+?)\*\*")
_COLOURS: Final = ("cyan", "green", "magenta", "yellow", "blue", "red")


class View(AbstractContextManager["View"]):
    """Shows a board; entered once, `show` after every change."""

    @abstractmethod
    def show(self, board: Board) -> None:
        """Show this."""

    @abstractmethod
    def say(self, line: str) -> None:
        """A word beside the meeting: progress, a warning."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the terminal as it was."""


class LiveView(View):
    """A picture that is drawn over itself."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, refresh_per_second=_FRAMES_PER_S, screen=True)
        self._board: Board | None = None
        self._note = ""

    def __enter__(self) -> Self:
        """Take the whole terminal."""
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give it back."""
        self._live.__exit__(kind, error, trace)

    def show(self, board: Board) -> None:
        """Draw it at the next frame."""
        if self._board is None:
            self._note = ""  # that was about the way here
        self._board = board
        self._live.update(picture(board, self._note))

    def say(self, line: str) -> None:
        """Below the picture; alone, as long as there is none."""
        self._note = line
        if self._board is not None:
            self.show(self._board)
        else:
            self._live.update(Panel(Text(line), title="moim demo", height=3))


class PlainView(View):
    """One line per thing that happened."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._said = self._chat = 0
        self._topics: dict[str, str] = {}
        self._stage = ""

    def show(self, board: Board) -> None:
        """Print what is new."""
        if board.stage != self._stage:
            self._stage = board.stage
            self.say(board.stage)
        for said in board.said[self._said :]:
            self._print(f"{_clock(said.at_ms)} {board.name(said.speaker)}: {said.text}")
        self._said = len(board.said)
        for id_, topic in board.topics.items():
            if self._topics.get(id_) != topic["name"]:
                self._topics[id_] = str(topic["name"])
                self._print(f"      topic: {topic['name']} (from utterance {topic['first_utterance']})")
        while self._chat < len(board.chat) and board.chat[self._chat].done:
            line = board.chat[self._chat]
            self._print(f"      chat, {line.who}: " + line.text.strip().replace("\n", "\n      | "))
            self._chat += 1

    def say(self, line: str) -> None:
        """A line of its own."""
        self._print(f"moim demo: {line}")

    def _print(self, line: str) -> None:
        self._console.print(Text(line), soft_wrap=True)


def picture(board: Board, note: str = "") -> Layout:
    """The whole board, as large as the terminal."""
    layout = Layout()
    layout.split_column(
        Layout(_head(board), name="head", size=3),
        Layout(name="middle", ratio=3),
        Layout(_chat(board, note), name="chat", ratio=2, minimum_size=6),
    )
    layout["middle"].split_row(
        Layout(_utterances(board), name="said", ratio=3),
        Layout(name="side", ratio=2, minimum_size=34),
    )
    layout["side"].split_column(
        Layout(_people(board), name="people", size=len(board.names) + 2),
        Layout(_topics(board), name="topics"),
    )
    return layout


def _head(board: Board) -> Panel:
    played = min(1.0, board.now_s / board.length_s) if board.length_s else 0.0
    text = Text.assemble(
        (f"{board.title}  ", "bold"),
        (_bar(played, 24), "green"),
        f"  {_clock(int(board.now_s * 1000))} / {_clock(int(board.length_s * 1000))}   ",
        (board.stage, "dim"),
    )
    return Panel(text, title="moim demo", title_align="left")


def _utterances(board: Board) -> Panel:
    rows = [
        Text.assemble(
            (f"{_clock(said.at_ms)} ", "dim"),
            (f"{board.name(said.speaker)}  ", _colour(board, said.speaker)),
            said.text,
        )
        for said in sorted(board.said, key=lambda said: said.at_ms)[-_MOST_ROWS:]  # a busy engine's come late
    ]
    return Panel(Newest(rows), title="heard", title_align="left")


def _people(board: Board) -> Panel:
    table = Table.grid(padding=(0, 1))
    longest = max([*board.talk_ms.values(), 1])
    for identity, name in board.names.items():
        talk_ms = board.talk_ms.get(identity, 0)
        now = identity in board.speaking
        table.add_row(
            Text("●" if now else "○", style="bold red" if now else "dim"),
            Text(name, style=_colour(board, identity)),
            Text(_bar(talk_ms / longest, _BAR), style=_colour(board, identity)),
            Text(f"{talk_ms / 1000:.0f} s", style="dim"),
        )
    return Panel(table, title="speaks now, talk time", title_align="left")


def _topics(board: Board) -> Panel:
    rows: list[Text] = []
    for number, topic in enumerate(board.topics.values(), 1):
        rows.append(Text(f"{number}. {topic['name']}", style="" if number < len(board.topics) else "bold"))
        rows += [Text(f"   ✓ {decision['text']}", style="green") for decision in topic.get("decisions", ())]
    return Panel(Newest(rows), title="topics", title_align="left")


def _chat(board: Board, note: str) -> Panel:
    rows = [
        Text.assemble(
            (f"{line.who}  ", "bold yellow" if line.agent else "bold"),
            *_with_names_bold(line.text.strip()),
            "" if line.done else " ▌",
        )
        for line in board.chat
    ]
    return Panel(Newest(rows), title="chat", title_align="left", subtitle=escape(note[:100]))


def _with_names_bold(text: str) -> list[tuple[str, str]]:
    """`**so**` in an answer, as style."""
    return [(part, "bold" if odd % 2 else "") for odd, part in enumerate(_BOLD.split(text))]


class Newest:
    """Rows of text of which the last ones are shown, as many as fit into the place that there is."""

    def __init__(self, rows: Sequence[Text]) -> None:
        self._rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Wrap the rows from the last one upwards until the place is full."""
        height = options.height or console.height
        lines: list[Text] = []
        for row in reversed(self._rows):
            lines[:0] = row.wrap(console, options.max_width)
            if len(lines) >= height:
                break
        yield from lines[-height:]


def _bar(share: float, width: int) -> str:
    full = round(max(0.0, min(1.0, share)) * width)
    return "█" * full + "░" * (width - full)


def _colour(board: Board, identity: str) -> str:
    known = list(board.names)
    return _COLOURS[known.index(identity) % len(_COLOURS)] if identity in board.names else "white"


def _clock(ms: int) -> str:
    seconds = max(0, ms) // 1000
    return f"{seconds // 60:02d}:{seconds % 60:02d}"
