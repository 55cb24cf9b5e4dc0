"""The real demo, and people who try to see one card or one thought that is not theirs: at both tables, by every way out.

An opponent with an agent and a second connection, a signed-in user, another owner, who buys an agent, and a curious spectator. What was
secret is known from the streams of all owners together; what an agent of the test thinks carries a marker.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2
import jwt
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from gameserver.identity.keys import Algorithm, KeyUse
from policy.ids import TableId
from tests.faults.sse import Events, StreamRefused, open_events
from tests.system.attackers import (
    Haul,
    Message,
    Truth,
    cards_while_somebody_decides,
    live_cards_of_the_folded,
    own_seats,
    thoughts_before_their_action,
)
from tests.system.process import Home, Player, socket_url, until
from tests.system.test_demo import addresses, demo

MARKER: Final = "MARKER-0f3c-what-vic-thinks"
HOUSE_WORDS: Final = "House rules, "
HANDS_EACH: Final = 3
WITHIN_S: Final = 120.0
STARTING_CHIPS: Final = 10_000
VIC_SEAT, EVE_SEAT = 6, 7


@dataclass
class Thinker(Player):
    """It thinks aloud, means to call, and then checks or folds, so that its chips last."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.plays = True

    async def _play(self, message: Message) -> None:
        turn = message if message["type"] == "your_turn" else message.get("yourTurn")
        if turn is not None:
            await self.say("agent_thought", turnId=turn["turnId"], text=f"{MARKER} {turn['turnId']}")
            await self.say("agent_decision", turnId=turn["turnId"], action="call", text=MARKER)
            await asyncio.sleep(0.05)
            action = "check" if "check" in turn["legalActions"] else "fold"
            await self.say("action", turnId=turn["turnId"], action=action)


@dataclass
class Scene:
    """The demo: `open_table` reveals, `closed_table` does not."""

    home: Home
    base: str
    open_table: str
    closed_table: str
    client: httpx2.AsyncClient
    stack: AsyncExitStack
    hauls: dict[str, Haul] = field(default_factory=dict)
    _read_by: dict[tuple[str, str], Events] = field(default_factory=dict)

    @property
    def tables(self) -> tuple[str, str]:
        return self.open_table, self.closed_table

    def bearer(self, user: str | None) -> dict[str, str]:
        return {} if user is None else {"Authorization": f"Bearer {self.home.user_token(user)}"}

    def haul(self, who: str) -> Haul:
        return self.hauls.setdefault(who, Haul(who))

    # --- ways in --------------------------------------------------------------------------------------------------------

    async def agent_of(self, user: str, name: str) -> str:
        made = await self.client.post("agents", headers=self.bearer(user), json={"name": name})
        assert made.status_code == 201, made.text
        return str(made.json()["agentId"])

    async def token_of(self, user: str, agent_id: str) -> str:
        made = await self.client.post(f"agents/{agent_id}/tokens", headers=self.bearer(user), json={})
        return str(made.json()["agentToken"])

    async def enter(
        self, who: str, way: str, table: str, *, user: str | None = None, token: str | None = None, kind: Any = Player
    ) -> Player:
        """A WebSocket whose every message is somebody's haul."""
        socket = connect(socket_url(self.base, TableId(table)), additional_headers=self.bearer(user), proxy=None)
        player: Player = kind(await self.stack.enter_async_context(socket))
        self.haul(who).streams[f"WebSocket {way}"] = player.messages
        await player.say("enter", **({} if token is None else {"agentToken": token}))
        await player.sees("snapshot")
        return player

    async def events(self, table: str, kind: str, user: str | None, **headers: str) -> Events:
        host, port = self.base.removeprefix("http://").rstrip("/").split(":")
        path = f"/games/poker/{table}/{kind}"
        events = await open_events(host, int(port), path, [*self.bearer(user).items(), *headers.items()])
        self.stack.push_async_callback(events.end)
        return events

    async def watch(self, who: str, table: str, kind: str = "stream", user: str | None = None) -> Events:
        """An event stream whose every event is somebody's haul."""
        events = await self.events(table, kind, user)
        self._read_by[who, f"events {kind} {table}"] = events
        return events

    def gather(self) -> None:
        """What the event streams have told goes into the hauls."""
        for (who, way), events in self._read_by.items():
            self.haul(who).streams[way] = told(events)

    async def ask(self, who: str, path: str, user: str | None = None) -> httpx2.Response:
        answer = await self.client.get(path, headers=self.bearer(user))
        self.haul(who).answers.append((path, f"{answer.text}"))
        return answer


