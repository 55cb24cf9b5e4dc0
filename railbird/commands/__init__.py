"""The commands behind `railbird`: each reads what it was asked, calls the room that can do it, and prints. No rule is here.

Rooms are imported when a command runs, so that `--help` is quick.
"""
