"""From which address somebody comes."""

from __future__ import annotations

from typing import Any

import pytest

from gameserver.identity.addresses import Addresses

PROXIES = ("10.1.0.0/16", "2001:db8:ffff::/48")


def counted(client: Any) -> str | None:
    return Addresses(PROXIES).counted({"client": client})


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("10.2.0.1", "10.2.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_an_address_or_a_network_of_one_subscriber_is_counted(address: str, name: str) -> None:
    """An address of IPv4, however it is written; of IPv6 the network that its owner has all of."""
    assert counted((address, 4_000)) == name


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "10.1.2.3", "2001:db8:ffff::1"]
)
def test_this_machine_and_its_proxies_are_not_counted(address: str) -> None:
    """What comes from there without a client's address is many people's."""
    assert counted((address, 4_000)) is None


@pytest.mark.parametrize("client", [None, ("", 0), ("/run/railbird.sock", 0), ("testclient", 5), ("a.example", 1)])
def test_what_is_no_address_is_not_counted(client: Any) -> None:
    """A socket of the file system, or a server that names its peers in its own way."""
    assert counted(client) is None
    assert Addresses().counted({}) is None
