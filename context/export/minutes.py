"""Minutes of a meeting in Markdown, in Korean or English, made of its document.

What came of the meeting stands first, in three lines; then decisions, tasks and open points, then the topics
one by one, and answers. Participants with their shares of talk, gaps and notes on the file come last, folded;
then the transcript.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final

from context.export.markup import disguised, settled
from context.export.statement_view import Row, Witnesses, by_when, in_brief, statements
from context.export.subtitles import clock
from context.language.asker_names import asker_name
from context.language.closed_lists import wording
from context.language.dates import due_in
from context.language.edits import edited
from context.primitives.text import one_line
from context.reading.replacing import of_one_matter

WORDS: Final = wording("minutes")
"""The fixed words of minutes, by language (`ko`, `en`) and key."""
UNCLEAR_MARK: Final = " _(?)_"
"""The mark behind a figure or day that was not heard clearly; somebody's own words have their `_` escaped."""
_MOST_WITNESSES: Final = 6
"""Most utterances that are named below an answer."""
_COLUMNS: Final = ("name", "role", "talk", "turns", "questions", "answers", "cut_in")
"""The keys of the words that head the table of participants."""


def to_markdown(
    document: Mapping[str, Any],
    language: str | None = None,
    *,
    transcript: bool = True,
    zone: tzinfo = UTC,
    own_form_failed: bool = False,
) -> str:
    """Write a meeting's document as minutes in Markdown.

    `language`: `ko` or `en`; the meeting's own where it is neither. `transcript`: whether all utterances
    follow. `zone`: the time zone of the times of day. `own_form_failed`: whether a
    line says that they stand for others, in a form of their own, which could not be written.
    """
    minutes = Minutes(document, language, zone)
    words = minutes.words
    lines = [*minutes.head(), ""]
    if own_form_failed:
        lines += [f"_{words['own_form_failed']}_", ""]
    lines += [f"- {line}" for line in minutes.brief()]
    for kind, rows in statements(document["topics"]).items():
        if rows:
            lines += ["", f"## {words[kind]}", "", *(f"- {minutes.statement(row)}" for row in rows)]
    if document["topics"]:
        lines += ["", f"## {words['topics']}"]
    for number, topic in enumerate(document["topics"], 1):
        lines += minutes.topic(number, topic)
    lines += minutes.replies()
    for title, folded in (("people", minutes.people()), ("gaps", minutes.gaps()), ("notes", minutes.notes())):
        if folded:  # shown to who opens it; a reader of plain Markdown sees it as it is
            lines += ["", f"<details><summary>{words[title]}</summary>", *folded, "", "</details>"]
    transcript_lines = minutes.transcript() if transcript else []
    if any(UNCLEAR_MARK in line for line in (*lines, *transcript_lines)):
        lines += ["", f"{UNCLEAR_MARK.strip()}: {words['unclear']}"]
    if transcript_lines:
        lines += ["", f"## {words['transcript']}", "", *transcript_lines]
    return settled("\n".join(lines) + "\n")


