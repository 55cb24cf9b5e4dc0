"""Parts of the composition root: how the rooms of the server are put together. It holds no rule.

keys      what signs and verifies now, followed over rotations
people    who may come in: verifier, register, revocations, sessions, tickets, links
routes    the HTTP routes
metrics   what is counted
"""
