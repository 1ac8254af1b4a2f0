"""The words of a record taken out, and with them what was made of them.

Numbers, times, names and ids stay, so the record still folds. A statement that cites erased and other
words stays with the others; where its wording holds what went, the first utterance that is left stands in
its place, marked as quoted, until a summary is made again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from context.corrections import StatementFix, TermFix, TopicFix, UtteranceFix
from context.decided import Erased
from context.erasure.questions import Questions
from context.erasure.traces import Traces
from context.events import (
    AnswerGiven,
    Corrected,
    Event,
    MeetingOpened,
    QuestionAsked,
    SummaryReady,
    ThreadSummaryReady,
    TopicJudged,
    UtteranceSpoken,
)
from context.models import Contradiction, Invocation, Reply, Statement, Summary, TopicSegment
from context.thread.turn import Message, Turn
from context.topics.topics import drawn
from context.values import changed

_LISTS: Final = ("key_points", "decisions", "pending")
NOTHING: Final = TopicFix(of="topic", topic="", name="-")
"""A correction that changes nothing, in the place of one that held erased words."""


class Blanking:
    """Takes what rests on erased words out of all that a meeting is made of."""

    def __init__(self, traces: Traces, questions: Questions) -> None:
        """`questions`: to the agent, that go too, and with them its answers and what sums them up."""
        self._traces, self._questions = traces, questions

    def event(self, event: Event, number: int | None = None) -> Event:
        """One event of the record without it; `number` is the utterance's, of one that was spoken."""
        traces = self._traces
        match event:
            case UtteranceSpoken():
                return changed(event, {"text": ""}) if number in traces.gone else event
            case SummaryReady():
                name = None if traces.rests(event.topic_name) else event.topic_name
                return changed(event, {"content": self.summary(event.content), "topic_name": name})
            case TopicJudged():
                return changed(event, {"name": self._unless(event.name), "reason": self.text(event.reason)})
            case QuestionAsked():
                return changed(event, {"invocation": self.invocation(event.invocation)})
            case AnswerGiven():
                return changed(event, {"reply": self.reply(event.reply)})
            case ThreadSummaryReady():
                return changed(event, {"text": self.thread_text(event.text, event.turns)})
            case Corrected():
                return changed(event, {"fix": NOTHING}) if self._holds(event) else event
            case MeetingOpened():
                return changed(event, {"title": None}) if traces.everything else event
            case Erased():
                return changed(event, {"state": {}})  # the next erasure's takes its place
            case _:
                return event

    def text(self, text: str) -> str:
        """The text, or nothing where it rests on what went."""
        return "" if self._traces.rests(text) else text

    def thread_text(self, text: str, turns: Iterable[int]) -> str:
        """A summary of the agent's thread, or nothing where one of its turns goes."""
        return "" if self._questions.summed_up(turns) else self.text(text)

    def _unless(self, text: str | None) -> str | None:
        return None if self._traces.rests(text) else text

    def _holds(self, event: Corrected) -> bool:
        rests = self._traces.rests
        match event.fix:
            case UtteranceFix() as fix:
                return fix.utterance in self._traces.gone or rests(fix.text) or rests(fix.was)
            case TermFix() as fix:
                return rests(fix.heard) or rests(fix.meant)
            case TopicFix() as fix:
                return rests(fix.name) or rests(fix.was)
            case StatementFix() as fix:
                return self._statement_fix_goes(fix)
            case _:
                return False

    def _statement_fix_goes(self, fix: StatementFix) -> bool:
        traces = self._traces
        return len(traces.left(fix.evidence)) < len(fix.evidence) or any(
            traces.rests(text) for text in (fix.was, fix.text, fix.owner, fix.due)
        )

    # What is known of topics

    def topic(self, segment: TopicSegment, number: int) -> TopicSegment:
        """A topic, the `number`-th of its meeting, without it."""
        changes: dict[str, Any] = {}
        notes = self.summary(segment.notes)
        if notes != segment.notes:
            changes |= drawn(notes)
            if _says_nothing(notes) or _quotes_anew(notes, segment.notes):
                changes |= {"covered_until": segment.start_utterance_id - 1, "written_until": 0}
        if self._traces.rests(segment.name):
            changes["name"] = f"Topic {number}"
        return changed(segment, changes) if changes else segment

    def _is_to_be_made(self, segment: TopicSegment) -> bool:
        """Whether something is left in a topic that no summary covers."""
        stretch = range(
            max(segment.start_utterance_id, segment.covered_until + 1), segment.end_utterance_id + 1
        )
        return any(self._traces.kept.get(number) for number in stretch)

    def summary(self, notes: Summary) -> Summary:
        """A summary: of its sentences and statements those that still rest on something."""
        sentences = tuple(
            sentence for each in notes.sentences if (sentence := self._sentence(each)) is not None
        )
        if sentences == notes.sentences:
            text = self.text(notes.text)
        else:
            text = " ".join(sentence.text for sentence in sentences)
        lists = {
            name: tuple(kept for each in getattr(notes, name) if (kept := self._statement(each)) is not None)
            for name in _LISTS
        }
        left = {
            **lists,
            "text": text,
            "sentences": sentences if text else (),
            "contradictions": tuple(each for each in notes.contradictions if self._stands(each)),
            "keywords": tuple(word for word in notes.keywords if not self._traces.rests(word)),
        }
        return (
            changed(notes, left)
            if any(getattr(notes, name) != value for name, value in left.items())
            else notes
        )

    def _sentence(self, sentence: Statement) -> Statement | None:
        evidence = self._traces.left(sentence.evidence)
        if self._traces.rests(sentence.text) or (sentence.evidence and not evidence):
            return None
        return sentence if evidence == sentence.evidence else changed(sentence, {"evidence": evidence})

    def _statement(self, statement: Statement) -> Statement | None:
        evidence = self._traces.left(statement.evidence)
        worded = self._traces.rests(statement.text)
        if (statement.evidence and not evidence) or (worded and not evidence):
            return None
        changes: dict[str, Any] = {}
        if evidence != statement.evidence:
            changes["evidence"] = evidence
        if worded:
            changes |= {"text": self._traces.kept[evidence[0]], "quoted": True, "corrected_by": None}
        for name in ("owner", "due", "superseded_by"):
            if self._traces.rests(getattr(statement, name)):
                changes[name] = None
        if replaces := tuple(e for e in statement.replaces if e not in self._traces.gone):
            changes |= {"replaces": replaces} if replaces != statement.replaces else {}
        return changed(statement, changes) if changes else statement

    def _stands(self, each: Contradiction) -> bool:
        cited = (*each.evidence, *each.decision_evidence)
        whole = len(self._traces.left(cited)) == len(cited)
        return whole and not self._traces.rests(each.text) and not self._traces.rests(each.decision)

    # What the agent was asked, and said

    def invocation(self, asked: Invocation) -> Invocation:
        """A question to the agent."""
        gone = self._questions.mean(asked.id, asked.by, asked.at_ms) or self._traces.rests(asked.text)
        return changed(asked, {"text": ""}) if gone else asked

    def reply(self, reply: Reply) -> Reply:
        """An answer: one that rests on what went says nothing any more."""
        evidence = self._traces.left(reply.evidence)
        used = [
            reply.text,
            reply.question,
            *(text for tool in reply.tools for text in (tool.arguments, tool.result)),
        ]
        meant = self._questions.mean(reply.invocation_id, reply.by, reply.asked_at_ms)
        if not meant and evidence == reply.evidence and not any(map(self._traces.rests, used)):
            return reply
        asked = "" if meant else self.text(reply.question)
        return changed(
            reply, {"question": asked, "text": "", "evidence": evidence, "tools": (), "sources": ()}
        )

    def turn(self, turn: Turn, emptied: frozenset[str]) -> Turn:
        """A turn of the thread; `emptied`: the questions whose answers say nothing any more."""
        question = "" if turn.question.id in self._questions.ids else self.text(turn.question.content)
        said = [message.content for message in (*turn.steps, *((turn.answer,) if turn.answer else ()))]
        if turn.question.id in emptied or any(map(self._traces.rests, said)):
            answer = None if turn.answer is None else changed(turn.answer, {"content": ""})
            return changed(
                turn, {"question": _saying(turn.question, question), "steps": (), "answer": answer}
            )
        if question == turn.question.content:
            return turn
        return changed(turn, {"question": _saying(turn.question, question)})

    # The state

    def state(self, state: dict[str, Any]) -> dict[str, Any]:
        """A meeting's state, as `context.snapshot` dumps it, without it."""
        topics = [TopicSegment.model_validate(each) for each in state["topics"]["segments"]]
        replies = [Reply.model_validate(each) for each in state["invocations"]["replies"]]
        left = [self.reply(each) for each in replies]
        emptied = frozenset(each.invocation_id for each in left if not each.text)
        segments = [self.topic(topic, number) for number, topic in enumerate(topics, start=1)]
        summaries = state["summaries"]
        again = {
            new.id
            for new, old in zip(segments, topics, strict=True)
            if new != old and self._is_to_be_made(new)
        } | summaries["jobs"].keys()
        # A job that is under way read words that are gone: under this version it counts no more.
        segments = [
            changed(topic, {"version": topic.version + 1}) if topic.id in again else topic
            for topic in segments
        ]
        opened = state["opened"]
        if opened and self._traces.everything:
            opened = {**opened, "title": None}
        return {
            **state,
            "opened": opened,
            "topics": {
                **state["topics"],
                "segments": [topic.model_dump(mode="json") for topic in segments],
            },
            "summaries": {
                "jobs": {},
                "waiting": {},
                "unfinished": summaries["unfinished"] | dict.fromkeys(sorted(again), "correction"),
                "retry_from": {},
            },
            "invocations": self._invocations(state["invocations"], left),
            "thread": self._thread(state["thread"], emptied),
            "corrections": self._corrections(state["corrections"]),
            "judging": [],
        }

    def _invocations(self, dumped: dict[str, Any], replies: list[Reply]) -> dict[str, Any]:
        asked = [self.invocation(Invocation.model_validate(each)) for each in dumped["open"]]
        return {
            **dumped,
            "open": [each.model_dump(mode="json") for each in asked],
            "replies": [each.model_dump(mode="json") for each in replies],
        }

    def _thread(self, dumped: dict[str, Any], emptied: frozenset[str]) -> dict[str, Any]:
        turns = {
            name: [
                self.turn(Turn.model_validate(each), emptied).model_dump(mode="json", exclude_defaults=True)
                for each in dumped[name]
            ]
            for name in ("turns", "asides")
        }
        summaries = dumped["summaries"]
        entries = [
            {**each, "summary": self.thread_text(each["summary"], each["turns"])}
            for each in summaries["entries"]
        ]
        # A row does not name its turns: one whose text is no entry's any more may be of those that go.
        taken = entries != summaries["entries"]
        standing = {each["summary"] for each in entries}
        rows = [
            {**each, "summary_text": "" if taken and text not in standing else self.text(text)}
            if (text := each["summary_text"])
            else each
            for each in summaries["rows"]
        ]
        return {**dumped, **turns, "summaries": {**summaries, "entries": entries, "rows": rows, "job": None}}

    def _corrections(self, dumped: dict[str, Any]) -> dict[str, Any]:
        rests = self._traces.rests
        return {
            **dumped,
            "revision": dumped["revision"] + 1,
            "words": {
                number: fix
                for number, fix in dumped["words"].items()
                if int(number) not in self._traces.gone and not rests(fix[0])
            },
            "terms": [term for term in dumped["terms"] if not rests(term)],
            "statements": [
                [fix, by]
                for fix, by in dumped["statements"]
                if not self._statement_fix_goes(StatementFix.model_validate(fix))
            ],
        }


def _says_nothing(notes: Summary) -> bool:
    return not (notes.text or notes.key_points or notes.decisions or notes.pending)


def _quotes_anew(notes: Summary, before: Summary) -> bool:
    """Whether the words of others stand where a statement's wording went."""
    known = {each for name in _LISTS for each in getattr(before, name) if each.quoted}
    return any(each.quoted and each not in known for name in _LISTS for each in getattr(notes, name))


def _saying(message: Message, content: str) -> Message:
    return changed(message, {"content": content})