class Minutes:
    """The parts of one meeting's minutes, as lines in which words are disguised (`context.export.markup`)."""

    def __init__(self, document: Mapping[str, Any], language: str | None, zone: tzinfo) -> None:
        """The arguments are those of `to_markdown`."""
        asked_for = (language or "", document["meeting"]["language"])
        self.language = next((code for code in asked_for if code in WORDS), "en")
        self._document, self.words = document, WORDS[self.language]
        self._names: dict[str, str] = {row["id"]: row["name"] for row in document["participants"]}
        self._topics: dict[str, str] = {row["id"]: row["name"] for row in document["topics"]}
        self._again: dict[int, int] = {}
        """The utterance that took up the matter of a decision again, by the decision's last one."""
        self._was: dict[str, list[str]] = {}
        """The texts of the decisions that an utterance changed, by its number."""
        for topic in document["topics"]:
            for decision in topic["decisions"]:
                for number in decision.get("takes_up", ()):
                    self._again.setdefault(number, decision["evidence"][-1])
                if decision.get("superseded_by"):
                    self._was.setdefault(decision["superseded_by"], []).append(decision["text"])
        began = document["meeting"]["started_at"]
        self.by = Witnesses(
            {
                u["id"]: (self._names.get(u["speaker"], u["speaker"]), u["start_ms"])
                for u in document["utterances"]
            },
            datetime.fromisoformat(began).astimezone(zone) if began else None,
            disguised,
            UNCLEAR_MARK,
            {
                u["id"]: edited(self._names.get(by, by), self.language)
                for u in document["utterances"]
                if (by := u.get("corrected_by")) is not None
            },
        )

    def head(self) -> list[str]:
        """The title, and a line with the time and the participants."""
        meeting = self._document["meeting"]
        parts = [clock(meeting["duration_ms"])]
        if self.by.began:
            ended = self.by.began + timedelta(milliseconds=min(meeting["duration_ms"], 10**12))
            parts = [f"{self.by.began:%Y-%m-%d %H:%M}–{ended:%H:%M (%Z)}"]
        if meeting["status"] != "ended":
            parts.append(self.words.get(meeting["status"], meeting["status"]))
        if self._names:
            parts.append(", ".join(map(disguised, self._names.values())))
        title = meeting["title"] or meeting["room"] or self.words["untitled"]
        return [f"# {disguised(title)}", "", " · ".join(parts)]

    def brief(self) -> list[str]:
        """What came of the meeting, in a few lines."""
        document = self._document
        return in_brief(document["topics"], self.words, self.by, document.get("next_meeting"))

    def topic(self, number: int, topic: Row) -> list[str]:
        """One topic; its summary stands only where it says more than the statements that are listed."""
        words = self.words
        span = f"{self.by.when(topic['first_utterance'])}–{self.by.when(topic['last_utterance'])}"
        lines = ["", f"### {number}. {disguised(topic['name'])} ({span})", ""]
        if earlier := topic.get("returns_to"):
            lines += [f"{words['back']}: {disguised(self._topics.get(earlier) or earlier)}", ""]
        rest = one_line(topic["summary"])
        for statement in (*topic["key_points"], *topic["decisions"], *topic["pending"]):
            rest = rest.replace(one_line(statement["text"]), " ")
        if not topic["key_points"] or re.search(r"\w", rest):
            mark = f" _({words['quoted']})_" if topic.get("quoted") else ""
            lines += [self.summary(topic) + mark or f"_{words['none']}_", ""]
        lines += [f"- {self.statement(point)}" for point in topic["key_points"]]
        if topic.get("contradictions"):
            lines += ["", f"**{words['contradictions']}**", ""]
        for row in topic.get("contradictions", ()):  # what was said, and the decision that it does not fit
            decided = words["against"].format(disguised(row["decision"]))
            lines.append(
                f"- {disguised(row['text'])}{self._evidence(row['evidence'])}"
                f" ↔ {decided}{self._evidence(row['decision_evidence'])}"
            )
        if topic["keywords"]:
            lines += ["", f"{words['keywords']}: {', '.join(map(disguised, topic['keywords']))}"]
        return lines

    def summary(self, topic: Row) -> str:
        """A topic's summary, with a mark behind each sentence that no verifier has judged."""
        text = disguised(topic["summary"])
        for sentence in topic.get("unverified", ()):
            text = text.replace(
                disguised(sentence), f"{disguised(sentence)} _({self.words['unverified_one']})_", 1
            )
        return text

    def statement(self, statement: Row) -> str:
        """A statement with its owner, due date, what it changed or was changed by, its evidence, and what was
        said against it.
        """
        status, words = statement.get("status"), self.words
        text = self.by.statement(statement)
        marks = [f"{words['owner']}: {disguised(statement['owner'])}"] if statement.get("owner") else []
        if due := by_when(statement, words, disguised) or statement.get("due_date"):
            marks.append(due)
        if status == "decided" and statement["evidence"]:
            was = [
                (text, by)
                for by in statement["evidence"]  # it may have been said again since it changed something
                for text in self._was.get(str(by), ())
                if of_one_matter(statement["text"], text)
            ]
            if was:  # its day, where it named one
                text_before, by = was[-1]
                former = words["was"].format(disguised(due_in(text_before) or text_before))
                marks += [former, words["changed"].format(self.by.when(by))]
        marks += [words[status]] if status in {"superseded", "done"} else self._taken_up(statement)
        if statement.get("quoted"):
            marks.append(words["quoted"])
        if statement.get("unverified"):
            marks.append(words["unverified_one"])
        if status == "superseded":
            text = f"~~{text}~~"
            changed_by = statement.get("superseded_by") or ""
            if changed_by.isdigit():
                marks.append(words["changed"].format(f"{self.by.when(int(changed_by))} #{changed_by}"))
        shown = text + (f" ({', '.join(marks)})" if marks else "")
        who = self.by.speaker(statement)
        against = [
            f" ↔ {told}{self._evidence(each['evidence'])}"
            for told, each in zip(
                self.by.against(statement, words["against_it"]),
                statement.get("contradicted_by", ()),
                strict=True,
            )
        ]
        line = f"{shown}{f' — {who}' if who else ''}{self._evidence(statement['evidence'])}"
        return line + "".join(against)

    def _taken_up(self, statement: Row) -> list[str]:
        """When the matter of a statement was taken up again, as a mark; none where it was not."""
        later = next((self._again[number] for number in statement["evidence"] if number in self._again), None)
        if later is None:
            return []
        return [self.words["taken_up"].format(f"{self.by.when(later)} #{later}")]

    def replies(self) -> list[str]:
        """The questions to Moim, and its answers with the first of the utterances that they cite."""
        lines: list[str] = []
        for reply in self._document["replies"]:
            asker, time = self.asker(reply["by"]), self.by.time(reply["asked_at_ms"])
            asked = f"**{asker}** ({time}): {self.left(disguised(reply['question']))}"
            lines += ["", asked, "", *(f"> {line}" for line in self.left(reply["text"]).splitlines())]
            if evidence := reply["evidence"]:
                more = f" +{len(evidence) - _MOST_WITNESSES}" if len(evidence) > _MOST_WITNESSES else ""
                lines += [">", f">{self._evidence(evidence[:_MOST_WITNESSES])}{more}"]
        return ["", f"## {self.words['replies']}", *lines] if lines else []

    def people(self) -> list[str]:
        """A table of the participants, whose questions each answered, and who did not agree to be heard."""
        words, people = self.words, self._document["participants"]
        if not people:
            return []
        lines = ["", f"| {' | '.join(words[key] for key in _COLUMNS)} |", "|---|---|" + "---:|" * 5]
        for person in people:
            name, stats = disguised(person["name"]), person["stats"]
            counts = [str(stats.get(key, 0)) for key in ("turns", "questions", "answers", "interruptions")]
            row = [name, words[person["role"]], clock(stats["talk_ms"]), *counts]
            lines.append(f"| {' | '.join(row)} |")
        if exchanges := self._document.get("exchanges"):
            pairs = [
                f"{self.who(pair['id'])} → {self.who(pair['other'])} {pair['answers']}"
                for pair in exchanges["pairs"]
            ]
            if more := exchanges["more"]:
                pairs.append(words["more_pairs"].format(more))
            lines += ["", f"{words['asked_by']}: {', '.join(pairs)}"]
        if refused := ", ".join(disguised(each["name"]) for each in people if each.get("agreed") is False):
            lines += ["", f"{words['not_heard']}: {refused}"]
        return lines

    def gaps(self) -> list[str]:
        """The times at which words were lost, off the record or erased, and how much speech was lost."""
        words, time = self.words, self.by.time
        lines = [
            f"- {time(gap['start_ms'])}–{time(gap['end_ms'])}"
            f" {self.who(gap['participant'])}: {words.get(gap['reason'], gap['reason'])}"
            for gap in self._document["gaps"]
        ]
        for mark in self._document.get("off_the_record", ()):
            until = "" if mark["end_ms"] is None else time(mark["end_ms"])
            lines.append(
                f"- {time(mark['start_ms'])}–{until} {words['off_the_record']} ({self.who(mark['by'])})"
            )
        for mark in self._document.get("erasures", ()):
            since = f"{time(mark['since_ms'])}–" if "since_ms" in mark else ""
            lines.append(f"- {since}{time(mark['at_ms'])} {words['taken_out']} ({disguised(mark['by'])})")
        heard_ms = lost_ms = 0
        shares = []
        for person in self._document["participants"]:
            speech = person.get("speech", {"heard_ms": 0, "lost_ms": {}})  # earlier documents have none
            heard_ms += speech["heard_ms"]
            for reason, ms in speech["lost_ms"].items():
                lost_ms += ms
                length = words["seconds"].format(_seconds(ms))
                shares.append(f"{disguised(person['name'])} {length} ({words.get(reason, reason)})")
        if lines and shares:
            whole = words["lost"].format(heard=_seconds(heard_ms), lost=_seconds(lost_ms))
            return ["", f"{whole}: {', '.join(shares)}.", "", *lines]
        return ["", *lines] if lines else []

    def notes(self) -> list[str]:
        """What a file had that was dropped, made up or not understood."""
        lines = []
        for note in self._document.get("notes", ()):  # earlier documents have none
            line = f"{self.words['line'].format(note['line'])}: " if "line" in note else ""
            lines.append(f"- {line}{disguised(note['text'])}")
        return ["", *lines] if lines else []

    def transcript(self) -> list[str]:
        """Every utterance but those that were erased."""
        over = {i for group in self._document.get("simultaneous", ()) for i in group["utterances"][1:]}
        mark = f" _({self.words['at_once']})_"
        lines = []
        for u in self._document["utterances"]:
            edit = self.by.edits.get(u["id"])
            marks = (mark if u["id"] in over else "") + (f" _({disguised(edit)})_" if edit else "")
            who = f"{self.by.time(u['start_ms'])} **{self.who(u['speaker'])}**{marks}"
            lines += [f"- {who}: {self.by.words(u)} [#{u['id']}]"] if u["text"] else []
        return lines

    def left(self, shown: str) -> str:
        """Give words of a question or an answer as they are shown; where an erasure took them out, say so."""
        return shown or f"_{self.words['erased']}_"

    def asker(self, by: str) -> str:
        """Give who asked, disguised; who is no participant is told by how they came or were authenticated."""
        return disguised(self._names.get(by) or asker_name(by, self.language))

    def who(self, id_: str) -> str:
        """Give a participant's name, disguised."""
        return disguised(self._names.get(id_, id_))

    def _evidence(self, ids: Sequence[int]) -> str:
        return f" [{', '.join(map(self._witness, ids))}]" if ids else ""

    def _witness(self, id_: int) -> str:
        edit = self.by.edits.get(id_)
        return f"#{id_} {self.by.when(id_)}" + (f" ({disguised(edit)})" if edit else "")


def _seconds(ms: int) -> str:
    """Milliseconds as seconds, with one decimal unless that is 0."""
    return f"{ms / 1000:.1f}".removesuffix(".0")
