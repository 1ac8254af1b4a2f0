"""A meeting's document for people: minutes in Markdown, in Korean or English.

What came of it stands first, in three lines; then decisions, tasks and open points, then topic by topic. Who
was there, shares of talk and gaps come last, folded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta, tzinfo
from typing import Any, Final

from context.export.statements import (
    KINDS,
    Witnesses,
    begun,
    by_when,
    in_brief,
    statements,
    witnesses,
)
from context.export.subtitles import clock, plain
from context.language.closed_lists import wording
from context.language.dates import due_in
from context.reading.replacing import of_one_matter

WORDS: Final = wording("minutes")
"""By language."""
_MARKED: Final = re.compile(r"([\\`*_\[\]<>|#~])")
_MOST_WITNESSES: Final = 6
"""Utterances that are named below an answer; its quotes say when they were said."""
_PAIRS: Final = 12
"""Of who answered whom: a hearing of thirty people has a hundred, which nobody reads."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What one topic's lines say of other topics."""

    topics: Mapping[str, str]
    """Their names."""
    was: Mapping[str, Sequence[str]]
    """What had been decided before, by the utterance that changed it."""
    by: Witnesses
    words: Mapping[str, str]


def to_markdown(
    document: Mapping[str, Any],
    language: str | None = None,
    *,
    transcript: bool = True,
    zone: tzinfo = UTC,
) -> str:
    """The document as minutes.

    `language`: `ko` or `en`; the meeting's own where it is neither. `zone`: of the times of day.
    """
    chosen = language or ""
    if chosen not in WORDS:
        chosen = document["meeting"]["language"]
    words = WORDS.get(chosen, WORDS["en"])
    names = {p["id"]: p["name"] for p in document["participants"]}
    by = witnesses(document, zone, _text)
    told = _Told({t["id"]: t["name"] for t in document["topics"]}, _former(document), by, words)
    found = statements(document["topics"])
    lines = [*_head(document, words, by), ""]
    lines += [f"- {line}" for line in in_brief(document["topics"], words, by)]
    for kind in KINDS:
        if rows := getattr(found, kind):
            lines += ["", f"## {words[kind]}", "", *(f"- {_statement(row, told)}" for row in rows)]
    if document["topics"]:
        lines += ["", f"## {words['topics']}"]
    for number, topic in enumerate(document["topics"], 1):
        lines += _topic(number, topic, told)
    lines += _replies(document, told, names)
    lines += _folded(words["people"], _people(document, words))
    lines += _folded(words["gaps"], _gaps(document, told, names))
    if transcript and document["utterances"]:
        lines += ["", f"## {words['transcript']}", ""]
        over = {i for group in document.get("simultaneous", ()) for i in group["utterances"][1:]}
        for u in document["utterances"]:
            if not u["text"]:  # its words were taken back
                continue
            who = _text(names.get(u["speaker"], u["speaker"]))
            mark = f" _({words['at_once']})_" if u["id"] in over else ""
            lines.append(f"- {by.time(u['start_ms'])} **{who}**{mark}: {_text(u['text'])} [#{u['id']}]")
    return "\n".join(lines) + "\n"


def _head(document: Mapping[str, Any], words: Mapping[str, str], by: Witnesses) -> list[str]:
    meeting = document["meeting"]
    when = [clock(meeting["duration_ms"])]
    if by.began:
        ended = by.began + timedelta(milliseconds=min(meeting["duration_ms"], 10**12))
        when = [f"{by.began:%Y-%m-%d %H:%M}–{ended:%H:%M (%Z)}"]
    if meeting["status"] != "ended":
        when.append(words.get(meeting["status"], meeting["status"]))
    people = ", ".join(_text(person["name"]) for person in document["participants"])
    head = " · ".join([*when, people] if people else when)
    return [f"# {_text(meeting['title'] or meeting['room'] or words['untitled'])}", "", head]


def _folded(title: str, lines: Sequence[str]) -> list[str]:
    """Shown to who opens it; a reader of plain Markdown sees it as it is."""
    if not lines:
        return []
    return ["", f"<details><summary>{title}</summary>", *lines, "", "</details>"]


