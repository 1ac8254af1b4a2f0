"""Quotas: how much of a process one viewer may have, at once and in a time, so that others have some, too.

A process has so many places for each kind of work, and a viewer has a quota of them. Who a viewer is, is
counted twice: as one (a session, or whom a proxy names), and together with those who could as well be the
same person: the guests of one link, whoever comes from one address. Those who come through a proxy of
MOIM_PAGES_PROXIES have its address, which says nothing: they are counted by their link, or, with the token of
the pages, together. Programs have no quota but the process's places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Any, Final, Literal

from aiohttp import web
from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter

from worker.configuration.settings import Settings
from worker.web.addresses import place_of
from worker.web.json_answers import RETRY_SOON, ApiError, Handler
from worker.web.viewers import SAFE_METHODS, VIEWER, Viewer

_KB: Final = 1_000
_RETRY_SOON: Final = {"Retry-After": "10"}
_RETRY_LATER: Final = {"Retry-After": "600"}

Whose = Literal["own", "link", "address"]


@dataclass(frozen=True, slots=True)
class QuotaHolder:
    """One of those whom a viewer is counted as."""

    whose: Whose
    key: str

    def told(self, most: int, what: str) -> str:
        """Say that they have used up their quota."""
        match self.whose:
            case "own":
                return f"you have {most} {what}, which is your share"
            case "link":
                return f"the guests of this link have {most} {what} together, which is their share"
            case "address":
                return f"those who come from your address have {most} {what} together, which is their share"


@dataclass(frozen=True, slots=True)
class ViewerQuota:
    """The quota that one viewer has of a process: a session, or whom a proxy names."""

    questions: int = 4
    """Questions under way at once."""
    streams: int = 25
    """Meetings watched at once."""
    changes: int = 120
    """Requests in a minute that change something."""
    looks: int = 1_200
    """Requests in a minute that only look."""
    documents_mb: int = 100
    """Megabytes of documents in an hour."""
    recordings_mb: int = 1_000
    """Megabytes of recordings and transcripts in an hour; never less than the largest recording has."""
    together: int = 8
    """The guests of one link have so many quotas together; all who come from one address twice as many."""


@dataclass(frozen=True, slots=True)
class _Spent:
    """A kind of request that is counted: its plural, a viewer's quota, what they are told beyond it."""

    what: str
    quota: int
    per: type[RateLimitItem]
    mend: str
    retry: dict[str, str]


