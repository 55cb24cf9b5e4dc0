"""The database's one history, from nothing to the newest schema, on SQLite and Postgres.

    upgrade(url)     bring a database up to date; safe when several processes do it at once
    revision_of(url) how far a database is

The steps are in `versions/`, each written by hand and for good: it says what it does and imports no model of the running code.
It is packaged with the rest, and nobody needs an `alembic.ini`.
"""

from railbird.migrations.upgrade import newest_revision, revision_of, upgrade

__all__ = ["newest_revision", "revision_of", "upgrade"]
