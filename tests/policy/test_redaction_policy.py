"""What a rule names does not enter a record, whatever shape it has; a mark says so, and nothing else is lost."""

from __future__ import annotations

import copy
import hashlib
import hmac
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy import redaction_policy
from policy.errors import PolicyRefusal, RefusalCode
from policy.redaction_policy import MOST_LEVELS, Drop, Hash, JsonObject, Rule, Truncate

KEY = b"k" * 16
SECRET = "s3cret-Token"
ODD = {"redacted": "drop", "rule": "(not JSON)"}

RULES: dict[str, Rule] = {"drop": Drop("at"), "hash": Hash("at"), "cut": Truncate("at", keep=3)}
SHAPES: dict[str, object] = {
    "text": SECRET, "number": 4, "real": 0.5, "flag": True, "null": None, "list": [SECRET], "object": {"a": SECRET},
    "pair": (SECRET, 1), "bytes": SECRET.encode(), "deep_odd": {"a": [object()]},
}  # fmt: skip
TRUTH = """
shape     none    drop  hash  cut
text      kept    drop  hash  truncate
number    kept    drop  hash  drop
real      kept    drop  hash  drop
flag      kept    drop  hash  drop
null      kept    drop  hash  drop
list      kept    drop  hash  drop
object    kept    drop  hash  drop
pair      listed  drop  hash  drop
bytes     odd     drop  drop  drop
deep_odd  within  drop  drop  drop
"""
CASES = [
    (shape, rule, answer)
    for shape, *answers in (line.split() for line in TRUTH.strip().splitlines()[1:])
    for rule, answer in zip(("none", *RULES), answers, strict=True)
]


def redact(record: Any, *rules: Rule, key: bytes = KEY) -> JsonObject:
    return redaction_policy.redact_for_record(record=record, rules=rules, hash_key=key)


def test_the_redaction_table_is_whole() -> None:
    """Every shape with every rule, and with none, has an entry."""
    assert len(CASES) == len(set(CASES)) == len(SHAPES) * (len(RULES) + 1)


@pytest.mark.parametrize(("shape", "rule", "answer"), CASES)
def test_the_redaction_table(shape: str, rule: str, answer: str) -> None:
    """A value of this shape under this rule is what its entry says, and its neighbour is kept."""
    value = SHAPES[shape]
    redacted = redact({"at": value, "by": "x"}, *([RULES[rule]] if rule in RULES else []))
    assert list(redacted) == ["at", "by"] and redacted["by"] == "x"
    unmarked = {"kept": value, "listed": [SECRET, 1], "odd": ODD, "within": {"a": [ODD]}}
    if answer in unmarked:
        assert redacted["at"] == unmarked[answer]
        return
    mark = redacted["at"]
    assert isinstance(mark, dict)
    assert (mark.pop("redacted"), mark.pop("rule")) == (answer, "at")
    assert mark == {"drop": {}, "hash": {"hash": mark.get("hash")}, "truncate": {"kept": "s3c", "length": 12}}[answer]


@pytest.mark.parametrize(
    ("path", "places"),
    [
        ("headers.authorization", ["Headers.Authorization"]),
        ("HEADERS.AUTHORIZATION", ["Headers.Authorization"]),
        ("messages.*.agentToken", ["messages.0.agentToken", "messages.1.agentToken"]),
        ("messages.1.agentToken", ["messages.1.agentToken"]),
        ("*.0", ["messages.0"]),
        ("headers", ["Headers"]),
        ("headers.*", ["Headers.Authorization", "Headers.x.key"]),
        ("headers.x.key", ["Headers.x.key"]),
        ("headers.x", []),
        ("headers.authorization.more", []),
        ("authorization", []),
    ],
)
def test_a_path_leads_to_its_places(path: str, places: list[str]) -> None:
    """By names in any case, by indexes and by `*`; a name with a dot in it is met too; nothing else changes."""
    record = {"Headers": {"Authorization": 1, "x.key": 2}, "messages": [{"agentToken": 3}, {"agentToken": 4}]}
    mark: Any = {"redacted": "drop", "rule": path}
    expected: dict[str, Any] = copy.deepcopy(record)
    for place in places:
        inner: Any = expected
        *way, last = place.replace("x.key", "x-key").split(".")
        for name in way:
            inner = inner[int(name) if name.isdigit() else name]
        inner[int(last) if last.isdigit() else last.replace("x-key", "x.key")] = mark
    assert redact(record, Drop(path)) == expected


