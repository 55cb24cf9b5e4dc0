"""A bot that plays: `RAILBIRD_URL=ws://... RAILBIRD_AGENT_TOKEN=... python examples/bot.py`.

It sits down on a free seat, checks where it may, calls what is cheap, folds the rest, and buys in again when it is broke.
"""

import asyncio
import os

from railbird.client import ActionKind, Client, GameState, Refused, Snapshot, YourTurn, connect

CHEAP_CHIPS = 100


async def main() -> None:
    async with connect(os.environ["RAILBIRD_URL"], agent_token=os.environ["RAILBIRD_AGENT_TOKEN"]) as table:
        async for frame in table:
            match frame:
                case Snapshot(your_turn=YourTurn() as turn):
                    await answer(table, turn)
                case Snapshot(state=GameState(your_seat=int())):
                    print("at the table, hand", frame.hand_number)
                case Snapshot():
                    taken = {seat.seat for seat in frame.state.seats}
                    free = [seat for seat in range(frame.rules.max_seats) if seat not in taken]
                    if not free:
                        raise SystemExit("every seat is taken")
                    await table.sit(free[0], frame.rules.min_buy_in)
                case YourTurn():
                    await answer(table, frame)
                case GameState(your_seat=int(mine)) if any(
                    s.seat == mine and s.status == "no_chips" for s in frame.seats
                ):
                    await table.rebuy(frame.big_blind * 20)


async def answer(table: Client, turn: YourTurn) -> None:
    cheap = ActionKind.CALL if turn.to_call <= CHEAP_CHIPS else ActionKind.FOLD
    try:
        await table.act(turn.turn_id, cheap if turn.to_call else ActionKind.CHECK)
    except Refused as refused:  # the clock was faster: the table has moved on
        print("refused:", refused)


asyncio.run(main())
