"""The record of agents' decisions: every turn as it was, kept on demand, read by its owner. Imports the gates, and nothing else of ours."""