def test_the_strictest_rule_fires() -> None:
    """In whatever order the rules stand."""
    rules: list[Rule] = [Truncate("a", keep=9), Hash("a"), Drop("*")]
    assert (
        redact({"a": SECRET}, *rules) == redact({"a": SECRET}, *rules[::-1]) == {"a": {"redacted": "drop", "rule": "*"}}
    )
    mark = redact({"a": SECRET}, *rules[:2])["a"]
    assert isinstance(mark, dict) and mark["redacted"] == "hash"


def test_a_rule_for_what_encloses_goes_first() -> None:
    """Nothing is left inside for the other one."""
    assert redact({"a": {"b": "long"}}, Truncate("a.b", keep=1), Drop("a")) == {"a": {"redacted": "drop", "rule": "a"}}


def hash_of(value: object, *, path: str = "a", key: bytes = KEY) -> object:
    mark = redact({path: value}, Hash(path), key=key)[path]
    assert isinstance(mark, dict)
    return mark["hash"]


def test_equal_values_have_equal_hashes_under_one_key() -> None:
    """Wherever they stand and however their members are ordered; other values and other keys have others."""
    assert hash_of({"x": 1, "y": 2}) == hash_of({"y": 2, "x": 1}, path="b")
    assert len({hash_of("1"), hash_of(1), hash_of(True), hash_of(None), hash_of("1", key=b"other" * 4)}) == 5


def test_the_hash_is_that_of_its_description() -> None:
    """HMAC-SHA256 over a prefix of its own and canonical JSON in ASCII: another program can compare."""
    text = b'railbird.redaction.hash.v1\x00{"a":[1,null],"b":"\\u00e9"}'
    assert hash_of({"b": "é", "a": (1, None)}) == hmac.new(KEY, text, hashlib.sha256).hexdigest()


@pytest.mark.parametrize("keep", [0, 3, 12, 99])
def test_a_cut_text_tells_its_length(keep: int) -> None:
    """The head and the full length in characters, with a text that is shorter than the cut too."""
    mark = {"redacted": "truncate", "rule": "a", "kept": SECRET[:keep], "length": len(SECRET)}
    assert redact({"a": SECRET}, Truncate("a", keep=keep)) == {"a": mark}


class Text(str):
    """A text with a print of its own."""


@pytest.mark.parametrize(
    "odd",
    [object(), b"x", {1}, float("nan"), float("inf"), 1 << 1024, Text("x"), {1: "x"}, {"a": 1, None: 2}],
    ids=lambda odd: type(odd).__name__,
)
def test_what_is_no_json_is_dropped(odd: object) -> None:
    """In whole, at its place, and as a whole record too; what surrounds it is kept."""
    assert redact({"a": odd, "b": [odd, 1]}) == {"a": ODD, "b": [ODD, 1]}
    assert redact(odd) == ODD


@pytest.mark.parametrize("record", [None, "text", 1, [1]])
def test_a_record_that_is_no_object_is_dropped(record: object) -> None:
    """A record has names."""
    assert redact(record) == ODD


def test_the_greatest_number_is_kept() -> None:
    """Up to 1024 bits."""
    assert redact({"a": (1 << 1024) - 1}) == {"a": (1 << 1024) - 1}


@pytest.mark.parametrize("as_list", [True, False])
def test_a_record_that_holds_itself_ends(as_list: bool) -> None:
    """At the greatest depth there is a mark, and the same without a circle."""
    circle: dict[str, Any] = {}
    circle["a"] = [circle] if as_list else circle
    for rules in ((), (Hash("*.x"),)):
        text = json.dumps(redact(circle, *rules))
        assert text.count("(too deep)") == 1 and text.count("{") + text.count("[") == MOST_LEVELS + 1
    lists: list[Any] = []
    lists.append(lists)
    assert json.dumps(redact({"a": lists})).count("[") == MOST_LEVELS - 1
    assert redact({"a": circle}, Hash("a")) == {"a": {"redacted": "drop", "rule": "a"}}


