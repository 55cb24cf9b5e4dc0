"""What an agent knows, from its own frames alone, and how it is said to a model.

sources       the parts of a memory; past, a finished hand
memory        all of them, frozen when the agent is asked to act
wording       each part in lines; form, how much is spelt out
turn_context  the sections of a turn
prompt        the envelope and the remainder
"""