class ViewerQuotas:
    """The quotas of all viewers of one process, and what they have used of them."""

    def __init__(self, settings: Settings, quota: ViewerQuota) -> None:
        """Take the proxies, whose address is nobody's, and the largest recording from the settings."""
        self.quota = quota
        """What one viewer may have."""
        self._recordings_mb = max(quota.recordings_mb, settings.recordings.largest_mb)
        self._proxies = tuple(map(ip_network, settings.pages.proxies))
        self._under_way: Counter[str] = Counter()
        self._held: Counter[tuple[str, QuotaHolder]] = Counter()
        self._rates = SlidingWindowCounterRateLimiter(MemoryStorage())

    @contextmanager
    def place(
        self, request: web.Request, what: str, at_once: int, quota: int | None = None
    ) -> Iterator[None]:
        """Hold one of the process's `at_once` places for this kind of work within the block.

        `what` names the kind, in the plural (`questions`); `quota` is how many of the places one viewer may
        have, a quarter of them where that is None. Raises `ApiError` (429) where there is none left for
        whoever sends this, or for anybody.
        """
        own = max(1, at_once // 4 if quota is None else min(quota, at_once // 2))
        most: dict[Whose, int] = {
            "own": own,
            "link": max(own, min(own * self.quota.together, at_once // 4)),
            "address": max(own, min(own * self.quota.together * 2, at_once // 2)),
        }
        holders = self._holders(request)
        for holder in holders:
            if self._held[what, holder] >= most[holder.whose]:
                mend = f"{holder.told(most[holder.whose], f'{what} under way')}: wait for one of them to end"
                raise ApiError(429, mend, headers=RETRY_SOON)
        if self._under_way[what] >= at_once:
            mend = f"{at_once} {what} are under way, which is all that this process does at once: try again"
            raise ApiError(429, mend, headers=RETRY_SOON)
        self._under_way[what] += 1
        for holder in holders:
            self._held[what, holder] += 1
        try:
            yield
        finally:
            self._under_way[what] -= 1
            for holder in holders:
                self._held[what, holder] -= 1
                if not self._held[what, holder]:
                    del self._held[what, holder]

    async def spend_request(self, request: web.Request) -> None:
        """Count a request. Raises `ApiError` (429) where whoever sends it has sent too many in a minute."""
        looks = request.method in SAFE_METHODS
        what = "requests that look" if looks else "requests that change something"
        most = self.quota.looks if looks else self.quota.changes
        spent = _Spent(what, most, RateLimitItemPerMinute, "in a minute: wait a little", _RETRY_SOON)
        await self._spend_of(self._holders(request), 1, spent)

    async def spend_upload(
        self, request: web.Request, size_bytes: int, what: Literal["documents", "recordings"] = "documents"
    ) -> None:
        """Count bytes of what is sent. Raises `ApiError` (429) where it were too many in an hour."""
        quota_mb = self.quota.documents_mb if what == "documents" else self._recordings_mb
        most, units = quota_mb * 1_000, -(-size_bytes // _KB)
        spent = _Spent(f"KB of {what}", most, RateLimitItemPerHour, "in an hour: wait a while", _RETRY_LATER)
        await self._spend_of(self._holders(request), units, spent)

    async def spend_sign_in(self, request: web.Request, link_id: str | None) -> None:
        """Count a sign-in, by a link or else with a token. Raises `ApiError` (429): too many in a minute.

        A session is a row in the database. By a link a whole company may come at once from one address; with
        a token from one address come as many as one viewer may change things, and through a proxy, from
        where all come, as many as the guests of a link. Nobody who is in is kept from anything.
        """
        changes, together = self.quota.changes, self.quota.together
        place, through_proxy = self._place(request)
        most = {QuotaHolder("address", place): changes * together if through_proxy else changes}
        if link_id is not None:
            most = {QuotaHolder("link", link_id): changes * together}
            if not through_proxy:
                most[QuotaHolder("address", place)] = changes * together * 2
        what = "guests" if link_id is not None else "sign-ins"
        spent = _Spent(what, changes, RateLimitItemPerMinute, "in a minute: wait a little", _RETRY_SOON)
        await self._spend(most, 1, spent)

    async def _spend_of(self, holders: tuple[QuotaHolder, ...], units: int, spent: _Spent) -> None:
        together = self.quota.together
        most: dict[Whose, int] = {
            "own": spent.quota, "link": spent.quota * together, "address": spent.quota * together * 2,
        }  # fmt: skip
        await self._spend({holder: most[holder.whose] for holder in holders}, units, spent)

    async def _spend(self, most: Mapping[QuotaHolder, int], units: int, spent: _Spent) -> None:
        for holder, bound in most.items():
            limit = spent.per(bound)
            if units and not await self._rates.hit(limit, spent.what, holder.whose, holder.key, cost=units):
                raise ApiError(429, f"{holder.told(bound, spent.what)} {spent.mend}", headers=spent.retry)

    def _holders(self, request: web.Request) -> tuple[QuotaHolder, ...]:
        """Whom the viewer of this request is counted as; nobody: a program, a command, or not signed in."""
        viewer = request.get(VIEWER)
        if viewer is None or viewer.program or viewer.operator is not None:
            return ()
        own = QuotaHolder("own", _own_key(viewer))
        if viewer.person is not None:  # the proxy tells them apart, and has signed them in
            return (own,)
        place, through_proxy = self._place(request)
        counted = [own]
        if viewer.link_id is not None:
            counted.append(QuotaHolder("link", viewer.link_id))
        if not through_proxy or viewer.link_id is None:
            counted.append(QuotaHolder("address", place))
        return tuple(counted)

    def _place(self, request: web.Request) -> tuple[str, bool]:
        """Give from where a request comes, and whether that is a proxy, through which anybody comes."""
        place = place_of(request.remote)
        with suppress(ValueError):
            if any(ip_address(request.remote or "") in network for network in self._proxies):
                return "the pages' token", True
        return place, False


def _own_key(viewer: Viewer) -> str:
    if viewer.person is not None:
        return f"user {viewer.person}"
    return f"session {viewer.session_id}"


def limited(quotas: ViewerQuotas) -> Any:
    """Make the middleware that answers 429 to whoever sends too many requests in a minute."""

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        await quotas.spend_request(request)
        return await handler(request)

    return middleware