def told(events: Events) -> list[Message]:
    """What an event stream has told so far."""
    return [event.message for event in events.events]


@asynccontextmanager
async def scene(folder: Path) -> AsyncIterator[Scene]:
    async with (
        demo(folder, MIN_TURN_MS="120") as process,
        AsyncExitStack() as stack,
        httpx2.AsyncClient() as client,
    ):
        await process.line("Ctrl-C")
        (lobby,) = addresses(process, "lobby")
        tables = [address.rpartition("/")[2] for address in addresses(process, "table")]
        client.base_url = httpx2.URL(lobby)
        yield Scene(Home(folder), lobby, tables[0], tables[1], client, stack)


async def hands(scene: Scene, table: str) -> int:
    return len((await scene.client.get(f"games/poker/{table}/hands")).json()["hands"])


MOST_HANDS_TO_WAIT: Final = 12


async def play_on(scene: Scene, more: int) -> None:
    """So many hands more at both tables."""
    wanted = {table: await hands(scene, table) + more for table in scene.tables}
    async with asyncio.timeout(WITHIN_S):
        for table, number in wanted.items():
            while await hands(scene, table) < number:  # noqa: ASYNC110 - another process has no event for us
                await asyncio.sleep(0.25)


async def read_all(scene: Scene, who: str, user: str | None) -> None:
    """Every address that somebody can think of, theirs or not."""
    for path in ("", "games/poker", "agents", "bankroll", "metrics", "internal/audit", "openapi.json"):
        await scene.ask(who, path, user)
    for table in scene.tables:
        for path in ("", "/hands", "/hands/0", "/hands/99999", "/invites"):
            await scene.ask(who, f"games/poker/{table}{path}", user)
        for path in ("", "/owner", "/owner-stream"):
            await scene.ask(who, f"tables/{table}{path}", user)
        for number in range(1, await hands(scene, table) + 2):
            for form in ("", ".phh", ".ohh.json"):
                await scene.ask(who, f"games/poker/{table}/hands/{number}{form}", user)


def assert_nothing_was_seen(scene: Scene, truth: Truth) -> int:
    """No attacker has a card or a thought that was not theirs. Returns how many secrets were looked for."""
    looked_for = 0
    for haul in scene.hauls.values():
        own = _own_of(haul)
        for way, place, card in haul.cards():
            seat = truth.secrets(place).get(card) if place in truth.over else None
            if seat is None or seat in own.get(place, ()):
                continue
            is_a_live_view = place[0] == scene.open_table and _is_public(haul, way)
            assert is_a_live_view, f"{haul.who} has {card} of seat {seat} in hand {place} by {way}"
        for way, text in haul.everything():
            _assert_no_thought(scene, haul, way, text)
        for way, messages in haul.streams.items():
            _assert_in_order(haul, way, messages)
    for place in truth.over:
        looked_for += len(truth.secrets(place))
    return looked_for


def _own_of(haul: Haul) -> dict[tuple[str, int], set[int]]:
    own: dict[tuple[str, int], set[int]] = {}
    for messages in haul.streams.values():
        for place, seats in own_seats(messages).items():
            own.setdefault(place, set()).update(seats)
    return own


def _is_public(haul: Haul, way: str) -> bool:
    """Whether it is a way out to who has no agent in it: a reveal goes there and nowhere else."""
    return "agent" not in way


