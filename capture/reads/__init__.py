"""Reading, keeping and deleting what was recorded, by scope: owners their own agents' turns, operators any that are not in play.

stores         where what is known of a hand is found: buffer, kept turns, ledger
assembly       one agent's turns of a hand, turn by turn the more complete
owner_read     what an owner does
operator_read  what an operator does
promote        keeps turns for good
shapes         what readers get, as models; document fills them in
verify         hashes every record in reach again
"""
