"""A prompt is its two parts and nothing else, and its fingerprint says whether it is whole."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.envelope import EnvelopeHasher, Fingerprint, fingerprint_of, hash_of, join
from capture.record import Prompt


@pytest.mark.parametrize(
    ("envelope", "remainder", "whole"),
    [(b"a", b"b", b"a\nb"), (b"a", b"", b"a"), (b"", b"b", b"\nb"), (b"", b"", b""), (b"a\n", b"\nb", b"a\n\n\nb")],
)
def test_the_golden_rule_of_joining(envelope: bytes, remainder: bytes, whole: bytes) -> None:
    """A line feed stands between the parts, and none where there is no remainder."""
    assert join(envelope, remainder) == whole


def test_an_envelope_is_known_by_its_sha256() -> None:
    """Another program finds it, too."""
    assert hash_of(b"a") == hashlib.sha256(b"a").digest() != hash_of(b"b")


@given(st.lists(st.tuples(st.sampled_from([b"", b"e", b"other"]) | st.binary(), st.binary()), max_size=9))
def test_the_hasher_says_what_hashing_everything_says(prompts: list[tuple[bytes, bytes]]) -> None:
    """Also when it forgets envelopes, as it remembers only two here."""
    hasher = EnvelopeHasher(most_known=2)
    for envelope, remainder in prompts:
        whole = join(envelope, remainder)
        assert hasher.hash(Prompt(envelope, remainder)) == (hash_of(envelope), fingerprint_of(whole))
        assert fingerprint_of(whole) == Fingerprint(hashlib.sha256(whole).digest(), len(whole))
