"""Blanking: taking erased words, and what was made of them, out of events and of a meeting's state.

Numbers, times, names and ids stay, so the record still folds. A statement that cites erased and other
words stays with the others; where its wording holds erased words, the first utterance that is left stands in
its place, marked as quoted, until a summary is made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from context.erasure.erased_questions import ErasedQuestions
from context.erasure.word_traces import Traces
from context.events.corrections import (
    Corrections,
    Fix,
    PersonFix,
    StatementFix,
    TermFix,
    TopicFix,
    UtteranceFix,
)
from context.events.events import (
    AnswerGiven,
    Corrected,
    Event,
    MeetingOpened,
    QuestionAsked,
    ThreadSummaryReady,
    UtteranceSpoken,
)
from context.events.privacy_events import Erased, WordsShown
from context.events.topic_events import SummaryReady, TopicJudged
from context.models import Contradiction, Reply, Statement, Summary, TopicSegment
from context.primitives.values import changed
from context.question import Question
from context.thread.invocations import Unanswered
from context.topics.topics import summary_fields

if TYPE_CHECKING:
    from context.fold.meeting import Meeting

_LISTS: Final = ("key_points", "decisions", "pending")
NOTHING: Final = TopicFix(of="topic", topic="", name="-")
"""A correction that changes nothing; it takes the place of one that held erased words."""


class Blanking:
    """Takes erased words, and what rests on them, out of events and of a meeting's state."""

    def __init__(self, traces: Traces, questions: ErasedQuestions, asked: Traces | None = None) -> None:
        """`traces` tells what rests on the words, `questions` which questions to the agent go with them.

        `asked` tells which questions hold words that are erased: what others asked is theirs, and stays where
        words are only hidden. By default `traces`.
        """
        self._traces, self._questions, self._asked = traces, questions, asked or traces

    def event(self, event: Event, number: int | None = None) -> Event:
        """The event without what is erased; `number`: the utterance's, where the event is one that counts."""
        match event:
            case UtteranceSpoken() if number in self._traces.gone:
                return changed(event, {"text": "", "hidden": None, "doubtful": ()})
            case WordsShown(words=words):
                return changed(
                    event, {"words": tuple(word for word in words if word[0] not in self._traces.gone)}
                )
            case SummaryReady():
                name = None if self._traces.rests(event.topic_name) else event.topic_name
                return changed(event, {"content": self._summary(event.content), "topic_name": name})
            case TopicJudged():
                name = None if self._traces.rests(event.name) else event.name
                return changed(event, {"name": name, "reason": self._text(event.reason)})
            case QuestionAsked():
                return changed(event, {"question": self._put(event.question)})
            case AnswerGiven():
                return changed(event, {"reply": self._reply(event.reply)})
            case ThreadSummaryReady():
                return changed(event, {"text": self._thread_text(event.text, event.turns)})
            case Corrected() if self._goes(event.fix):
                return changed(event, {"fix": NOTHING})
            case MeetingOpened() if self._traces.everything:
                return changed(event, {"title": None})
            case Erased():
                return changed(event, {"state": {}})  # the next erasure's takes its place
            case _:
                return event

    def state(self, meeting: Meeting) -> dict[str, Any]:
        """The meeting's snapshot, blanked; topics that lost wording wait for a new summary."""
        replies = [self._reply(reply) for reply in meeting.replies]
        segments = [self._topic(topic, number) for number, topic in enumerate(meeting.segments, start=1)]
        pairs = zip(segments, meeting.segments, strict=True)
        again = {new.id for new, old in pairs if new != old and self._is_to_be_made(new)}
        # A job that is under way read words that are gone: under this version it counts no more.
        again |= meeting.summaries.jobs.keys()
        segments = [
            changed(topic, {"version": topic.version + 1}) if topic.id in again else topic
            for topic in segments
        ]
        asked = [self._put(question) for question in meeting.invocations.open.values()]
        in_vain = [self._unanswered(dropped) for dropped in meeting.invocations.dropped]
        state = meeting.snapshot()
        if state["opened"] and self._traces.everything:
            state["opened"]["title"] = None
        state["topics"]["segments"] = [topic.model_dump(mode="json") for topic in segments]
        unfinished = meeting.summaries.unfinished | dict.fromkeys(sorted(again), "correction")
        none: dict[str, Any] = {"jobs": {}, "waiting": {}, "retry_from": {}, "late": []}
        state["summaries"] = none | {"unfinished": unfinished}
        state["invocations"]["open"] = [question.model_dump(mode="json") for question in asked]
        state["invocations"]["replies"] = [reply.model_dump(mode="json") for reply in replies]
        state["invocations"]["dropped"] = [dropped.model_dump(mode="json") for dropped in in_vain]
        self._blank_thread_summaries(state["thread"]["summaries"])
        state["doubtful"] = self._doubtful(state["doubtful"])
        state["speakers"] = self._speakers(meeting)
        state["corrections"] = self._corrections(meeting.corrections).model_dump(mode="json")
        state["judging"] = []
        return state

    def _doubtful(self, spans: Mapping[str, Any]) -> dict[str, Any]:
        """Where figures in doubt stand in the utterances that are left; by their numbers."""
        return {number: places for number, places in spans.items() if int(number) not in self._traces.gone}

    def _speakers(self, meeting: Meeting) -> dict[str, Any]:
        """The state of the speakers, counted by the words that are left."""
        gone = self._traces.gone
        left = [
            changed(utterance, {"text": ""}) if utterance.id in gone else utterance
            for utterance in meeting.utterances
        ]
        counted = meeting.nobody_counted(left)
        counted.catch_up()
        return counted.dump()

    def _text(self, text: str) -> str:
        """The text, or "" where it rests on erased words."""
        return "" if self._traces.rests(text) else text

    def _question(self, text: str) -> str:
        """The text of a question, or "" where it holds words that are erased."""
        return "" if self._asked.rests(text) else text

    def _thread_text(self, text: str, turns: Iterable[int]) -> str:
        """The text of a thread summary, or "" where it rests on erased words or tells of a turn that goes."""
        return "" if self._questions.summed_up(turns) else self._text(text)

    def _goes(self, fix: Fix) -> bool:
        """Whether a correction holds, or cites, erased words."""
        cited: tuple[int, ...] = ()
        match fix:
            case UtteranceFix():
                cited, texts = (fix.utterance,), [fix.text, fix.was]
            case TermFix():
                texts = [fix.heard, fix.meant]
            case TopicFix():
                texts = [fix.name, fix.was]
            case StatementFix():
                cited, texts = fix.evidence, [fix.was, fix.text or "", fix.owner or "", fix.due or ""]
            case PersonFix():
                return False
        return len(self._traces.left(cited)) < len(cited) or any(map(self._traces.rests, texts))

    # What is known of topics

    def _topic(self, segment: TopicSegment, number: int) -> TopicSegment:
        """The topic, the `number`-th of its meeting, without what is erased."""
        changes: dict[str, Any] = {}
        before, notes = segment.notes, self._summary(segment.notes)
        if notes != before:
            changes |= summary_fields(notes)
            quoted = {statement for name in _LISTS for statement in getattr(notes, name) if statement.quoted}
            known = {statement for name in _LISTS for statement in getattr(before, name)}
            says_nothing = not (notes.text or notes.key_points or notes.decisions or notes.pending)
            if says_nothing or not quoted <= known:  # the words of others stand where a wording went
                changes |= {"covered_until": segment.start_utterance_id - 1, "written_until": 0}
        if self._traces.rests(segment.name):
            changes["name"] = f"Topic {number}"
        return changed(segment, changes)

    def _is_to_be_made(self, segment: TopicSegment) -> bool:
        """Whether a topic needs a summary: whether words are left in it that none covers."""
        first = max(segment.start_utterance_id, segment.covered_until + 1)
        within = range(first, segment.end_utterance_id + 1)
        return any(map(self._traces.kept.get, [*within, *segment.late]))

    def _summary(self, notes: Summary) -> Summary:
        """The summary without what is erased: its sentences and statements that still rest on something."""
        left: dict[str, Any] = {
            name: tuple(
                statement
                for before in getattr(notes, name)
                if (statement := self._statement(before, quotes=True))
            )
            for name in _LISTS
        }
        sentences = tuple(
            statement for before in notes.sentences if (statement := self._statement(before, quotes=False))
        )
        same = sentences == notes.sentences
        text = self._text(notes.text) if same else " ".join(sentence.text for sentence in sentences)
        left |= {
            "text": text,
            "sentences": sentences if text else (),
            "contradictions": tuple(
                contradiction for contradiction in notes.contradictions if self._stands(contradiction)
            ),
            "keywords": tuple(word for word in notes.keywords if not self._traces.rests(word)),
        }
        return changed(notes, left)

    def _statement(self, statement: Statement, *, quotes: bool) -> Statement | None:
        """The statement without what is erased; None where nothing is left of it.

        Where its wording goes and others' words are cited, those stand in its place if `quotes` allows it.
        """
        evidence = self._traces.left(statement.evidence)
        worded = self._traces.rests(statement.text)
        if (statement.evidence and not evidence) or (worded and not (evidence and quotes)):
            return None
        changes: dict[str, Any] = {"evidence": evidence}
        if worded:
            changes |= {"text": self._traces.kept[evidence[0]], "quoted": True, "corrected_by": None}
        for name in ("owner", "due", "superseded_by"):
            if self._traces.rests(getattr(statement, name)):
                changes[name] = None
        if replaces := tuple(number for number in statement.replaces if number not in self._traces.gone):
            changes["replaces"] = replaces
        for name in ("takes_up", "repeats"):
            if named := getattr(statement, name):
                changes[name] = tuple(number for number in named if number not in self._traces.gone)
        return changed(statement, changes)

    def _stands(self, contradiction: Contradiction) -> bool:
        """Whether a contradiction cites and holds no erased words."""
        cited = (*contradiction.evidence, *contradiction.decision_evidence)
        whole = len(self._traces.left(cited)) == len(cited)
        return (
            whole
            and not self._traces.rests(contradiction.text)
            and not self._traces.rests(contradiction.decision)
        )

    # What the agent was asked, and said

    def _put(self, asked: Question) -> Question:
        """The question without what is erased; what was read in its words goes with them."""
        meant = self._questions.mean(asked.id, asked.by, asked.at_ms)
        text, matter = ("" if meant else self._question(part) for part in (asked.text, asked.matter))
        since = asked.since if text == asked.text else None
        return changed(asked, {"text": text, "matter": matter, "since": since})

    def _reply(self, reply: Reply) -> Reply:
        """The answer, without its words where it rests on erased ones, or it or its question is meant."""
        evidence = self._traces.left(reply.evidence)
        tools = [text for tool in reply.tools for text in (tool.arguments, tool.result)]
        meant = self._questions.mean(reply.invocation_id, reply.by, reply.asked_at_ms)
        rests = any(map(self._traces.rests, (reply.text, reply.question, *tools)))
        goes = meant or reply.invocation_id in self._questions.answered
        if not goes and not rests and evidence == reply.evidence:
            return reply
        evidence = () if goes else evidence
        asked = "" if meant else self._question(reply.question)
        emptied = {"question": asked, "text": "", "evidence": evidence, "tools": (), "sources": ()}
        return changed(reply, emptied)

    def _unanswered(self, dropped: Unanswered) -> Unanswered:
        """What was asked in vain, without what is erased."""
        meant = self._questions.mean(dropped.invocation_id, dropped.by, dropped.asked_at_ms)
        return changed(dropped, {"question": "" if meant else self._question(dropped.question)})

    def _blank_thread_summaries(self, dumped: dict[str, Any]) -> None:
        before = [entry["summary"] for entry in dumped["entries"]]
        for entry in dumped["entries"]:
            entry["summary"] = self._thread_text(entry["summary"], entry["turns"])
        standing = [entry["summary"] for entry in dumped["entries"]]
        for row in dumped["rows"]:
            # A row does not name its turns: one whose text is no entry's any more may be of those that go.
            if text := row["summary_text"]:
                lost = standing != before and text not in standing
                row["summary_text"] = "" if lost else self._text(text)
            if row["status"] == "IN_PROGRESS":
                row |= {"status": "FAILED", "error": "erased"}
        dumped["job"] = None

    def _corrections(self, made: Corrections) -> Corrections:
        words = {
            number: fix
            for number, fix in made.words.items()
            if number not in self._traces.gone and not self._traces.rests(fix[0])
        }
        terms = [term for term in made.terms if not self._traces.rests(term)]
        statements = [(fix, by) for fix, by in made.statements if not self._goes(fix)]
        doubtful = {number: places for number, places in made.doubtful.items() if number in words}
        left = {
            "words": words,
            "doubtful": doubtful,
            "terms": terms,
            "statements": statements,
            "revision": made.revision + 1,
        }
        return made.model_copy(update=left)
