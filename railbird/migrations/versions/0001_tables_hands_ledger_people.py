"""Tables, hands, the chip ledger, people and agents."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0001"
down_revision: Final = None

# A BigInteger key does not count up by itself on SQLite.
COUNTED: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

WRITTEN_ONCE: Final = ("railbird_transactions", "railbird_entries", "railbird_agent_owners", "railbird_agent_versions")
"""Tables whose rows are written once."""


def upgrade() -> None:
    """From nothing."""
    _tables_and_hands()
    _people()
    _ledger()
    if op.get_bind().dialect.name == "postgresql":
        _refuse_changes_on_postgres()
    else:
        _refuse_changes_on_sqlite()


def _tables_and_hands() -> None:
    """Tables, and their hands: whole or absent."""
    op.create_table(
        "railbird_tables",
        sa.Column("ordinal", COUNTED, nullable=False, comment="the order of creation"),
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("options", sa.LargeBinary(), nullable=False),
        sa.Column("memory", sa.LargeBinary(), nullable=False, comment="the room's own bytes; no card"),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "length(table_id) BETWEEN 1 AND 100 AND table_id NOT LIKE '%:%'", name="ck_railbird_tables_table_id"
        ),
        sa.CheckConstraint("status IN ('open', 'closed')", name="ck_railbird_tables_status"),
        sa.PrimaryKeyConstraint("ordinal", name="pk_railbird_tables"),
        sa.UniqueConstraint("table_id", name="uq_railbird_tables_table_id"),
    )
    op.create_table(
        "railbird_hands",
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("hand_number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column(
            "record",
            sa.LargeBinary(),
            nullable=True,
            comment="all cards of a finished hand; history_policy discloses it",
        ),
        sa.Column("began_ms", sa.BigInteger(), nullable=False),
        sa.Column("ended_ms", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("(status = 'began') = (ended_ms IS NULL)", name="ck_railbird_hands_ended_unless_began"),
        sa.CheckConstraint(
            "(status = 'finished') = (record IS NOT NULL)", name="ck_railbird_hands_record_when_finished"
        ),
        sa.CheckConstraint("status IN ('began', 'finished', 'cancelled')", name="ck_railbird_hands_status"),
        sa.CheckConstraint("hand_number >= 1", name="ck_railbird_hands_hand_number"),
        sa.ForeignKeyConstraint(["table_id"], ["railbird_tables.table_id"], name="fk_railbird_hands_table_id"),
        sa.PrimaryKeyConstraint("table_id", "hand_number", name="pk_railbird_hands"),
    )
    op.create_index(
        "uq_railbird_hands_one_open",
        "railbird_hands",
        ["table_id"],
        unique=True,
        sqlite_where=sa.text("status = 'began'"),
        postgresql_where=sa.text("status = 'began'"),
    )


def _people() -> None:
    """People, their agents, who owned them when, and what was published."""
    op.create_table(
        "railbird_users",
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("first_seen_ms", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("length(user_id) BETWEEN 1 AND 300", name="ck_railbird_users_user_id"),
        sa.PrimaryKeyConstraint("user_id", name="pk_railbird_users"),
    )
    op.create_table(
        "railbird_agents",
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("length(agent_id) BETWEEN 1 AND 300", name="ck_railbird_agents_agent_id"),
        sa.CheckConstraint("length(name) BETWEEN 1 AND 32", name="ck_railbird_agents_name"),
        sa.ForeignKeyConstraint(["owner"], ["railbird_users.user_id"], name="fk_railbird_agents_owner"),
        sa.PrimaryKeyConstraint("agent_id", name="pk_railbird_agents"),
    )
    op.create_index("ix_railbird_agents_owner", "railbird_agents", ["owner"])
    op.create_table(
        "railbird_agent_owners",
        sa.Column("ordinal", COUNTED, nullable=False),
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("since_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["railbird_agents.agent_id"], name="fk_railbird_agent_owners_agent_id"),
        sa.ForeignKeyConstraint(["owner"], ["railbird_users.user_id"], name="fk_railbird_agent_owners_owner"),
        sa.PrimaryKeyConstraint("ordinal", name="pk_railbird_agent_owners"),
    )
    op.create_index("ix_railbird_agent_owners_agent_id", "railbird_agent_owners", ["agent_id", "since_ms"])
    op.create_table(
        "railbird_agent_versions",
        sa.Column("version_id", sa.Text(), nullable=False),
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("length(version_id) BETWEEN 1 AND 300", name="ck_railbird_agent_versions_version_id"),
        sa.CheckConstraint("number >= 1", name="ck_railbird_agent_versions_number"),
        sa.ForeignKeyConstraint(["agent_id"], ["railbird_agents.agent_id"], name="fk_railbird_agent_versions_agent_id"),
        sa.PrimaryKeyConstraint("version_id", name="pk_railbird_agent_versions"),
        sa.UniqueConstraint("agent_id", "number", name="uq_railbird_agent_versions_agent_id_number"),
    )


def _ledger() -> None:
    """The chip ledger."""
    op.create_table(
        "railbird_accounts",
        sa.Column(
            "account", sa.Text(), nullable=False, comment="issued | bankroll:USER | seat:TABLE:PLAYER | pot:TABLE"
        ),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("balance_chips", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("(kind = 'issued') = (account = 'issued')", name="ck_railbird_accounts_one_issued"),
        sa.CheckConstraint("kind <> 'pot' OR balance_chips = 0", name="ck_railbird_accounts_pot_passes_on"),
        sa.CheckConstraint("kind = 'issued' OR balance_chips >= 0", name="ck_railbird_accounts_only_issued_below_zero"),
        sa.CheckConstraint("kind IN ('issued', 'bankroll', 'seat', 'pot')", name="ck_railbird_accounts_kind"),
        sa.PrimaryKeyConstraint("account", name="pk_railbird_accounts"),
    )
    op.create_table(
        "railbird_transactions",
        sa.Column("transaction_id", COUNTED, nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("transaction_id", name="pk_railbird_transactions"),
    )
    op.create_table(
        "railbird_entries",
        sa.Column("transaction_id", sa.BigInteger(), nullable=False),
        sa.Column("line", sa.Integer(), autoincrement=False, nullable=False, comment="2n takes what 2n + 1 gives"),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("amount_chips", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("table_id", sa.Text(), nullable=True),
        sa.Column("hand_number", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "CASE WHEN line % 2 = 0 THEN amount_chips < 0 ELSE amount_chips > 0 END",
            name="ck_railbird_entries_takes_then_gives",
        ),
        sa.CheckConstraint("hand_number IS NULL OR table_id IS NOT NULL", name="ck_railbird_entries_hand_of_a_table"),
        sa.ForeignKeyConstraint(["account"], ["railbird_accounts.account"], name="fk_railbird_entries_account"),
        sa.ForeignKeyConstraint(
            ["table_id", "hand_number"],
            ["railbird_hands.table_id", "railbird_hands.hand_number"],
            name="fk_railbird_entries_hand",
        ),
        sa.ForeignKeyConstraint(["table_id"], ["railbird_tables.table_id"], name="fk_railbird_entries_table_id"),
        sa.ForeignKeyConstraint(
            ["transaction_id"], ["railbird_transactions.transaction_id"], name="fk_railbird_entries_transaction_id"
        ),
        sa.PrimaryKeyConstraint("transaction_id", "line", name="pk_railbird_entries"),
    )
    op.create_index("ix_railbird_entries_account", "railbird_entries", ["account", "transaction_id"])


def _refuse_changes_on_postgres() -> None:
    op.execute(
        "CREATE FUNCTION railbird_refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'this row is final' USING ERRCODE = 'integrity_constraint_violation'; END $$"
    )
    for table in WRITTEN_ONCE:
        op.execute(
            f"CREATE TRIGGER {table}_final BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION railbird_refuse_change()"
        )
    op.execute(
        "CREATE TRIGGER railbird_hands_final BEFORE UPDATE ON railbird_hands "
        "FOR EACH ROW WHEN (OLD.status <> 'began') EXECUTE FUNCTION railbird_refuse_change()"
    )


def _refuse_changes_on_sqlite() -> None:
    for table in WRITTEN_ONCE:
        for change in ("update", "delete"):
            op.execute(
                f"CREATE TRIGGER {table}_final_{change} BEFORE {change} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'this row is final'); END"
            )
    op.execute(
        "CREATE TRIGGER railbird_hands_final BEFORE UPDATE ON railbird_hands WHEN OLD.status <> 'began' "
        "BEGIN SELECT RAISE(ABORT, 'this row is final'); END"
    )
