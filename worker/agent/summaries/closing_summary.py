"""The closing summary, which Moim says in the chat when a meeting is over.

Three lines on what came of the meeting, made from the same statements as the minutes, and the minutes'
address. The third one ends with when people meet next, where they said it. It is plain text, as any front end
shows it.
"""

from __future__ import annotations

from datetime import UTC, tzinfo
from typing import Final

from context.export.document import language as language_of
from context.export.document import topic_rows
from context.export.minutes import WORDS
from context.export.statement_rows import next_meeting_row
from context.export.statement_view import Witnesses, in_brief
from context.fold.meeting import Meeting
from context.language.closed_lists import wording
from context.language.edits import edited
from context.primitives.text import inert_quote

_OUTCOME_LINES: Final = 3
"""Lines on what came of it; what else there is to say stands at the end of the last one."""
_SILENT_TEXTS: Final = wording("closing")


def closing_summary(
    meeting: Meeting, language: str = "auto", *, zone: tzinfo = UTC, minutes_url: str | None = None
) -> str:
    """A line each of what was decided, is to do and is open; then `minutes_url`, where there is one.

    Where nobody said anything, one line that says so, and why where that is known. `language`: `ko`, `en`,
    or `auto` for the meeting's. `zone`: the time zone in which "tomorrow" becomes a date.
    """
    if not meeting.utterances:
        texts = _SILENT_TEXTS["ko" if language == "auto" else language]
        empty = meeting.speech.emptiness(meeting.utterances)
        if empty is None:
            return texts["nothing"]
        # There should have been words: the line says why there are none.
        heard_s = round(meeting.speech.everybody.heard_ms / 1000)
        return f"{texts['nothing']} {texts[empty].format(heard_s)}"
    chosen = language_of(meeting) if language == "auto" else language
    words = WORDS.get(chosen, WORDS["en"])
    said = {utterance.id: (utterance.speaker_name, utterance.start_ms) for utterance in meeting.utterances}
    witnesses = Witnesses(
        said,
        text=inert_quote,
        edits={
            utterance.id: edited(utterance.corrected_by, chosen)
            for utterance in meeting.utterances
            if utterance.corrected_by is not None
        },
    )
    lines = in_brief(
        topic_rows(meeting, zone),
        words,
        witnesses,
        next_meeting_row(meeting.utterances, zone),
    )
    if any(witnesses.unclear in line for line in lines):
        lines.append(f"{witnesses.unclear.strip()}: {words['unclear']}")
    if len(lines) > _OUTCOME_LINES:
        lines[_OUTCOME_LINES - 1 :] = [" · ".join(lines[_OUTCOME_LINES - 1 :])]
    if minutes_url:
        lines.append(f"{words['minutes']}: {minutes_url}")
    return "\n".join(lines)
