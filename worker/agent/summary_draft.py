"""What a language model is asked to write of a topic, and how that becomes a `Summary`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from context.models import Statement, StatementStatus, Summary, Utterance


def _ids(value: Any) -> Any:
    """`"#12"`, `"[#12, #13]"` and `12` are all citations."""
    if isinstance(value, (str, int)):
        value = [value]
    if not isinstance(value, list):
        return value
    found: list[int] = []
    for item in value:
        found.extend(int(digits) for digits in re.findall(r"\d{1,9}", str(item)))
    return list(dict.fromkeys(found))


class StatementDraft(BaseModel):
    """One sentence and the ids of the utterances it rests on."""

    text: str = Field(min_length=1)
    evidence: Annotated[list[int], BeforeValidator(_ids)] = Field(
        description="ids of the utterances ([#id]) that say so"
    )
    owner: str | None = Field(default=None, description="who does it, for actions")
    due: str | None = Field(default=None, description="until when, as it was said")
    status: StatementStatus | None = None


class SummaryDraft(BaseModel):
    """A whole summary: every field anew, none left out (ruling 4)."""

    topic_name: str = Field(default="", description="a short noun phrase for the topic")
    summary: list[StatementDraft] = Field(description="3 to 5 sentences, in order of time")
    key_points: list[StatementDraft] = Field(max_length=12)
    decisions: list[StatementDraft] = Field(description="what was decided; empty where nothing was")
    pending: list[StatementDraft] = Field(description="open questions and tasks, with owner and due")
    keywords: list[str] = Field(default_factory=list)


def summary_of(draft: SummaryDraft, previous: Summary, utterances: Sequence[Utterance]) -> Summary:
    """The draft as a `Summary`, still unchecked; who took part is known better than any model knows it."""
    sentences = tuple(_statement(item) for item in draft.summary)
    speakers = (*previous.participants, *(utterance.speaker_id for utterance in utterances))
    return Summary(
        text=" ".join(sentence.text for sentence in sentences),
        sentences=sentences,
        key_points=tuple(_statement(item) for item in draft.key_points[:5]),
        decisions=tuple(_statement(item) for item in draft.decisions),
        pending=tuple(_pending(item) for item in draft.pending),
        contradictions=previous.contradictions,
        participants=tuple(dict.fromkeys(speakers)),
        keywords=tuple(dict.fromkeys(word.strip() for word in draft.keywords if word.strip()))[:10],
    )


def _pending(draft: StatementDraft) -> Statement:
    item = _statement(draft)
    return item.model_copy(
        update={"status": item.status or "open", "kind": "action" if item.owner or item.due else "open"}
    )


def _statement(draft: StatementDraft) -> Statement:
    # A citation that slipped into the sentence says nothing that `evidence` doesn't.
    text = re.sub(r"\s*\[\s*#[^\]]*\]", "", " ".join(draft.text.split()))
    return Statement(
        text=text, evidence=tuple(draft.evidence), owner=draft.owner, due=draft.due, status=draft.status
    )
