"""What of our packages a running meeting calls, names, reads and sets."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from types import CodeType, FrameType
from typing import Any

_ROOT = Path(__file__).parents[3]
_OURS = tuple(f"{_ROOT / package}/" for package in ("context", "stt", "worker"))
_STEPS = tuple(
    f"{_ROOT}/worker/agent/graph/{room}.py" for room in ("understanding", "searching", "writing", "keeping")
)


@dataclass
class Trace:
    """Of one run."""

    codes: set[CodeType] = field(default_factory=set)
    """Of every function that was called."""
    read: set[str] = field(default_factory=set)
    """Settings, by name, that were looked at."""
    keys: set[str] = field(default_factory=set)
    """Of the answer's state: what the steps set."""
    sent: list[str] = field(default_factory=list)
    """Every prompt that a model was sent."""
    kept: set[str] = field(default_factory=set)
    """Kinds of events on the record."""

    def called(self, dotted: str) -> bool:
        """Was this function or method called, or this class or constant named by one that was?"""
        found: Any = resolve_name(dotted)
        code = getattr(getattr(found, "fget", found), "__code__", None)
        if code is not None:
            return code in self.codes
        owner, _, last = dotted.rpartition(".")
        file = owner.replace(".", "/")
        return any(
            last in code.co_names and (self._is_same(code, last, found) or file in code.co_filename)
            for code in self.codes
        )

    def _is_same(self, code: CodeType, name: str, found: object) -> bool:
        path = Path(code.co_filename).relative_to(_ROOT).with_suffix("")
        module = sys.modules.get(".".join(path.parts).removesuffix(".__init__"))
        return getattr(module, name, None) is found


@contextmanager
def traced() -> Iterator[Trace]:
    """Watch this thread, and those that it starts, until the block ends."""
    trace = Trace()
    foreign: set[CodeType] = set()

    def watch(frame: FrameType, event: str, value: Any) -> None:
        code = frame.f_code
        if event == "call":
            if code in trace.codes or code in foreign:
                return
            (trace.codes if code.co_filename.startswith(_OURS) else foreign).add(code)
        elif event == "return" and isinstance(value, dict) and code.co_filename in _STEPS:
            trace.keys |= {key for key in value if isinstance(key, str)}

    before = sys.getprofile()
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        yield trace
    finally:
        sys.setprofile(before)
        threading.setprofile(None)  # type: ignore[arg-type]  # None takes it away
