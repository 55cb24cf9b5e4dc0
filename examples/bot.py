"""A bot that plays: `RAILBIRD_URL=ws://... RAILBIRD_AGENT_TOKEN=... python examples/bot.py`.

It sits on a free seat, checks where it may, calls what is cheap, folds the rest, and buys in again. The client comes back by itself.
"""

import asyncio
import os
import sys

from railbird.client import ActionKind, Client, ClientError, Frame, GameState, Snapshot, YourTurn, connect

CHEAP_CHIPS = 100


async def play(url: str, token: str) -> None:
    async with connect(url, agent_token=token) as table:
        async for frame in table:
            try:
                await answer(table, frame)
            except ClientError as failed:  # nothing to mend here: the next frames say how things are
                print(failed)


async def answer(table: Client, frame: Frame) -> None:
    match frame:
        case Snapshot(your_turn=YourTurn() as turn) | (YourTurn() as turn):
            cheap = ActionKind.CALL if turn.to_call <= CHEAP_CHIPS else ActionKind.FOLD
            await table.act(turn.turn_id, cheap if turn.to_call else ActionKind.CHECK)
        case Snapshot(state=GameState(your_seat=int())):
            print("at the table, hand", frame.hand_number)
        case Snapshot():
            taken = {seat.seat for seat in frame.state.seats}
            free = [seat for seat in range(frame.rules.max_seats) if seat not in taken]
            await table.sit(free[0] if free else 0, frame.rules.min_buy_in)
        case GameState(your_seat=int(mine)):
            status = next(seat.status for seat in frame.seats if seat.seat == mine)
            if status == "no_chips":
                await table.rebuy(frame.big_blind * 20)
            elif status in ("sitting_out", "away"):
                await table.sit_in()


if not {"RAILBIRD_URL", "RAILBIRD_AGENT_TOKEN"} <= os.environ.keys():
    sys.exit("Set RAILBIRD_URL and RAILBIRD_AGENT_TOKEN: docs/first-steps/bot-author.md says how.")
try:
    asyncio.run(play(os.environ["RAILBIRD_URL"], os.environ["RAILBIRD_AGENT_TOKEN"]))
except ClientError as ended:  # nobody answers there, or the server does not want it back
    sys.exit(str(ended))
except KeyboardInterrupt:
    sys.exit(130)
