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
    deep = json.dumps(redact({"a": lists}))
    assert deep.count("[") == MOST_LEVELS - 1 and deep.count("(too deep)") == 1
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
    walk = redaction_policy._Walk(KEY)
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


def redact_text(text: bytes, *rules: Rule, place: str = "at", key: bytes = KEY) -> bytes:
    return redaction_policy.redact_text_for_record(text=text, place=place, rules=rules, hash_key=key)


DROP = '{"redacted":"drop","rule":"%s"}'
TEXTS = [
    # text, paths of the rules, what is recorded at `at`; None: byte for byte
    ('{"b": 1}', [], None),
    ('{"b": 1}', ["at.a"], None),
    ('{"b": 1}', ["b"], None),
    ('{"b": 1}', ["in.b"], None),
    ('{"a": 1,"b":2}', ["at.a"], '{"a":' + DROP % "at.a" + ',"b":2}'),
    ('{"A": 1}', ["AT.a"], '{"A":' + DROP % "AT.a" + "}"),
    ('{"a": 1}', ["At.A"], '{"a":' + DROP % "At.A" + "}"),
    ('{"\\u0061": 1}', ["at.a"], '{"a":' + DROP % "at.a" + "}"),
    ('{"\u212a": 1}', ["at.k"], '{"\\u212a":' + DROP % "at.k" + "}"),
    ('{"é": "ü"}', ["at.é"], '{"\\u00e9":' + DROP % "at.é" + "}"),
    ('{"é": "ü"}', ["at.a"], None),
    ('{"x.y": 1}', ["at.x.y"], '{"x.y":' + DROP % "at.x.y" + "}"),
    ('{"x":{"y": 1}}', ["at.x.y"], '{"x":{"y":' + DROP % "at.x.y" + "}}"),
    ('{"x": 1}', ["at.x.y"], None),
    ('{"y": 1}', ["at.x.y"], None),
    ('{"2": 1}', ["at.2"], '{"2":' + DROP % "at.2" + "}"),
    ("[0, 1]", ["at.1"], "[0," + DROP % "at.1" + "]"),
    ('[{"a": 0}]', ["at.0.a"], '[{"a":' + DROP % "at.0.a" + "}]"),
    ("[7]", ["*.*"], "[" + DROP % "*.*" + "]"),
    ("[7]", ["at"], DROP % "at"),
    ("[7]", ["*"], DROP % "*"),
    ('{"a": 1, "a": {"redacted":"drop","rule":"at.a"}}', ["at.a"], '{"a":' + DROP % "at.a" + "}"),
    ('{"": {"a": 1}}', ["at.a"], '{"":{"a":1}}'),
    ('{"*.a": 1}', ["at.*.a"], '{"*.a":' + DROP % "at.*.a" + "}"),
    ('{"longer": 1}', ["at.other", "at.longer"], '{"longer":' + DROP % "at.longer" + "}"),
    ('{"other": 1}', ["at.other", "at.longer"], '{"other":' + DROP % "at.other" + "}"),
    ('{"token": 1, "mine": 2}', ["at.agentToken", "at.token"], '{"token":' + DROP % "at.token" + ',"mine":2}'),
    ('{"agentToken": 1}', ["at.token", "at.agentToken"], '{"agentToken":' + DROP % "at.agentToken" + "}"),
    ('{"a":{"b": 1}}', ["at.b.a", "at.a.b"], '{"a":{"b":' + DROP % "at.a.b" + "}}"),
    ('{"b":{"a": 1}}', ["at.a.b", "at.b.a"], '{"b":{"a":' + DROP % "at.b.a" + "}}"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "paths", "recorded"), TEXTS)
def test_the_table_of_redacted_texts(text: str, paths: list[str], recorded: str | None) -> None:
    """A rule fires in a text where it fires in a record; where none can, the text is as it was, its spaces too."""
    redacted = redact_text(text.encode(), *map(Drop, paths))
    if recorded is None:
        assert redacted == text.encode()
    else:
        assert redacted.isascii() and json.loads(redacted) == json.loads(recorded)


