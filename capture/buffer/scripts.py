"""What the buffer's server does in one step, since between two commands a writer can be killed: Lua, run by their hash.

Each key that a script makes has its time to live before the script ends, so no other client ever sees it without
(test_every_key_has_a_time_to_live_at_every_instant). An index is renewed in the step that adds to it, and lives longer than
what it lists.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Script:
    """A script. `sha1`: what a server knows it by once it has run it, in hexadecimal."""

    text: str
    sha1: str


def _script(text: str) -> Script:
    return Script(text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


_LIST: Final = """
local function list(key, member)
  redis.call('SADD', key, member)
  if redis.call('TTL', key) < tonumber(ARGV[2]) then redis.call('EXPIRE', key, ARGV[2]) end
end
"""

WRITE_TURNS: Final = _script(
    _LIST
    + """
for i = 1, #KEYS, 3 do
  redis.call('SET', KEYS[i], ARGV[i + 2], 'EX', ARGV[1])
  list(KEYS[i + 1], ARGV[i + 3])
  list(KEYS[i + 2], ARGV[i + 4])
end
"""
)
"""KEYS: turn, hand, agents, for each turn. ARGV: seconds to live, of an index, then record, action index, agent, for each turn."""

MARK_TURNS: Final = _script(
    _LIST
    + """
local there = {}
for i = 1, #KEYS, 3 do
  local begins = redis.call('GETRANGE', KEYS[i], 0, 0)
  if begins == '' then
    redis.call('SET', KEYS[i], ARGV[i + 2], 'EX', ARGV[1])
    list(KEYS[i + 1], ARGV[i + 3])
    list(KEYS[i + 2], ARGV[i + 4])
  end
  there[#there + 1] = (begins == '' or begins == '\\0') and 0 or 1
end
return there
"""
)
"""As WRITE_TURNS, with a mark for a record, and where nothing is yet. Returns for each turn whether its record was there."""

PUT_ENVELOPE: Final = _script("""
local left = redis.call('TTL', KEYS[1])
if left == -2 then redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[1])
elseif left < tonumber(ARGV[1]) then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
""")
"""KEYS: the envelope. ARGV: seconds to live, its bytes."""

RENEW_ENVELOPES: Final = _script("""
local gone = {}
for i, key in ipairs(KEYS) do
  local left = redis.call('TTL', key)
  if left == -2 then gone[#gone + 1] = i - 1
  elseif left < tonumber(ARGV[1]) then redis.call('EXPIRE', key, ARGV[1]) end
end
return gone
""")
"""KEYS: envelopes. ARGV: seconds to live. Returns the places, from 0, of those that are not there."""

FORGET_HAND: Final = _script("""
local turns = redis.call('SMEMBERS', KEYS[1])
for _, index in ipairs(turns) do redis.call('UNLINK', ARGV[2] .. index) end
redis.call('UNLINK', KEYS[1])
redis.call('SREM', KEYS[2], ARGV[1])
return #turns
""")
"""KEYS: hand, agents. ARGV: agent, and what the keys of its turns begin with, which a cluster keeps in the same place."""

KEEP_BOOKS: Final = _script("""
local clean, notable, envelopes, totals = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, ends, life, ceiling, turns = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])

local function count(member, sign)
  local bytes, raw = string.match(member, '^(%d+):(%d+):')
  redis.call('HINCRBY', totals, 'bytes', sign * tonumber(bytes))
  redis.call('HINCRBY', totals, 'raw', sign * tonumber(raw))
end
local function enter(book, member)
  if redis.call('ZADD', book, ends, member) == 1 then count(member, 1) end
end

for i = 6, 5 + 2 * turns, 2 do enter(ARGV[i] == '1' and clean or notable, ARGV[i + 1]) end
for i = 6 + 2 * turns, #ARGV do enter(envelopes, ARGV[i]) end

for _, book in ipairs({clean, notable, envelopes}) do
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', book, '-inf', now, 'LIMIT', 0, 1000)) do
    redis.call('ZREM', book, member)
    count(member, -1)
  end
end

local dropped = {}
for _, book in ipairs({clean, notable}) do
  while #dropped < 1000 and tonumber(redis.call('HGET', totals, 'bytes') or 0) > ceiling do
    local oldest = redis.call('ZPOPMIN', book)
    if #oldest == 0 then break end
    count(oldest[1], -1)
    dropped[#dropped + 1] = string.match(oldest[1], '^%d+:%d+:(.*)$')
  end
end
if #dropped > 0 then redis.call('HINCRBY', totals, 'dropped', #dropped) end

for _, book in ipairs(KEYS) do
  if redis.call('TTL', book) < tonumber(life) then redis.call('EXPIRE', book, life) end
end
return dropped
""")
"""Counts what was written and what has expired; where it is more than the ceiling, strikes the oldest clean turns, then the
oldest others, and returns their keys, for the caller to put marks in their places.

KEYS: the books `clean`, `notable`, `envelopes`, `totals`. ARGV: now and the end of what is entered (ms since 1970), the books'
seconds to live, the ceiling in bytes, the number of turns; for each turn `1` where it is clean, and `bytes:raw:key`; for each
envelope `bytes:0:key`.
"""
