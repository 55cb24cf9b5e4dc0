"""Parts of the composition root: how the rooms of the server are put together. It holds no rule.

setup         what a server is made from, and what an open one offers
settings      from the configuration to a setup
house         all rooms over an open database
keys          what signs and verifies now, followed over rotations
signing       the tokens of hosted agents
people        who may come in: verifier, register, revocations, sessions, tickets, links
hosting       the registry of hosted agents over this server's people and tables
record        what reads the record of decisions; recording, what writes it
buffer_place  where the buffer of captured turns is
dealt         what the record asks of the tables
routes        the HTTP routes of tables, agents and operators
descriptions  what is said of all routes: of_hosting, of_record
metrics, record_metrics, stores, names
"""
