"""Which version of an agent is deployed, at which tables it is to play, and which host plays it there.

    versions     what is in a published version, read from its bytes
    schema       the tables of the database: deployments, seats, hosts
    store        their only reader and writer
    ports        what this room needs of the application: agents, tables, a database
    deployments  deploy, seat, stop, asked for by an owner; through the gates

It connects to no table and asks no model: that is the host's (`railbird.agenthost.seats.service`). Agents and their versions are kept
by the table server, which has to prove them; here they are names.
"""
