"""The address that a request comes from, as those are counted who may as well be one."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

_PLACE_BITS: Final = 64
"""The bits of an IPv6 address that one line or machine has in common: the others it draws as it likes."""


def place_of(remote: str | None) -> str:
    """Give the address that a request comes from; of IPv6 its network, which is one line's or machine's.

    An IPv4 address that is written as an IPv6 one counts as itself.
    """
    try:
        address = ip_address(remote or "")
    except ValueError:  # a Unix socket has none
        return remote or ""
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ip_network((int(address), _PLACE_BITS), strict=False))
