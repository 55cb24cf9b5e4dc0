"""When a table's live cards were switched off, and who showed their cards once a hand was over."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0003"
down_revision: Final = "0002"

TABLE: Final = "railbird_shown_hands"


def upgrade() -> None:
    """Nothing is known of hands from before: their live cards count as not streamed."""
    column = sa.Column(
        "show_hands_off_ms", sa.BigInteger(), comment="from when on the public stream shows no live cards"
    )
    op.add_column("railbird_tables", column)
    op.create_table(
        TABLE,
        sa.Column("table_id", sa.Text(), nullable=False),
        sa.Column("hand_number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "seat", sa.Integer(), autoincrement=False, nullable=False, comment="showed its cards once the hand was over"
        ),
        sa.Column("shown_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["table_id", "hand_number"],
            ["railbird_hands.table_id", "railbird_hands.hand_number"],
            name="fk_railbird_shown_hands_hand",
        ),
        sa.PrimaryKeyConstraint("table_id", "hand_number", "seat", name="pk_railbird_shown_hands"),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE TRIGGER {TABLE}_final BEFORE UPDATE OR DELETE ON {TABLE} "
            "FOR EACH ROW EXECUTE FUNCTION railbird_refuse_change()"
        )
        return
    for change in ("update", "delete"):
        op.execute(
            f"CREATE TRIGGER {TABLE}_final_{change} BEFORE {change} ON {TABLE} "
            "BEGIN SELECT RAISE(ABORT, 'this row is final'); END"
        )
