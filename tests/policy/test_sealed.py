"""A sealed value leaves by `open_sealed` and by nothing else: all printers say "<sealed>", all encoders refuse."""

from __future__ import annotations

import copy
import dataclasses
import io
import json
import logging
import marshal
import operator
import pickle
import pprint
import string
import traceback
from collections.abc import Callable
from typing import Any, cast

import jinja2
import msgspec
import pytest
import rich.console
import rich.pretty
import structlog

from policy.sealed import Sealed, SealedError, open_sealed

SECRET = "As-MARKER"

try:
    import yaml  # type: ignore[import-untyped]
except ImportError:  # no package of ours needs it; where it is installed it is one more way out to try
    yaml = None


@dataclasses.dataclass
class Carrier:
    seat: int
    card: Sealed[str]


class Message(msgspec.Struct):
    card: Sealed[str]


def printed(print_it: Callable[[Any, io.StringIO], object], value: object) -> str:
    out = io.StringIO()
    print_it(value, out)
    return out.getvalue()


def logged(value: object, out: io.StringIO) -> None:
    logger, handler = logging.getLogger("test_sealed"), logging.StreamHandler(out)
    logger.addHandler(handler)
    logger.warning("%s %r", value, value)
    logger.removeHandler(handler)


def explained(value: object, out: io.StringIO) -> None:
    rich.console.Console(file=out).print(rich.pretty.Pretty(value), value)


def structlogged(value: object, out: io.StringIO) -> None:
    out.write(str(structlog.processors.JSONRenderer()(None, "info", {"card": value})))
    out.write(str(structlog.dev.ConsoleRenderer()(None, "info", {"event": "e", "card": value})))


PRINTERS: dict[str, Callable[[Any, io.StringIO], object]] = {
    "str": lambda v, out: out.write(str(v)),
    "repr": lambda v, out: out.write(repr(v)),
    "f-string": lambda v, out: out.write(f"{v} {v!r} {v!s:>30} {v:>30}"),
    "format": lambda v, out: out.write("{:x} {!a}".format(v, v)),  # noqa: UP032  (the method is what is tested)
    "percent": lambda v, out: out.write("%s %r" % (v, v)),  # noqa: UP031
    "template": lambda v, out: out.write(string.Template("$v").substitute(v=v)),
    "print": lambda v, out: print(v, file=out),
    "pprint": lambda v, out: pprint.pprint(v, stream=out),
    "logging": logged,
    "rich": explained,
    "structlog": structlogged,
    "jinja2": lambda v, out: out.write(jinja2.Template("{{ v }} {{ v|e }}").render(v=v)),
    "json default=str": lambda v, out: out.write(json.dumps([v], default=str)),
    "json default=repr": lambda v, out: out.write(json.dumps([v], default=repr)),
    "exception": lambda v, out: out.write(repr(ValueError(v))),
}

REFUSERS: dict[str, Callable[[Any], object]] = {
    **{f"pickle {p}": lambda v, p=p: pickle.dumps(v, p) for p in range(pickle.HIGHEST_PROTOCOL + 1)},  # type: ignore[misc]
    "marshal": marshal.dumps,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "eq": lambda v: v == v,  # noqa: PLR0124
    "ne": lambda v: v != 1,
    "eq from the other side": lambda v: SECRET == v,  # noqa: SIM300
    "order": lambda v: v < v,  # noqa: PLR0124
    "hash": hash,
    "dict key": lambda v: {v: 1},
    "bool": bool,
    "len": len,
    "iter": iter,
    "bytes": bytes,
    "int": int,
    "json": json.dumps,
    "json default=vars": lambda v: json.dumps(v, default=vars),
    "msgspec json": msgspec.json.encode,
    "msgspec msgpack": msgspec.msgpack.encode,
    "msgspec to_builtins": msgspec.to_builtins,
    "msgspec struct": lambda v: msgspec.json.encode(Message(v)),
    "msgspec structs.asdict, then json": lambda v: json.dumps(msgspec.structs.asdict(Message(v))),
    "jinja2 tojson": lambda v: jinja2.Template("{{ v|tojson }}").render(v=v),
    "vars": vars,
    "__dict__": lambda v: v.__dict__,
    "asdict": dataclasses.asdict,
    "asdict of its holder": lambda v: dataclasses.asdict(Carrier(1, v)),
    "astuple of its holder": lambda v: dataclasses.astuple(Carrier(1, v)),
    "replace": lambda v: dataclasses.replace(v),
    "deepcopy of its holder": lambda v: copy.deepcopy({"a": [Carrier(1, v)]}),
    "getstate": lambda v: v.__getstate__(),
    "reduce": lambda v: v.__reduce__(),
    "set": lambda v: setattr(v, "_held", 1),
    "new attribute": lambda v: setattr(v, "x", 1),
    "delete": lambda v: delattr(v, "_held"),
    "its slot by name": lambda v: v._held,
    "its slot by getattr": operator.attrgetter(*Sealed.__slots__),
    "object's own getattr": lambda v: object.__getattribute__(v, "_held"),
    "subclass": lambda v: type("Open", (Sealed,), {}),
}
if yaml is not None:
    REFUSERS |= {"yaml": yaml.dump, "yaml safe": yaml.safe_dump}

