"""Hosts of agents, put together: beside a server in its own process, and as `railbird host`. It holds no rule of play.

catalogue     which models a host has, and as what it may attest them
observing     who listens to the turns: counters, the ledger, plug-ins
beside        the host in a server's own process: house agents, and what owners deploy with the house model
house_agents  the agents of the house at tables that ask for some
bank          grants a broke house account more
run           `railbird host AGENTS.toml`
prepare       from a file to the seats that are to be played
keys          what signs their tokens
registering   the agents of a file, in the register
tables        the tables that a file names, asked for at the server
"""
