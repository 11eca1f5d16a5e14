-- SPDX-License-Identifier: Apache-2.0
--
-- Who waits, for whom, and who is next.
--
-- A request must wait while it conflicts with a lease or with an earlier waiter. That one rule makes
-- the queue first come first served and keeps shared requests from starving exclusive ones.

-- how many waiters are granted in one call
local GRANTS = 250

function rule.digits(number)
    return string.format('%032.0f', number)
end

function rule.sequenceOf(entry)
    return tonumber(sub(entry, -64, -33))
end

function rule.waiterOf(id)
    local value = call('HGET', WAITERS, id)
    if not value then
        return nil
    end
    local deadline, sequence, lookAt, client, since, ttl, _, delay, _, round, claim, holder, from =
        unpackFrom(WAITER, value)
    return {
        id = id, claim = claim, holder = holder, ttl = ttl, deadline = deadline, delay = delay,
        record = sub(value, from), since = since, client = client, sequence = sequence,
        lookAt = lookAt, round = round
    }
end

function rule.putWaiter(waiter)
    call('HSET', WAITERS, waiter.id, pack(WAITER, waiter.deadline, waiter.sequence, waiter.lookAt,
        #waiter.client, waiter.client, #waiter.since, waiter.since, waiter.ttl, 0, waiter.delay, 0,
        waiter.round, #waiter.claim, waiter.claim, #waiter.holder, waiter.holder) .. waiter.record)
    changed = true
end

function rule.entriesOf(waiter)
    local entries = {}
    local tail = '\0' .. rule.digits(waiter.sequence) .. waiter.id
    for _, scope in ipairs(rule.scopes(waiter.claim)) do
        entries[#entries + 1] = 'q' .. rule.place(scope) .. tail
        if rule.isExclusive(waiter.claim) then
            entries[#entries + 1] = 'e' .. rule.place(scope) .. tail
        end
    end
    return entries
end

function rule.leave(waiter)
    call('ZREM', ENDS, 'W' .. waiter.id)
    call('ZREM', INDEX, unpack(rule.entriesOf(waiter)))
    call('HDEL', WAITERS, waiter.id)
    waiting = waiting - 1
    changed = true
end

-- The id of someone who waits before the given place in the queue and whose claim excludes this one.
function rule.waiterInTheWay(claim, before)
    if waiting == 0 then
        return nil
    end
    local set = rule.isExclusive(claim) and 'q' or 'e'
    for _, scope in ipairs(rule.scopes(claim)) do
        local id = rule.each(set, scope, function(entry)
            return rule.sequenceOf(entry) < before and rule.idOf(entry)
        end)
        if id then
            return id
        end
    end
end

-- The lease that a claim at the given place waits for, directly or behind others; nothing if all that
-- was in its way is gone.
function rule.holderBefore(claim, before)
    while true do
        local lease = rule.holderInTheWay(claim)
        local ahead = not lease and rule.waiterInTheWay(claim, before)
        if not ahead then
            return lease
        end
        local waiter = rule.waiterOf(ahead)
        claim, before = waiter.claim, waiter.sequence
    end
end

-- Tells a waiter's client in how long to look again: when the lease in its way would end by itself, if
-- it is the first in line, else somewhat later, in case the first is dead.
function rule.queued(waiter, lease)
    lease = lease or rule.holderBefore(waiter.claim, waiter.sequence)
    local pause = lease and rule.blockedFor(lease) or 0
    if rule.waiterInTheWay(waiter.claim, waiter.sequence) then
        pause = pause + BEHIND + waiter.sequence * STEP % SPREAD
    end
    waiter.lookAt = now + pause
    rule.putWaiter(waiter)
    return {'Q', rule.text(now), pause}
end

function rule.hear(client)
    call('ZADD', CLIENTS, now + ALIVE, client)
end

function rule.enqueue(id, claim, holder, ttl, wait, delay, record, since, round, lease)
    local most = tonumber(ARGV[5])
    for i, scope in ipairs(rule.scopes(claim)) do
        local at = 'q' .. rule.place(scope)
        if call('ZLEXCOUNT', INDEX, '[' .. at .. '\0', '(' .. at .. '\1') >= most then
            return {'L', 'waiters', i}
        end
    end
    sequence = sequence + 1
    local waiter = {
        id = id, claim = claim, holder = holder, ttl = ttl, deadline = now + wait, delay = delay,
        record = record, since = since, client = caller, sequence = sequence, round = round
    }
    call('ZADD', ENDS, waiter.deadline, 'W' .. id)
    local members = {}
    for _, entry in ipairs(rule.entriesOf(waiter)) do
        members[#members + 1] = 0
        members[#members + 1] = entry
    end
    call('ZADD', INDEX, unpack(members))
    rule.hear(caller)
    waiting = waiting + 1
    due = math.min(due, waiter.deadline)
    return rule.queued(waiter, lease)
end

-- A repeat keeps its place and may lengthen the wait.
function rule.join(waiter, claim, wait, round)
    if waiter.claim ~= claim then
        return {'N', 's'}
    end
    waiter.client, waiter.round = caller, math.max(waiter.round, round)
    waiter.deadline = math.max(waiter.deadline, now + wait)
    call('ZADD', ENDS, waiter.deadline, 'W' .. waiter.id)
    rule.hear(caller)
    return rule.queued(waiter)
end

function rule.isAlive(client)
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
function rule.handOver(freed)
    if waiting == 0 then
        return
    end
    -- by place: the next in the queue there
    local cursors = {}
    local left = GRANTS
    local function follow(list, after)
        for _, scope in ipairs(list) do
            rule.each('q', scope, function(entry)
                local at = sub(entry, 1, -65)
                cursors[at] = cursors[at] or after == 0 and entry
                    or rule.first(at .. rule.digits(after + 1), at .. ':')
            end)
        end
    end
    follow(freed, 0)
    while true do
        local at, entry
        for where, candidate in pairs(cursors) do
            if not entry or rule.sequenceOf(candidate) < rule.sequenceOf(entry) then
                at, entry = where, candidate
            end
        end
        if not entry then
            return
        end
        cursors[at] = nil
        local waiter = rule.waiterOf(rule.idOf(entry))
        local number = rule.sequenceOf(entry)
        local goOn = true
        if waiter then
            local list = rule.scopes(waiter.claim)
            local ahead = rule.waiterInTheWay(waiter.claim, number)
            local lease = rule.holderInTheWay(waiter.claim)
            if ahead or lease then
                if not ahead and waiter.lookAt > now + rule.blockedFor(lease) then
                    -- it is the first in line now
                    rule.deliver(waiter.client, waiter.id, rule.queued(waiter, lease))
                end
                -- what holds it up, or it itself, holds up all behind it here
                goOn = not rule.isExclusive(waiter.claim) and #list > 1
            elseif not rule.isAlive(waiter.client) then
                rule.leave(waiter)
                follow(list, 0)
            elseif waiter.deadline > now then
                if left == 0 then
                    -- the rest is for the next call
                    for _, scope in ipairs(list) do
                        call('ZADD', ENDS, now, 'F' .. scope)
                    end
                    due = now
                    rule.deliver(waiter.client, waiter.id, {'T'})
                    return
                end
                left = left - 1
                rule.leave(waiter)
                local new, limit = rule.grant(waiter.id, waiter.claim, waiter.holder, waiter.ttl,
                    waiter.delay, waiter.record, waiter.round)
                rule.deliver(waiter.client, waiter.id, new and rule.granted(new) or limit)
                follow(list, number)
            end
        end
        if goOn and not cursors[at] then
            cursors[at] = rule.first(at .. rule.digits(number + 1), at .. ':')
        end
    end
end
