"""The demo as people see it: a picture on the terminal that changes, or plain lines as things happen.

A `Board` holds what a spectator knows of the meeting; a `View` shows it.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.layout import Layout
from rich.live import Live
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from worker.demo.room_texts import ChatStream

_FRAMES_PER_S: Final = 6
_MOST_ROWS: Final = 100
_BOLD: Final = re.compile(r"\*\*(.+?)\*\*")
_COLOURS: Final = ("cyan", "green", "magenta", "yellow", "blue", "red")


@dataclass(slots=True)
class Board:
    """What a spectator knows of the meeting: `heard` takes its live events; the demo sets the rest."""

    title: str
    names: dict[str, str]
    """The players' names by identity."""
    length_s: float
    """The length of the play."""
    now_s: float = 0.0
    """The present second of the play."""
    stage: str = ""
    """What is going on, in a word or two."""
    speaking: frozenset[str] = frozenset()
    """The identities of those who are speaking now."""
    said: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    """Utterances by id, as the document has them, in the order in which they came."""
    topics: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """Topics by id, as the document has them, in the order in which they began."""
    chat: Sequence[ChatStream] = ()
    """The chat as a participant has it now; an answer grows while it is streamed."""

    def heard(self, event: Mapping[str, Any]) -> None:
        """Take one event of `moim:TENANT:out:ID`; repeated utterances and other kinds are ignored."""
        if event.get("kind") == "utterance":
            self.said.setdefault(event["id"], event)
        elif event.get("kind") == "topic":
            self.topics[str(event["id"])] = event

    def name(self, identity: str) -> str:
        """The name of a player; "Moim" for anybody else."""
        return self.names.get(identity, "Moim")

    def talk_ms(self, identity: str) -> int:
        """How long the utterances of `identity` took so far, in ms."""
        own = [line for line in self.said.values() if line["speaker"] == identity]
        return sum(line["end_ms"] - line["start_ms"] for line in own)


class View(AbstractContextManager["View"]):
    """Shows a board to people: a context manager, entered once; `show` is called after every change."""

    @abstractmethod
    def show(self, board: Board) -> None:
        """Show the board as it is now."""

    @abstractmethod
    def say(self, line: str) -> None:
        """Show one line that is not of the meeting: progress, or a warning."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the terminal as it was."""


class LiveView(View):
    """Shows the board as a picture on the whole terminal, drawn anew several times a second."""

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
        """Give the terminal back."""
        self._live.__exit__(kind, error, trace)

    def show(self, board: Board) -> None:
        """Draw the board at the next frame."""
        if self._board is None:
            self._note = ""  # a line about the start, which is over now
        self._board = board
        self._live.update(picture(board, self._note))

    def say(self, line: str) -> None:
        """Show the line below the picture, or alone as long as there is no picture."""
        self._note = line
        if self._board is not None:
            self.show(self._board)
        else:
            self._live.update(Panel(Text(line), title="moim demo", height=3))


class PlainView(View):
    """Prints a line for each thing that happens, for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._said = self._chat = 0
        self._topics: dict[str, str] = {}
        self._stage = ""

    def show(self, board: Board) -> None:
        """Print what is new on the board."""
        if board.stage != self._stage:
            self._stage = board.stage
            self.say(board.stage)
        for heard in list(board.said.values())[self._said :]:
            self._print(f"{_clock(heard['start_ms'])} {board.name(heard['speaker'])}: {heard['text']}")
        self._said = len(board.said)
        for id_, topic in board.topics.items():
            if self._topics.get(id_) != topic["name"]:
                self._topics[id_] = str(topic["name"])
                self._print(f"      topic: {topic['name']} (from utterance {topic['first_utterance']})")
        for line in board.chat[self._chat :]:
            if not line.done:
                break
            text = line.text.strip().replace("\n", "\n      | ")
            self._print(f"      chat, {board.name(line.sender)}: {text}")
            self._chat += 1

    def say(self, line: str) -> None:
        """Print the line."""
        self._print(f"moim demo: {line}")

    def _print(self, line: str) -> None:
        self._console.print(Text(line), soft_wrap=True)


def picture(board: Board, note: str = "") -> Layout:
    """The board as a picture that fills the terminal; `note` stands below the chat."""
    played = min(1.0, board.now_s / board.length_s) if board.length_s else 0.0
    head = Text.assemble(
        (f"{board.title}  ", "bold"),
        (_bar(played, 24), "green"),
        f"  {_clock(int(board.now_s * 1000))} / {_clock(int(board.length_s * 1000))}   ",
        (board.stage, "dim"),
    )
    in_time = sorted(board.said.values(), key=lambda line: line["start_ms"])  # a busy engine's come late
    heard = [
        Text.assemble(
            (f"{_clock(line['start_ms'])} ", "dim"),
            (f"{board.name(line['speaker'])}  ", _colour(board, line["speaker"])),
            line["text"],
        )
        for line in in_time[-_MOST_ROWS:]
    ]
    chat = [
        Text.assemble(
            (f"{board.name(line.sender)}  ", "bold" if line.sender in board.names else "bold yellow"),
            # `**so**` in an answer, as style
            *((part, "bold" if odd % 2 else "") for odd, part in enumerate(_BOLD.split(line.text.strip()))),
            "" if line.done else " ▌",
        )
        for line in board.chat
    ]
    topics: list[Text] = []
    for number, topic in enumerate(board.topics.values(), 1):
        topics.append(Text(f"{number}. {topic['name']}", style="" if number < len(board.topics) else "bold"))
        topics += [Text(f"   ✓ {decision['text']}", style="green") for decision in topic.get("decisions", ())]
    layout = Layout()
    layout.split_column(
        Layout(_panel(head, "moim demo"), size=3),
        Layout(name="middle", ratio=3),
        Layout(_panel(Newest(chat), "chat", escape(note[:100])), ratio=2, minimum_size=6),
    )
    layout["middle"].split_row(
        Layout(_panel(Newest(heard), "heard"), ratio=3), Layout(name="side", ratio=2, minimum_size=34)
    )
    layout["side"].split_column(
        Layout(_panel(_people(board), "speaks now, talk time"), size=len(board.names) + 2),
        Layout(_panel(Newest(topics), "topics")),
    )
    return layout


def _panel(shown: RenderableType, title: str, subtitle: str | None = None) -> Panel:
    return Panel(shown, title=title, title_align="left", subtitle=subtitle)


def _people(board: Board) -> Table:
    table = Table.grid(padding=(0, 1))
    talk_ms = {identity: board.talk_ms(identity) for identity in board.names}
    longest = max([*talk_ms.values(), 1])
    for identity, name in board.names.items():
        now = identity in board.speaking
        table.add_row(
            Text("●" if now else "○", style="bold red" if now else "dim"),
            Text(name, style=_colour(board, identity)),
            Text(_bar(talk_ms[identity] / longest, 14), style=_colour(board, identity)),
            Text(f"{talk_ms[identity] / 1000:.0f} s", style="dim"),
        )
    return table


class Newest:
    """Rows of text for rich, of which the last lines are shown, as many as fit into the space."""

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
