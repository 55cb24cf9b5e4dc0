"""What turns cost, for good: written behind the turns, each once, and read exactly. It knows no price.

charge           a turn's rows, made from it and read back
charging         writes them
reading_charges  looks them up
ledger           takes turns in, and answers
"""
