"""What `moim check` found about one part."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

State = Literal["ok", "wrong", "unreachable"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of `moim check` for one part."""

    part: str
    """The part's name, mostly a key of `PARTS`."""
    state: State
    text: str
    """What answered, or what is wrong and how to mend it; one line without secrets."""

    def as_json(self) -> dict[str, Any]:
        """The finding as a JSON object."""
        return asdict(self)
