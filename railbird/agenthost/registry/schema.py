"""The registry's tables of the database, alike on SQLite and Postgres. Times are Unix milliseconds.

They name agents, versions and tables by their ids and have no key into the table server's rows: each of the two can be looked at
without the other. `railbird.migrations` makes them (test_the_migrated_schema_is_this_schema).
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, Integer, MetaData, Table, Text

metadata: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

# A BigInteger key does not count up by itself on SQLite.
_counted = BigInteger().with_variant(Integer(), "sqlite")

deployments: Final = Table(
    "railbird_agent_deployments",
    metadata,
    Column("ordinal", _counted, primary_key=True),
    Column("agent_id", Text, nullable=False),
    Column("version_id", Text, comment="none: withdrawn, nothing is deployed from here on"),
    Column("deployed_ms", BigInteger, nullable=False),
    CheckConstraint("length(agent_id) BETWEEN 1 AND 300", name="agent_id"),
    CheckConstraint("version_id IS NULL OR length(version_id) BETWEEN 1 AND 300", name="version_id"),
    Index("ix_railbird_agent_deployments_agent_id", "agent_id", "ordinal"),
)

seats: Final = Table(
    "railbird_agent_seats",
    metadata,
    Column("agent_id", Text, primary_key=True),
    Column("table_id", Text, primary_key=True),
    Column("seat", Integer, comment="none: whichever is free"),
    Column("buy_in_chips", BigInteger, nullable=False),
    Column("asked_ms", BigInteger, nullable=False),
    Column("problem", Text, comment="why no host goes on trying: a code of the wire, or a word of the host's"),
    Column("host", Text, comment="which host plays it"),
    Column("leased_until_ms", BigInteger, nullable=False, server_default="0"),
    CheckConstraint("buy_in_chips >= 1", name="buy_in_chips"),
    CheckConstraint("seat IS NULL OR seat >= 0", name="seat"),
    CheckConstraint("problem IS NULL OR length(problem) BETWEEN 1 AND 64", name="problem"),
)

hosts: Final = Table(
    "railbird_agent_hosts",
    metadata,
    Column("host", Text, primary_key=True),
    Column("models", Text, nullable=False, comment="names that it can ask, as a JSON list"),
    Column("seen_ms", BigInteger, nullable=False),
    CheckConstraint("length(host) BETWEEN 1 AND 300", name="host"),
)
