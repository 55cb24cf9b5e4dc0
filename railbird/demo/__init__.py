"""`railbird demo`: the main job on an embedded default, with nothing to set up.

cast          who plays: house agents of several styles, each with an owner of its own
tables        the tables that it opens, or opens again
first_hand    holds the first hand back until the cast sits
count         counts hands, shows progress, and knows when it is enough
announcement  what it says to open
run           starts the server, seats the cast
"""

from railbird.demo.run import run_demo

__all__ = ["run_demo"]
