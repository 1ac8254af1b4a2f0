"""The names of the keys in Redis. Each begins with its tenant: `moim:{tenant}:…`.

    key                              what it holds                              written by
    moim:{tenant}:in:{meeting}       segments, corrections, the command to end  other programs, HTTP
    moim:{tenant}:ask:{meeting}      questions, commands, consents              other programs, HTTP, the CLI
    moim:{tenant}:dispatch           meetings that are wanted                   other programs
    moim:{tenant}:out:{meeting}      live events                                the meeting's holder
    moim:{tenant}:seq:{meeting}      the number of the last live event          the meeting's holder
    moim:{tenant}:passing:{meeting}  interims, what is degraded                 the meeting's holder
    moim:{tenant}:reply:{id}         an answer as it grows, if asked by HTTP    the meeting's holder

A tenant's name holds no `:` (`MOIM_TENANT` is checked). So no two tenants share a key, whatever their
meetings are called, and the pattern `moim:{tenant}:*` fits one tenant's keys and no other's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

DEFAULT_TENANT: Final = "default"
Kind = Literal["in", "ask", "out", "seq", "passing"]


@dataclass(frozen=True, slots=True)
class StreamNames:
    """The names of one tenant's streams and keys in Redis."""

    tenant: str = DEFAULT_TENANT

    def of(self, kind: Kind, meeting_id: str) -> str:
        """Return the key of a meeting's stream or counter of this kind."""
        return f"moim:{self.tenant}:{kind}:{meeting_id}"

    def reply(self, invocation_id: str) -> str:
        """Return the key of the stream in which one answer grows."""
        return f"moim:{self.tenant}:reply:{invocation_id}"

    @property
    def dispatch(self) -> str:
        """The key of the stream by which meetings are wanted."""
        return f"moim:{self.tenant}:dispatch"


DEFAULT_NAMES: Final = StreamNames()


def encoded(name: str) -> bytes:
    """Return a key's bytes, also where the id in it is no proper Unicode."""
    return name.encode("utf-8", "surrogatepass")
