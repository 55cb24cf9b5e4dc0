"""Real servers for tests: Valkey, Postgres and Chromium. `tests/conftest.py` makes their fixtures everybody's."""
