"""The table room: seats, button, blinds, clocks and options around one hand, without I/O.

`Room.receive(command, now_ms)` is its whole face: a command in, facts out. There is no `await`, no clock, no randomness and no
id generator in this package; all of them come in as arguments.
"""
