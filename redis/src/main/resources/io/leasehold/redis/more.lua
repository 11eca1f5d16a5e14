-- SPDX-License-Identifier: Apache-2.0
--
-- The less common operations, and what only they and refusals need.

-- Each field with its length in front.
function rule.message(...)
    local fields = {...}
    for i = 1, #fields do
        local field = fields[i]
        if type(field) == 'number' then
            field = string.format('%.0f', field)
        end
        fields[i] = #field .. ':' .. field
    end
    return table.concat(fields)
end

-- A lease that excludes a claim on one scope and has not run out.
function rule.successorAt(scope, exclusive)
    local function live(id)
        local lease = rule.lookUp(id)
        return lease and now < lease.expiry and lease
    end
    local id = rule.blockerOf(scope, exclusive)
    local lease = id and live(id)
    if lease or not id then
        return lease
    end
    -- the first of several is in its lock-delay
    return rule.each(exclusive and 'h' or 'x', scope, function(entry)
        local to = sub(entry, 1, -34) .. '\1'
        while entry do
            local other = live(rule.idOf(entry))
            if other then
                return other
            end
            entry = rule.first(entry .. '\0', to)
        end
    end)
end

-- Why there is no lease where one was expected.
function rule.absence(claim, holder, ended)
    local exclusive, list = rule.isExclusive(claim), rule.scopes(claim)
    for i = 1, #list do
        local successor = rule.successorAt(list[i], exclusive)
        if successor then
            return successor.holder == holder and 't' or 'h'
        end
    end
    return ended == 'E' and 'e' or 'f'
end

-- The record at the scope.
function rule.recordAt(scope)
    local value = call('HGET', RECORDS, scope)
    local number, completedAt, till, claim, holder, from
    if value then
        number, completedAt, till, claim, holder, from = unpackFrom('>dddI2c0I2c0', value)
    end
    if value and now < till then
        return {
            token = number, completedAt = completedAt, till = till, claim = claim,
            holder = holder, record = sub(value, from)
        }
    end
end

-- Erases the record at a scope; with 1 if it was taken from the schedule before.
function rule.erase(scope, scheduled)
    local found = call('HDEL', RECORDS, scope)
    if found + (scheduled or call('ZREM', ENDS, 'R' .. scope)) > 0 then
        occupied = occupied - 1
        changed = true
    end
end

-- Leaves a record at the scope, in place of one that is there.
function rule.keep(scope, kept)
    rule.erase(scope)
    call('ZADD', ENDS, kept.till, 'R' .. scope)
    call('HSET', RECORDS, scope, pack('>dddI2c0I2c0', kept.token, kept.completedAt, kept.till,
        #kept.claim, kept.claim, #kept.holder, kept.holder) .. kept.record)
    occupied = occupied + 1
    due = math.min(due, kept.till)
end

function rule.completed(kept)
    return {'C', kept.record, rule.text(kept.token), kept.till - now}
end

-- What has the id of a request: the lease, the waiter, how it ended; and whether that is another request.
function rule.ofRequest(id, claim)
    local lease, ended = rule.lookUp(id)
    local waiter = not lease and waiting > 0 and rule.waiterOf(id)
    local entry = lease or waiter
    return lease, waiter, ended, entry and entry.claim ~= claim
end

-- Withdraw: id, claim. Returns E: out of the queue or released, and a late repeat is turned away. While
-- another request has the id, under another claim, nothing is done and nothing remembered.
function operations.w(at)
    local id = ARGV[at]
    local lease, waiter, ended, another = rule.ofRequest(id, ARGV[at + 1])
    if another then
        return {'E'}
    end
    rule.takeBack(waiter, lease)
    if waiter or not lease and not ended then
        rule.remember(id, 'W', 0)
    end
    return {'E'}
end

-- Takes a request out of the queue, or ends the lease that it became.
function rule.takeBack(waiter, lease)
    if waiter then
        rule.leave(waiter)
        rule.deliver(waiter.client, waiter.id, {'N', 'f'})
        rule.handOver(rule.scopes(waiter.claim))
    elseif lease and now < lease.expiry then
        local freed = rule.finish(lease, 'W', 'L')
        if waiting > 0 then
            rule.handOver(freed)
        end
    end
end

-- Withdraw unless used: id, sender, claim. Returns E as withdraw does, but a request that waited may come
-- again; or X and h if another may rely on it, X and f if nothing is known of it. The version of a lease
-- that was renewed or rotated is above 1.
function operations.q(at)
    local sender = tonumber(ARGV[at + 1])
    local lease, waiter, ended, another = rule.ofRequest(ARGV[at], ARGV[at + 2])
    local entry = waiter or lease and now < lease.expiry and lease
    if another then
        return entry and {'X', 'f'} or {'E'}
    elseif entry and (sender == 0 or entry.sender ~= sender or not waiter and lease.version > 1) then
        return {'X', 'h'}
    end
    rule.takeBack(waiter, lease)
    return (waiter or lease or ended) and {'E'} or {'X', 'f'}
end

-- Renew: for each of several leases its id, token, ttl or 0 for its own, the expected version or 0, the
-- claim and the holder in one. Returns R and, in one, for each of them R, version, remaining; or the reason why it
-- was refused, 0, 0. Where a lease stands among the things that happen by themselves is left as it is;
-- when that time comes, the lease is found renewed and moved.
function operations.r(at, count)
    local ids, results, writes = {}, {}, {}
    for i = 1, count do
        ids[i] = sub(ARGV[at + i - 1], 1, 32)
    end
    local values = call('HMGET', key, unpack(ids))
    -- by id: as it was renewed
    local fresh = {}
    for i = 1, count do
        local id, number, ttl, expected, claim, from =
            unpackFrom('>c32dddI2c0', ARGV[at + i - 1])
        local value = fresh[id] or values[i]
        local reason
        if value and byte(value) == LEASE then
            local token, own, expiry, version = unpackFrom('>dddd', value, 2)
            ttl = ttl > 0 and ttl or own
            reason = now >= expiry and 'e'
                or unpackFrom('>I2c0', value, CLAIM_AT) ~= claim and 's'
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
        call('HSET', key, unpack(writes))
        changed = true
    end
    return {'R', table.concat(results)}
end

-- Rotate: id, claim, holder, token, and at a node of a quorum the round and its attempt. Returns G as
-- acquire does, or X reason.
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
        if isNode then
            rule.beginRotation(lease, tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]))
        end
        rule.put(lease)
        rule.tellDraw('T', lease)
    elseif reason ~= 't' or lease.rotatedFrom ~= number then
        return {'X', reason}
    elseif isNode and rule.ask(lease, tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5])) then
        rule.put(lease)
    end
    return rule.granted(lease)
