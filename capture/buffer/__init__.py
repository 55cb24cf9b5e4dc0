"""The hot half of the record: turns in a Redis for a day. Who may ask for which agent is for the callers' gates to say.

keys     the names of what lies there
client   one way to the server, a node or a cluster
scripts  what the server does in one step
writer   puts entries there, beside the turns
reader   reads one agent's turns, and clears
absent   the buffer of who has none
"""
