"""A meeting's document for people: minutes in Markdown, in Korean or English."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, Final

from context.export.minutes_words import WORDS
from context.export.subtitles import clock, plain
from context.language.moments import due_in

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
    was: Mapping[str, str]
    """What had been decided before, by the utterance that changed it."""


def to_markdown(
    document: Mapping[str, Any],
    language: str | None = None,
    *,
    transcript: bool = True,
    zone: tzinfo = UTC,
) -> str:
    """The document as minutes: who was there, what was decided, what is to be done, then topic by topic.

    `language`: `ko` or `en`; the meeting's own where it is neither. `zone`: of the time of day.
    """
    chosen = language or ""
    if chosen not in WORDS:
        chosen = document["meeting"]["language"]
    words = WORDS.get(chosen, WORDS["en"])
    names = {p["id"]: p["name"] for p in document["participants"]}
    times = {u["id"]: u["start_ms"] for u in document["utterances"]}
    lines = [*_head(document, words, zone), *_people(document, words)]
    topic_names = {t["id"]: t["name"] for t in document["topics"]}
    told = _Told(topic_names, _former(document))
    for kind in ("decisions", "pending"):
        lines += _all_of(document, kind, words, times, told)
    if document["topics"]:
        lines += ["", f"## {words['topics']}"]
    for number, topic in enumerate(document["topics"], 1):
        lines += _topic(number, topic, words, times, told)
    lines += _replies(document, words, names, times)
    lines += _gaps(document, words, names)
    if transcript and document["utterances"]:
        lines += ["", f"## {words['transcript']}", ""]
        over = {i for group in document.get("simultaneous", ()) for i in group["utterances"][1:]}
        for u in document["utterances"]:
            who = _text(names.get(u["speaker"], u["speaker"]))
            mark = f" _({words['at_once']})_" if u["id"] in over else ""
            lines.append(f"- {clock(u['start_ms'])} **{who}**{mark}: {_text(u['text'])} [#{u['id']}]")
    return "\n".join(lines) + "\n"


def _head(document: Mapping[str, Any], words: Mapping[str, str], zone: tzinfo) -> list[str]:
    meeting = document["meeting"]
    lines = [f"# {_text(meeting['title'] or meeting['room'] or words['untitled'])}", ""]
    if meeting["started_at"]:
        began = datetime.fromisoformat(meeting["started_at"]).astimezone(zone)
        lines.append(f"- {words['started']}: {began:%Y-%m-%d %H:%M (%Z)}")
    lines.append(f"- {words['length']}: {clock(meeting['duration_ms'])}")
    lines.append(f"- {words['status']}: {words.get(meeting['status'], meeting['status'])}")
    return lines


def _all_of(
    document: Mapping[str, Any],
    kind: str,
    words: Mapping[str, str],
    times: Mapping[int, int],
    told: _Told,
) -> list[str]:
    """All decisions, or all that is to be done, of whichever topic."""
    lines = [f"- {_statement(s, words, times, told.was)}" for t in document["topics"] for s in t[kind]]
    return ["", f"## {words[kind]}", "", *lines] if lines else []


def _people(document: Mapping[str, Any], words: Mapping[str, str]) -> list[str]:
    if not document["participants"]:
        return []
    keys = ("name", "role", "talk", "turns", "questions", "answers", "cut_in")
    columns = [words[key] for key in keys]
    lines = ["", f"## {words['people']}", "", f"| {' | '.join(columns)} |", "|---|---|" + "---:|" * 5]
    for person in document["participants"]:
        stats = person["stats"]
        counts = [stats.get(key, 0) for key in ("turns", "questions", "answers", "interruptions")]
        row = [_text(person["name"]), words[person["role"]], clock(stats["talk_ms"]), *map(str, counts)]
        lines.append(f"| {' | '.join(row)} |")
    return lines + _answers(document, words)


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


def _topic(
    number: int,
    topic: Mapping[str, Any],
    words: Mapping[str, str],
    times: Mapping[int, int],
    told: _Told,
) -> list[str]:
    span = f"{_when(topic['first_utterance'], times)}–{_when(topic['last_utterance'], times)}"
    lines = ["", f"### {number}. {_text(topic['name'])} ({span})", ""]
    if topic.get("returns_to"):
        earlier = told.topics.get(topic["returns_to"], topic["returns_to"])
        lines += [f"{words['back']}: {_text(earlier)}", ""]
    if not _stands_already(topic):
        lines += [_text(topic["summary"]) or f"_{words['none']}_", ""]
    lines += [f"- {_statement(s, words, times, told.was)}" for s in topic["key_points"]]
    if topic.get("contradictions"):
        lines += ["", f"**{words['contradictions']}**", ""]
        lines += [f"- {_contradiction(each, words, times)}" for each in topic["contradictions"]]
    if topic["keywords"]:
        lines += ["", f"{words['keywords']}: {', '.join(_text(word) for word in topic['keywords'])}"]
    return lines


def _stands_already(topic: Mapping[str, Any]) -> bool:
    """Is the summary nothing but sentences that the minutes list anyway, each with its witness?"""
    rest = topic["summary"]
    for statement in (*topic["key_points"], *topic["decisions"], *topic["pending"]):
        rest = rest.replace(statement["text"], " ")
    return bool(topic["key_points"]) and not re.search(r"\w", rest)


def _former(document: Mapping[str, Any]) -> dict[str, str]:
    """Utterance that changed a decision → what had been decided before: its day, where it named one."""
    return {
        s["superseded_by"]: due_in(s["text"]) or s["text"]
        for topic in document["topics"]
        for s in topic["decisions"]
        if s.get("superseded_by")
    }


def _statement(
    statement: Mapping[str, Any], words: Mapping[str, str], times: Mapping[int, int], was: Mapping[str, str]
) -> str:
    status = statement.get("status")
    text = _text(_begun(statement["text"]))
    marks = [f"{words[key]}: {_text(statement[key])}" for key in ("owner", "due") if statement.get(key)]
    if status == "decided" and statement["evidence"]:
        by = str(statement["evidence"][-1])
        if by in was:
            marks += [
                words["was"].format(_text(was[by])),
                words["changed"].format(_when(int(by), times)),
            ]
    if status in {"superseded", "done"}:
        marks.append(words[status])
    if status == "superseded":
        text = f"~~{text}~~"
        by = statement.get("superseded_by") or ""
        if by.isdigit():
            marks.append(words["changed"].format(f"{_when(int(by), times)} #{by}"))
    return text + (f" ({', '.join(marks)})" if marks else "") + _evidence(statement["evidence"], times)


def _begun(text: str) -> str:
    """A quote may begin behind an "OK, ": in a list it begins with a capital all the same."""
    return text[:1].upper() + text[1:] if text[:1].isascii() else text


def _contradiction(each: Mapping[str, Any], words: Mapping[str, str], times: Mapping[int, int]) -> str:
    """What was said, and the decision that it does not fit, each with its witness."""
    decided = words["against"].format(_text(each["decision"]))
    return (
        f"{_text(each['text'])}{_evidence(each['evidence'], times)}"
        f" ↔ {decided}{_evidence(each['decision_evidence'], times)}"
    )


def _evidence(ids: Sequence[int], times: Mapping[int, int]) -> str:
    return f" [{', '.join(f'#{i} {_when(i, times)}' for i in ids)}]" if ids else ""


def _replies(
    document: Mapping[str, Any], words: Mapping[str, str], names: Mapping[str, str], times: Mapping[int, int]
) -> list[str]:
    lines: list[str] = []
    for reply in document["replies"]:
        nobody = words[reply["by"]] if reply["by"] in {"cli", "http"} else reply["by"]  # who was not there
        who = _text(names.get(reply["by"], nobody))
        lines += ["", f"**{who}** ({clock(reply['asked_at_ms'])}): {_text(reply['question'])}", ""]
        lines += [f"> {line}" for line in reply["text"].splitlines()]
        if evidence := reply["evidence"]:
            more = f" +{len(evidence) - _MOST_WITNESSES}" if len(evidence) > _MOST_WITNESSES else ""
            lines += [">", f">{_evidence(evidence[:_MOST_WITNESSES], times)}{more}"]
    return ["", f"## {words['replies']}", *lines] if lines else []


def _gaps(document: Mapping[str, Any], words: Mapping[str, str], names: Mapping[str, str]) -> list[str]:
    lines = [
        f"- {clock(g['start_ms'])}–{clock(g['end_ms'])}"
        f" {_text(names.get(g['participant'], g['participant']))}: {words.get(g['reason'], g['reason'])}"
        for g in document["gaps"]
    ]
    if not lines:
        return []
    lost = _lost(document, words)
    return ["", f"## {words['gaps']}", *(["", lost] if lost else []), "", *lines]


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


def _when(utterance_id: int, times: Mapping[int, int]) -> str:
    return clock(times[utterance_id]) if utterance_id in times else "–"


def _text(text: str) -> str:
    """Somebody's words, so that none of them is read as markup."""
    return _MARKED.sub(r"\\\1", plain(text))
