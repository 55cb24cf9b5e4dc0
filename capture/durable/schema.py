"""The durable tables, in SQLAlchemy Core, alike on SQLite and Postgres. The host's migrations make them.

Times are microseconds since 1970 UTC. What must come back byte for byte is a LargeBinary. No row refers to a row of another:
a record outlives what it is about.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, Integer, LargeBinary, MetaData, Table, Text

from capture.durable.columns import AnyText, ExactUsd

metadata: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

charges: Final = Table(
    "agent_inference_charges",
    metadata,
    Column("agent_id", AnyText, primary_key=True),
    Column("table_id", AnyText, primary_key=True),
    Column("hand_number", BigInteger, primary_key=True, autoincrement=False),
    Column("action_index", BigInteger, primary_key=True, autoincrement=False),
    Column("agent_version_id", AnyText),
    Column("outcome", Text, nullable=False),
    Column("reason", AnyText, comment="why the agent fell back"),
    Column("provider", AnyText, comment="of the deciding call, else of the last"),
    Column("model", AnyText),
    Column("calls", Integer, nullable=False),
    Column("unpriced_calls", Integer, nullable=False, comment="calls whose cost is not known and not in cost_usd"),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_usd", ExactUsd, nullable=False),
    Column("latency_ms", BigInteger, nullable=False),
    Column("at_us", BigInteger, nullable=False),
    CheckConstraint("outcome IN ('decided', 'fallback')", name="outcome"),
    CheckConstraint("(outcome = 'fallback') = (reason IS NOT NULL)", name="reason_of_a_fallback"),
    Index("ix_agent_inference_charges_hand", "table_id", "hand_number"),
    Index("ix_agent_inference_charges_at_us", "at_us"),
    Index("ix_agent_inference_charges_agent_at_us", "agent_id", "at_us"),
)

calls: Final = Table(
    "agent_inference_calls",
    metadata,
    Column("agent_id", AnyText, primary_key=True),
    Column("table_id", AnyText, primary_key=True),
    Column("hand_number", BigInteger, primary_key=True, autoincrement=False),
    Column("action_index", BigInteger, primary_key=True, autoincrement=False),
    Column("attempt", Integer, primary_key=True, autoincrement=False, comment="counts all calls of a turn from 0"),
    Column("purpose", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("provider", AnyText, nullable=False),
    Column("model", AnyText, nullable=False),
    Column("input_tokens", BigInteger, comment="null: the provider did not say"),
    Column("output_tokens", BigInteger),
    Column("cost_usd", ExactUsd, comment="null: the price is not known"),
    Column("latency_ms", BigInteger, nullable=False),
)

records: Final = Table(
    "agent_call_records",
    metadata,
    Column("table_id", AnyText, primary_key=True),
    Column("hand_number", BigInteger, primary_key=True, autoincrement=False),
    Column("agent_id", AnyText, primary_key=True),
    Column("action_index", BigInteger, primary_key=True, autoincrement=False),
    Column("agent_version_id", AnyText),
    Column("captured_at_us", BigInteger, nullable=False),
    Column("pinned_at_us", BigInteger, nullable=False),
    Column("record", LargeBinary, nullable=False, comment="capture.transcript, with its envelopes"),
    Column("prompt_sha256", LargeBinary, comment="of the whole prompt when it was captured; null: it is missing"),
    Column("prompt_bytes", BigInteger),
    Column("missing_parts", Integer, nullable=False, comment="parts that were captured and are not in the record"),
    Index("ix_agent_call_records_agent_id", "agent_id"),
    Index("ix_agent_call_records_pinned_at_us", "pinned_at_us"),
)

erasures: Final = Table(
    "agent_call_erasures",
    metadata,
    Column("agent_id", AnyText, primary_key=True),
    Column("table_id", AnyText, primary_key=True),
    Column("hand_number", BigInteger, primary_key=True, autoincrement=False),
    Column("at_us", BigInteger, nullable=False, comment="its owner deleted all turns of before"),
)
