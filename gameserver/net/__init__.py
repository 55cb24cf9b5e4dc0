"""Sockets and streams: who is connected, which stream they carry, and the one door through which a byte leaves (`delivery`).

It decides nothing about the game and nothing about who may see what: frames come to it gated and addressed. What it adds is
the number, the bytes, bounded queues, and one more look at the cards (`tripwire`).
"""
