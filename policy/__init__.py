"""The security gates: who may see what, and the few types that the question is asked in.

This package imports the standard library only.
It has no I/O, no clock, no configuration, no logging and no framework, so every rule in it stands alone.
"""
