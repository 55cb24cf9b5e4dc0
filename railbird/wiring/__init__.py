"""Parts of the composition root: how the rooms of the server are put together. It holds no rule.

setup         what a server is made from, and what an open one offers
settings      from the configuration to a setup
house         all rooms over an open database
keys          what signs and verifies now, followed over rotations
signing       the tokens of hosted agents
people        who may come in: verifier, register, revocations, sessions, tickets, links
hosting       the registry of hosted agents over this server's people and tables
record        the record of decisions: what writes it, what reads it
routes        the HTTP routes of tables, agents and operators
descriptions  what is said of all routes; of_hosting, of the hosting ones
metrics, stores, names
"""
