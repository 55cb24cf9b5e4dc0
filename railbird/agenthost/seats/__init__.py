"""The seats that a host plays, from an owner's wish to the end of each.

places    where an agent plays, as which version; tokens, how it proves that
seating   sits down, comes back, buys in again
player    one agent at one table
visit     one seat, over all its connections
service   all seats of a process
follower  lets the service follow what owners wish
"""
