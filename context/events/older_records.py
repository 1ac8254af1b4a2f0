"""What older records say in another shape, put as it would be recorded today.

Events are never rewritten (docs/decisions/0060), so this stays for as long as their meetings are kept. It is
the only place that knows older shapes: `context.events.events.decode` brings every event through it,
`Meeting.restore` every snapshot, and whoever reads a reply from a table beside the events brings that through
`reply_as_today`. An `Erased` event holds a state of its time for ever, and the snapshot of a meeting that has
ended stays as it is: what a state of today has besides, `state_as_today` fills in.

Values that an older record does not have at all need nothing here where the field has a default that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from context.primitives.askers import nobodys
from context.primitives.text import many_lines, one_line, storable

STATE_VERSION: Final = 2
"""The version of a state's shape. A worker looks for every field of its version, so whoever takes one out or
renames it counts this up (to 4: 3 is taken, see `fold.snapshot`) and upcasts the state of before here."""
CANONICAL: Final = "canonical"
"""The mark of a state whose texts are in canonical form (`primitives.text`); older ones may hold others."""
_UNNAMED_CHANNELS: Final = frozenset({"http", "cli"})
"""The channel stood as the asker where nobody gave a name."""
_ELSEWHERE_PRODUCERS: Final = frozenset({"documents", "earlier_meetings"})
"""The producers of what a prompt holds of documents and of other meetings (`PromptRecord.producers`)."""

_LATER_IN_STATE: Final[Mapping[str, Callable[[], Any]]] = {"late": list, "doubtful": dict, "asked": list}
"""What a state has had only since 29 November 2026, with what it holds where there was none."""
_LATER_IN_PARTS: Final[Mapping[str, tuple[str, Callable[[], Any]]]] = {
    "summaries": ("late", list),
    "boundaries": ("suspected", list),
    "prompts": ("by_minute", dict),
}
"""The same of its parts: by the part's name."""


def as_today(payload: dict[str, Any]) -> dict[str, Any]:
    """The payload of an event as it would be recorded today; itself where it is.

    Raises `ValueError` as `state_as_today` does.
    """
    match payload:
        case {"kind": "question_asked", "invocation": dict(asked)}:
            return {**payload, "invocation": _with_asker(asked)}
        case {"kind": "answer_given", "reply": dict(reply)}:
            return {**payload, "reply": reply_as_today(reply)}
        case {"kind": "utterance_spoken", "track_id": str(), "start_ms": int(start), "end_ms": int(end)}:
            # What the voice detector called speech was not told: it is the length of the stretch.
            return {"speech_ms": end - start, **payload}
        case {"kind": "erased", "state": {"version": _} as state}:
            return {**payload, "state": state_as_today(state)}
    return payload


def reply_as_today(reply: dict[str, Any]) -> dict[str, Any]:
    """The fields of a reply as they would be recorded today: whose it is, and whether it rests elsewhere."""
    reply_today = _with_asker(reply)
    prompts = (reply_today.get("run") or {}).get("prompts", ())
    if reply_today.get("elsewhere") is None and any(map(_is_of_elsewhere, prompts)):
        return {**reply_today, "elsewhere": True}
    return reply_today


