"""The lasting half of the record, on SQLite or Postgres: the tables, and the turns that somebody kept.

database   whole transactions, as the host hands them in
columns    exact money, and text that a database would refuse
schema     the tables, the ledger's too
turns      the kept turns
retention  an operator's limit on them
lasting    how long an agent's turns of a hand are still there
"""
