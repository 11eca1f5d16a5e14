-- SPDX-License-Identifier: Apache-2.0
--
-- Begins the script: the time, and what the namespace knows of itself.
--
-- The script does a batch of operations, one after the other, and no other client sees anything in
-- between. Each operation reads and checks before its first write. An operation that fails does not
-- undo or prevent the others.
--
-- KEYS[1]   the namespace, such as leasehold:{orders}: a hash, one for all so that what belongs
--           together is read and written by one command. In a cluster the others follow it, so that
--           while their slot moves the server runs the script only where all of them are.
--             nothing -> the state of the namespace
--             lease id -> the lease; or how it ended, for the retry window: a letter, when, its token
--                         and, if it was completed, a digest of what it left
--             n name -> id of its exclusive holder, or + and how many share it
--             n -> the store id of the namespace, in 32 hex digits; a node of a quorum has none
--           All other keys begin with it and a colon, so that they share its slot:
--             :ended    list   ids of leases that ended, the oldest first
--             :index    zset   in the order of the keys, see search.lua: who holds what but a name
--                              exclusively, who waits for what
--             :records  hash   scope -> the record that was left there
--             :waiters  hash   lease id -> the request that waits
--             :clients  zset   client -> until when it is taken to be alive
--             :ends     zset   what happens by itself, by its time: lease id, R scope of a record,
--                              W id of a waiter, F scope to be looked at again, P place in the queue
--                              to go on from, S what is to be restored, see repair.lua
--           Each of these has an empty member, field or first element that stays: so no key comes and
--           goes, and one without it was lost.
-- ARGV[1]   what does not change from call to call, in one because every argument costs as much as
--           many lines: 1 if every subscriber of a channel is connected to this server, else 0; most
--           leases and records; most waiters of a scope; for how long leases that ended are
--           remembered; how many of those at most; the store id that the client knows, in 32
--           characters; the client that asks
-- ARGV[2]   the highest token that it has seen, which no new one may be below; for a node of a
--           quorum N and the run id of the server, see node.lua
-- ARGV[3…]  operations: a letter with the number of arguments, then those, see operations.lua; or,
--           if they are about the exclusive lease of a single name, in one with a capital letter:
--             A  acquire that no record will do instead of: id, ttl, wait, then as in a lease
--                lock-delay, 0, sender, claim, holder, record; for a node of a quorum the round in place
--                of the sender, and behind all the attempt and the sender
--             E  release: id, token, 0, claim, holder
--             U  raise: id, token, the token proposed, claim, holder, round, attempt
--           Several renewals of whatever leases may also be in one:
--             R  how many; the ids; for each token, ttl or 0 for its own, the expected version or 0
--                and, with a length of its own in front, the claim as in a lease; the holders
--
-- Returns an answer for each operation, then one for every waiter of this client that was answered
-- meanwhile: its lease id in front, the time behind. An operation that was not begun because too much
-- is overdue is answered with A; it is to be sent again. A bare A behind the answers says that work was
-- left for the next call, which is to be made soon. One that failed is answered with ! and the
-- error. If the store id is another one than the client knows, I and that id come behind the answers.
-- For operations that are in one the answer may be so too, and for waiters: E; G and the token,
-- where all else is as it was asked for; or Q and both times. To a waiter it has the lease id and the
-- time in front. So may that to renewals: R, and of each what operations.r returns. If it is the only
-- answer, there is no array around it.
--
-- All times are microseconds of this server's clock, all lengths microseconds. Tokens leave as
-- text.

local call, byte, sub, find = redis.call, string.byte, string.sub, string.find
local pack, unpackFrom = struct.pack, struct.unpack
local key, caller, last = KEYS[1], sub(ARGV[1], 66), #ARGV
local ENDS = key .. ':ends'
-- written where they are first needed
local ENDED, INDEX, WAITERS, CLIENTS

-- the first operation; and if it is in one, which lease it is about, and which name
local at, word = 3, ARGV[3]
local letter, id, scope = byte(word), '', nil
if letter == 65 then
    id, scope = sub(word, 2, 33), sub(word, 70, 68 + unpackFrom('>I2', word, 67))
elseif letter < 97 then
    id = sub(word, 2, 33)
end

-- how a lease is written, behind the letter L: token, ttl, expiry, version, the token it was rotated
-- from, when it was granted, the ttl that its request named or 0 if that is not known, lock-delay, whether
-- that has begun, its only sender or 0, claim, holder; the rest is the record. At a node of a quorum the round in which it was asked for is in place of the sender,
-- and what the node knows of the token follows, see node.lua: its draw, the attempt of the round, the
-- maker, round and attempt of the mark; then the sender
local FORMAT, LEASE, RELEASED = '>ddddddddBdI2c0I2c0', 76, 82
-- where its sender or round, and the length of its claim, stand in it
local SENDER_AT, CLAIM_AT = 67, 75
local VOTE, VOTE_SIZE = '>dddddd', 48
-- how a request that waits is written: until when, its place in the queue, when it looks again, its
-- client, the oldest token whose record will do instead or nothing, then as in an acquire; at a node
-- of a quorum attempt, maker and sender follow
local VOTER, VOTER_SIZE = '>ddd', 24
local WAITER = '>dddI2c0I2c0dddBdI2c0I2c0'
-- what follows it is who the node of a quorum is
local STATE, STATE_SIZE = '>ddddddddd', 72
-- of that without the quorum: run id, generation, since when
local IDENTITY = 40 + 16 + 8
local NEVER = 9007199254740992
-- how much later than the first in line the others look again: at least, and spread over how long
local BEHIND, STEP, SPREAD = 100000, 79190, 900000
-- for how long a client that was heard of is taken to be alive
local ALIVE = 10000000
local EXCLUSIVE, NAME, PATH, SUBTREE, INODE, RANGE = 120, 110, 112, 116, 105, 114

local now, token, due, occupied, remembered, waiting, sequence, listened, events =
    0, 0, NEVER, 0, 0, 0, 0, 0, 0
-- together with what the first operation is about
local known = scope and redis.pcall('HMGET', key, '', id, scope, 'n')
    or redis.pcall('HMGET', key, '', id, 'n')
if known.err then
    return known
elseif known[1] then
    -- now: the time of the last change; due: nothing happens by itself before; occupied: scopes that
    -- are leased or have a record; sequence: of the last waiter; listened: until when somebody does
    now, token, due, occupied, remembered, waiting, sequence, listened, events =
        unpackFrom(STATE, known[1])
end
local identity = sub(known[1] or '', STATE_SIZE + 1)
-- the store id, and whether the client knows it
local storeId = known[scope and 4 or 3]
local isKnown = storeId == sub(ARGV[1], 34, 65)
local clock = call('TIME')
-- the time never runs backwards, even if the clock does
now = math.max(now, clock[1] * 1000000 + clock[2])
-- below which no token may be drawn; a node of a quorum counts
local isNode = byte(ARGV[2]) == 78
local floor = isNode and 0 or math.max(now, unpackFrom('>d', ARGV[2]) + 1)
local answers, deliveries = {}, {}
local safely = redis.pcall
-- whether nobody listens, nothing is overdue and nothing hinders the operations
local plain = known[1] and listened <= now and due > now
    and (isNode and sub(identity, 1, 40) == sub(ARGV[2], 2) and #identity > IDENTITY
        or not isNode and identity == '' and isKnown)
local nodes, index = byte(identity, IDENTITY + 1, IDENTITY + 2)
-- the end of the state, which only those who wait change
local rest = sub(known[1] or '', 41)
-- the state, if it was written with the last operation
local saved