ITS_OWN_REFUSALS = [
    *(f"pickle {p}" for p in range(pickle.HIGHEST_PROTOCOL + 1)),
    *("copy", "deepcopy", "eq", "ne", "hash", "bool", "getstate", "reduce", "asdict of its holder", "subclass"),
]


@pytest.mark.parametrize("name", PRINTERS)
def test_it_prints_as_sealed(name: str) -> None:
    """Whatever makes text of it, alone, in a list or in a dataclass, makes "<sealed>"."""
    for value in (Sealed(SECRET), Sealed[str](SECRET)):
        text = printed(PRINTERS[name], value)
        assert SECRET not in text
        assert "sealed>" in text.replace("&lt;", "<").replace("&gt;", ">")
    if name not in {"f-string", "format"}:  # a list takes no format spec
        assert SECRET not in printed(PRINTERS[name], [Sealed(SECRET)])
        assert SECRET not in printed(PRINTERS[name], Carrier(1, Sealed(SECRET)))


def test_it_prints_as_exactly_one_word() -> None:
    """No length and no type of the value shows."""
    assert str(Sealed("")) == repr(Sealed(["As"] * 9)) == f"{Sealed(1):>99}" == "<sealed>"


@pytest.mark.parametrize("name", REFUSERS)
def test_it_refuses(name: str) -> None:
    """Whatever copies, compares, orders, hashes, walks or encodes it gets an error without the value."""
    expected: tuple[type[Exception], ...] = (TypeError, AttributeError, ValueError)
    with pytest.raises(expected if yaml is None else (*expected, yaml.YAMLError)) as refused:
        REFUSERS[name](Sealed(SECRET))
    assert SECRET not in f"{refused.value!r}"


@pytest.mark.parametrize("name", ITS_OWN_REFUSALS)
def test_it_says_why(name: str) -> None:
    """Its own refusals are one error with one text."""
    with pytest.raises(SealedError, match=r"^a sealed value does not leave$"):
        REFUSERS[name](Sealed(SECRET))


@pytest.mark.parametrize("name", ["set", "new attribute", "delete"])
def test_it_cannot_be_changed(name: str) -> None:
    """Its value cannot be replaced under the eyes of a gate."""
    sealed = Sealed(SECRET)
    with pytest.raises(AttributeError, match=r"^a sealed value cannot be changed$"):
        REFUSERS[name](sealed)
    assert open_sealed(sealed) == SECRET


def test_nothing_that_walks_attributes_finds_it() -> None:
    """No attribute of it, and none of its class, is the value or leads to it."""
    sealed = Sealed(SECRET)
    found = [getattr(sealed, name, None) for name in [*dir(sealed), *Sealed.__slots__]]
    assert SECRET not in repr(found)
    assert not dataclasses.is_dataclass(sealed)
    assert not hasattr(sealed, "__dict__")


def test_a_traceback_with_its_locals_does_not_tell_it() -> None:
    """The frames of a refusal hold the sealed value and not what is in it."""
    sealed = Sealed(SECRET)
    try:
        hash(sealed)
    except SealedError as error:
        printed_frames = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert "<sealed>" in printed_frames
    assert SECRET not in printed_frames


def test_one_function_opens_it() -> None:
    """`open_sealed` gives back the very object, None included."""
    value = [SECRET]
    assert open_sealed(Sealed(value)) is value
    assert open_sealed(Sealed(None)) is None


def test_opening_anything_else_is_an_error_that_does_not_print_it() -> None:
    """An open value where a sealed one was expected is a TypeError without the value."""
    with pytest.raises(TypeError) as refused:
        open_sealed(cast("Sealed[str]", SECRET))
    assert SECRET not in str(refused.value)
