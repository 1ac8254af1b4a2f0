"""Answers in the meeting's own words: no model, only quotes, and "not found" where there are none.

What is found is ranked by how much of the question's subject it covers (by words, and by sound where
speech recognition garbled either side), by whether it holds the kind of answer that is asked for, and,
where a decision is asked for, by being one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, tzinfo
from typing import Final

from context.answering.checks import check
from context.answering.claims import claim_in
from context.answering.excuse import without_excuse
from context.answering.follow_up import FollowUp
from context.attendance import Attendee
from context.call_types import call_type as call_type_of
from context.corpora import Passage
from context.corpora.answerable import verdict
from context.language.addressing import DEFAULT_WAKE_WORDS, wake
from context.language.catching_up import Missed, depth_asked, everything
from context.language.korean import language_of
from context.language.since import since_in
from context.models import AgentCallType, TopicSegment, Utterance
from context.quoting.attending import asks_who_attended, attended
from context.quoting.catch_up import catch_up
from context.quoting.checking import checked
from context.quoting.closing import verdict_on
from context.quoting.corrections import corrected
from context.quoting.followed_up import followed_up
from context.quoting.following import followed
from context.quoting.lists import all_changes, all_decisions, main_points
from context.quoting.matter import names_matter, on_matter
from context.quoting.missing_kind import lacks_its_kind, not_as_claimed, with_its_figure
from context.quoting.nearest import nearest
from context.quoting.own_subject import settled_for_all
from context.quoting.quotes import ExtractiveAnswer, Found, nothing, quoting
from context.quoting.ranking import CLOSE, ranked
from context.quoting.reading_on import read_on
from context.quoting.record import Record
from context.quoting.since import changed_since
from context.quoting.taking_on import in_whose_hands
from context.quoting.tasks import all_tasks, whose_tasks
from context.quoting.unsettled import PUTS_OFF, all_open, asks_what_is_open
from context.retrieval.lexical import LexicalIndex
from context.retrieval.questions import Asked, gives, take_apart
from context.retrieval.rewording import as_said, reworded

_SAYING_CLOSE: Final = 0.4
_MOST_SAID: Final = 5
"""Of what somebody said on a matter, not only the best sentence is wanted."""

_LONG: Final = 100
"""Of a meeting of so many utterances, what comes closest is quoted where nothing answers plainly: in a short
one, what is not said plainly is not said."""
_SHORT_MARGIN: Final = -1.0
"""A short meeting is first looked through, sounds and all: misheard words are missing in number, too."""

_SURE: Final = 0.7
"""What is quoted for less is told as what comes closest. Over the trials one in four of these was wrong, of
the others one in twelve; nothing else that was measured of the quotes tells the wrong ones better."""
_LEAST_CLOSEST: Final = 0.3
_MOST_CLOSEST: Final = 2

_KINDS_TO_GIVE: Final = frozenset(["when", "how_much", "why"])
_RUNNER_UP_WITHIN: Final = 6
_WHAT: Final = re.compile(r"뭐|뭘|무엇|무슨|어떤|\b(?:what|which|anything)\b", re.IGNORECASE)

__all__ = ["ExtractiveAnswer", "answer", "record_of"]


def answer(
    question: str,
    *,
    utterances: Sequence[Utterance],
    segments: Sequence[TopicSegment] = (),
    call_type: AgentCallType | None = None,
    language: str = "auto",
    names: Iterable[str] = (),
    index: LexicalIndex | None = None,
    zone: tzinfo = UTC,
    wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
    missed: Missed | None = None,
    now_ms: int | None = None,
    earlier: Sequence[Passage] = (),
    follows: FollowUp | None = None,
    people: Sequence[Attendee] = (),
    asker: str = "",
) -> ExtractiveAnswer:
    """Answer `question` with quotes; `declined` where the meeting has none.

    `utterances` in order of id. `language` `auto` means the question's own. `names`: the participants,
    by default whoever spoke. `index` holds the utterances; without one they are indexed here, which
    takes some 30 µs each. Times of day are told in `zone`. `missed`: the part that the asker was not
    there for, by default everything so far. `now_ms`: when it is asked, in meeting time; by default with the
    last word. `earlier`: passages of earlier meetings, for what changed since the last one.
    `follows`: what the question takes from the turn before, where it does not stand alone. `people`: who
    is or was in the meeting. `asker`: the name of whoever asks.
    """
    asked_text = (follows.question if follows else None) or question
    asked_text = wake(asked_text, wake_words) or asked_text
    wanted = call_type or call_type_of(asked_text)
    record = record_of(
        asked_text,
        utterances=utterances,
        segments=segments,
        language=language,
        names=names,
        index=index,
        zone=zone,
        wake_words=wake_words,
    )
    asked_text = without_excuse(asked_text)
    if (depth := depth_asked(asked_text)) is not None:
        return catch_up(depth, missed or everything(record.utterances), record)
    if (since := since_in(asked_text)) is not None:
        return changed_since(since, record, wanted, now_ms=now_ms, earlier=earlier)
    if asks_who_attended(asked_text, record):
        return attended(people, record, wanted)
    if (whole := _of_the_whole(asked_text, record, wanted, asker)) is not None:
        return whole
    claim = claim_in(asked_text)
    near = follows.near if follows else ()
    if claim is not None and (found := check(claim, record, near)) is not None:
        return checked(found, record, wanted)
    if follows is not None and (told := followed_up(follows, asked_text, record, wanted)) is not None:
        return told
    if follows is not None and follows.carried:
        asked_text = follows.text
    return _looked_up(asked_text, record, wanted)


def _of_the_whole(
    question: str, record: Record, wanted: AgentCallType, asker: str
) -> ExtractiveAnswer | None:
    """What is asked of the meeting as a whole: what is open, what somebody does, what changed."""
    short = len(record.utterances) < _LONG
    found = all_open(question, record, wanted) if asks_what_is_open(question) else None
    if found is not None and (short or not found.declined):
        return found
    if (of := whose_tasks(question, record, asker)) is not None:
        told = all_tasks(record, of)
        if not told.declined or (short and wanted == "ACTION_EXTRACTION"):
            return told
    asked = take_apart(question)
    if asked.changing and asked.kind is None and not asked.topic and _WHAT.search(question):
        return all_changes(asked, record, wanted)
    return None


def _looked_up(question: str, record: Record, wanted: AgentCallType) -> ExtractiveAnswer:
    """What was said that answers, where the meeting has heard enough of the question to answer it at all."""
    if not names_matter(question, record):
        if wanted == "SUMMARY":
            return on_matter(question, record) or main_points(record)
        if take_apart(question).saying and (said := on_matter(question, record)) is not None:
            return said  # "What did Tom say?"
    question = as_said(question, record.index)
    theirs = reworded(question, record.index)
    judged = verdict(theirs, record.index, len(record.utterances))
    short = len(record.utterances) < _LONG
    if not judged.answerable and not (short and (judged.words < 2 or judged.margin > _SHORT_MARGIN)):
        return nothing(record, wanted)
    if wanted == "SUMMARY":
        given = on_matter(theirs, record) or main_points(record, question)
    elif wanted == "ACTION_EXTRACTION":
        given = all_tasks(record)
    else:
        given = _look_up(question, theirs, record, wanted, most=5 if wanted == "SEARCH" else 3)
    if given.declined and judged.words and not short:
        return nearest(question, take_apart(question), record, wanted)
    return given


def record_of(
    question: str,
    *,
    utterances: Sequence[Utterance],
    segments: Sequence[TopicSegment] = (),
    language: str = "auto",
    names: Iterable[str] = (),
    index: LexicalIndex | None = None,
    zone: tzinfo = UTC,
    wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
) -> Record:
    """What `answer` quotes from; as there."""
    return Record(
        utterances=utterances,
        segments=segments,
        index=index if index is not None else LexicalIndex(utterances),
        names=tuple(names) or tuple(dict.fromkeys(u.speaker_name for u in utterances[-1000:])),
        language=language_of(question, language),
        zone=zone,
        wake_words=tuple(wake_words),
    )


def _look_up(
    question: str, theirs: str, record: Record, wanted: AgentCallType, most: int
) -> ExtractiveAnswer:
    """`theirs`: the question in the meeting's words, to search by."""
    asked = take_apart(question)
    if theirs != question:
        wide = tuple(dict.fromkeys((*asked.wide, *take_apart(theirs).wide)))
        asked = asked.model_copy(update={"wide": wide})
    if asked.changing and (changed := all_changes(asked, record, wanted)) is not None:
        return changed
    if asked.deciding and not asked.topic:
        return all_decisions(record, wanted, asked)
    if (own := settled_for_all(question, asked, record, wanted)) is not None:
        return own
    found = ranked(question, asked, record)
    if not found:
        return _closest(question, asked, record, wanted)
    put_off = asked.deciding and found[0].replies and PUTS_OFF.search(found[0].text) is not None
    decided = [] if put_off else [each for each in found if each.decision]
    lead = "found"
    if asked.deciding and asked.kind != "why":
        lead, found = ("decided", decided) if decided else ("undecided", found)
    best = found[0].score
    close = _SAYING_CLOSE if asked.saying else CLOSE
    most = 2 if decided else max(most, _MOST_SAID) if asked.saying else most
    chosen = _whole([each for each in found if each.score >= best - close], most)
    chosen += _giving(chosen, found, asked, record)
    if asked.kind == "who":
        chosen = in_whose_hands(chosen, record)
    quoted = followed(corrected(chosen, asked, record), asked, record)
    told = {each.utterance.id for each in quoted}
    quoted += [
        each for each in verdict_on(found[0], question, asked, record) if each.utterance.id not in told
    ]
    quoted = read_on(quoted, asked, record)
    quoted.sort(key=lambda each: each.utterance.id)
    settled = [each for each in quoted if each.decision]
    if lead == "undecided" and settled and not put_off:
        lead, quoted = "decided", settled
    if lead == "decided" and PUTS_OFF.search(quoted[-1].text):
        lead = "found"
    quoted = with_its_figure(quoted, asked, record)
    if lacks_its_kind(question, quoted, asked, record) or not_as_claimed(question, quoted, record):
        return _only_closest(quoted, record, wanted)
    if lead == "found" and not asked.saying and best < _SURE:
        lead = "nearest"
    return quoting(lead, quoted, record, wanted)


