"""Who is invited, what was revoked, notes that wait for their agent, and what operators did."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0004"
down_revision: Final = "0003"

COUNTED: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """The four tables; an audit row is written once."""
    _invitations()
    _revocations()
    _notes()
    _audit()
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE TRIGGER railbird_audit_final BEFORE UPDATE OR DELETE ON railbird_audit "
            "FOR EACH ROW EXECUTE FUNCTION railbird_refuse_change()"
        )
        return
    for change in ("update", "delete"):
        op.execute(
            f"CREATE TRIGGER railbird_audit_final_{change} BEFORE {change} ON railbird_audit "
            "BEGIN SELECT RAISE(ABORT, 'this row is final'); END"
        )


def _invitations() -> None:
    op.create_table(
        "railbird_invitations",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("invited_ms", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("length(user_id) BETWEEN 1 AND 300", name="ck_railbird_invitations_user_id"),
        sa.ForeignKeyConstraint(["table_id"], ["railbird_tables.table_id"], name="fk_railbird_invitations_table_id"),
        sa.PrimaryKeyConstraint("table_id", "user_id", name="pk_railbird_invitations"),
    )


def _revocations() -> None:
    op.create_table(
        "railbird_revocations",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("until_ms", sa.BigInteger(), nullable=False, comment="token: when it runs out; agent: issued until"),
        sa.CheckConstraint("kind IN ('token', 'agent')", name="ck_railbird_revocations_kind"),
        sa.CheckConstraint("length(name) BETWEEN 1 AND 300", name="ck_railbird_revocations_name"),
        sa.PrimaryKeyConstraint("kind", "name", name="pk_railbird_revocations"),
    )


def _notes() -> None:
    op.create_table(
        "railbird_notes",
        sa.Column("ordinal", COUNTED, nullable=False),
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("written_ms", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("length(text) BETWEEN 1 AND 20000", name="ck_railbird_notes_text"),
        sa.ForeignKeyConstraint(["agent_id"], ["railbird_agents.agent_id"], name="fk_railbird_notes_agent_id"),
        sa.PrimaryKeyConstraint("ordinal", name="pk_railbird_notes"),
    )
    op.create_index("ix_railbird_notes_agent_id", "railbird_notes", ["agent_id"])


def _audit() -> None:
    op.create_table(
        "railbird_audit",
        sa.Column("ordinal", COUNTED, nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("operator", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False, comment="what it was about, as JSON; no credential and no card"),
        sa.CheckConstraint("length(operator) BETWEEN 1 AND 300", name="ck_railbird_audit_operator"),
        sa.CheckConstraint("outcome IN ('asked', 'refused')", name="ck_railbird_audit_outcome"),
        sa.PrimaryKeyConstraint("ordinal", name="pk_railbird_audit"),
    )
