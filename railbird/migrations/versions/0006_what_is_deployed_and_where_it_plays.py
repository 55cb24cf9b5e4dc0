"""Which version of an agent is deployed, where it is to play, and which hosts there are."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0006"
down_revision: Final = "0005"

COUNTED: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """The three tables; a deployment is written once."""
    _deployments()
    _seats()
    _hosts()
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE TRIGGER railbird_agent_deployments_final BEFORE UPDATE OR DELETE ON railbird_agent_deployments "
            "FOR EACH ROW EXECUTE FUNCTION railbird_refuse_change()"
        )
        return
    for change in ("update", "delete"):
        op.execute(
            f"CREATE TRIGGER railbird_agent_deployments_final_{change} BEFORE {change} ON railbird_agent_deployments "
            "BEGIN SELECT RAISE(ABORT, 'this row is final'); END"
        )


def _deployments() -> None:
    name = "railbird_agent_deployments"
    op.create_table(
        name,
        sa.Column("ordinal", COUNTED, nullable=False),
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("version_id", sa.Text(), comment="none: withdrawn, nothing is deployed from here on"),
        sa.Column("deployed_ms", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("length(agent_id) BETWEEN 1 AND 300", name=f"ck_{name}_agent_id"),
        sa.CheckConstraint("version_id IS NULL OR length(version_id) BETWEEN 1 AND 300", name=f"ck_{name}_version_id"),
        sa.PrimaryKeyConstraint("ordinal", name=f"pk_{name}"),
    )
    op.create_index(f"ix_{name}_agent_id", name, ["agent_id", "ordinal"])


def _seats() -> None:
    name = "railbird_agent_seats"
    op.create_table(
        name,
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), comment="none: whichever is free"),
        sa.Column("buy_in_chips", sa.BigInteger(), nullable=False),
        sa.Column("asked_ms", sa.BigInteger(), nullable=False),
        sa.Column(
            "problem", sa.Text(), comment="why no host goes on trying: a code of the wire, or a word of the host's"
        ),
        sa.Column("host", sa.Text(), comment="which host plays it"),
        sa.Column("leased_until_ms", sa.BigInteger(), server_default="0", nullable=False),
        sa.CheckConstraint("buy_in_chips >= 1", name=f"ck_{name}_buy_in_chips"),
        sa.CheckConstraint("seat IS NULL OR seat >= 0", name=f"ck_{name}_seat"),
        sa.CheckConstraint("problem IS NULL OR length(problem) BETWEEN 1 AND 64", name=f"ck_{name}_problem"),
        sa.PrimaryKeyConstraint("agent_id", "table_id", name=f"pk_{name}"),
    )


def _hosts() -> None:
    name = "railbird_agent_hosts"
    op.create_table(
        name,
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("models", sa.Text(), nullable=False, comment="names that it can ask, as a JSON list"),
        sa.Column("seen_ms", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("length(host) BETWEEN 1 AND 300", name=f"ck_{name}_host"),
        sa.PrimaryKeyConstraint("host", name=f"pk_{name}"),
    )
