"""A summary job of a thread as a row (seed 003's `conversation_summaries`)."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import AwareDatetime, model_validator

from context.models import Frozen

RowStatus = Literal["IN_PROGRESS", "COMPLETED", "FAILED"]


class SummaryRow(Frozen):
    """One attempt at one summary. Its text is null until it is COMPLETED."""

    id: str
    conversation_id: str
    summary_text: str | None = None
    covered_until_message_id: str
    covered_message_count: int
    """Messages covered when it completes, those of the summaries before it included."""
    covered_token_count: int
    summary_version: int = 1
    status: RowStatus = "IN_PROGRESS"
    created_at: AwareDatetime | None = None
    error: str | None = None
    """Why it FAILED; never its text."""

    @model_validator(mode="after")
    def _text_when_completed(self) -> Self:
        if (self.summary_text is not None) != (self.status == "COMPLETED"):
            raise ValueError("a summary has a text if, and only if, it is COMPLETED")
        return self

    def completed(self, text: str) -> SummaryRow:
        """The same row with its summary."""
        return SummaryRow(**{**dict(self), "status": "COMPLETED", "summary_text": text})

    def failed(self, error: str) -> SummaryRow:
        """The same row, given up."""
        return SummaryRow(**{**dict(self), "status": "FAILED", "error": error})
