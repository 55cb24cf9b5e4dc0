"""Models that a hosted agent can ask: what one is (`port`), and the kinds of them. None of them decides anything about a table."""
