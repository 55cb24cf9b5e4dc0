"""Parts of the composition root: how the rooms of the server are put together. It holds no rule.

setup     what a server is made from, and what an open one offers
settings  from the configuration to a setup
house     all rooms over an open database
keys      what signs and verifies now, followed over rotations
people    who may come in: verifier, register, revocations, sessions, tickets, links
routes    the HTTP routes of tables, agents and operators
metrics, stores, names
"""