end

-- Complete: id, claim, holder, token, record, how long to keep it. Returns as release does. With another
-- record, or another time to keep it, it is no repeat.
function operations.c(at)
    local digest = sub(redis.sha1hex(ARGV[at + 5] .. ':' .. ARGV[at + 4]), 1, 16)
    local lease, answer = rule.toEnd(at, 'C', digest)
    if not lease then
        return answer
    end
    local keep = tonumber(ARGV[at + 5])
    local kept = {
        token = lease.token, completedAt = now, till = now + keep, claim = lease.claim,
        holder = lease.holder, record = ARGV[at + 4]
    }
    local freed = rule.finish(lease, 'C', 'C', digest)
    local done = #freed
    for i = 1, done do
        if keep > 0 then
            rule.keep(freed[i], kept)
        else
            rule.erase(freed[i])
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

-- The answer to a request whose wait is over, though the schedule does not know.
function rule.answerLate(waiter)
    local lease = rule.holderBefore(waiter.claim, waiter.sequence)
    rule.leave(waiter)
    rule.lookAtAgain(rule.scopes(waiter.claim))
    return lease and rule.held(lease) or {'T'}
end

-- Look again: ids of requests that wait, or of leases. The client is heard of. Returns for each a
-- list as acquire does, or T if nothing is known of it: to be tried again.
function operations.l(at, count)
    local answers = {}
    rule.hear(caller)
    call('ZREMRANGEBYSCORE', CLIENTS, '-inf', now)
    for i = at, at + count - 1 do
        local lease, ended = rule.lookUp(ARGV[i])
        local waiter = not lease and waiting > 0 and rule.waiterOf(ARGV[i])
        answers[#answers + 1] = lease and (now < lease.expiry and rule.granted(lease) or {'N', 'e'})
            or waiter and (now < waiter.deadline and rule.queued(waiter) or rule.answerLate(waiter))
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

-- How many wait for the scopes of the claim. What was counted before is in the given table: by scope the
-- ids, by several scopes the number.
function rule.waitersFor(claim, counted)
    local scopes = sub(claim, 2)
    if waiting == 0 then
        return 0
    elseif counted[scopes] then
        return counted[scopes]
    end
    local list, ids, count = rule.scopes(claim), {}, 0
    for _, scope in ipairs(list) do
        local from = 'q' .. rule.place(scope)
        if #list == 1 then
            count = call('ZLEXCOUNT', INDEX, '[' .. from .. '\0', '(' .. from .. '\1')
        else
            counted[from] = counted[from]
                or call('ZRANGEBYLEX', INDEX, '[' .. from .. '\0', '(' .. from .. '\1')
            for _, entry in ipairs(counted[from]) do
                local id = rule.idOf(entry)
                count = count + (ids[id] and 0 or 1)
                ids[id] = true
            end
        end
    end
    counted[scopes] = count
    return count
end

-- A row for a lease, or for the lock-delay of one that ran out; nothing if both are over.
function rule.leaseRow(lease, counted)
    if now < lease.expiry + lease.delay then
        return {now < lease.expiry and 'H' or 'D', lease.claim, lease.holder, rule.text(lease.token),
            now - lease.grantedAt, rule.blockedFor(lease), rule.waitersFor(lease.claim, counted),
            lease.record}
    end
end

function rule.recordRow(scope, kept)
    return {'C', kept.claim, kept.holder, rule.text(kept.token), now - kept.completedAt,
        kept.till - now, 0, kept.record, scope}
end

-- Show: a name. Returns a row for each of its holders, and for its record: H held, D in its lock-delay or
-- C, claim, holder, token, age, remaining, waiters, record, and of a record its scope.
function operations.s(at)
    local name = ARGV[at]
    local rows, counted = {}, {}
    for _, holder in ipairs(rule.holdersAt(name)) do
        local lease = rule.lookUp(holder)
        rows[#rows + 1] = lease and rule.leaseRow(lease, counted) or nil
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
    local page = call('HSCAN', leases and key or RECORDS, ARGV[at + 1], 'COUNT', ARGV[at + 2])
    local rows, counted = {page[1]}, {}
    for i = 1, #page[2], 2 do
        local kept = not leases and page[2][i] ~= '' and rule.recordAt(page[2][i])
        if kept then
            rows[#rows + 1] = rule.recordRow(page[2][i], kept)
        elseif leases and byte(page[2][i + 1]) == LEASE then
            rows[#rows + 1] = rule.leaseRow(rule.unpacked(page[2][i], page[2][i + 1]), counted)
        end
    end
    return rows
end
