"""The gates, each alone: truth tables, properties, refusals."""
