"""One turn: from the request to act to its record. What is sent leaves by `railbird.agenthost.outbound` alone.

pace   how much time there is
guard  gets an answer out of a model, in time
parse  what a reply says; clamp, the nearest legal move
words  what is said about it, cut to what the wire takes
turn   all of it together
"""
