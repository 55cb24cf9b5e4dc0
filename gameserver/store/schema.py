"""The tables of the database, in SQLAlchemy Core, alike on SQLite and Postgres.

Times are Unix milliseconds, chips are whole numbers, and whatever must come back byte for byte is a LargeBinary.
What the database can hold to by itself is a constraint here, and what it can hold to by a trigger is in the migrations.
This module describes; `railbird.migrations` makes (test_the_migrated_schema_is_this_schema). It is no row's reader or writer.

Every name begins with `railbird_`, so that the database may be a host application's own.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

# A BigInteger key does not count up by itself on SQLite.
_counted = BigInteger().with_variant(Integer(), "sqlite")

tables: Final = Table(
    "railbird_tables",
    metadata,
    Column("ordinal", _counted, primary_key=True, comment="the order of creation"),
    Column("table_id", Text, nullable=False, unique=True),
    Column("status", Text, nullable=False),
    Column("options", LargeBinary, nullable=False),
    Column("memory", LargeBinary, nullable=False, comment="the room's own bytes; no card"),
    Column("created_ms", BigInteger, nullable=False),
    Column("memory_ms", BigInteger, nullable=False, server_default="0", comment="when the memory was written"),
    Column("show_hands_off_ms", BigInteger, comment="from when on the public stream shows no live cards"),
    CheckConstraint("status IN ('open', 'closed')", name="status"),
    # An account's key puts a table's id before a colon.
    CheckConstraint("length(table_id) BETWEEN 1 AND 100 AND table_id NOT LIKE '%:%'", name="table_id"),
)

hands: Final = Table(
    "railbird_hands",
    metadata,
    Column("table_id", Text, ForeignKey(tables.c.table_id), primary_key=True),
    Column("hand_number", BigInteger, primary_key=True, autoincrement=False),
    Column("status", Text, nullable=False),
    Column("record", LargeBinary, comment="all cards of a finished hand; history_policy discloses it"),
    Column("began_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger),
    CheckConstraint("hand_number >= 1", name="hand_number"),
    CheckConstraint("status IN ('began', 'finished', 'cancelled')", name="status"),
    CheckConstraint("(status = 'finished') = (record IS NOT NULL)", name="record_when_finished"),
    CheckConstraint("(status = 'began') = (ended_ms IS NULL)", name="ended_unless_began"),
    Index("uq_railbird_hands_one_open", "table_id", unique=True,
          sqlite_where=text("status = 'began'"), postgresql_where=text("status = 'began'")),
)  # fmt: skip

shown_hands: Final = Table(
    "railbird_shown_hands",
    metadata,
    Column("table_id", Text, primary_key=True),
    Column("hand_number", BigInteger, primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False, comment="showed its cards once the hand was over"),
    Column("shown_ms", BigInteger, nullable=False),
    ForeignKeyConstraint(["table_id", "hand_number"], [hands.c.table_id, hands.c.hand_number],
                         name="fk_railbird_shown_hands_hand"),
)  # fmt: skip

accounts: Final = Table(
    "railbird_accounts",
    metadata,
    Column("account", Text, primary_key=True, comment="issued | bankroll:USER | seat:TABLE:PLAYER | pot:TABLE"),
    Column("kind", Text, nullable=False),
    Column("balance_chips", BigInteger, nullable=False),
    CheckConstraint("kind IN ('issued', 'bankroll', 'seat', 'pot')", name="kind"),
    CheckConstraint("(kind = 'issued') = (account = 'issued')", name="one_issued"),
    CheckConstraint("kind = 'issued' OR balance_chips >= 0", name="only_issued_below_zero"),
    CheckConstraint("kind <> 'pot' OR balance_chips = 0", name="pot_passes_on"),
)

transactions: Final = Table(
    "railbird_transactions",
    metadata,
    Column("transaction_id", _counted, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
)

entries: Final = Table(
    "railbird_entries",
    metadata,
    Column("transaction_id", BigInteger, ForeignKey(transactions.c.transaction_id), primary_key=True),
    Column("line", Integer, primary_key=True, autoincrement=False, comment="2n takes what 2n + 1 gives"),
    Column("account", Text, ForeignKey(accounts.c.account), nullable=False),
    Column("amount_chips", BigInteger, nullable=False),
    Column("reason", Text, nullable=False),
    Column("table_id", Text, ForeignKey(tables.c.table_id)),
    Column("hand_number", BigInteger),
    ForeignKeyConstraint(["table_id", "hand_number"], [hands.c.table_id, hands.c.hand_number],
                         name="fk_railbird_entries_hand"),
    CheckConstraint("CASE WHEN line % 2 = 0 THEN amount_chips < 0 ELSE amount_chips > 0 END", name="takes_then_gives"),
    CheckConstraint("hand_number IS NULL OR table_id IS NOT NULL", name="hand_of_a_table"),
    Index("ix_railbird_entries_account", "account", "transaction_id"),
)  # fmt: skip

users: Final = Table(
    "railbird_users",
    metadata,
    Column("user_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("first_seen_ms", BigInteger, nullable=False),
    CheckConstraint("length(user_id) BETWEEN 1 AND 300", name="user_id"),
)

agents: Final = Table(
    "railbird_agents",
    metadata,
    Column("agent_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("owner", Text, ForeignKey(users.c.user_id), nullable=False, index=True),
    Column("created_ms", BigInteger, nullable=False),
    CheckConstraint("length(agent_id) BETWEEN 1 AND 300", name="agent_id"),
    CheckConstraint("length(name) BETWEEN 1 AND 32", name="name"),
)

agent_owners: Final = Table(
    "railbird_agent_owners",
    metadata,
    Column("ordinal", _counted, primary_key=True),
    Column("agent_id", Text, ForeignKey(agents.c.agent_id), nullable=False),
    Column("owner", Text, ForeignKey(users.c.user_id), nullable=False),
    Column("since_ms", BigInteger, nullable=False),
    Index("ix_railbird_agent_owners_agent_id", "agent_id", "since_ms"),
)

agent_versions: Final = Table(
    "railbird_agent_versions",
    metadata,
    Column("version_id", Text, primary_key=True),
    Column("agent_id", Text, ForeignKey(agents.c.agent_id), nullable=False),
    Column("number", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    UniqueConstraint("agent_id", "number"),
    CheckConstraint("length(version_id) BETWEEN 1 AND 300", name="version_id"),
    CheckConstraint("number >= 1", name="number"),
)

invitations: Final = Table(
    "railbird_invitations",
    metadata,
    Column("table_id", Text, ForeignKey(tables.c.table_id), primary_key=True),
    Column("user_id", Text, primary_key=True),
    Column("invited_ms", BigInteger, nullable=False),
    CheckConstraint("length(user_id) BETWEEN 1 AND 300", name="user_id"),
)

revocations: Final = Table(
    "railbird_revocations",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("until_ms", BigInteger, nullable=False, comment="token: when it runs out; agent: issued until"),
    CheckConstraint("kind IN ('token', 'agent')", name="kind"),
    CheckConstraint("length(name) BETWEEN 1 AND 300", name="name"),
)

notes: Final = Table(
    "railbird_notes",
    metadata,
    Column("ordinal", _counted, primary_key=True),
    Column("agent_id", Text, ForeignKey(agents.c.agent_id), nullable=False, index=True),
    Column("text", Text, nullable=False),
    Column("written_ms", BigInteger, nullable=False),
    CheckConstraint("length(text) BETWEEN 1 AND 20000", name="text"),
)

audit: Final = Table(
    "railbird_audit",
    metadata,
    Column("ordinal", _counted, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("operator", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("about", Text, nullable=False, comment="what it was about, as JSON; no credential and no card"),
    CheckConstraint("length(operator) BETWEEN 1 AND 300", name="operator"),
    CheckConstraint("outcome IN ('asked', 'refused')", name="outcome"),
)
