"""`railbird check-bot`: somebody's bot plays at a practice table while named things go wrong, and is told what it did.

    practice   a server on loopback with a table for each fault, and a rival
    faults     what goes wrong, one class each
    proxy      stands between bot and server, and lets a fault have each frame
    diary      what passed the proxy
    verdict    what in a diary is a failure
    bot        the bot's process
    check      one fault after the other

A bot is judged by what it sends and by what becomes of its seat, and by nothing that it prints. The server, the table and its clocks
are the real ones.
"""

from railbird.checkbot.check import Check, check_bot
from railbird.checkbot.faults import FAULTS
from railbird.checkbot.verdict import Verdict

__all__ = ["FAULTS", "Check", "Verdict", "check_bot"]
