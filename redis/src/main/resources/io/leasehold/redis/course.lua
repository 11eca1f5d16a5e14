-- SPDX-License-Identifier: Apache-2.0
--
-- What happens by itself as time goes on, and who is answered for it.

-- how many things that are overdue are dealt with in one call
local SLICE = 500

-- Answers everyone who waits at the scope and would rather have the record; returns all scopes that
-- they waited for.
function rule.answerWith(scope, kept)
    local freed = {}
    local at = 'q' .. rule.place(scope)
    local entries = waiting == 0 and {}
        or call('ZRANGEBYLEX', INDEX, '[' .. at .. '\0', '(' .. at .. '\1')
    for _, entry in ipairs(entries) do
        local waiter = rule.waiterOf(rule.idOf(entry))
        if waiter and waiter.since ~= '' and kept.token >= tonumber(waiter.since) then
            rule.leave(waiter)
            for _, other in ipairs(rule.scopes(waiter.claim)) do
                freed[#freed + 1] = other
            end
            rule.deliver(waiter.client, waiter.id, rule.completed(kept))
        end
    end
    return freed
end

-- Answers the waits that are over. All are judged before any of them leaves, because one may wait
-- behind another.
function rule.answerOverdue(overdue, freed)
    local answers = {}
    for i, waiter in ipairs(overdue) do
        local lease = rule.holderBefore(waiter.claim, waiter.sequence)
        answers[i] = lease and rule.held(lease) or {'T'}
    end
    for i, waiter in ipairs(overdue) do
        rule.leave(waiter)
        for _, scope in ipairs(rule.scopes(waiter.claim)) do
            freed[#freed + 1] = scope
        end
        rule.deliver(waiter.client, waiter.id, answers[i])
    end
end

-- Ends a lease that ran out, or begins its lock-delay. Its time may have been put off by a renewal,
-- which does not move it.
function rule.expire(lease, freed)
    local clear = lease.expiry + lease.delay
    if now < lease.expiry then
        call('ZADD', ENDS, lease.expiry, lease.id)
        changed = true
        return
    end
    if lease.lingers == 0 then
        rule.tell('E', lease.claim, lease.holder, lease.token)
    end
    if now < clear then
        call('ZADD', ENDS, clear, lease.id)
        lease.lingers = 1
        rule.put(lease)
        return
    end
    for _, scope in ipairs(rule.vacate(lease)) do
        freed[#freed + 1] = scope
    end
    rule.remember(lease.id, 'E', lease.token)
end

-- Forgets what ended longer ago than it is to be remembered.
function rule.forgetTheOld()
    local window = tonumber(ARGV[6])
    local function isOld(value)
        -- one that is held again is remembered further behind, if at all
        return not value or byte(value) == LEASE or now - unpackFrom('>d', value, 2) >= window
    end
    -- behind the element that stays
    local oldest = call('LINDEX', ENDED, 1)
    if not oldest or not isOld(call('HGET', key, oldest)) then
        return
    end
    local values = call('HMGET', key, unpack(call('LRANGE', ENDED, 1, SLICE)))
    local old = 1
    while old < #values and isOld(values[old + 1]) do
        old = old + 1
    end
    rule.forget(old)
end

-- Does what is overdue: first answers the waits that are over, because whoever is late gets nothing,
-- then ends leases and records, then hands over. Whatever it takes from the schedule is struck from it,
-- whether there is anything behind it or not. Returns A if more is overdue.
function rule.advance()
    local members = call('ZRANGEBYSCORE', ENDS, '-inf', now, 'LIMIT', 0, SLICE)
    local swept = 0
    -- first what was lost: nothing can be decided without it
    while byte(members[1] or '') == 83 and swept < SLICE do
        swept = swept + rule.sweep(members[1])
        members = call('ZRANGEBYSCORE', ENDS, '-inf', now, 'LIMIT', 0, SLICE)
    end
    if #members > 0 and byte(members[1]) ~= 83 then
        call('ZREM', ENDS, unpack(members))
        rule.happen(members)
    end
    local next = call('ZRANGE', ENDS, 0, 0, 'WITHSCORES')
    due = tonumber(next[2] or NEVER)
    changed = true
    return due <= now and {'A'} or nil
end

-- Does what the members of the schedule stand for.
function rule.happen(members)
    local overdue, ended, freed, places = {}, {}, {}, {}
    for _, member in ipairs(members) do
        local kind, rest = byte(member), sub(member, 2)
        if kind == 87 then
            overdue[#overdue + 1] = rule.waiterOf(rest)
        elseif kind == 82 then
            rule.erase(rest, 1)
        elseif kind == 70 then
            freed[#freed + 1] = rest
        elseif kind == 80 then
            places[#places + 1] = rest
        else
            ended[#ended + 1] = member
        end
    end
    rule.answerOverdue(overdue, freed)
    for _, id in ipairs(ended) do
        local lease = rule.lookUp(id)
        if lease then
            rule.expire(lease, freed)
        end
    end
    rule.forgetTheOld()
    rule.handOver(freed, places)
end
