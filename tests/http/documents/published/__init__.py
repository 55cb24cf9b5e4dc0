"""Schemas that others have published, as validators."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft7Validator, Draft202012Validator

_HERE: Final = Path(__file__).parent


def faults(name: str, document: Any) -> list[str]:
    """What a published schema has against a document: where, and what."""
    schema = json.loads((_HERE / f"{name}.json").read_text(encoding="utf-8"))
    validator = {"asyncapi-3.0.0": Draft7Validator, "openapi-3.1": Draft202012Validator}[name](schema)
    return [f"{list(fault.path)}: {fault.message[:200]}" for fault in validator.iter_errors(document)]