def _whole(found: Sequence[Found], most: int) -> list[Found]:
    """The first `most`, and the rest of a decision that would be cut: a yes alone says nothing."""
    kept = list(found[:most])
    for each in found[most:]:
        if not (each.decision and kept[-1].decision and each.score == kept[-1].score):
            break
        kept.append(each)
    return kept


def _giving(chosen: Sequence[Found], found: Sequence[Found], asked: Asked, record: Record) -> list[Found]:
    """The nearest runner-up that gives the kind of answer asked for, where what was chosen gives none."""
    if asked.kind not in _KINDS_TO_GIVE or any(gives(asked, each.text, record.names) for each in chosen):
        return []
    best = chosen[0].utterance
    near = [each for each in found if abs(each.utterance.id - best.id) <= _RUNNER_UP_WITHIN]
    return [each for each in near if gives(asked, each.text, record.names)][:1]


def _closest(question: str, asked: Asked, record: Record, wanted: AgentCallType) -> ExtractiveAnswer:
    """No answer; where part of the subject was talked about, what was said there, as no more than that."""
    declined = nothing(record, wanted)
    found = ranked(question, asked, record, least=_LEAST_CLOSEST)[:_MOST_CLOSEST]
    if not found:
        return declined
    return _only_closest(read_on(found, asked, record), record, wanted)


def _only_closest(found: Sequence[Found], record: Record, wanted: AgentCallType) -> ExtractiveAnswer:
    quotes = quoting("closest", found, record, wanted)
    text = f"{nothing(record, wanted).text}\n\n{quotes.text}"
    return quotes.model_copy(update={"text": text, "declined": True})
