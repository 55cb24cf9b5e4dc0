"""The place of the record of agents' decisions. Nothing is recorded yet. It imports the gates, and nothing else of ours."""
