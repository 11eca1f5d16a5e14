-- SPDX-License-Identifier: Apache-2.0
--
-- Who waits, for whom, who is next, and what happens by itself. Part of the script, run when anybody
-- waits or anything is overdue.
--
-- A request must wait while it conflicts with a lease or with an earlier waiter. That one rule makes
-- the queue first come first served and keeps shared requests from starving exclusive ones.

-- how many things that are overdue are dealt with in one call
local SLICE = 500
-- how many waiters are granted in one call
local GRANTS = 250
-- how much later than the first the others in line look again: at least, and spread over how long
local BEHIND = 100000
local SPREAD = 900000
-- for how long a client that was heard of is taken to be alive
local ALIVE = 10000000

local function place16(number)
    return string.format('%016.0f', number)
end

local function sequenceOf(entry)
    return tonumber(sub(entry, -48, -33))
end

local function waiterOf(id)
    local value = call('HGET', WAITERS, id)
    if not value then
        return nil
    end
    local fields = cmsgpack.unpack(value)
    return {
        id = id, claim = fields[1], holder = fields[2], ttl = fields[3], deadline = fields[4],
        delay = fields[5], record = fields[6], since = fields[7], client = fields[8],
        sequence = fields[9], lookAt = fields[10]
    }
end

local function putWaiter(waiter)
    call('HSET', WAITERS, waiter.id, cmsgpack.pack({
        waiter.claim, waiter.holder, waiter.ttl, waiter.deadline, waiter.delay, waiter.record,
        waiter.since, waiter.client, waiter.sequence, waiter.lookAt
    }))
    changed = true
end

