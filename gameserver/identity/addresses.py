"""From which network address somebody comes: what is counted of those who have proved nothing. It identifies nobody.

The address is the one of the ASGI scope. Behind a proxy that is the proxy's, unless the server takes the client's from what a trusted
proxy says (uvicorn's `forwarded_allow_ips`); it believes nobody else (test_only_a_trusted_proxy_says_for_whom_it_asks).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv6Address
from typing import Any, Final, TypeAlias

_Address: TypeAlias = IPv4Address | IPv6Address
_ONE_SUBSCRIBER_BITS: Final = 64
"""Of IPv6: whoever has one address has all of its network."""


class Addresses:
    """Which addresses count. `exempt`: networks of proxies: what comes from one without a client's address is many people's.

    Loopback is exempt, too: that is this machine, or a proxy on it (test_this_machine_and_its_proxies_are_not_counted).
    """

    def __init__(self, exempt: Iterable[str] = ()) -> None:
        self._exempt = [ipaddress.ip_network(network, strict=False) for network in exempt]

    def counted(self, scope: Mapping[str, Any]) -> str | None:
        """The name by which this connection is counted; None where it is not."""
        address = _address_of(scope)
        if address is None or address.is_loopback or any(address in network for network in self._exempt):
            return None
        if isinstance(address, IPv4Address):
            return str(address)
        return str(ipaddress.ip_network((int(address), _ONE_SUBSCRIBER_BITS), strict=False))


def _address_of(scope: Mapping[str, Any]) -> _Address | None:
    client = scope.get("client")
    try:
        address = ipaddress.ip_address(client[0]) if client else None
    except ValueError:  # a socket of the file system, or a server that names its peers otherwise
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
