"""The names of the keys in Redis. Each begins with its tenant: `moim:{tenant}:…`.

    moim:{tenant}:in:{meeting}    segments, and the word that it is over      written by: other programs
    moim:{tenant}:ask:{meeting}   questions and orders to the agent           other programs, HTTP, the CLI
    moim:{tenant}:dispatch        meetings that are wanted                    other programs
    moim:{tenant}:out:{meeting}   live events                                 the meeting's holder
    moim:{tenant}:seq:{meeting}   their number                                the meeting's holder
    moim:{tenant}:passing:{meeting}  words under way, what is degraded      the meeting's holder
    moim:{tenant}:reply:{id}      one answer as it grows, for who asked by HTTP  the meeting's holder

A tenant's name holds no `:` and is none of the words that stand second in keys of old (`MOIM_TENANT` is
checked). So no two tenants share a key, whatever their meetings are called, and the pattern `moim:{tenant}:*`
fits one tenant's keys and no other's.

To be removed after one release: before tenants were part of the keys, all had `moim:in:{meeting}` and so on.
Those belong to the tenant `default` alone, the one of a deployment that never named any: for it they are
read, and written, beside the new ones, unless MOIM_REDIS_OLD_KEYS=0. For another tenant they would be the
very hole that the tenant in the key closes.
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
    old_keys: bool = True
    """Use the keys without a tenant, too, where they are this tenant's."""

    @property
    def _old_too(self) -> bool:
        return self.old_keys and self.tenant == DEFAULT_TENANT

    def of(self, kind: Kind, meeting_id: str) -> str:
        """The key of a meeting."""
        return f"moim:{self.tenant}:{kind}:{meeting_id}"

    def all_of(self, kind: Kind, meeting_id: str) -> list[str]:
        """The same, and the one of old where that is used as well."""
        old = [f"moim:{kind}:{meeting_id}"] if self._old_too else []
        return [self.of(kind, meeting_id), *old]

    def reply(self, invocation_id: str) -> str:
        """Name the stream in which one answer grows."""
        return f"moim:{self.tenant}:reply:{invocation_id}"

    @property
    def dispatch(self) -> str:
        """Name the stream by which meetings are wanted."""
        return f"moim:{self.tenant}:dispatch"

    @property
    def all_dispatch(self) -> list[str]:
        """The same, and the one of old where that is used as well."""
        return [self.dispatch, *(["moim:dispatch"] if self._old_too else [])]


DEFAULT_NAMES: Final = StreamNames()


def encoded(name: str) -> bytes:
    """Any id makes a key, also one that is no proper Unicode."""
    return name.encode("utf-8", "surrogatepass")
