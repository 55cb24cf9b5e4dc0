"""One message of each kind that the server sends, for tests that want all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

import msgspec

from gameserver.wire import messages as m


def sample(kind: Any) -> Any:
    """A value of a model's field type: the first word of a list, a short text, a small number, one of each part."""
    match kind:
        case msgspec.inspect.Metadata(type=inner):
            return sample(inner)
        case msgspec.inspect.UnionType(types=kinds):
            return sample(next(k for k in kinds if not isinstance(k, msgspec.inspect.NoneType)))
        case msgspec.inspect.IntType():
            return 7
        case msgspec.inspect.StrType():
            return "w\u00f6rd"
        case msgspec.inspect.BoolType():
            return True
        case msgspec.inspect.EnumType(cls=words):
            return next(iter(words))
        case msgspec.inspect.LiteralType(values=words):
            return words[0]
        case msgspec.inspect.ListType(item_type=item):
            return [sample(item)]
        case msgspec.inspect.DictType(value_type=value):
            return {"0": sample(value)}
        case msgspec.inspect.StructType(cls=cls, fields=fields):
            return cls(**{field.name: sample(field.type) for field in fields})
        case _:
            raise AssertionError(f"no sample of {type(kind).__name__}")


OUTBOUND: Final[tuple[type[m.ServerMessage], ...]] = get_args(m.Outbound)
NUMBERED: Final[tuple[type[m.NumberedFrame], ...]] = get_args(m.NumberedFrame)
SAMPLES: Final[Mapping[type, Any]] = {kind: sample(msgspec.inspect.type_info(kind)) for kind in OUTBOUND}
