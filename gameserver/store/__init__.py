"""Tables, hands (whole or absent), the chip ledger, people and agents. SQLite and Postgres through SQLAlchemy."""
