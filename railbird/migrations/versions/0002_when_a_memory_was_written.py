"""When a table's memory was written, so that times in it go on over a restart."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0002"
down_revision: Final = "0001"


def upgrade() -> None:
    """Memories from before have the time of their table's last hand, or of its creation."""
    column = sa.Column(
        "memory_ms", sa.BigInteger(), nullable=False, server_default="0", comment="when the memory was written"
    )
    op.add_column("railbird_tables", column)
    last = "SELECT max(ended_ms) FROM railbird_hands AS hand WHERE hand.table_id = railbird_tables.table_id"
    op.execute(f"UPDATE railbird_tables SET memory_ms = coalesce(({last}), created_ms)")