@pytest.mark.parametrize(
    ("rule", "key", "why"),
    [
        (Drop(""), KEY, "a rule's path has names with dots between them"),
        (Hash("a..b"), KEY, "a rule's path has names with dots between them"),
        (Truncate("a.", keep=1), KEY, "a rule's path has names with dots between them"),
        (Truncate("a", keep=-1), KEY, "a text is cut to 0 characters or more"),
        ("a", KEY, "a rule drops, hashes or truncates"),
        (Drop("a"), b"k" * 15, "a hash key has at least 16 bytes"),
        (Drop("a"), b"", "a hash key has at least 16 bytes"),
    ],
)
def test_a_rule_or_key_that_would_redact_nothing_is_refused(rule: Any, key: bytes, why: str) -> None:
    """An error in the setting stops the writer, whatever the record is; the words repeat nothing of it."""
    with pytest.raises(PolicyRefusal) as refused:
        redact({"a": SECRET}, rule, key=key)
    assert (refused.value.code, refused.value.why) == (RefusalCode.BAD_VALUE, why)


def test_a_rule_outside_the_closed_list_redacts_nothing_by_accident() -> None:
    """Behind the check stands the match, which has no other way out."""
    walk = redaction_policy._Walk((), KEY)
    unknown: Any = "a"
    with pytest.raises(AssertionError, match="unreachable"):
        walk._redacted(SECRET, unknown)


def test_a_header_that_is_not_on_the_list_has_no_value() -> None:
    """Its name is kept, in its order and as often as it came; names are compared in any case."""
    unlisted = {"redacted": "drop", "rule": "(header not on the list)"}
    headers: list[Any] = [
        ("Date", "now"), ("Authorization", SECRET), ("DATE", "then"), ("x-new-key", SECRET),
        ("\u212aey", SECRET), ("date", SECRET.encode()), (b"date", SECRET), ("date ", SECRET),
    ]  # fmt: skip
    assert redaction_policy.keep_known_headers(headers=headers, allowed={"dAte", "key"}) == (
        ("Date", "now"), ("Authorization", unlisted), ("DATE", "then"), ("x-new-key", unlisted),
        ("\u212aey", unlisted), ("date", ODD), ("(not JSON)", ODD), ("date ", unlisted),
    )  # fmt: skip


def test_an_empty_list_of_headers_allows_none() -> None:
    """The default is nothing."""
    kept = redaction_policy.keep_known_headers(headers=[("date", SECRET)], allowed=frozenset())
    assert SECRET not in str(kept) and [name for name, _ in kept] == ["date"]


NAMES = st.text("abAB.*é", min_size=1, max_size=3)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text("abAB "),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
SIMPLE_NAMES = st.text("abcAB", min_size=1, max_size=3)
STEPS = st.lists(st.tuples(SIMPLE_NAMES | st.integers(0, 2), st.booleans(), JSON), max_size=4)


@given(SIMPLE_NAMES, STEPS, st.sampled_from([Drop, Hash, Truncate]), st.sampled_from([SECRET, [SECRET], {"z": SECRET}]))
def test_no_planted_secret_is_in_the_result(first: str, steps: Any, kind: Any, planted: object) -> None:
    """However deep it stands, among whatever else, with names or `*`; the record is as before, and once more is safe."""
    value = planted
    path: list[str] = []
    for name, starred, sibling in reversed(steps):
        path.insert(0, "*" if starred else str(name).swapcase())
        value = [sibling] * name + [value] if isinstance(name, int) else {"sibling": sibling, name: value}
    record = {first: value}
    before = copy.deepcopy(record)
    way = ".".join([first.swapcase(), *path])
    rule = Truncate(way, keep=0) if kind is Truncate else kind(way)
    once = redact(record, rule)
    twice = redact(once, rule)
    assert record == before
    for result in (once, twice):
        assert SECRET not in json.dumps(result) and json.dumps(way) in json.dumps(result)
    assert kind is not Drop or once == twice


@given(st.dictionaries(NAMES, JSON))
def test_without_a_rule_a_record_is_copied(record: dict[str, Any]) -> None:
    """Nothing is lost that no rule names, and no part of the result is the record's own."""
    result = redact(record)
    assert result == record and result is not record
    assert all(result[name] is not member for name, member in record.items() if isinstance(member, dict | list))
