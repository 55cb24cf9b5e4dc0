"""Alembic's own entry: run the steps on the connection that `upgrade` gave, in its transaction."""

from __future__ import annotations

from alembic import context

from railbird.migrations.upgrade import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
