"""What agents' turns cost, and the turns that were kept; whose owner deleted which."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0005"
down_revision: Final = "0004"

USD: Final = sa.Numeric(38, 12).with_variant(sa.BigInteger(), "sqlite")


def upgrade() -> None:
    """The four tables of the record, and what is looked up in them."""
    _charges()
    _calls()
    _records()
    _erasures()


def _charges() -> None:
    name = "agent_inference_charges"
    op.create_table(
        name,
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("hand_number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("action_index", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("agent_version_id", sa.Text()),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), comment="why the agent fell back"),
        sa.Column("provider", sa.Text(), comment="of the deciding call, else of the last"),
        sa.Column("model", sa.Text()),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column(
            "unpriced_calls", sa.Integer(), nullable=False, comment="calls whose cost is not known and not in cost_usd"
        ),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_usd", USD, nullable=False),
        sa.Column("latency_ms", sa.BigInteger(), nullable=False),
        sa.Column("at_us", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("outcome IN ('decided', 'fallback')", name=f"ck_{name}_outcome"),
        sa.CheckConstraint("(outcome = 'fallback') = (reason IS NOT NULL)", name=f"ck_{name}_reason_of_a_fallback"),
        sa.PrimaryKeyConstraint("agent_id", "table_id", "hand_number", "action_index", name=f"pk_{name}"),
    )
    op.create_index(f"ix_{name}_hand", name, ["table_id", "hand_number"])
    op.create_index(f"ix_{name}_at_us", name, ["at_us"])
    op.create_index(f"ix_{name}_agent_at_us", name, ["agent_id", "at_us"])


def _calls() -> None:
    op.create_table(
        "agent_inference_calls",
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("hand_number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("action_index", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "attempt", sa.Integer(), autoincrement=False, nullable=False, comment="counts all calls of a turn from 0"
        ),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), comment="null: the provider did not say"),
        sa.Column("output_tokens", sa.BigInteger()),
        sa.Column("cost_usd", USD, comment="null: the price is not known"),
        sa.Column("latency_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(
            "agent_id", "table_id", "hand_number", "action_index", "attempt", name="pk_agent_inference_calls"
        ),
    )


def _records() -> None:
    name = "agent_call_records"
    op.create_table(
        name,
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("hand_number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("action_index", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("agent_version_id", sa.Text()),
        sa.Column("captured_at_us", sa.BigInteger(), nullable=False),
        sa.Column("pinned_at_us", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False, comment="capture.transcript, with its envelopes"),
        sa.Column(
            "prompt_sha256", sa.LargeBinary(), comment="of the whole prompt when it was captured; null: it is missing"
        ),
        sa.Column("prompt_bytes", sa.BigInteger()),
        sa.Column(
            "missing_parts", sa.Integer(), nullable=False, comment="parts that were captured and are not in the record"
        ),
        sa.PrimaryKeyConstraint("table_id", "hand_number", "agent_id", "action_index", name=f"pk_{name}"),
    )
    op.create_index(f"ix_{name}_agent_id", name, ["agent_id"])
    op.create_index(f"ix_{name}_pinned_at_us", name, ["pinned_at_us"])


def _erasures() -> None:
    op.create_table(
        "agent_call_erasures",
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("hand_number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at_us", sa.BigInteger(), nullable=False, comment="its owner deleted all turns of before"),
        sa.PrimaryKeyConstraint("agent_id", "table_id", "hand_number", name="pk_agent_call_erasures"),
    )
