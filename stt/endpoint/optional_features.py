"""Which optional features an endpoint is asked for, and until when one that it refused is not.

A request is made in its fullest form. After a refusal (4xx) the next plainer form is tried at once, and what
was left out is not asked for again for an hour; after a failure (5xx) likewise, but it is given up only
when the plainer form then succeeds. Where the plainest form is refused as well, no feature was at fault, and
none is given up. Where it fails as well, the endpoint is down, and for a minute it gets no plainer requests
beside the first: one in trouble is not to have four for one. What the way to a server says (502, 503, 504),
or its doorkeeper (401, 403, 429), is about no feature.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Final, TypeVar

import structlog

from stt.endpoint.refusals import EndpointError, EndpointRefused, EndpointUnavailable

log = structlog.get_logger(__name__)

AGAIN_S: Final = 3600.0
"""A feature that was given up is tried again after this."""
_DOWN_S: Final = 60.0
_REFUSALS: Final = frozenset({400, 404, 405, 406, 415, 422})
_FAILURES: Final = frozenset({500, 501, 505})
_NOT_THE_FEATURE: Final = frozenset({
    "context_length_exceeded", "model_not_found", "invalid_api_key", "content_filter", "insufficient_quota",
    "40003", "40005", "40080", "40082", "40083",
})  # fmt: skip
"""Codes of refusals that are about no feature; the numbers are CLOVA Studio's."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that a request may do without."""

    name: str
    words: str
    """What a server writes that refuses it: a regular expression."""
    only_named: bool = False
    """Whether it is left out only where the refusal names it."""


class OptionalFeatures:
    """The features of one endpoint; those that matter least come first."""

    def __init__(self, *features: Feature, clock: Callable[[], float] = time.monotonic) -> None:
        self._features, self._clock = features, clock
        self._again_at_s: dict[str, float] = {}
        self._why: dict[str, str] = {}
        self._down_until_s = float("-inf")

    @property
    def given_up(self) -> dict[str, str]:
        """What is not asked for at present, and what the endpoint said to it."""
        return {name: self._why[name] for name in self._again_at_s if not self._has(name)}

    async def ask(self, wanted: Collection[str], attempt: Callable[[frozenset[str]], Awaitable[T]]) -> T:
        """The result of `attempt` with those `wanted` features that the endpoint takes.

        Raises what the plainest form was refused with; after a failure (5xx), that of the fullest.
        """
        asked = [feature for feature in self._features if feature.name in wanted and self._has(feature.name)]
        left_out: dict[str, EndpointError] = {}
        while True:
            try:
                result = await attempt(frozenset(feature.name for feature in asked))
            except (EndpointRefused, EndpointUnavailable) as error:
                if (feature := self._at_fault(asked, error)) is not None:
                    asked.remove(feature)
                    left_out[feature.name] = error
                    continue
                if not _about_request(error):  # it is away now; what it refused before it did refuse
                    self._give_up({k: e for k, e in left_out.items() if isinstance(e, EndpointRefused)})
                if left_out and error.status in _FAILURES:
                    self._down_until_s = self._clock() + _DOWN_S
                first = next(iter(left_out.values()), error)
                raise (first if isinstance(first, EndpointUnavailable) else error) from error.__cause__
            self._give_up(left_out)
            self._down_until_s = float("-inf")
            return result

    def _at_fault(self, asked: list[Feature], error: EndpointError) -> Feature | None:
        """The feature to do without next: the one that the error names, else the least; None: no feature."""
        if not _about_request(error) or (error.status in _FAILURES and self._clock() < self._down_until_s):
            return None
        named = (feature for feature in asked if re.search(feature.words, error.said))
        return next(named, None) or next((feature for feature in asked if not feature.only_named), None)

    def _has(self, name: str) -> bool:
        return self._clock() >= self._again_at_s.get(name, float("-inf"))

    def _give_up(self, features: dict[str, EndpointError]) -> None:
        for name, error in features.items():
            self._again_at_s[name] = self._clock() + AGAIN_S
            self._why[name] = f"{error.status} {error.said}".strip()
            log.info("endpoint_feature_given_up", feature=name, status=error.status)


def _about_request(error: EndpointError) -> bool:
    return error.status in _REFUSALS | _FAILURES and error.code not in _NOT_THE_FEATURE