def _with_asker(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a question or reply; who was unnamed is nobody from now on."""
    if (by := fields.get("by")) in _UNNAMED_CHANNELS and by == fields.get("via"):
        return {**fields, "by": nobodys(by)}
    return fields


def _is_of_elsewhere(prompt: Mapping[str, Any]) -> bool:
    return not _ELSEWHERE_PRODUCERS.isdisjoint(prompt.get("producers", ()))


def state_as_today(state: dict[str, Any]) -> dict[str, Any]:
    """A state, of an erasure or of a snapshot, with all that one of today has.

    Raises `ValueError` on one that a newer worker wrote.
    """
    if (version := state.get("version")) != STATE_VERSION:
        raise newer_state(f"of version {version!r}")
    try:
        return _with_all_of_today(canonical(state))
    except KeyError as error:
        raise newer_state(f"without {error}") from error


def newer_state(found: str) -> ValueError:
    """The refusal of a state that a newer worker wrote; `found`: what it has or lacks."""
    return ValueError(
        f"a state {found}, and this worker reads version {STATE_VERSION}: "
        "a newer one wrote it, update this worker"
    )


def _with_all_of_today(told: dict[str, Any]) -> dict[str, Any]:
    told = {name: empty() for name, empty in _LATER_IN_STATE.items()} | told
    parts = {name: {later: empty(), **told[name]} for name, (later, empty) in _LATER_IN_PARTS.items()}
    asked, thread = dict(told["invocations"]), dict(told["thread"])
    asked["open"] = [_with_asker(each) for each in asked["open"]]
    asked["replies"] = [reply_as_today(each) for each in asked["replies"]]
    if "places" not in thread:
        turns = sorted((*thread.pop("turns"), *thread.pop("asides")), key=lambda turn: turn["order"])
        thread["places"] = list(map(_place_of, turns))
        thread["summaries"] = _summaries_as_today(thread["summaries"])
        asked["dropped"] = _unanswered(asked["dropped"], turns)
    return told | parts | {"invocations": asked, "thread": thread}


def _summaries_as_today(summaries: Mapping[str, Any]) -> dict[str, Any]:
    """The summaries of the thread: one that is under way without what it is of, which stands in the state.

    A row of one that an erasure ended was left as if it were under way.
    """
    if (job := summaries["job"]) is not None:
        fields = {name: value for name, value in job.items() if name not in ("messages", "previous")}
        return {**summaries, "job": fields}
    failed = {"status": "FAILED", "error": "erased"}
    rows = [row | failed if row["status"] == "IN_PROGRESS" else row for row in summaries["rows"]]
    return {**summaries, "rows": rows}


def _place_of(turn: Mapping[str, Any]) -> dict[str, Any]:
    """The place of a turn, which held its words, too, until 30 November 2026."""
    asked = {name: turn["question"].get(name, "") for name in ("id", "name")}
    return asked | {name: turn.get(name, 0) for name in ("number", "order", "tokens")}


def _unanswered(dropped: Iterable[Mapping[str, Any]], turns: Iterable[Mapping[str, Any]]) -> list[Any]:
    """What was asked in vain, with its words from the turns that held them until then.

    Where the turn was let go, nobody knows the words any more, nor who asked. When it was asked was not told:
    it is taken to be when it was dropped, so that an erasure takes out too much of it rather than too little.
    """
    held = {turn["question"].get("id", ""): turn for turn in turns}
    unanswered = []
    for question in dropped:
        id_ = question["invocation_id"]
        turn = held.get(id_, {"by": "", "question": {}})
        unanswered.append(
            {"invocation_id": id_, "asked_at_ms": question["at_ms"], "why": question["why"]}
            | {"by": _with_asker({"by": turn["by"]})["by"], "question": turn["question"].get("content", "")}
            | {"private": turn.get("private", False)}
        )
    return unanswered


_PROSE: Final = frozenset({"invocations", "thread"})
"""The parts of a state whose texts may have several lines."""
_IDS: Final = frozenset((
    "answers", "by", "conversation_id", "covered_until_message_id", "exchanges", "id", "interactions",
    "into", "invocation_id", "key", "keys", "last", "meeting_id", "merged", "off_by", "orders",
    "participant", "participant_id", "participants", "people", "person", "position", "positions",
    "room", "speaker", "speaker_id", "speakers", "stream", "superseded", "thread_id", "track_id",
    "user_id",
))  # fmt: skip
"""The fields of a state that hold ids, and stay as they are."""
_BY_ID: Final = frozenset({"merged", "positions"})
"""Those whose values stand by id; by number stand those of others."""


def canonical(state: dict[str, Any]) -> dict[str, Any]:
    """A state with its texts in their canonical form; itself where they are."""
    if CANONICAL in state:
        return state
    parts = {
        name: _canonical(held, name, many_lines if name in _PROSE else one_line)
        for name, held in state.items()
    }
    mended = any(parts[name] is not held for name, held in state.items())
    return {**parts, CANONICAL: True} if mended else state


def _canonical(held: Any, field: str, shape: Callable[[str], str]) -> Any:
    """A part of a state, the value of `field`; itself where there is nothing to do."""
    match held:
        case str():
            return storable(held) if field in _IDS else shape(held)
        case dict():
            new = {
                key: _canonical(value, field if field in _BY_ID or key.isdigit() else key, shape)
                for key, value in held.items()
            }
            return new if any(new[key] is not value for key, value in held.items()) else held
        case list():
            items = [_canonical(value, field, shape) for value in held]
            return items if any(map(_differ, items, held)) else held
        case _:
            return held


def _differ(one: object, other: object) -> bool:
    return one is not other
