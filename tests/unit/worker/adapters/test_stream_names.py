"""Keys in Redis: no two tenants share one, whatever they and their meetings are called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.config import ConfigError
from worker.adapters.redis_streams import StreamNames
from worker.configuration.settings import Settings

ODD = ["in", "ask:m", "m:in", "default:in:m", "dispatch", "a:in:b", "*", "모임", ""]
meetings = st.one_of(st.sampled_from(ODD), st.text(max_size=8))
tenants = st.one_of(
    st.sampled_from(["default", "a", "acme", "서울", "a.b", "in", "a:in", "reply"]), st.text(max_size=8)
)


def allowed(tenant: str) -> bool:
    try:
        Settings.from_env({"MOIM_TENANT": tenant})
    except ConfigError:
        return False
    return True


def keys(tenant: str, meeting_id: str) -> set[str]:
    names = StreamNames(tenant)
    kinds = ("in", "ask", "out", "seq")
    found = {names.of(kind, meeting_id) for kind in kinds}  # type: ignore[arg-type]  # a literal of `kinds`
    return found | {names.reply(meeting_id), names.dispatch}


@given(tenants, tenants, meetings, meetings)
def test_no_two_tenants_share_a_key(one: str, other: str, mine: str, theirs: str) -> None:
    if one == other or not allowed(one) or not allowed(other):
        return
    assert not keys(one, mine) & keys(other, theirs)
    assert not [key for key in keys(one, mine) if key.startswith(f"moim:{other}:")], (
        "nor fit each other's pattern"
    )


@pytest.mark.parametrize("name", ["a:in", "a b", "a*", "a?", "[a]", "a\\", "a\tb"])
def test_a_name_that_would_be_somebody_elses_key_stops_the_start(name: str) -> None:
    with pytest.raises(ConfigError, match="MOIM_TENANT"):
        Settings.from_env({"MOIM_TENANT": name})
