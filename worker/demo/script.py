"""What happens in the demo: which meeting is played, and who asks what when."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from worker.errors import InputError

_MEETING: Final = Path("tests/data/audio/ko-release-planning")
TITLE: Final = "출시 계획 회의"
ROOM: Final = "moim-demo"

AS_SCRIPTED: Final = {
    "MOIM_LANGUAGE": "ko",
    "MOIM_CHAT": "questions",
    "MOIM_WAKE_WORDS": "모임,Moim",
    "MOIM_AGENT_NAME": "moim",
}
"""The play is in Korean and calls Moim by its name, whatever the user has set."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A question in the chat."""

    by: str
    text: str
    after_s: float
    """Not before what was said until this second of the play has become text."""


CUES: Final = (
    Cue("seoyeon", "출시일이 언제로 결정됐지?", 44.4),
    Cue("hana", "요약해 줘", 157.4),
)


def sound_folder() -> Path:
    """Where the meeting's sound is. Raises `InputError` outside a checkout."""
    for root in (Path(__file__).resolve().parents[2], Path.cwd()):
        if (root / _MEETING / "meeting.json").is_file():
            return root / _MEETING
    raise InputError(
        f"the demo plays {_MEETING}, which is in a checkout of Moim and not in the installed package: "
        "run it in a checkout, or `moim replay` with a recording of your own"
    )