def _assert_no_thought(scene: Scene, haul: Haul, way: str, text: str) -> None:
    assert MARKER not in text, f"{haul.who} has a thought by {way}"
    message = json.loads(text) if "events" in way or "WebSocket" in way else {}
    if message.get("type") == "agent_thought":
        assert message["tableId"] == scene.open_table and _is_public(haul, way), f"{haul.who}, {way}: {text}"
    else:
        assert HOUSE_WORDS not in text, f"{haul.who} has a thought by {way}"
    assert message.get("type") != "decision", f"{haul.who} has a decision by {way}: {text}"


def _assert_in_order(haul: Haul, way: str, messages: Sequence[Message]) -> None:
    assert thoughts_before_their_action(messages) == [], f"{haul.who}, {way}"
    assert live_cards_of_the_folded(messages) == [], f"{haul.who}, {way}"
    if "closed" in way or "agent" in way:
        assert cards_while_somebody_decides(messages) == [], f"{haul.who}, {way}"


async def test_nobody_sees_a_card_or_a_thought_that_is_not_theirs(tmp_path: Path) -> None:
    """Opponents, users, owners, buyers and bystanders, at the revealing table and at the closed one."""
    truth = Truth()
    async with scene(tmp_path) as here:
        await play_on(here, 1)  # all sit
        owners = [
            await here.events(table, "owner-stream", f"house-{number}-{seat}-owner")
            for number, table in enumerate(here.tables, 1)
            for seat in range(6)
        ]
        publics = [await here.watch("a curious spectator", table) for table in here.tables]
        for table, name in zip(here.tables, ("open", "closed"), strict=True):
            await here.enter("a curious spectator", f"{name} table", table)
            await here.enter("mallory, signed in", f"{name} table", table, user="mallory")
            await here.watch("mallory, signed in", table, user="mallory")
        vic_agent, eve_agent = await here.agent_of("vic", "Vic 1"), await here.agent_of("eve", "Eve 1")
        eve_second = await here.agent_of("eve", "Eve 2")
        vic_token = await here.token_of("vic", vic_agent)
        vic = await _enter_unwatched(here, vic_token)
        eve = await here.enter(
            "eve, an opponent", "agent, closed", here.closed_table, token=await here.token_of("eve", eve_agent)
        )
        for player, seat in ((vic, VIC_SEAT), (eve, EVE_SEAT)):
            assert (await player.ask("sit", seat=seat, buyIn=2_000))["type"] == "ack"
        await eve.play_from_now()
        await here.enter(
            "eve, an opponent", "agent, open", here.open_table, token=await here.token_of("eve", eve_second)
        )
        await here.watch("eve, an opponent", here.open_table)
        vics = await here.events(here.closed_table, "owner-stream", "vic")
        await here.watch("eve, an opponent", here.closed_table, "owner-stream", "eve")
        await here.enter("eve, an opponent", "owner, closed", here.closed_table, user="eve")

        await play_on(here, HANDS_EACH)
        await _until_it_played_a_hand(here, vics)
        await _try_the_doors(here, vic_agent, vic_token, vics)
        before = await hands(here, here.closed_table)
        await _buy(here, vic_agent, vic, vics)
        await play_on(here, HANDS_EACH)
        for who, user in (
            ("a curious spectator", None),
            ("mallory, signed in", "mallory"),
            ("eve, an opponent", "eve"),
            ("bea, who bought the agent", "bea"),
        ):
            await read_all(here, who, user)

        here.gather()
        for events in (*owners, vics):
            truth.learn_own(told(events))
        for events in publics:
            truth.learn_public(told(events))
        truth.learn_own(here.hauls["eve, an opponent"].streams[f"events owner-stream {here.closed_table}"])
        truth.learn_own(here.hauls["bea, who bought the agent"].streams[f"events owner-stream {here.closed_table}"])
        assert assert_nothing_was_seen(here, truth) > 40
        await _the_rightful_ones_saw_it(here, vics, publics[0], before)


