"""Where, by whom and by what an answer was made: what another question must share to get the same one."""

from __future__ import annotations

from pydantic import AwareDatetime

from context.models import AgentCallType, Frozen


class Occasion(Frozen):
    """One asking."""

    meeting_id: str
    at: AwareDatetime
    """The moment, in the zone in which the asker counts days."""
    tenant: str = "default"
    asker: str = ""
    private: bool = False
    """The answer is for the asker's eyes alone."""
    call_type: AgentCallType = "IMMEDIATE_RESPONSE"
    language: str = "auto"
    """Of the answer."""
    names: tuple[str, ...] = ()
    """Of the participants."""
    maker: str = ""
    """Prompts, model and flags, as one word: another maker's answers are another's."""

    @property
    def shelf(self) -> tuple[str, ...]:
        """What must be the same, but for privacy; the day too, after which "tomorrow" is another one."""
        day = self.at.date().isoformat()
        return (self.tenant, self.meeting_id, self.call_type, self.language, self.maker, day)
