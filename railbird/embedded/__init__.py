"""Servers that the product brings along, so that a demo needs nothing installed.

    bound_process   a program that cannot outlive us
    valkey          the Valkey of one data folder

This room starts, joins and ends programs. It knows nothing of what is kept in them, and it reads no configuration: the
folder is an argument. A configured `AGENT_CAPTURE_REDIS_URL` needs nothing from here.
"""
