"""A meeting's document for people and players: Markdown, WebVTT, SubRip. In Korean or English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from context.extractive.moments import due_in

_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "ko": {
        "untitled": "회의",
        "started": "시작",
        "length": "길이",
        "status": "상태",
        "people": "참석자",
        "name": "이름",
        "role": "역할",
        "talk": "발언 시간",
        "turns": "발언",
        "questions": "질문",
        "answers": "답변",
        "cut_in": "끼어듦",
        "asked_by": "누구의 질문에 답했나",
        "at_once": "동시에",
        "topics": "안건",
        "points": "요점",
        "decisions": "결정",
        "pending": "할 일과 미결 사항",
        "keywords": "핵심어",
        "owner": "담당",
        "due": "기한",
        "replies": "질문과 답변",
        "gaps": "기록되지 않은 구간",
        "lost": "들은 말소리 {heard}초 중 {lost}초가 글이 되지 못했습니다",
        "transcript": "발언록",
        "none": "아직 요약이 없습니다.",
        "back": "다시 돌아온 안건",
        "superseded": "번복됨",
        "changed": "{}에 변경",
        "was": "이전: {}",
        "contradictions": "결정과 어긋나는 발언",
        "against": "결정: {}",
        "done": "완료",
        "facilitator": "진행자",
        "presenter": "발표자",
        "participant": "참여자",
        "observer": "참관자",
        "live": "진행 중",
        "ended": "종료",
        "wanted": "대기",
        "failed": "실패",
        "takeover": "다른 워커가 넘겨받는 사이",
        "stt_error": "음성 인식 오류",
        "stt_timeout": "음성 인식이 너무 늦음",
        "overload": "한꺼번에 너무 많음",
        "track_lost": "소리가 끊김",
        "off_record": "기록 중지",
    },
    "en": {
        "untitled": "Meeting",
        "started": "Started",
        "length": "Length",
        "status": "Status",
        "people": "Participants",
        "name": "Name",
        "role": "Role",
        "talk": "Talk time",
        "turns": "Turns",
        "questions": "Questions",
        "answers": "Answers",
        "cut_in": "Cut in",
        "asked_by": "Who answered whom",
        "at_once": "at once",
        "topics": "Topics",
        "points": "Key points",
        "decisions": "Decisions",
        "pending": "Actions and open points",
        "keywords": "Keywords",
        "owner": "owner",
        "due": "due",
        "replies": "Questions and answers",
        "gaps": "Not on the record",
        "lost": "Of {heard} s of speech, {lost} s did not become text",
        "transcript": "Transcript",
        "none": "No summary yet.",
        "back": "Back to",
        "superseded": "superseded",
        "changed": "changed at {}",
        "was": "was: {}",
        "contradictions": "Said against a decision",
        "against": "decided: {}",
        "done": "done",
        "facilitator": "facilitator",
        "presenter": "presenter",
        "participant": "participant",
        "observer": "observer",
        "live": "live",
        "ended": "ended",
        "wanted": "wanted",
        "failed": "failed",
        "takeover": "while another worker took over",
        "stt_error": "speech recognition failed",
        "stt_timeout": "speech recognition took too long",
        "overload": "too much at once",
        "track_lost": "the sound broke off",
        "off_record": "off the record",
    },
}
_MARKED: Final = re.compile(r"([\\`*_\[\]<>|#~])")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class _Told:
    """What one topic's lines say of other topics."""

    topics: Mapping[str, str]
    """Their names."""
    was: Mapping[str, str]
    """What had been decided before, by the utterance that changed it."""


def to_markdown(document: Mapping[str, Any], language: str | None = None, *, transcript: bool = True) -> str:
    """The document as minutes. `language`: `ko` or `en`; the meeting's own where it is neither."""
    chosen = language or ""
    if chosen not in _WORDS:
        chosen = document["meeting"]["language"]
    words = _WORDS.get(chosen, _WORDS["en"])
    names = {p["id"]: p["name"] for p in document["participants"]}
    times = {u["id"]: u["start_ms"] for u in document["utterances"]}
    lines = [*_head(document, words), *_people(document, words)]
    topic_names = {t["id"]: t["name"] for t in document["topics"]}
    told = _Told(topic_names, _former(document))
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