SECRET: Final = {"tableId": "t-closed", "handNumber": 5}
PLANTED: Final[list[tuple[str, str, Message]]] = [
    ("mallory", "WebSocket closed", {"type": "game_state", **SECRET, "revealedHoleCards": {"2": ["As", "Ad"]}}),
    (
        "eve",
        "WebSocket agent, closed",
        {"type": "snapshot", "recentHands": [{**SECRET, "result": {"shown": [["Ad"]]}}]},
    ),
    ("eve", "WebSocket agent, open", {"type": "snapshot", "tableId": "t-open", "handNumber": 5, "cards": ["Kc"]}),
    ("eve", "WebSocket agent, open", {"type": "agent_thought", "tableId": "t-open", "handNumber": 5, "text": "x"}),
    ("eve", "events owner-stream t-closed", {"type": "agent_thought", **SECRET, "text": "x"}),
    ("eve", "events owner-stream t-closed", {"type": "decision", **SECRET, "action": "fold"}),
    ("mallory", "events stream t-closed", {"type": "chat", **SECRET, "text": f"psst {MARKER}"}),
]


@pytest.mark.parametrize(("who", "way", "message"), PLANTED)
def test_a_planted_leak_is_found(who: str, way: str, message: Message) -> None:
    """Cards and words at each kind of way, one at a time; without them nothing is found."""
    here, truth = _planted_scene()
    assert assert_nothing_was_seen(here, truth) == 4
    here.haul(who).streams[way] = [message]
    with pytest.raises(AssertionError):
        assert_nothing_was_seen(here, truth)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("games/poker/t-closed/hands/5.phh", 'actions = [\n  "d dh p3 AsAd",\n]'),
        ("games/poker/t-closed/hands/5", json.dumps({**SECRET, "players": [{"seat": 2, "holeCards": ["As", "Ad"]}]})),
        ("games/poker/t-closed/hands/5.ohh.json", json.dumps({"ohh": {"rounds": [{"cards": ["As"]}]}})),
        ("tables/t-closed", f"<p>{HOUSE_WORDS}shark</p>"),
    ],
)
def test_a_planted_leak_in_an_answer_is_found(path: str, text: str) -> None:
    """In every form of a hand's history, and in a page."""
    here, truth = _planted_scene()
    here.haul("mallory").answers.append((path, text))
    with pytest.raises(AssertionError):
        assert_nothing_was_seen(here, truth)


def _planted_scene() -> tuple[Scene, Truth]:
    """A hand at each table that is over; nobody showed the cards of seat 2."""
    truth = Truth()
    for table, cards in (("t-closed", ("As", "Ad")), ("t-open", ("Kc", "Kd"))):
        truth.cards[table, 5][2] = frozenset(cards)
        truth.over.add((table, 5))
    here: Any = Scene.__new__(Scene)
    here.open_table, here.closed_table, here.hauls = "t-open", "t-closed", {}
    return here, truth


def test_what_is_early_or_folded_is_found() -> None:
    """A thought before its action, and a hand in view that was folded."""
    dealt = {"type": "hand_started", "handNumber": 5, "dealt": [2]}
    acted = {"type": "player_action", "handNumber": 5, "seat": 2, "forced": False}
    thought = {"type": "agent_thought", "handNumber": 5, "seat": 2, "turnId": "T1"}
    assert thoughts_before_their_action([dealt, acted, thought]) == []
    assert thoughts_before_their_action([dealt, thought, acted]) == [thought]
    state = {"street": "flop", "toAct": 1, "revealedHoleCards": {"2": ["As", "Ad"]}}
    for status, found in (("in_hand", 0), ("folded", 1)):
        assert len(live_cards_of_the_folded([{**state, "seats": [{"seat": 2, "status": status}]}])) == found
    assert len(cards_while_somebody_decides([state])) == 1


