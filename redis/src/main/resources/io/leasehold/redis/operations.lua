-- SPDX-License-Identifier: Apache-2.0
--
-- The operations. Each takes its arguments from ARGV, from the given place on, and returns its
-- answer: a letter and what belongs to it.
--
-- Reasons for a refusal: f not found, h not holder, t token mismatch, e expired, v version mismatch,
-- s scope mismatch.

local operations = {}

-- Acquire: id, claim, holder, ttl, wait, lock-delay, record or nothing, and the oldest token whose
-- record will do instead or nothing. Returns
--   G token version remaining ttl holder          granted
--   H claim holder token remaining record         held by another
--   C record token kept-for                       completed
--   N reason                                      the id was used before
--   Q now look-again-in                           queued: the answer follows
--   L limit                                       full
function operations.a(at)
    local id, claim, since = ARGV[at], ARGV[at + 1], ARGV[at + 7]
    local wait = tonumber(ARGV[at + 4])
    local lease, ended = rule.lookUp(id)
    if lease then
        return lease.claim ~= claim and {'N', 's'}
            or now >= lease.expiry and {'N', 'e'}
            or rule.granted(lease)
    end
    local waiter = waiting > 0 and rule.waiterOf(id)
    if waiter then
        return rule.join(waiter, claim, wait)
    elseif ended then
        return {'N', ended == 'E' and 'e' or 'f'}
    end
    if since ~= '' then
        for _, scope in ipairs(rule.scopes(claim)) do
            local kept = rule.recordAt(scope)
            if kept and kept.token >= tonumber(since) then
                return rule.completed(kept)
            end
        end
    end
    local holder, ttl, delay, record =
        ARGV[at + 2], tonumber(ARGV[at + 3]), tonumber(ARGV[at + 5]), ARGV[at + 6]
    local blocker = rule.holderInTheWay(claim)
    if not blocker and (waiting == 0 or not rule.waiterInTheWay(claim, NEVER)) then
        local new, limit = rule.grant(id, claim, holder, ttl, delay, record)
        return new and rule.granted(new) or limit
    elseif wait == 0 then
        blocker = blocker or rule.holderBefore(claim, NEVER)
        return blocker and rule.held(blocker) or {'A'}
    end
    return rule.enqueue(id, claim, holder, ttl, wait, delay, record, since, blocker)
end

function rule.finish(lease, how, change)
    local freed = rule.vacate(lease)
    rule.remember(lease.id, how, lease.token)
    rule.tell(change, lease.claim, lease.holder, lease.token)
    return freed
end

-- Withdraw: id. Returns E: out of the queue or released, and a late repeat is turned away.
function operations.w(at)
    local id = ARGV[at]
    local lease, ended = rule.lookUp(id)
    local waiter = waiting > 0 and rule.waiterOf(id)
    if waiter then
        rule.leave(waiter)
        rule.remember(id, 'W', 0)
        rule.deliver(waiter.client, id, {'N', 'f'})
        rule.handOver(rule.scopes(waiter.claim))
    elseif lease and now < lease.expiry then
        local freed = rule.finish(lease, 'W', 'L')
        if waiting > 0 then
            rule.handOver(freed)
        end
    elseif not lease and not ended then
        rule.remember(id, 'W', 0)
    end
    return {'E'}
end