def _head(document: Mapping[str, Any], words: Mapping[str, str]) -> list[str]:
    meeting = document["meeting"]
    return [
        f"# {_text(meeting['title'] or meeting['room'] or words['untitled'])}",
        "",
        f"- {words['started']}: {meeting['started_at'] or '–'}",
        f"- {words['length']}: {clock(meeting['duration_ms'])}",
        f"- {words['status']}: {words.get(meeting['status'], meeting['status'])}",
    ]


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
    """Whose questions each one answered: "Ben → Chloe 3"."""
    names = {p["id"]: p["name"] for p in document["participants"]}
    told = [
        f"{_text(person['name'])} → {_text(names.get(asker, asker))} {count}"
        for person in document["participants"]
        for asker, count in person["stats"].get("answers_to", {}).items()
    ]
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
    lines.append(_text(topic["summary"]) or f"_{words['none']}_")
    for key, heading in (("key_points", "points"), ("decisions", "decisions"), ("pending", "pending")):
        if topic[key]:
            lines += ["", f"**{words[heading]}**", ""]
            lines += [f"- {_statement(s, words, times, told.was)}" for s in topic[key]]
    if topic.get("contradictions"):
        lines += ["", f"**{words['contradictions']}**", ""]
        lines += [f"- {_contradiction(each, words, times)}" for each in topic["contradictions"]]
    if topic["keywords"]:
        lines += ["", f"{words['keywords']}: {', '.join(_text(word) for word in topic['keywords'])}"]
    return lines


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
    text = _text(statement["text"])
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
        who = _text(names.get(reply["by"], reply["by"]))
        lines += ["", f"**{who}** ({clock(reply['asked_at_ms'])}): {_text(reply['question'])}", ""]
        lines += [f"> {line}" for line in reply["text"].splitlines()]
        if reply["evidence"]:
            lines += [">", f">{_evidence(reply['evidence'], times)}"]
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


def to_vtt(document: Mapping[str, Any]) -> str:
    """WebVTT with a voice tag per cue."""
    blocks = ["WEBVTT"]
    for number, name, text, start_ms, end_ms in _cues(document):
        voice = _xml(name.replace(">", " "))
        blocks.append(
            f"{number}\n{_stamp(start_ms, '.')} --> {_stamp(end_ms, '.')}\n<v {voice}>{_xml(text)}</v>"
        )
    return "\n\n".join(blocks) + "\n"


def to_srt(document: Mapping[str, Any]) -> str:
    """SubRip, the speaker's name before the words. SubRip knows no escapes, so an arrow becomes →."""
    blocks = [
        f"{place}\n{_stamp(start_ms, ',')} --> {_stamp(end_ms, ',')}\n{f'{name}: {text}'.replace('-->', '→')}"
        for place, (_, name, text, start_ms, end_ms) in enumerate(_cues(document), 1)
    ]
    return "\n\n".join(blocks) + ("\n" if blocks else "")


def clock(ms: int) -> str:
    """`HH:MM:SS` from the meeting's start."""
    seconds = max(0, ms) // 1000
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def _cues(document: Mapping[str, Any]) -> Iterator[tuple[int, str, str, int, int]]:
    names = {p["id"]: p["name"] for p in document["participants"]}
    for u in document["utterances"]:
        start_ms = max(0, u["start_ms"])
        text = _plain(u["text"])
        if text:
            yield (
                u["id"],
                _plain(names.get(u["speaker"], u["speaker"])),
                text,
                start_ms,
                max(u["end_ms"], start_ms + 1),
            )


def _stamp(ms: int, point: str) -> str:
    return f"{clock(ms)}{point}{ms % 1000:03d}"


def _when(utterance_id: int, times: Mapping[int, int]) -> str:
    return clock(times[utterance_id]) if utterance_id in times else "–"


def _plain(text: str) -> str:
    return _CONTROL.sub(" ", text).strip()


def _text(text: str) -> str:
    """Somebody's words, so that none of them is read as markup."""
    return _MARKED.sub(r"\\\1", _plain(text))


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
