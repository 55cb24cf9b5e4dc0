"""Hostile input: messages, texts and tokens with what must be true afterwards. README.md beside it describes the files."""
