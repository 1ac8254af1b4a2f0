"""Whether an erasure would take anything out: one that would not is no event, however often it is asked for.

There is something where a line that is meant has words, where a question or an answer that is meant has, or
where words that are meant may still be under way: spoken before the request by somebody who is (or just was)
there, and not text yet. The mark of the erasure is what keeps those out when they come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context.erasure.erasure_reach import reach_of
from context.events.erasure_target import Erasure, Target
from context.models import Reply
from context.primitives.guest_identity import is_one_of

if TYPE_CHECKING:
    from context.fold.meeting import Meeting

_LATE_MS: Final = 60_000
"""The last words of somebody who has left have come after this."""


def takes_out(meeting: Meeting, target: Target, *, at_ms: int) -> bool:
    """Whether an erasure of `target`, asked for at `at_ms`, would change what is there or may come."""
    reach, utterances = reach_of(meeting, target), meeting.utterances
    if reach.hidden or any(utterances[n - 1].text or utterances[n - 1].hidden for n in reach.erased):
        return True
    match target.what:
        case "utterances":
            return False
        case "answers":
            return any(reply.text for reply in meeting.replies if reply.id in target.answers)
        case "meeting" if meeting.opened is not None and meeting.opened.title:
            return True
        case "meeting" | "person" | "stretch":
            mark = _mark(target, at_ms)
            return _asked(meeting, mark) or _may_come(meeting, mark)


def _mark(target: Target, at_ms: int) -> Erasure:
    return Erasure(
        id="", by="", at_ms=at_ms, what=target.what, person=target.person, people=target.everybody,
        since_ms=target.since_ms, until_ms=target.until_ms, others=target.others,
    )  # fmt: skip


def _asked(meeting: Meeting, mark: Erasure) -> bool:
    """Whether a question is meant that has words, or an answer to it, or one that nobody knows any more."""
    asked = meeting.invocations
    if any(
        mark.means_question(question.by, question.at_ms) and question.text for question in asked.open.values()
    ):
        return True
    for ended in asked.ended.values():
        answer = ended.text if isinstance(ended, Reply) else ""
        if mark.means_question(ended.by, ended.asked_at_ms) and (answer or ended.question):
            return True
    # Who asked what was dropped is not known any more in older records, and a summary may tell of it.
    earlier = [erasure.at_ms for erasure in meeting.erasures if _is_like(erasure, mark)]
    return any(
        (mark.what == "person" or mark.means_question("", dropped.asked_at_ms))
        and dropped.asked_at_ms >= max(earlier, default=0)
        for dropped in asked.dropped
        if not dropped.by
    )


def _may_come(meeting: Meeting, mark: Erasure) -> bool:
    """Whether words that are meant may be under way, and no earlier mark keeps them out."""
    earlier = [erasure for erasure in meeting.erasures if _is_like(erasure, mark)]
    for who, person in meeting.attendance.people.items():
        if mark.what == "person" and not is_one_of(who, mark.people or (mark.person,)):
            continue
        if not person.present and (person.left_at_ms is None or mark.at_ms - person.left_at_ms > _LATE_MS):
            continue
        told_at_ms = person.told_at_ms or 0
        if person.agreed is False and mark.at_ms - told_at_ms > _LATE_MS:
            continue
        if person.agreed is False and any(told_at_ms <= erasure.at_ms for erasure in earlier):
            continue  # they are not heard since
        if any(mark.before_ms <= erasure.before_ms for erasure in earlier):
            continue
        return True
    return False


def _is_like(earlier: Erasure, mark: Erasure) -> bool:
    """Whether an earlier erasure meant the same words, as far as these had been said."""
    if (earlier.what, earlier.others) != (mark.what, mark.others) or earlier.since_ms > mark.since_ms:
        return False
    return set(mark.people) <= {*earlier.people, earlier.person}