@pytest.mark.parametrize(
    "text",
    [b"a", b'{"a": ', b'{"a": NaN}', b'{"a": 1}\xff', b'{"a":' * 100_000, b'{"a":' + b"9" * 5_000 + b"}", b"\xff\xfea"],
    ids=["word", "cut", "not a number", "no UTF-8", "deep", "digits", "no text"],
)
def test_a_text_that_is_no_json_is_dropped_where_a_rule_could_fire(text: bytes) -> None:
    """Or it holds a mark where it is none; it never raises, and where no rule can fire nobody reads it."""
    redacted = redact_text(text, Drop("at.a"), Drop("at.a.a"))
    assert json.loads(redacted) in (ODD, {"a": {"redacted": "drop", "rule": "at.a"}})
    assert redact_text(text, Drop("by.a")) == text
    if b"\xff" not in text:
        assert redact_text(text, Drop("at.other")) == text


def test_a_text_that_only_speaks_of_a_name_stays_as_it_is() -> None:
    """A word in a sentence is no name: what somebody said is recorded byte for byte."""
    text = '{"text": "My token.  The secret, the \\"password\\", was é", "a": 1}'.encode()
    assert redact_text(text, *map(Drop, ("at.token", "at.secret", "at.text.password", "at.a.b"))) == text


def test_a_text_that_is_written_anew_has_no_spaces() -> None:
    """And no letter outside of ASCII."""
    anew = b'{"a":{"redacted":"drop","rule":"at.a"},"b":["\\u00e9",1]}'
    assert redact_text('{"a": 1, "b": ["é", 1]}'.encode(), Drop("at.a")) == anew


def test_a_text_in_wide_letters_is_read() -> None:
    """JSON is known by its zeros where each letter has more than one byte, so a name is found in it too."""
    mark = {"token": {"redacted": "drop", "rule": "at.token"}}
    for letters in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"):
        assert json.loads(redact_text('{"token": "secret"}'.encode(letters), Drop("at.token"))) == mark


@pytest.mark.parametrize(("rule", "key"), [("a", KEY), (Drop(""), KEY), (Drop("a"), b"k" * 15)])
def test_a_rule_or_key_that_would_redact_nothing_is_refused_for_a_text_too(rule: Any, key: bytes) -> None:
    """Each time, and whether or not the rule could fire."""
    for _ in range(2):
        with pytest.raises(PolicyRefusal):
            redact_text(b"{}", rule, key=key)


PATHS = st.lists(st.sampled_from(["at", "*", "a", "b", "ab", "é", "0", "K", "x-y", "secret"]), min_size=1, max_size=4)
PLACES = st.sampled_from(["a", "A", "b", "ab", "a.b", "é", "É", "\u212a", "0", "x-y", "Secret", "s\u017fecret"])
NESTED = st.recursive(
    st.just(SECRET) | st.integers() | st.text("abé\u212a"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(PLACES, inner, max_size=3),
    max_leaves=8,
)


@given(NESTED, st.lists(st.tuples(PATHS, st.sampled_from([Drop, Hash])), max_size=4), st.booleans())
def test_a_text_is_redacted_as_a_record_is(value: object, rules: Any, ascii_only: bool) -> None:
    """Whatever the rules and however letters are written: reading a text only where a rule can fire leaves nothing out."""
    chosen = [kind(".".join(path)) for path, kind in rules]
    text = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert json.loads(redact_text(text, *chosen)) == redact({"at": value}, *chosen)["at"]


def test_what_is_remembered_of_rules_is_those_rules_own() -> None:
    """However many sets of rules there were, as tuples that are gone or as lists that change."""
    for n in range(600):
        assert b"drop" in redact_text(b'{"a%d": 1}' % n, Drop(f"at.a{n}"))
        assert redact_text(b'{"b": 1}', Drop(f"at.a{n}")) == b'{"b": 1}'
    rules: list[Rule] = []
    text = b'{"a": 1}'
    for _ in range(2):
        redacted = redaction_policy.redact_text_for_record(text=text, place="at", rules=rules, hash_key=KEY)
        assert (redacted == text) is (rules == [])
        rules.append(Drop("at.a"))
    both = (Drop("at.a"),)
    for place, fires in (("at", True), ("by", False), ("at", True)):
        redacted = redaction_policy.redact_text_for_record(text=text, place=place, rules=both, hash_key=KEY)
        assert (redacted != text) is fires