async def _enter_unwatched(here: Scene, token: str) -> Player:
    socket = await here.stack.enter_async_context(
        connect(socket_url(here.base, TableId(here.closed_table)), proxy=None)
    )
    player = Thinker(socket)
    await player.say("enter", agentToken=token)
    await player.sees("snapshot")
    return player


async def _until_it_played_a_hand(here: Scene, vics: Events) -> None:
    """Vic's agent waits for the big blind before its first hand; that hand has to be over before it is sold."""
    for _ in range(MOST_HANDS_TO_WAIT):
        own = [message for message in told(vics) if message["type"] == "own_cards"]
        if own and own[0]["handNumber"] <= await hands(here, here.closed_table):
            return
        await play_on(here, 1)
    raise AssertionError("vic's agent was dealt no hand")


async def _the_rightful_ones_saw_it(here: Scene, vics: Events, public: Events, before: int) -> None:
    """What was looked for was there to be seen, by who may see it: otherwise nothing was tried."""
    to_vic, to_all = told(vics), told(public)
    assert any(MARKER in message.get("text", "") for message in to_vic if message["type"] == "agent_thought")
    fates = {message["status"] for message in to_vic if message["type"] == "decision"}
    assert {"provisional", "changed"} <= fates
    shown = [message for message in to_all if message["type"] == "agent_thought"]
    assert len(shown) > HANDS_EACH and all(message["text"].startswith(HOUSE_WORDS) for message in shown)
    assert any(message.get("revealedHoleCards") for message in to_all if message.get("toAct") is not None)
    own = [message for message in to_vic if message["type"] == "own_cards"]
    assert own
    past = (
        await here.client.get(
            f"games/poker/{here.closed_table}/hands/{own[0]['handNumber']}", headers=here.bearer("vic")
        )
    ).json()
    assert own[0]["handNumber"] <= before
    assert [each.get("holeCards") for each in past["players"] if each["seat"] == VIC_SEAT] == [own[0]["cards"]]


# --- doors that are tried -----------------------------------------------------------------------------------------------


async def _try_the_doors(here: Scene, vic_agent: str, vic_token: str, vics: Events) -> None:
    """Streams, sessions, places and agents that are somebody else's."""
    for table in (*here.tables, "t-none"):
        for user, status in ((None, 401), ("mallory", 403)):
            with pytest.raises(StreamRefused) as refused:
                await here.events(table, "owner-stream", user)
            assert refused.value.answer.status == status
    with pytest.raises(StreamRefused):
        await here.events(here.closed_table, "owner-stream", None, Authorization=f"Bearer {vic_token}")
    with pytest.raises(StreamRefused):
        await here.events(here.open_table, "owner-stream", "eve")
    await _take_vics_place(here, vics)
    for path in (f"agents/{vic_agent}", "agents/house-1-0", "agents/none"):
        assert (await here.ask("eve, an opponent", path, "eve")).status_code == 404
    await _take_vics_session(here, vic_token)
    await _come_as_a_hosted_agent(here)


async def _take_vics_place(here: Scene, vics: Events) -> None:
    """The id of an owner's event opens nothing in another's stream but a snapshot of that one's own."""
    last = vics.events[-1].event_id
    for who, kind, user in (("mallory, signed in", "stream", "mallory"), ("eve, an opponent", "owner-stream", "eve")):
        events = await here.events(here.closed_table, kind, user, **{"Last-Event-ID": last})
        await events.snapshot()
        assert events.events[0].name == "resync"
        here.haul(who).streams[f"events {kind} closed, with vic's place"] = [each.message for each in events.events]
        await events.end()


