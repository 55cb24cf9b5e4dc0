"""`railbird capture`: what an operator reads and keeps of agents' turns, on a running server's folder or after it has ended.

A hand that a running table has open is not read and not kept; each act leaves an audit row with who ran the command.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Annotated, Final, TypeVar

import msgspec
from cyclopts import App, Parameter
from cyclopts.validators import Number

from capture.errors import BufferUnavailable
from capture.hand import Hand
from capture.http.parameters import LARGEST_HAND, MOST_HANDS
from capture.reads import document
from capture.reads.verify import verify as verify_all
from policy.errors import PolicyRefusal, RefusalCode
from policy.ids import AgentId, HandNumber, TableId
from railbird.commands import capture_words as words
from railbird.commands.answer import AsJson, ConfigFile, Exit, Failed, say, settings
from railbird.record_folder import NoRecord, RecordFolder, opened_folder

app = App(name="capture", help="Captured turns: what agents knew, were told, said and did.")

T = TypeVar("T")

Table = Annotated[str, Parameter(name=("--table-id", "--table"), help="The table's id.")]
HandNo = Annotated[
    int,
    Parameter(name=("--hand-number", "--hand"), validator=Number(gte=1, lte=LARGEST_HAND), help="The hand's number."),
]
Agent = Annotated[str, Parameter(name=("--agent-id", "--agent"), help="The agent's id.")]
Yes = Annotated[bool, Parameter(name="--yes", negative="", help="Do not ask.")]

_LIVE: Final = "hand_live: a running table has this hand open. Ask again when it is over."


@app.command
def hand(
    table_id: Table, hand_number: HandNo, agent_id: Agent, *, json: AsJson = False, config: ConfigFile = None
) -> int:
    """One agent's turns of a hand."""
    named = Hand(AgentId(agent_id), TableId(table_id), HandNumber(hand_number))
    found = _with_folder(config, lambda folder: folder.reads.hand(folder.operator, named))
    return _tell(document.of_agent(found), json, words.of_agent)


@app.command(name="hand-all")
def hand_all(table_id: Table, hand_number: HandNo, *, json: AsJson = False, config: ConfigFile = None) -> int:
    """Every agent's turns of a hand."""
    table, number = TableId(table_id), HandNumber(hand_number)
    found = _with_folder(config, lambda folder: folder.reads.hand_all(folder.operator, table, number))
    return _tell(document.of_hand(found), json, words.of_hand)


@app.command
def recent(
    *,
    limit: Annotated[int, Parameter(validator=Number(gte=1, lte=MOST_HANDS))] = 20,
    json: AsJson = False,
    config: ConfigFile = None,
) -> int:
    """Hands in which agents asked their models, latest first.

    Parameters
    ----------
    limit
        How many hands.
    """
    found = _with_folder(config, lambda folder: folder.reads.recent(folder.operator, limit=limit, before_us=None))
    return _tell(document.of_recent(found, asked_for=limit), json, words.of_recent)


@app.command
def promote(
    table_id: Table, hand_number: HandNo, agent_id: Agent, *, json: AsJson = False, config: ConfigFile = None
) -> int:
    """Keep one agent's turns of a hand for good."""
    named = Hand(AgentId(agent_id), TableId(table_id), HandNumber(hand_number))
    promoted = _with_folder(config, lambda folder: folder.reads.promote(folder.operator, named))
    return _tell(document.of_promoted(promoted), json, words.of_promoted)


@app.command
def verify(*, json: AsJson = False, config: ConfigFile = None) -> int:
    """Hash every record in reach again. Exits with 1 where one is not what was captured."""

    async def work(folder: RecordFolder) -> words.VerifiedShape:
        await folder.audit("verify_turns", {})
        return words.shape_of_verified(await verify_all(folder.client, folder.record.stores.durable))

    found = _with_folder(config, work)
    _tell(found, json, words.of_verified)
    return Exit.FAILED if found.differences else Exit.FINE


@app.command
def stats(*, json: AsJson = False, config: ConfigFile = None) -> int:
    """How much there is: turns, envelopes, bytes, and what was dropped."""

    async def work(folder: RecordFolder) -> words.StatsShape:
        buffer = None if folder.buffer is None else await folder.buffer.stats()
        return words.shape_of_stats(buffer, await folder.record.stores.durable.counts())

    return _tell(_with_folder(config, work), json, words.of_stats)


@app.command
def purge(*, yes: Yes = False, json: AsJson = False, config: ConfigFile = None) -> int:
    """Empty the buffer. What somebody kept stays, up to CAPTURE_PINNED_DAYS where that is set."""
    if not (yes or json) and sys.stdin.isatty() and not words.agreed("Delete all captured turns that nobody kept?"):
        raise Failed("Nothing was deleted.")

    async def work(folder: RecordFolder) -> words.PurgedShape:
        await folder.audit("purge_turns", {})
        keys = 0 if folder.buffer is None else await folder.buffer.purge()
        return words.PurgedShape(keys=keys, kept=await folder.record.forget())

    return _tell(_with_folder(config, work), json, words.of_purged)


def _with_folder(config: ConfigFile, work: Callable[[RecordFolder], Awaitable[T]]) -> T:
    """What `work` gives of the record of these settings."""
    wanted = settings(config)

    async def run() -> T:
        async with opened_folder(wanted, os.geteuid()) as folder:
            return await work(folder)

    try:
        return asyncio.run(run())
    except NoRecord as none:
        raise Failed(str(none)) from None
    except BufferUnavailable as away:
        raise Failed(f"The buffer does not answer ({away}): set AGENT_CAPTURE_REDIS_URL, or try again.") from None
    except PolicyRefusal as refused:
        raise Failed(_LIVE if refused.code is RefusalCode.HAND_LIVE else f"{refused.code}: {refused.why}") from None


def _tell(shape: T, as_json: bool, in_words: Callable[[T], str]) -> int:
    """The answer as JSON or in words."""
    if as_json:
        assert isinstance(shape, msgspec.Struct)
        sys.stdout.write(msgspec.json.format(document.encode(shape), indent=2).decode() + "\n")
    else:
        say(in_words(shape))
    return Exit.FINE
