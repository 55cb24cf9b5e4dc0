"""The record of agents' decisions in a server: where its buffer is, what writes it, what reads it. It holds no rule.

buffer_place  where captured turns lie: a configured address, or an embedded server
recording     a recorder into it
record        what reads it, and its routes; descriptions, what is said of them
dealt         what it asks of the tables
metrics       what is counted of it
"""
