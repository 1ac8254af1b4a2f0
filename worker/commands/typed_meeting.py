"""`moim replay -`: a meeting that one types, line by line, and looks at from inside."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Final, cast, get_args

from context.builder import ContextBuilder
from context.language.labels import typed_label
from context.models import AgentCallType, Participant
from context.primitives.text import one_line
from context.seeds import format_context_as_system_prompt
from stt.files.pace import PAUSE_MS
from stt.files.transcripts import TextLine
from worker.errors import InputError
from worker.meeting.session import Session
from worker.replaying import Replay

HELP: Final = """\
  민지: 출시일은 11월 20일로 하죠.   somebody says something (`Name: text`)
  /ask When do we ship?            ask the agent; its answer is printed
  /context [SUMMARY]               seed 000's context for a call of this type, written out
  /topics                          the topics so far, with their summaries
  /end                             close the meeting and print its minutes (so does the end of the input)
  /help                            these lines"""
_MS_PER_CHARACTER: Final = 120
"""The speaking rate from which the times of a line are derived, since a typed line has none."""


class TypedMeeting:
    """A meeting that is typed on stdin: plays its lines into a session, and obeys the commands in `HELP`."""

    def __init__(self, session: Session, replay: Replay, say: Callable[[str], None]) -> None:
        """`replay` has to play into `session`; `say` gets each text to print."""
        self._session, self._replay, self._say = session, replay, say
        self._lines = self._asked = 0
        self._end_ms = 0

    async def run(self) -> None:
        """Read stdin until `/end` or the end of the input."""
        self._say("Type `Name: text`; /help says what else. “이름: 말” 형식으로 입력하세요.")
        async for text in _typed_lines():
            if not await self.take(one_line(text)):
                return

    async def take(self, text: str) -> bool:
        """Play one line, or obey one command; False if it ends the meeting."""
        command, _, rest = text.partition(" ")
        rest = rest.strip()
        match command:
            case "":
                pass
            case "/end":
                return False
            case "/help":
                self._say(HELP)
            case "/topics":
                for topic in self._session.manager.meeting.segments:
                    self._say(
                        f"## {topic.name} (lines {topic.start_utterance_id} to {topic.end_utterance_id})"
                    )
                    if topic.summary:
                        self._say(topic.summary)
            case "/context":
                self._tell_context(rest.upper() or "IMMEDIATE_RESPONSE")
            case "/ask" if not rest:
                self._say("/ask: the question is missing")
            case "/ask":
                self._asked += 1
                await self._replay.ask([rest], first=self._asked)
                replies = self._session.manager.meeting.replies
                self._say(replies[-1].text if replies else "no answer")
            case _ if text.startswith("/"):
                self._say(f"{command}: there is no such command; /help lists them")
            case _:
                await self._speak(text)
        return True

    async def _speak(self, text: str) -> None:
        label = typed_label(text)
        name, words = (label.name, one_line(label.rest)) if label else ("", "")
        if not name or not words:
            self._say(f"{text[:40]!r}: say who speaks, as in `Minji: We ship on Friday.`")
            return
        topics = len(self._session.manager.meeting.segments)
        start_ms = self._end_ms + PAUSE_MS
        self._end_ms = start_ms + _MS_PER_CHARACTER * len(words)
        line = TextLine(
            index=self._lines,
            speaker=name,
            name=name,
            text=words,
            start_ms=start_ms,
            end_ms=self._end_ms,
            times_derived=True,
        )
        self._lines += 1
        await self._replay.play_lines([line])
        segments = self._session.manager.meeting.segments
        if len(segments) > topics:
            self._say(f"  [topic: {segments[-1].name}]")

    def _tell_context(self, call_type: str) -> None:
        known = get_args(AgentCallType)
        if call_type not in known:
            self._say(f"/context {call_type}: there are {', '.join(known)}")
            return
        meeting = self._session.manager.meeting
        people = meeting.speakers.speaker_stats.values()
        context = ContextBuilder().build_context(
            cast("AgentCallType", call_type),
            self._session.manager,
            "",
            [Participant(user_id=one.user_id, name=one.name) for one in people],
            now=self._session.now_utc(),
        )
        self._say(format_context_as_system_prompt(context, timestamps=meeting.config.l0_include_timestamps))


async def _typed_lines() -> AsyncIterator[str]:
    """The lines of stdin, until its end. Raises `InputError` where it is no text in the terminal's encoding.

    A daemon thread reads them: the process waits for the threads of an executor when it ends, so that Ctrl-C
    would need Enter behind it.
    """
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str | Exception]()

    def read() -> None:
        end: str | Exception = ""
        try:
            # A file object of its own: the interpreter cannot end while a thread is within `sys.stdin`.
            with open(
                sys.stdin.fileno(), encoding=sys.stdin.encoding, errors=sys.stdin.errors, closefd=False
            ) as stdin:
                while line := stdin.readline():
                    loop.call_soon_threadsafe(lines.put_nowait, line)
        except Exception as error:  # noqa: BLE001 - raised below: who waits for a line has to hear of it
            end = error
        with suppress(RuntimeError):  # the loop is closed: nobody reads on
            loop.call_soon_threadsafe(lines.put_nowait, end)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while line := await lines.get():
        if isinstance(line, UnicodeDecodeError):
            raise InputError(f"the standard input is not in {line.encoding}: {line.reason}") from line
        if isinstance(line, Exception):
            raise line
        yield line
