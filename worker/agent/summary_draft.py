"""What a language model is asked to write of a topic, and how that becomes a `Summary`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field

from context.language.questions import is_question
from context.models import PendingKind, Statement, Summary, Utterance


def cited_ids(value: Any) -> Any:
    """`"#12"`, `"[#12, #13]"` and `12` are all citations."""
    if isinstance(value, (str, int)):
        value = [value]
    if not isinstance(value, list):
        return value
    found: list[int] = []
    for item in value:
        found.extend(int(digits) for digits in re.findall(r"\d{1,9}", str(item)))
    return list(dict.fromkeys(found))


def _or_nothing(value: Any) -> Any:
    """Told that it may leave a field out, a model may say null."""
    return "" if value is None else value


def _known_status(value: Any) -> Any:
    """Of a decision a model may say that it is decided: that is told by where it stands."""
    return value if value in ("open", "done") else ""


def _at_most(items: int, least: int = 0) -> Any:
    """A bound that a model is told and a grammar keeps it to; more, from one that knows none, is no fault."""
    bounds: dict[str, Any] = {"minItems": least} if least else {}
    return Field(json_schema_extra={**bounds, "maxItems": items})


class ItemDraft(BaseModel):  # noqa: D101 - a docstring would be sent with each request
    # No docstrings and descriptions: they would be sent with each request, and the prompt says it all. One
    # shape for all lists, since each has to be sent, too: what a list has no use for is passed over.

    text: Annotated[str, Field(min_length=1, json_schema_extra={"maxLength": 300})]
    evidence: Annotated[list[int], BeforeValidator(cited_ids), _at_most(3, least=1)]
    owner: Annotated[str, BeforeValidator(_or_nothing)] = ""
    due: Annotated[str, BeforeValidator(_or_nothing)] = ""
    status: Annotated[Literal["open", "done", ""], BeforeValidator(_known_status)] = ""
    replaces: Annotated[list[int], BeforeValidator(cited_ids)] = Field(default_factory=list)


class SummaryDraft(BaseModel):  # noqa: D101 - as above
    # A whole summary: every field anew, none left out.

    # Without the bounds a small model goes on until it is cut off.

    topic_name: str = ""
    summary: Annotated[list[ItemDraft], _at_most(6)]
    key_points: Annotated[list[ItemDraft], Field(max_length=12), _at_most(5)]
    decisions: Annotated[list[ItemDraft], _at_most(20)]
    pending: Annotated[list[ItemDraft], _at_most(20)]
    keywords: Annotated[list[str], _at_most(10)] = Field(default_factory=list)


def summary_of(draft: SummaryDraft, previous: Summary, utterances: Sequence[Utterance]) -> Summary:
    """The draft as a `Summary`, still unchecked; who took part is known better than any model knows it."""
    names = frozenset(utterance.speaker_name for utterance in utterances)
    sentences = _once(_statement(item, names) for item in draft.summary)
    decided = (
        _statement(item, names).model_copy(update={"replaces": tuple(item.replaces or ())})
        for item in draft.decisions
    )
    decisions = _once(item for item in decided if not is_question(item.text))
    pending = _once(_pending(item, names) for item in draft.pending)
    settled = {decision.text for decision in decisions}
    speakers = (*previous.participants, *(utterance.speaker_id for utterance in utterances))
    return Summary(
        text=" ".join(sentence.text for sentence in sentences),
        sentences=sentences,
        key_points=_once(_statement(item, names) for item in draft.key_points[:5]),
        decisions=decisions,
        pending=tuple(item for item in pending if item.kind == "action" or item.text not in settled),
        participants=tuple(dict.fromkeys(speakers)),
        keywords=tuple(dict.fromkeys(word.strip() for word in draft.keywords if word.strip()))[:10],
    )


def _once(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """A small model says the same until its list is full."""
    found: dict[str, Statement] = {}
    for statement in statements:
        found.setdefault(statement.text, statement)
    return tuple(found.values())


def _pending(draft: ItemDraft, names: Collection[str]) -> Statement:
    kind: PendingKind = "action" if draft.owner or draft.due else "open"
    status = draft.status or "open"
    named = {"owner": draft.owner or None, "due": draft.due or None, "status": status, "kind": kind}
    return _statement(draft, names).model_copy(update=named)


def _statement(draft: ItemDraft, names: Collection[str]) -> Statement:
    # A citation that slipped into the sentence says nothing that `evidence` doesn't; nor does who said it.
    text = re.sub(r"\s*\[\s*#[^\]]*\]", "", " ".join(draft.text.split()))
    name, colon, said = text.partition(": ")
    return Statement(text=said if colon and name in names else text, evidence=tuple(sorted(draft.evidence)))