local function entriesOf(waiter)
    local entries = {}
    local tail = '\0' .. place16(waiter.sequence) .. waiter.id
    for _, scope in ipairs(scopes(waiter.claim)) do
        entries[#entries + 1] = 'q' .. place(scope) .. tail
        if isExclusive(waiter.claim) then
            entries[#entries + 1] = 'e' .. place(scope) .. tail
        end
    end
    return entries
end

local function leave(waiter)
    call('ZREM', ENDS, 'W' .. waiter.id)
    call('ZREM', INDEX, unpack(entriesOf(waiter)))
    call('HDEL', WAITERS, waiter.id)
    waiting = waiting - 1
    changed = true
end

-- Someone who waits before the given place in the queue and whose claim excludes this one.
local function waiterInTheWay(claim, before)
    if waiting == 0 then
        return nil
    end
    local set = isExclusive(claim) and 'q' or 'e'
    for _, scope in ipairs(scopes(claim)) do
        local id = searching()(set, scope, function(entry)
            return sequenceOf(entry) < before and idOf(entry)
        end)
        if id then
            return waiterOf(id)
        end
    end
end

-- The lease that a claim at the given place waits for, directly or behind others, and whether
-- directly; nothing if all that was in its way is gone.
local function holderBefore(claim, before)
    local ahead = waiterInTheWay(claim, before)
    local direct = not ahead
    while true do
        local lease = holderInTheWay(claim)
        if lease or not ahead then
            return lease, direct
        end
        claim, before = ahead.claim, ahead.sequence
        ahead = waiterInTheWay(claim, before)
    end
end

-- Tells a waiter's client in how long to look again: when what is in its way would end by itself, if
-- it is the first in line, else somewhat later, in case the first is dead.
local function queued(waiter)
    local lease, direct = holderBefore(waiter.claim, waiter.sequence)
    local pause = lease and blockedFor(lease) or 0
    if not direct then
        pause = pause + BEHIND + waiter.sequence % SPREAD
    end
    waiter.lookAt = now + pause
    putWaiter(waiter)
    return {'Q', text(now), pause}
end

local function hear(client)
    call('ZADD', CLIENTS, now + ALIVE, client)
    call('ZREMRANGEBYSCORE', CLIENTS, '-inf', now)
end

local function enqueue(id, claim, holder, ttl, wait, delay, record, since)
    local most = tonumber(ARGV[5])
    for i, scope in ipairs(scopes(claim)) do
        local at = 'q' .. place(scope)
        if call('ZLEXCOUNT', INDEX, '[' .. at .. '\0', '(' .. at .. '\1') >= most then
            return {'L', 'waiters', i}
        end
    end
    sequence = sequence + 1
    local waiter = {
        id = id, claim = claim, holder = holder, ttl = ttl, deadline = now + wait, delay = delay,
        record = record, since = since, client = caller, sequence = sequence
    }
    call('ZADD', ENDS, waiter.deadline, 'W' .. id)
    for _, entry in ipairs(entriesOf(waiter)) do
        call('ZADD', INDEX, 0, entry)
    end
    hear(caller)
    waiting = waiting + 1
    due = math.min(due, waiter.deadline)
    return queued(waiter)
end

-- A repeat keeps its place and may lengthen the wait.
local function join(waiter, claim, wait)
    if waiter.claim ~= claim then
        return {'N', 's'}
    end
    waiter.client = caller
    waiter.deadline = math.max(waiter.deadline, now + wait)
    call('ZADD', ENDS, waiter.deadline, 'W' .. waiter.id)
    hear(caller)
    return queued(waiter)
end

local function isAlive(client)
    if client == caller then
        return true
    end
    if tonumber(call('ZSCORE', CLIENTS, client) or 0) <= now then
        return false
    end
    return ARGV[3] == '0' or call('PUBSUB', 'NUMSUB', key .. ':to:' .. client)[2] > 0
end

-- Grants to the waiters who may have been held up by the given scopes, first come first served.
-- Whoever is dead is dropped, whoever is late is left to be answered.
local function handOver(freed)
    if waiting == 0 then
        return
    end
    -- by place: the next in the queue there
    local cursors = {}
    local left = GRANTS
    local function follow(list, after)
        for _, scope in ipairs(list) do
            searching()('q', scope, function(entry)
                local at = sub(entry, 1, -49)
                cursors[at] = cursors[at] or first(at .. place16(after + 1), at .. ':') or nil
            end)
        end
    end
    follow(freed, 0)
    while true do
        local at, entry
        for where, candidate in pairs(cursors) do
            if not entry or sequenceOf(candidate) < sequenceOf(entry) then
                at, entry = where, candidate
            end
        end
        if not entry then
            return
        end
        cursors[at] = nil
        local waiter = waiterOf(idOf(entry))
        local number = sequenceOf(entry)
        local goOn = true
        if waiter then
            local list = scopes(waiter.claim)
            local ahead = waiterInTheWay(waiter.claim, number)
            local lease = holderInTheWay(waiter.claim)
            if ahead or lease then
                if not ahead and waiter.lookAt > now + blockedFor(lease) then
                    -- it is the first in line now
                    deliver(waiter.client, waiter.id, queued(waiter))
                end
                -- what holds it up, or it itself, holds up all behind it here
                goOn = not isExclusive(waiter.claim) and #list > 1
            elseif not isAlive(waiter.client) then
                leave(waiter)
                follow(list, 0)
            elseif waiter.deadline > now then
                if left == 0 then
                    -- the rest is for the next call
                    for _, scope in ipairs(list) do
                        call('ZADD', ENDS, now, 'F' .. scope)
                    end
                    due = now
                    deliver(waiter.client, waiter.id, {'T'})
                    return
                end
                left = left - 1
                leave(waiter)
                local new, limit = grant(waiter.id, waiter.claim, waiter.holder, waiter.ttl,
                    waiter.delay, waiter.record)
                deliver(waiter.client, waiter.id, new and granted(new) or limit)
                follow(list, number)
            end
        end
        if goOn and not cursors[at] then
            cursors[at] = first(at .. place16(number + 1), at .. ':')
        end
    end
end

-- Answers everyone who waits at the scope and would rather have the record; returns all scopes that
-- they waited for.
local function answerWith(scope, kept)
    local freed = {}
    local at = 'q' .. place(scope)
    local entries = waiting == 0 and {}
        or call('ZRANGEBYLEX', INDEX, '[' .. at .. '\0', '(' .. at .. '\1')
    for _, entry in ipairs(entries) do
        local waiter = waiterOf(idOf(entry))
        if waiter.since ~= '' and kept.token >= tonumber(waiter.since) then
            leave(waiter)
            for _, other in ipairs(scopes(waiter.claim)) do
                freed[#freed + 1] = other
            end
            deliver(waiter.client, waiter.id, completed(kept))
        end
    end
    return freed
end

-- Answers the waits that are over. All are judged before any of them leaves, because one may wait
-- behind another.
local function answerOverdue(overdue, freed)
    local answers = {}
    for i, waiter in ipairs(overdue) do
        local lease = holderBefore(waiter.claim, waiter.sequence)
        answers[i] = lease and held(lease) or {'T'}
    end
    for i, waiter in ipairs(overdue) do
        leave(waiter)
        for _, scope in ipairs(scopes(waiter.claim)) do
            freed[#freed + 1] = scope
        end
        deliver(waiter.client, waiter.id, answers[i])
    end
end

-- Ends a lease that ran out, or begins its lock-delay. Its time may have been put off by a renewal,
-- which does not move it.
local function expire(lease, freed)
    local clear = lease.expiry + lease.delay
    if now < lease.expiry then
        call('ZADD', ENDS, lease.expiry, lease.id)
        changed = true
        return
    end
    if lease.lingers == 0 then
        tell('E', lease.claim, lease.holder, lease.token)
    end
    if now < clear then
        call('ZADD', ENDS, clear, lease.id)
        lease.lingers = 1
        put(lease)
        return
    end
    for _, scope in ipairs(vacate(lease)) do
        freed[#freed + 1] = scope
    end
    remember(lease.id, 'E', lease.token)
end

-- Forgets what ended longer ago than it is to be remembered.
local function forgetTheOld()
    local id = call('LINDEX', ENDED, 0)
    if id then
        local value = call('HGET', LEASES, id)
        if not value or byte(value) == LEASE
            or now - unpackFrom('>d', value, 2) >= tonumber(ARGV[6]) then
            forget(SLICE)
        end
    end
end

-- Does what is overdue: first answers the waits that are over, because whoever is late gets nothing,
-- then ends leases and records, then hands over. Returns A if more is overdue.
local function advance()
    local members = call('ZRANGEBYSCORE', ENDS, '-inf', now, 'LIMIT', 0, SLICE)
    local overdue, ended, freed = {}, {}, {}
    for _, member in ipairs(members) do
        local kind, rest = byte(member), sub(member, 2)
        if kind == 87 then
            overdue[#overdue + 1] = waiterOf(rest)
        elseif kind == 82 then
            erase(rest)
        elseif kind == 70 then
            call('ZREM', ENDS, member)
            freed[#freed + 1] = rest
        else
            ended[#ended + 1] = member
        end
    end
    answerOverdue(overdue, freed)
    for _, id in ipairs(ended) do
        local lease = lookUp(id)
        if lease then
            expire(lease, freed)
        else
            call('ZREM', ENDS, id)
        end
    end
    forgetTheOld()
    handOver(freed)
    local next = call('ZRANGE', ENDS, 0, 0, 'WITHSCORES')
    due = tonumber(next[2] or NEVER)
    changed = true
    return due <= now and {'A'} or nil
end

return {
    find = waiterOf, leave = leave, join = join, enqueue = enqueue, inTheWay = waiterInTheWay,
    holderBefore = holderBefore, handOver = handOver, answerWith = answerWith, advance = advance,
    queued = queued, hear = hear
}
