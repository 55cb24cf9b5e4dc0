"""A bot with one bad habit: `python bad_bot.py HABIT`. Without one (`none`) it is a good bot. It needs no line of Railbird."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

HABIT = sys.argv[1]
URL, TOKEN = os.environ["RAILBIRD_URL"], os.environ["RAILBIRD_AGENT_TOKEN"]
STOPS = {1000, 4400, 4401, 4402, 4403, 4404, 4408, 4409, 4410, 4426}


class Bot:
    def __init__(self) -> None:
        self.session: str | None = None
        self.epoch, self.seq, self.requests, self.visits = "", 0, 0, 0
        self.sat = False
        self.pending: dict[str, Any] = {}

    def visit(self) -> int:
        """One connection; its close code."""
        self.visits += 1
        try:
            with connect(URL, proxy=None, close_timeout=1, logger=None) as socket:
                while True:
                    text = socket.recv(timeout=0.25 if HABIT == "impatient" and self.sat else None)
                    self.hear(socket, json.loads(text))
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else 1006
        except (OSError, InvalidHandshake, TimeoutError):
            return 1006

    def say(self, socket: ClientConnection, **message: Any) -> None:
        self.requests += 1
        message = {"requestId": f"{self.visits}-{self.requests}", **message}
        self.pending[message["requestId"]] = message
        socket.send(json.dumps(message))

    def hear(self, socket: ClientConnection, frame: dict[str, Any]) -> None:
        if HABIT == "knows_all_fields" and "weather" in frame:
            raise SystemExit("what is weather?")
        if "seq" in frame and frame["type"] not in ("snapshot", "resumed"):
            if frame["seq"] <= self.seq and HABIT != "believes_everything":
                return
            if frame["seq"] > self.seq + 1:
                if HABIT == "wants_no_gap":
                    raise SystemExit("a frame is missing")
                socket.close(3000)
                return
            self.seq = max(self.seq, frame["seq"])
        match frame:
            case {"type": "hello"}:
                self.enter(socket)
            case {"type": "resync"} if HABIT == "wants_to_resume":
                raise SystemExit("I wanted to resume")
            case {"type": "snapshot"}:
                self.session, self.epoch, self.seq = frame["session"], frame["epoch"], frame["seq"]
                self.look(socket, frame)
            case {"type": "resumed"}:
                self.epoch = frame["epoch"]
            case {"type": "your_turn"}:
                self.act(socket, frame)
            case {"type": "error", "requestId": str(request_id)} if HABIT == "insists":
                message = {name: value for name, value in self.pending[request_id].items() if name != "requestId"}
                time.sleep(0.02)
                self.say(socket, **message)

    def enter(self, socket: ClientConnection) -> None:
        if self.session is None or HABIT == "overlooks_the_turn":
            self.say(socket, type="enter", agentToken=TOKEN)
        else:
            self.say(socket, type="resume", session=self.session, epoch=self.epoch, lastSeq=self.seq, agentToken=TOKEN)

    def look(self, socket: ClientConnection, snapshot: dict[str, Any]) -> None:
        if "yourTurn" in snapshot and HABIT != "overlooks_the_turn":
            self.act(socket, snapshot["yourTurn"])
        elif "yourSeat" in snapshot["state"]:
            self.sat = True
        else:
            taken = {seat["seat"] for seat in snapshot["state"]["seats"]}
            free = next(seat for seat in range(snapshot["rules"]["maxSeats"]) if seat not in taken)
            self.say(socket, type="sit", seat=free, buyIn=snapshot["rules"]["maxBuyIn"])

    def act(self, socket: ClientConnection, turn: dict[str, Any]) -> None:
        if HABIT == "dreams":
            time.sleep(3.5)
        if HABIT == "bets_too_much":
            for _ in range(4):
                self.say(socket, type="action", turnId=turn["turnId"], action="raise", amount=999_999)
                self.wait_for_refusal(socket)
        self.say(socket, type="action", turnId=turn["turnId"], action="call" if turn["toCall"] else "check")

    def wait_for_refusal(self, socket: ClientConnection) -> None:
        while (frame := json.loads(socket.recv()))["type"] != "error":
            self.seq = max(self.seq, frame.get("seq", 0))


def main() -> None:
    print(f"my token is {TOKEN}", flush=True)
    bot = Bot()
    while True:
        code = bot.visit()
        if HABIT == "leaves" or (code in STOPS and HABIT != "always_returns"):
            print("closed with", code, flush=True)
            return
        if code == 4440 and HABIT != "keeps_its_session":
            bot.session = None
        time.sleep(0.2)


main()