async def _take_vics_session(here: Scene, vic_token: str) -> None:
    """A session is bound to who has it, and an agent's token is none on a user's connection."""
    url = socket_url(here.base, TableId(here.closed_table))
    tries: list[tuple[str | None, dict[str, Any], int]] = [
        (None, {"type": "resume", "session": "A" * 22, "epoch": "x", "lastSeq": 0}, 4440),
        ("mallory", {"type": "resume", "session": "A" * 22, "epoch": "x", "lastSeq": 0}, 4440),
        ("mallory", {"type": "enter", "agentToken": vic_token}, 4403),
        ("vic", {"type": "enter", "agentToken": vic_token}, 4403),
    ]
    for user, message, code in tries:
        async with connect(url, additional_headers=here.bearer(user), proxy=None) as socket:
            await socket.send(json.dumps(message))
            with pytest.raises(ConnectionClosed) as closed:
                while True:
                    here.haul("mallory, signed in").answers.append((f"refused {code}", str(await socket.recv())))
            assert closed.value.rcvd is not None and closed.value.rcvd.code == code


async def _come_as_a_hosted_agent(here: Scene) -> None:
    """At the revealing table: no seat for an agent of one's own, none by a claim, and none in place of a hosted one."""
    mine = await here.agent_of("eve", "Eve 3")
    token = await here.token_of("eve", mine)
    player = await here.enter("eve, an opponent", "agent, open, wants a seat", here.open_table, token=token)
    refused = await player.ask("sit", seat=0, buyIn=2_000)
    assert refused["code"] == "seat_needs_hosted_agent"
    claims = jwt.decode(token, options={"verify_signature": False})
    key = here.home.keys.signing[KeyUse.AGENT]
    forged = jwt.encode(
        {**claims, "hosted": True, "model": "house", "exp": int(time.time()) + 300},
        key.private,
        algorithm=Algorithm.EDDSA,
        headers={"kid": key.key_id},
    )
    assert await _entry(here, forged) == ("bad_token", 4401)
    rivals = await here.token_of("house-1-0-owner", "house-1-0")
    assert await _entry(here, rivals) == ("seat_needs_hosted_agent", 4403)
    note = await here.client.post(
        "agents/house-1-0/notes", headers=here.bearer("house-1-0-owner"), json={"text": "they hold As Ad"}
    )
    assert (note.status_code, note.json()["code"]) == (409, "whisper_refused")


async def _entry(here: Scene, token: str) -> tuple[str, int]:
    """How an entry at the revealing table is refused."""
    async with connect(socket_url(here.base, TableId(here.open_table)), proxy=None) as socket:
        await socket.send(json.dumps({"type": "enter", "agentToken": token}))
        answers: list[Message] = []
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                answers.append(json.loads(await socket.recv()))
        assert closed.value.rcvd is not None
        assert not any(answer["type"] == "snapshot" for answer in answers)
        return answers[-1]["code"], closed.value.rcvd.code


async def _buy(here: Scene, agent_id: str, vic: Player, vics: Events) -> None:
    """Bea buys vic's agent in mid-game and plays on with it: each of them has the hands of their own time."""
    sold = await here.client.post(f"agents/{agent_id}/transfer", headers=here.bearer("vic"), json={"toUserId": "bea"})
    assert sold.status_code in (200, 202), sold.text
    async with asyncio.timeout(WITHIN_S):
        while (await here.ask("bea, who bought the agent", f"agents/{agent_id}", "bea")).status_code != 200:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.1)
        await vics.ended.wait()
    assert await vic.is_closed() in (4401, 4402, 4403)
    with pytest.raises(StreamRefused):
        await here.events(here.closed_table, "owner-stream", "vic")
    who = "bea, who bought the agent"
    token = await here.token_of("bea", agent_id)
    agent = await here.enter(who, "agent, closed", here.closed_table, token=token)
    vic_has = (await here.client.get("bankroll", headers=here.bearer("vic"))).json()["balance"]
    took = vic_has - (STARTING_CHIPS - 2_000)  # what the agent left with is what it comes back with
    sat = await agent.ask("sit", seat=VIC_SEAT, buyIn=max(2_000, took))
    assert sat["type"] == "ack", sat
    await here.watch(who, here.closed_table, "owner-stream", "bea")
    await agent.play_from_now()
    await until(lambda: any(message["type"] == "hand_started" for message in agent.messages), WITHIN_S)