def _people(document: Mapping[str, Any], words: Mapping[str, str]) -> list[str]:
    if not document["participants"]:
        return []
    keys = ("name", "role", "talk", "turns", "questions", "answers", "cut_in")
    columns = [words[key] for key in keys]
    lines = ["", f"| {' | '.join(columns)} |", "|---|---|" + "---:|" * 5]
    for person in document["participants"]:
        stats = person["stats"]
        counts = [stats.get(key, 0) for key in ("turns", "questions", "answers", "interruptions")]
        row = [_text(person["name"]), words[person["role"]], clock(stats["talk_ms"]), *map(str, counts)]
        lines.append(f"| {' | '.join(row)} |")
    refused = ", ".join(
        _text(each["name"]) for each in document["participants"] if each.get("agreed") is False
    )
    return [
        *lines,
        *_answers(document, words),
        *(["", f"{words['not_heard']}: {refused}"] if refused else []),
    ]


def _answers(document: Mapping[str, Any], words: Mapping[str, str]) -> list[str]:
    """Whose questions each one answered: "Ben → Chloe 3"; of a large meeting the pairs that did so most."""
    names = {p["id"]: p["name"] for p in document["participants"]}
    pairs = [
        (count, f"{_text(person['name'])} → {_text(names.get(asker, asker))} {count}")
        for person in document["participants"]
        for asker, count in person["stats"].get("answers_to", {}).items()
    ]
    pairs.sort(key=lambda pair: -pair[0])
    told = [pair for _, pair in pairs[:_PAIRS]]
    if more := len(pairs) - len(told):
        told.append(words["more_pairs"].format(more))
    return ["", f"{words['asked_by']}: {', '.join(told)}"] if told else []


def _topic(number: int, topic: Mapping[str, Any], told: _Told) -> list[str]:
    words = told.words
    span = f"{told.by.when(topic['first_utterance'])}–{told.by.when(topic['last_utterance'])}"
    lines = ["", f"### {number}. {_text(topic['name'])} ({span})", ""]
    if topic.get("returns_to"):
        earlier = told.topics.get(topic["returns_to"], topic["returns_to"])
        lines += [f"{words['back']}: {_text(earlier)}", ""]
    if not _stands_already(topic):
        mark = f" _({words['quoted']})_" if topic.get("quoted") else ""
        lines += [_text(topic["summary"]) + mark or f"_{words['none']}_", ""]
    lines += [f"- {_statement(s, told)}" for s in topic["key_points"]]
    if topic.get("contradictions"):
        lines += ["", f"**{words['contradictions']}**", ""]
        lines += [f"- {_contradiction(each, told)}" for each in topic["contradictions"]]
    if topic["keywords"]:
        lines += ["", f"{words['keywords']}: {', '.join(_text(word) for word in topic['keywords'])}"]
    return lines


def _stands_already(topic: Mapping[str, Any]) -> bool:
    """Is the summary nothing but sentences that the minutes list anyway, each with its witness?"""
    rest = topic["summary"]
    for statement in (*topic["key_points"], *topic["decisions"], *topic["pending"]):
        rest = rest.replace(statement["text"], " ")
    return bool(topic["key_points"]) and not re.search(r"\w", rest)


def _former(document: Mapping[str, Any]) -> dict[str, list[str]]:
    """Utterance that changed decisions → what had been decided before."""
    found: dict[str, list[str]] = {}
    for topic in document["topics"]:
        for each in topic["decisions"]:
            if each.get("superseded_by"):
                found.setdefault(each["superseded_by"], []).append(each["text"])
    return found


def _statement(statement: Mapping[str, Any], told: _Told) -> str:
    status, words = statement.get("status"), told.words
    text = _text(begun(statement["text"]))
    marks = [f"{words['owner']}: {_text(statement['owner'])}"] if statement.get("owner") else []
    if due := by_when(statement, words, _text):
        marks.append(due)
    elif day := statement.get("due_date"):
        marks.append(day)
    if status == "decided" and statement["evidence"]:
        by = str(statement["evidence"][-1])
        was = [each for each in told.was.get(by, ()) if of_one_matter(statement["text"], each)]
        if was:  # its day, where it named one
            marks += [
                words["was"].format(_text(due_in(was[-1]) or was[-1])),
                words["changed"].format(told.by.when(int(by))),
            ]
    if status in {"superseded", "done"}:
        marks.append(words[status])
    if statement.get("quoted"):
        marks.append(words["quoted"])
    if status == "superseded":
        text = f"~~{text}~~"
        by = statement.get("superseded_by") or ""
        if by.isdigit():
            marks.append(words["changed"].format(f"{told.by.when(int(by))} #{by}"))
    shown = text + (f" ({', '.join(marks)})" if marks else "")
    return shown + _evidence(statement["evidence"], told.by, who=told.by.speaker(statement))


