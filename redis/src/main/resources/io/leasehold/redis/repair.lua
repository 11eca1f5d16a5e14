-- SPDX-License-Identifier: Apache-2.0
--
-- What to do when a part of the state is lost: a key was evicted, or deleted by hand. Whatever the other
-- keys tell is restored, piece by piece, and until then nothing else is done. What can't be restored is
-- struck out everywhere, so that nothing points to what is not there.

-- Has a hash gone through: its leases, ended leases, waiters or records, from a cursor on.
function rule.beginSweep(kinds)
    for kind in string.gmatch(kinds, '.') do
        call('ZADD', ENDS, 0, 'S' .. kind .. '0')
    end
    due = now
end

-- Makes the rest of the state agree with what was lost: s schedule, i index, r records, w waiters,
-- c clients, e ended leases. Without a client's sign of life its waiters are passed over and queue anew;
-- records are missed by the schedule when their time comes.
function rule.repair()
    changed = true
    if not known[1] and not find(lost, 'w', 1, true) then
        -- the hash of the leases is lost; who waits for them is known, and so are the records
        call('ZREMRANGEBYLEX', INDEX, '[h', '(i')
        call('ZREMRANGEBYLEX', INDEX, '[x', '(y')
        occupied, waiting = call('HLEN', RECORDS) - 1, call('HLEN', WAITERS) - 1
        remembered, sequence = call('LLEN', ENDED) - 1, now
        rule.beginSweep('w' .. (find(lost, 's', 1, true) and 'r' or ''))
    end
    if find(lost, 'w', 1, true) then
        call('ZREMRANGEBYLEX', INDEX, '[q', '(r')
        call('ZREMRANGEBYLEX', INDEX, '[e', '(f')
        waiting = 0
    end
    if find(lost, 'e', 1, true) then
        remembered = 0
    end
    if known[1] then
        rule.beginSweep((find(lost, '[si]') and 'lw' or '')
            .. (find(lost, 's', 1, true) and 'r' or '')
            .. (find(lost, 'e', 1, true) and 'e' or ''))
    end
end

-- Has a request be where it belongs, and the next call see whether it can be granted.
function rule.reenter(waiter)
    call('ZADD', ENDS, 'NX', waiter.deadline, 'W' .. waiter.id)
    for _, entry in ipairs(rule.entriesOf(waiter)) do
        call('ZADD', INDEX, 0, entry)
    end
    rule.lookAtAgain(rule.scopes(waiter.claim))
end

function rule.restore(kind, field, value)
    if kind == 'w' then
        rule.reenter(rule.waiterOf(field))
    elseif kind == 'r' then
        local _, _, till = unpackFrom('>ddd', value)
        call('ZADD', ENDS, 'NX', till, 'R' .. field)
    elseif byte(field) ~= NAME and (kind == 'l') == (byte(value) == LEASE) then
        if kind == 'e' then
            call('RPUSH', ENDED, field)
            remembered = remembered + 1
            return
        end
        local lease = rule.unpacked(field, value)
        call('ZADD', ENDS, 'NX', lease.expiry, field)
        for _, scope in ipairs(rule.scopes(lease.claim)) do
            rule.index(scope, field, rule.isExclusive(lease.claim))
        end
    end
end

-- Restores what a piece of a hash tells: l leases, e ended leases, w waiters, r records. Returns how much
-- it looked at.
function rule.sweep(member)
    local kind = sub(member, 2, 2)
    local hash = kind == 'w' and WAITERS or kind == 'r' and RECORDS or key
    local page = call('HSCAN', hash, sub(member, 3), 'COUNT', 500)
    call('ZREM', ENDS, member)
    for i = 1, #page[2], 2 do
        if page[2][i] ~= '' then
            rule.restore(kind, page[2][i], page[2][i + 1])
        end
    end
    if page[1] ~= '0' then
        call('ZADD', ENDS, 0, 'S' .. kind .. page[1])
    end
    return #page[2] / 2
end

-- Has the next call see who can be granted these scopes.
function rule.lookAtAgain(scopes)
    if waiting > 0 then
        for _, scope in ipairs(scopes) do
            call('ZADD', ENDS, now, 'F' .. scope)
        end
        due = now
        changed = true
    end
end

-- Ends a lease whose expiry and lock-delay have passed without the schedule.
function rule.endLate(lease)
    local freed = {}
    rule.expire(lease, freed)
    rule.lookAtAgain(freed)
end

-- Strikes out a hold of a lease that is not there. The entry is that of the index, if it has one.
function rule.strikeHolder(scope, id, entry)
    changed = true
    if entry and byte(scope) ~= NAME then
        call('ZREM', INDEX, 'h' .. sub(entry, 2), 'x' .. sub(entry, 2))
    else
        rule.free(scope, id, not entry)
    end
end

-- Strikes out a place in the queue of a request that does not wait there; returns the next place.
function rule.strikeWaiter(entry)
    call('ZREM', INDEX, 'q' .. sub(entry, 2), 'e' .. sub(entry, 2))
    return rule.first(entry, sub(entry, 1, -65) .. ':')
end
