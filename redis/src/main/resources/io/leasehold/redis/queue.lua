-- SPDX-License-Identifier: Apache-2.0
--
-- Who waits, for whom, and who is next.
--
-- A request must wait while it conflicts with a lease or with an earlier waiter. That one rule makes
-- the queue first come first served and keeps shared requests from starving exclusive ones.

-- how much is done in one call to hand over, in entries of the index that are looked at; and how much of
-- it is one waiter that is granted, dropped or left where it is. The rest goes to the next call.
local WORK, WAITER_WORK = 5000, 20

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
    local waiter = {
        id = id, claim = claim, holder = holder, ttl = ttl, askedTtl = ttl, deadline = deadline,
        delay = delay,
        record = sub(value, from, isNode and -VOTER_SIZE - 1 or -1), since = since, client = client,
        sequence = sequence, lookAt = lookAt, sender = round
    }
    if isNode then
        waiter.round = round
        waiter.attempt, waiter.maker, waiter.sender =
            unpackFrom(VOTER, value, #value - VOTER_SIZE + 1)
    end
    return waiter
end

function rule.putWaiter(waiter)
    call('HSET', WAITERS, waiter.id, pack(WAITER, waiter.deadline, waiter.sequence, waiter.lookAt,
        #waiter.client, waiter.client, #waiter.since, waiter.since, waiter.ttl, 0, waiter.delay, 0,
        isNode and waiter.round or waiter.sender, #waiter.claim, waiter.claim,
        #waiter.holder, waiter.holder) .. waiter.record
        .. (isNode and pack(VOTER, waiter.attempt, waiter.maker, waiter.sender) or ''))
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
    local function isBefore(entry)
        while entry and rule.sequenceOf(entry) < before do
            if rule.waiterAt(entry) then
                return rule.idOf(entry)
            end
            entry = rule.strikeWaiter(entry)
        end
    end
    for _, scope in ipairs(rule.scopes(claim)) do
        local id = rule.each(set, scope, isBefore)
        if id then
            return id
        end
    end
end

-- The request that waits at the place.
function rule.waiterAt(entry)
    local waiter = rule.waiterOf(rule.idOf(entry))
    return waiter and waiter.sequence == rule.sequenceOf(entry) and waiter or nil
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
    elseif not lease then
        -- it could have been granted
        rule.reenter(waiter)
    end
    waiter.lookAt = now + pause
    rule.putWaiter(waiter)
    return {'Q', rule.text(now), pause}
end

function rule.hear(client)
    call('ZADD', CLIENTS, now + ALIVE, client)
end

function rule.enqueue(waiter, wait, lease)
    local most = tonumber(ARGV[5])
    for i, scope in ipairs(rule.scopes(waiter.claim)) do
        local at = 'q' .. rule.place(scope)
        if call('ZLEXCOUNT', INDEX, '[' .. at .. '\0', '(' .. at .. '\1') >= most then
            return {'L', 'waiters', i}
        end
    end
    sequence = sequence + 1
    waiter.deadline, waiter.client, waiter.sequence = now + wait, caller, sequence
    call('ZADD', ENDS, waiter.deadline, 'W' .. waiter.id)
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
function rule.join(waiter, wait, asked)
    waiter.client = caller
    rule.sentAgain(waiter, asked.sender)
    if isNode then
        rule.ask(waiter, asked.round, asked.attempt)
    end
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

-- Drops a request whose client is dead, or that is late without the schedule; should somebody still
-- want it, it queues anew.
function rule.drop(waiter)
    rule.leave(waiter)
    rule.deliver(waiter.client, waiter.id, {'T'})
end

-- Enters a place in the queue into a heap: the earliest is on top.
function rule.push(heap, entry)
    local number, at = rule.sequenceOf(entry), #heap + 1
    while at > 1 and heap[math.floor(at / 2)].number > number do
        heap[at] = heap[math.floor(at / 2)]
        at = math.floor(at / 2)
    end
    heap[at] = {number = number, entry = entry}
end

-- Takes the earliest place out.
function rule.pop(heap)
    local top, last = heap[1], table.remove(heap)
    local at, child = 1, 2
    while heap[child] do
        if heap[child + 1] and heap[child + 1].number < heap[child].number then
            child = child + 1
        end
        if heap[child].number >= last.number then
            break
        end
        heap[at] = heap[child]
        at, child = child, 2 * child
    end
    if #heap > 0 then
        heap[at] = last
    end
    return top.entry
end

-- Leaves the places to the next call.
function rule.postpone(heap)
    for _, place in ipairs(heap) do
        call('ZADD', ENDS, now, 'P' .. place.entry)
    end
    due = now
    changed = true
end

-- Grants to the waiters who may have been held up by the given scopes, and goes on from places where an
-- earlier call ended; first come first served. Whoever is dead is dropped, whoever is late is left to be
-- answered.
function rule.handOver(freed, places)
    if waiting == 0 then
        return
    end
    -- the next at each place; the places that were opened; by a waiter's id: those that it holds up
    local heap, opened, heldUp = {}, {}, {}
    local living = {}
    local function open(entry)
        local at = sub(entry, 1, -65)
        if not opened[at] then
            opened[at] = true
            rule.push(heap, entry)
        end
    end
    local function follow(list)
        for _, scope in ipairs(list) do
            if not opened[scope] then
                opened[scope] = true
                rule.each('q', scope, open)
            end
        end
    end
    local function from(at, number)
        local next = rule.first(at .. rule.digits(number), at .. ':')
        if next then
            rule.push(heap, next)
        end
    end
    -- Whether those behind the waiter, at the same place, are to be looked at too.
    local function decide(waiter, at)
        local list = rule.scopes(waiter.claim)
        local lease = rule.holderInTheWay(waiter.claim)
        if not lease then
            local client = waiter.client
            if living[client] == nil then
                living[client] = rule.isAlive(client)
            end
            local lost = waiter.deadline <= now and not call('ZSCORE', ENDS, 'W' .. waiter.id)
            if lost or not living[client] then
                rule.drop(waiter)
                follow(list)
                for _, place in ipairs(heldUp[waiter.id] or {}) do
                    from(place, 0)
                end
                return true
            end
        end
        local ahead = rule.waiterInTheWay(waiter.claim, waiter.sequence)
        if lease or ahead then
            if ahead then
                heldUp[ahead] = heldUp[ahead] or {}
                table.insert(heldUp[ahead], at)
            elseif waiter.lookAt > now + rule.blockedFor(lease) then
                -- it is the first in line now
                rule.deliver(waiter.client, waiter.id, rule.queued(waiter, lease))
            end
            -- what holds it up, or it itself, holds up all behind it here
            return not rule.isExclusive(waiter.claim) and #list > 1
        elseif waiter.deadline > now then
            rule.leave(waiter)
            local new, limit = rule.grant(waiter)
            rule.deliver(waiter.client, waiter.id, new and rule.granted(new) or limit)
            follow(list)
        end
        return true
    end
    follow(freed)
    for _, entry in ipairs(places or {}) do
        local at = sub(entry, 1, -65)
        opened[at] = true
        from(at, rule.sequenceOf(entry))
    end
    local most = steps + WORK
    while #heap > 0 do
        if steps > most then
            rule.postpone(heap)
            return
        end
        steps = steps + WAITER_WORK
        local entry = rule.pop(heap)
        local at = sub(entry, 1, -65)
        local waiter = rule.waiterAt(entry)
        if not waiter then
            rule.strikeWaiter(entry)
        end
        if not waiter or decide(waiter, at) then
            from(at, rule.sequenceOf(entry) + 1)
        end
    end
end
