"""`/agents/{agentId}/deploy`, `/seat` and `/stop`: what an owner does with an agent that is hosted.

Who asks, and whether the agent is theirs, is proved by the table server; this package gets it as an argument.
"""
