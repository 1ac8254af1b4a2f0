"""The rows of statements in a meeting's document: key points, decisions, tasks and open points.

A row that several utterances said together has `quotes`, each with its speaker, and where in it figures and
days stand that were not heard clearly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import tzinfo
from typing import Any

from context.evidence.doubtful_figures import doubtful_in
from context.evidence.facts import facts, matter
from context.language.dates import due_day
from context.language.korean import has_hangul
from context.language.meeting_again import names_it
from context.models import Span, Statement, Utterance
from context.plain.dialogue import MIN_CONTENT_WORDS
from context.plain.mentions import named_things
from context.primitives.undated import dated
from context.reading.aligning import SAME_WORD_SIMILARITY, bigram_similarity
from context.reading.changing import without_given_up_value
from context.reading.replacing import rarity
from context.retrieval.answer_kinds import is_figure
from context.statements.next_meeting import next_meeting, only_tells
from context.statements.voices import voices

_MATTER_RARITY_KO, _MATTER_RARITY_EN = 4.7, 4.0
"""The rarity of a word that alone says what a statement is on: 구청, "ship", not 시작, "start"."""


def statement_rows(statements: Sequence[Statement]) -> list[dict[str, Any]]:
    """Make the rows, as far as the statements themselves know them."""
    return [
        {"text": s.text, "evidence": list(s.evidence)}
        | {
            name: value
            for name in ("owner", "due", "status", "superseded_by", "kind", "corrected_by")
            if (value := getattr(s, name)) is not None
        }
        | ({"takes_up": list(s.takes_up)} if s.takes_up else {})
        | ({"repeats": list(s.repeats)} if s.repeats else {})
        | ({"quoted": True} if s.quoted else {})
        | ({"unverified": True} if s.unverified and s.corrected_by is None else {})
        for s in statements
    ]


def add_voices(row: dict[str, Any], utterances: Sequence[Utterance]) -> None:
    """Add to a row who said which of its lines, and what of them is in doubt; nothing to a person's wording.

    `utterances`: of the whole meeting, in order of id.
    """
    if row.get("corrected_by") is not None:
        return
    cited = [utterances[number - 1] for number in row["evidence"] if number <= len(utterances)]
    row.update(doubtful(doubtful_in(row["text"], cited)))
    spoken = voices(row["text"], cited)
    if len(spoken) > 1:
        row["quotes"] = [
            {"text": voice.text, "speaker": voice.said.speaker_id, "utterance": voice.said.id}
            | doubtful(doubtful_in(voice.text, [voice.said]))
            for voice in spoken
        ]


def add_due_date(row: dict[str, Any], utterances: Sequence[Utterance], zone: tzinfo) -> None:
    """Add to a row the day on which it is due, if it was said on a known day: by the clocks of `zone`."""
    last = row["evidence"][-1] if row["evidence"] else 0
    if not 0 < last <= len(utterances):
        return
    said_at = dated(utterances[last - 1].absolute_timestamp)
    if said_at is None:
        return
    day = due_day(row.get("due") or without_given_up_value(row["text"]), said_at.astimezone(zone).date())
    if day:
        row["due_date"] = day.isoformat()


def add_topic(row: dict[str, Any], name: str) -> None:
    """Add to a row the name of its topic as `about`, where its own words don't say what it is on.

    "Let's say eleven" says it only where the topic is read with it. A person's own wording stands as it is,
    and when the people meet next is on no topic.
    """
    lines = row["text"].splitlines()
    if row.get("corrected_by") or any(map(names_it, lines)):
        return
    named = {word for line in lines for word in named_things(line) if not is_figure(word)}
    on_its_own = len(named) >= MIN_CONTENT_WORDS or any(
        rarity(part) >= (_MATTER_RARITY_KO if has_hangul(part) else _MATTER_RARITY_EN)
        for word in named
        for part in matter(word)
    )
    says_topic = any(
        bigram_similarity(one, other) >= SAME_WORD_SIMILARITY or one.startswith(other)
        for one in matter(row["text"])
        for other in matter(name)
    )
    if not (on_its_own or says_topic):
        row["about"] = name


def add_weight(row: dict[str, Any]) -> None:
    """Add to a row how many of these it names: a day, a figure, and whose it is; nothing where none.

    Those that name most stand first among the first lines of minutes, page and closing message.
    """
    named = facts(row["text"])
    day = bool(row.get("due") or named.dates or named.days or named.weekdays)
    if weight := day + bool(named.numbers) + bool(row.get("owner")):
        row["weight"] = weight


def leave_next_meeting_behind(rows: Iterable[dict[str, Any]], utterances: Sequence[Utterance]) -> None:
    """Take the weight from the rows that name when the people meet next: they have a line of their own.

    A row that tells nothing else is marked as `next_meeting`, and stands in no list beside that line.
    """
    if (statement := next_meeting(utterances)) is None:
        return
    for row in rows:
        cited = not set(statement.evidence).isdisjoint(row["evidence"])
        if cited and any(line in row["text"] for line in statement.text.splitlines()):
            row.pop("weight", None)
            if row.get("status") == "decided" and only_tells(row["text"], statement):
                row["next_meeting"] = True


def next_meeting_row(utterances: Sequence[Utterance], zone: tzinfo) -> dict[str, Any] | None:
    """Make the row that says when the people meet next; None where nobody said it."""
    statement = next_meeting(utterances)
    if statement is None:
        return None
    (row,) = statement_rows([statement])
    add_voices(row, utterances)
    add_due_date(row, utterances, zone)
    return row


def doubtful(spans: Sequence[Span]) -> dict[str, Any]:
    """The field that tells where in a text figures and days in doubt stand; none where none do."""
    return {"doubtful": [list(span) for span in spans]} if spans else {}