-- Renew: for each of several leases its id, token, ttl, the expected version or 0, the claim and the
-- holder in one. Returns R and, in one, for each of them R, version, remaining; or the reason why it
-- was refused, 0, 0. Where a lease stands among the things that happen by themselves is left as it is;
-- when that time comes, the lease is found renewed and moved.
function operations.r(at, count)
    local ids, results, writes = {}, {}, {}
    for i = 1, count do
        ids[i] = sub(ARGV[at + i - 1], 1, 32)
    end
    local values = call('HMGET', LEASES, unpack(ids))
    -- by id: as it was renewed
    local fresh = {}
    for i = 1, count do
        local id, number, ttl, expected, claim, from =
            unpackFrom('>c32dddI2c0', ARGV[at + i - 1])
        local value = fresh[id] or values[i]
        local reason
        if value and byte(value) == LEASE then
            local token, _, expiry, version = unpackFrom('>dddd', value, 2)
            reason = now >= expiry and 'e'
                or unpackFrom('>I2c0', value, 59) ~= claim and 's'
                or token ~= number and 't'
                or expected ~= 0 and expected ~= version and 'v'
            if not reason then
                -- never shorter: an earlier renewal's deadline is relied upon
                expiry = math.max(expiry, now + ttl)
                fresh[id] = 'L' .. pack('>dddd', number, ttl, expiry, version + 1)
                    .. sub(value, 34)
                writes[#writes + 1] = id
                writes[#writes + 1] = fresh[id]
                results[i] = pack('>c1dd', 'R', version + 1, expiry - now)
                if listened > now then
                    rule.tell('R', claim, sub(ARGV[at + i - 1], from), number)
                end
            end
        else
            local _, ended = rule.lookUp(id)
            reason = rule.absence(claim, sub(ARGV[at + i - 1], from), ended)
        end
        if reason then
            results[i] = pack('>c1dd', reason, 0, 0)
            rule.tell('X', claim, sub(ARGV[at + i - 1], from), number, reason)
        end
    end
    if #writes > 0 then
        -- a first write that is allowed when the server's memory is full
        call('ZREM', ENDS, '')
        call('HSET', LEASES, unpack(writes))
        changed = true
    end
    return {'R', table.concat(results)}
end

-- Rotate: id, claim, holder, token. Returns G as acquire does, or X reason.
function operations.t(at)
    local claim, number = ARGV[at + 1], tonumber(ARGV[at + 3])
    local lease, ended = rule.lookUp(ARGV[at])
    if not lease then
        return {'X', rule.absence(claim, ARGV[at + 2], ended)}
    end
    local reason = rule.mismatch(lease, claim, number)
    if not reason then
        local drawn = rule.draw()
        if not drawn then
            return {'L', 'tokens'}
        end
        lease.rotatedFrom, lease.token, lease.version = number, drawn, lease.version + 1
        rule.put(lease)
        rule.tell('T', lease.claim, lease.holder, lease.token)
    elseif reason ~= 't' or lease.rotatedFrom ~= number then
        return {'X', reason}
    end
    return rule.granted(lease)
end

-- The lease that the caller may end, or an answer.
function rule.toEnd(at, how)
    local claim, number = ARGV[at + 1], tonumber(ARGV[at + 3])
    local lease, ended, endedAs = rule.lookUp(ARGV[at])
    if lease then
        local reason = rule.mismatch(lease, claim, number)
        return not reason and lease, reason and {'X', reason}
    elseif ended == how and endedAs == number then
        return nil, {'E'}
    end
    return nil, {'X', rule.absence(claim, ARGV[at + 2], ended)}
end

-- Release: id, claim, holder, token. Returns E, or X reason.
function operations.e(at)
    local lease, answer = rule.toEnd(at, 'R')
    if not lease then
        return answer
    end
    local freed = rule.finish(lease, 'R', 'L')
    if waiting > 0 then
        rule.handOver(freed)
    end
    return {'E'}
end

-- Complete: id, claim, holder, token, record, how long to keep it. Returns as release does.
function operations.c(at)
    local lease, answer = rule.toEnd(at, 'C')
    if not lease then
        return answer
    end
    local keep = tonumber(ARGV[at + 5])
    local kept = {
        token = lease.token, completedAt = now, till = now + keep, claim = lease.claim,
        holder = lease.holder, record = ARGV[at + 4]
    }
    local freed = rule.finish(lease, 'C', 'C')
    local done = #freed
    for i = 1, done do
        rule.erase(freed[i])
        if keep > 0 then
            call('ZADD', ENDS, kept.till, 'R' .. freed[i])
            call('HSET', rule.RECORDS, freed[i], pack('>dddI2c0I2c0', kept.token,
                kept.completedAt, kept.till, #kept.claim, kept.claim, #kept.holder,
                kept.holder) .. kept.record)
            occupied = occupied + 1
            due = math.min(due, kept.till)
        end
    end
    if waiting > 0 then
        for i = 1, keep > 0 and done or 0 do
            for _, scope in ipairs(rule.answerWith(freed[i], kept)) do
                freed[#freed + 1] = scope
            end
        end
        rule.handOver(freed)
    end
    return {'E'}
end

-- Look again: ids of requests that wait, or of leases. The client is heard of. Returns for each a
-- list as acquire does, or T if nothing is known of it: to be tried again.
function operations.l(at, count)
    local answers = {}
    rule.hear(caller)
    call('ZREMRANGEBYSCORE', rule.CLIENTS, '-inf', now)
    for i = at, at + count - 1 do
        local lease, ended = rule.lookUp(ARGV[i])
        local waiter = not lease and waiting > 0 and rule.waiterOf(ARGV[i])
        answers[#answers + 1] = lease and (now < lease.expiry and rule.granted(lease) or {'N', 'e'})
            or waiter and rule.queued(waiter)
            or ended and {'N', ended == 'E' and 'e' or 'f'}
            or {'T'}
    end
    return answers
end

-- Listen: for how long events are wanted from now on. Returns the number of the last event.
function operations.o(at)
    if listened <= now then
        -- whoever listened before has missed something
        events = events + 1
    end
    listened = math.max(listened, now + tonumber(ARGV[at]))
    changed = true
    return {events}
end

function rule.waitersFor(claim)
    local list = waiting > 0 and rule.scopes(claim) or {}
    local ids, count = {}, 0
    for _, scope in ipairs(list) do
        local from = 'q' .. rule.place(scope)
        local entries = call('ZRANGEBYLEX', rule.INDEX, '[' .. from .. '\0', '(' .. from .. '\1')
        for _, entry in ipairs(entries) do
            local id = rule.idOf(entry)
            count = count + (ids[id] and 0 or 1)
            ids[id] = true
        end
    end
    return count
end

function rule.leaseRow(lease)
    return {'H', lease.claim, lease.holder, rule.text(lease.token), now - lease.grantedAt,
        lease.expiry - now, rule.waitersFor(lease.claim), lease.record}
end

function rule.recordRow(scope, kept)
    return {'C', kept.claim, kept.holder, rule.text(kept.token), now - kept.completedAt,
        kept.till - now, 0, kept.record, scope}
end

-- Show: a name. Returns a row for each of its holders, and for its record: H or C, claim, holder,
-- token, age, remaining, waiters, record, and of a record its scope.
function operations.s(at)
    local name = ARGV[at]
    local rows = {}
    local id = call('HGET', HELD, name)
    local ids = {id or nil}
    if id and byte(id) == 43 then
        ids = {}
        local from = 'h' .. name
        for _, entry in ipairs(call('ZRANGEBYLEX', rule.INDEX, '[' .. from .. '\0', '(' .. from .. '\1')) do
            ids[#ids + 1] = rule.idOf(entry)
        end
    end
    for _, holder in ipairs(ids) do
        local lease = rule.lookUp(holder)
        if lease and now < lease.expiry then
            rows[#rows + 1] = rule.leaseRow(lease)
        end
    end
    local kept = rule.recordAt(name)
    if kept then
        rows[#rows + 1] = rule.recordRow(name, kept)
    end
    return rows
end

-- Part of a listing: leases or records, a cursor (0 at first), about how many. Returns the next
-- cursor (0 at the end), then rows as show does.
function operations.p(at)
    local leases = ARGV[at] == 'leases'
    local page = call('HSCAN', leases and LEASES or rule.RECORDS, ARGV[at + 1], 'COUNT', ARGV[at + 2])
    local rows = {page[1]}
    for i = 1, #page[2], 2 do
        if not leases then
            rows[#rows + 1] = rule.recordRow(page[2][i], rule.recordAt(page[2][i]))
        elseif byte(page[2][i + 1]) == LEASE then
            local lease = rule.unpacked(page[2][i], page[2][i + 1])
            if now < lease.expiry then
                rows[#rows + 1] = rule.leaseRow(lease)
            end
        end
    end
    return rows
end

return rule, operations