def _contradiction(each: Mapping[str, Any], told: _Told) -> str:
    """What was said, and the decision that it does not fit, each with its witness."""
    decided = told.words["against"].format(_text(each["decision"]))
    return (
        f"{_text(each['text'])}{_evidence(each['evidence'], told.by)}"
        f" ↔ {decided}{_evidence(each['decision_evidence'], told.by)}"
    )


def _evidence(ids: Sequence[int], by: Witnesses, *, who: str = "") -> str:
    if not ids:
        return ""
    return f"{f' — {who}' if who else ''} [{', '.join(f'#{i} {by.when(i)}' for i in ids)}]"


def _replies(document: Mapping[str, Any], told: _Told, names: Mapping[str, str]) -> list[str]:
    lines: list[str] = []
    words = told.words
    for reply in document["replies"]:
        nobody = words[reply["by"]] if reply["by"] in {"cli", "http"} else reply["by"]  # who was not there
        who = _text(names.get(reply["by"], nobody))
        lines += ["", f"**{who}** ({told.by.time(reply['asked_at_ms'])}): {_text(reply['question'])}", ""]
        lines += [f"> {line}" for line in reply["text"].splitlines()]
        if evidence := reply["evidence"]:
            more = f" +{len(evidence) - _MOST_WITNESSES}" if len(evidence) > _MOST_WITNESSES else ""
            lines += [">", f">{_evidence(evidence[:_MOST_WITNESSES], told.by)}{more}"]
    return ["", f"## {words['replies']}", *lines] if lines else []


def _gaps(document: Mapping[str, Any], told: _Told, names: Mapping[str, str]) -> list[str]:
    words = told.words
    lines = [
        f"- {told.by.time(g['start_ms'])}–{told.by.time(g['end_ms'])}"
        f" {_text(names.get(g['participant'], g['participant']))}: {words.get(g['reason'], g['reason'])}"
        for g in document["gaps"]
    ]
    for mark in document.get("off_the_record", ()):
        until = "" if mark["end_ms"] is None else told.by.time(mark["end_ms"])
        who = _text(names.get(mark["by"], mark["by"]))
        lines.append(f"- {told.by.time(mark['start_ms'])}–{until} {words['off_the_record']} ({who})")
    for mark in document.get("erasures", ()):
        since = told.by.time(mark["since_ms"]) if "since_ms" in mark else ""
        span = f"{since}–{told.by.time(mark['at_ms'])}" if since else told.by.time(mark["at_ms"])
        lines.append(f"- {span} {words['taken_out']} ({_text(mark['by'])})")
    if not lines:
        return []
    lost = _lost(document, words)
    return [*(["", lost] if lost else []), "", *lines]


def _lost(document: Mapping[str, Any], words: Mapping[str, str]) -> str:
    """How much speech was heard in vain, by whom and why; empty where none was."""
    heard_ms = lost_ms = 0
    shares = []
    for person in document["participants"]:
        speech = person.get("speech")  # documents of earlier versions have none
        if speech is None:
            continue
        heard_ms += speech["heard_ms"]
        for reason, ms in speech["lost_ms"].items():
            lost_ms += ms
            shares.append(f"{_text(person['name'])} {_seconds(ms)} s ({words.get(reason, reason)})")
    if not shares:
        return ""
    whole = words["lost"].format(heard=_seconds(heard_ms), lost=_seconds(lost_ms))
    return f"{whole}: {', '.join(shares)}."


def _seconds(ms: int) -> str:
    """With a digit behind the point where it says something."""
    return f"{ms / 1000:.1f}".removesuffix(".0")


def _text(text: str) -> str:
    """Somebody's words, so that none of them is read as markup."""
    return _MARKED.sub(r"\\\1", plain(text))
