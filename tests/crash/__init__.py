"""Kills the real server at random instants, starts it again, and looks what is left.

    python -m tests.crash --kills 300 --db sqlite|postgres       (make crash KILLS=300 DB=sqlite)

marks     what a server says of its store, so that a kill's phase is known
server    the process that is killed: the real server with house players; forked from one that has loaded everything
books     whether hands, chips, numbers and buttons are right in what a kill left
harness   start, look, play, kill; again and again
"""
