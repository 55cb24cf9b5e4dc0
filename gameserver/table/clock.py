"""One player's time for one decision: turn clock, then a bank. Pure functions of the time of receipt, in milliseconds.

The turn clock runs whether the line is up or down. After it the time bank runs while the line is up, and the disconnect bank
while it is down; a bank does not pay for the other. The last instant of a bank still counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Banks:
    """What a seat has left. The time bank is one sum for all streets and hands."""

    time_bank_ms: int
    disconnect_bank_ms: int


@dataclass(frozen=True, slots=True)
class TurnClock:
    """`bank_from_ms`: from when the bank in use runs: the end of the turn clock, or the last change of the line after it.

    `banks`: what was in them at that instant.
    """

    turn_ends_at_ms: int
    bank_from_ms: int
    connected: bool
    banks: Banks


def start(now_ms: int, turn_ms: int, *, connected: bool, banks: Banks) -> TurnClock:
    """The clock of a turn that opens now."""
    return TurnClock(now_ms + turn_ms, now_ms + turn_ms, connected, banks)


def acts_for_at_ms(clock: TurnClock) -> int:
    """The last instant in which the player's own move counts, as things stand."""
    return clock.bank_from_ms + _in_use(clock)


def is_over(clock: TurnClock, now_ms: int) -> bool:
    return now_ms > acts_for_at_ms(clock)


def banks_at(clock: TurnClock, now_ms: int) -> Banks:
    """What is left in both banks."""
    left = max(0, _in_use(clock) - max(0, now_ms - clock.bank_from_ms))
    if clock.connected:
        return replace(clock.banks, time_bank_ms=left)
    return replace(clock.banks, disconnect_bank_ms=left)


def line_changed(clock: TurnClock, now_ms: int, *, connected: bool) -> TurnClock:
    """The clock after the line went up or down: the other bank runs from now on."""
    return TurnClock(clock.turn_ends_at_ms, max(clock.turn_ends_at_ms, now_ms), connected, banks_at(clock, now_ms))


def phase(clock: TurnClock, now_ms: int) -> tuple[str, int]:
    """Which clock runs (`turn`, `time_bank`, `disconnect_bank`), and the milliseconds left in it."""
    if now_ms < clock.turn_ends_at_ms:
        return "turn", clock.turn_ends_at_ms - now_ms
    banks = banks_at(clock, now_ms)
    if clock.connected:
        return "time_bank", banks.time_bank_ms
    return "disconnect_bank", banks.disconnect_bank_ms


def refilled(time_bank_ms: int, hands_dealt: int, *, every_hands: int, refill_ms: int, cap_ms: int) -> int:
    """The time bank after a hand, the `hands_dealt`-th that the seat was dealt."""
    if every_hands < 1 or hands_dealt % every_hands:
        return time_bank_ms
    return max(time_bank_ms, min(cap_ms, time_bank_ms + refill_ms))


def _in_use(clock: TurnClock) -> int:
    return clock.banks.time_bank_ms if clock.connected else clock.banks.disconnect_bank_ms
