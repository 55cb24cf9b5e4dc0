"""AGENTS.toml: which agents a host plays, with which models, at which tables.

    toml      reads a file's tables field by field; every problem has its place, its line and a code
    agents    what a file says, as values

Nothing here opens a connection or asks the environment: a file names the variables that hold its secrets.
"""
