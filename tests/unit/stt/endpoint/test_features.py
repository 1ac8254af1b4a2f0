"""An optional feature is given up when its endpoint refuses it, and tried again after an hour."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from context.ports import PortError, Refused, Unavailable
from stt.endpoint.optional_features import AGAIN_S, Feature, OptionalFeatures
from stt.endpoint.refusals import Named

NAMED = Named("the server", "LLM")
ALL = {"rename", "small", "large"}
FEATURES = (
    Feature("rename", "newer_name", only_named=True),
    Feature("small", "small_thing"),
    Feature("large", "large_thing"),
)


class Server:
    """Refuses some features, with a status and a text; remembers what it was asked for."""

    def __init__(self, *refuses: str, status: int = 400, says: str = "no") -> None:
        self.refuses, self.status, self.says = set(refuses), status, says
        self.asked: list[frozenset[str]] = []
        self.away: int = 0
        """The status of what is asked for in the plainest form."""

    async def __call__(self, features: frozenset[str]) -> str:
        self.asked.append(features)
        if features & self.refuses:
            raise NAMED.of_status(self.status, {"error": {"message": self.says}})
        if self.away:
            raise NAMED.of_status(self.away, {})
        return "answer"


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def features(clock: Callable[[], float]) -> OptionalFeatures:
    return OptionalFeatures(*FEATURES, clock=clock)


@pytest.mark.parametrize("status", [400, 404, 405, 406, 415, 422, 500, 501, 505])
async def test_what_is_refused_is_given_up_and_the_next_call_knows(
    features: OptionalFeatures, status: int
) -> None:
    server = Server("small", status=status)
    assert [await features.ask(ALL, server) for _ in range(2)] == ["answer", "answer"]
    assert server.asked == [ALL, {"rename", "large"}, {"rename", "large"}]
    assert features.given_up == {"small": f"{status} no"}


async def test_the_feature_that_the_refusal_names_goes_first(features: OptionalFeatures) -> None:
    server = Server("large", says="Unsupported: large_thing")
    await features.ask(ALL, server)
    assert server.asked == [ALL, {"rename", "small"}]


async def test_one_that_must_be_named_is_kept_while_it_is_not(features: OptionalFeatures) -> None:
    server = Server("rename", says="Unsupported: use newer_name")
    await features.ask(ALL, server)
    assert server.asked == [ALL, {"small", "large"}]
    with pytest.raises(Refused):
        await OptionalFeatures(*FEATURES).ask(ALL, Server("rename"))


async def test_an_hour_later_it_is_tried_again(features: OptionalFeatures, clock: Clock) -> None:
    server = Server("small", status=501)
    await features.ask(ALL, server)
    server.refuses.clear()
    clock.now_s = AGAIN_S - 1
    await features.ask(ALL, server)
    clock.now_s = AGAIN_S
    await features.ask(ALL, server)
    assert server.asked[2:] == [{"rename", "large"}, ALL]
    assert features.given_up == {}


@pytest.mark.parametrize(
    ("status", "error"), [(400, Refused), (404, Refused), (422, Refused), (500, Unavailable)]
)
async def test_where_the_plainest_form_is_refused_too_nothing_is_given_up(
    features: OptionalFeatures, status: int, error: type[PortError]
) -> None:
    server = Server(*ALL, status=status)
    server.away = status
    with pytest.raises(error):
        await features.ask(ALL, server)
    assert len(server.asked) == 3
    assert features.given_up == {}


async def test_an_endpoint_that_is_down_is_not_asked_for_plainer_forms_for_a_minute(
    features: OptionalFeatures, clock: Clock
) -> None:
    server = Server(*ALL, status=500)
    server.away = 500
    for asked, now_s in ((3, 0.0), (4, 1.0), (5, 59.0), (8, 60.0)):
        clock.now_s = now_s
        with pytest.raises(Unavailable):
            await features.ask(ALL, server)
        assert len(server.asked) == asked
    server.refuses, server.away = {"small"}, 0
    clock.now_s = 120.0
    assert await features.ask(ALL, server) == "answer"


@pytest.mark.parametrize(("status", "kept"), [(400, {"small"}), (500, set())])
async def test_after_a_refusal_it_is_given_up_even_if_the_server_goes_away_then(
    features: OptionalFeatures, status: int, kept: set[str]
) -> None:
    server = Server("small", status=status)
    server.away = 503
    with pytest.raises(Unavailable):
        await features.ask(ALL, server)
    assert set(features.given_up) == kept


@pytest.mark.parametrize("status", [401, 403, 408, 409, 413, 429, 502, 503, 504])
async def test_what_is_about_no_feature_is_asked_once(features: OptionalFeatures, status: int) -> None:
    server = Server()
    server.away = status
    with pytest.raises(PortError):
        await features.ask(ALL, server)
    assert len(server.asked) == 1


async def test_a_server_that_repeats_the_key_puts_it_into_no_reason(features: OptionalFeatures) -> None:
    named = Named("the server", "LLM", "very-secret")

    async def attempt(asked: frozenset[str]) -> str:
        if "small" in asked:
            raise named.of_status(400, {"error": {"message": "you sent very-secret and sk-another"}})
        return "answer"

    await features.ask(ALL, attempt)
    assert features.given_up == {"small": "400 you sent … and sk-…"}


async def test_a_prompt_that_is_too_long_is_about_no_feature(features: OptionalFeatures) -> None:
    async def too_long(_features: frozenset[str]) -> str:
        raise NAMED.of_status(400, {"error": {"message": "too long", "code": "context_length_exceeded"}})

    with pytest.raises(Refused):
        await features.ask(ALL, too_long)
    assert features.given_up == {}
