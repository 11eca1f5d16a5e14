-- SPDX-License-Identifier: Apache-2.0
--
-- Leases and where they are entered. What is entered at one place is entered everywhere it belongs,
-- and so with what is struck out; who may hold what is not decided here.
--
-- A claim is x or s for its mode, then its scopes with a zero byte between them. A scope is a letter
-- and a body: n name; p path and t subtree, each segment behind a \1; i inode, 16 hex digits;
-- r range: inode, two hex digits with the binary logarithm of its length, start, end.

-- All functions are in two tables, because a function is made the faster the fewer variables around it
-- it uses. Those of the other files are made when the first of them is needed.
local make
local lazily = {
    __index = function(functions, name)
        make(name)
        return rawget(functions, name)
    end
}
local rule = setmetatable({}, lazily)
local operations = setmetatable({}, lazily)

-- Tells listeners, if there are any, what happened to a lease.
function rule.tell(change, claim, holder, number, reason)
    if listened > now then
        events = events + 1
        changed = true
        call('PUBLISH', key .. ':events',
            rule.message(events, change, claim, holder, number, reason or ''))
    end
end

-- Tells of a lease under a token that was drawn. In a quorum that is only a proposal, and a lease is told
-- when the node takes a token for it.
function rule.tellDraw(change, lease)
    if not isNode or lease.attempt == 0 then
        rule.tell(change, lease.claim, lease.holder, lease.token)
    end
end

-- Answers a request that waited: in the reply to this call if the caller sent it, else by a message.
-- The time follows the answer.
function rule.deliver(client, id, answer)
    answer[#answer + 1] = string.format('%.0f', now)
    if client == caller then
        table.insert(answer, 1, id)
        deliveries[#deliveries + 1] = answer
    else
        call('PUBLISH', key .. ':to:' .. client, rule.message(id, unpack(answer)))
    end
end

function rule.text(number)
    return string.format('%.0f', number)
end

-- The next token, or nothing at the end of their range.
function rule.draw()
    local drawn = math.max(token + 1, floor)
    if isNode then
        -- one that no other node draws
        local nodes, index = byte(identity, IDENTITY + 1, IDENTITY + 2)
        drawn = drawn + (index - drawn) % nodes
    end
    if drawn >= NEVER then
        return nil
    end
    token = drawn
    changed = true
    return drawn
end

function rule.scopes(claim)
    if not find(claim, '\0', 1, true) then
        return {sub(claim, 2)}
    end
    local list = {}
    for scope in string.gmatch(sub(claim, 2), '[^%z]+') do
        list[#list + 1] = scope
    end
    return list
end

function rule.isExclusive(claim)
    return byte(claim) == EXCLUSIVE
end

-- The scope's place in the index: a path stands before all that lies below it.
function rule.place(scope)
    local kind = byte(scope)
    if kind == PATH or kind == SUBTREE then
        return 'p' .. sub(scope, 2) .. '\0' .. sub(scope, 1, 1)
    end
    return scope
end

function rule.packed(lease)
    return 'L' .. pack(FORMAT, lease.token, lease.ttl, lease.expiry, lease.version,
        lease.rotatedFrom, lease.grantedAt, lease.askedTtl, lease.delay, lease.lingers,
        isNode and lease.round or lease.sender, #lease.claim, lease.claim,
        #lease.holder, lease.holder) .. lease.record
        .. (isNode and pack(VOTE, lease.draw, lease.attempt, lease.maker, lease.marked, lease.marker,
            lease.sender) or '')
end

function rule.unpacked(id, value)
    local number, ttl, expiry, version, rotatedFrom, grantedAt, askedTtl, delay, lingers, round,
        claim, holder, at = unpackFrom(FORMAT, value, 2)
    local lease = {
        id = id, token = number, ttl = ttl, expiry = expiry, version = version,
        rotatedFrom = rotatedFrom, grantedAt = grantedAt, askedTtl = askedTtl, delay = delay,
        lingers = lingers,
        sender = round, claim = claim, holder = holder,
        record = sub(value, at, isNode and -VOTE_SIZE - 1 or -1)
    }
    if isNode then
        lease.round = round
        lease.draw, lease.attempt, lease.maker, lease.marked, lease.marker, lease.sender =
            unpackFrom(VOTE, value, #value - VOTE_SIZE + 1)
    end
    return lease
end

-- The lease with this id, or, if it is over and still remembered, how it ended, its token and the digest
-- of what it left.
function rule.lookUp(id)
    local value = call('HGET', key, id)
    if not value then
        return nil
    elseif byte(value) == LEASE then
        return rule.unpacked(id, value)
    end
    local at, number = unpackFrom('>dd', value, 2)
    if now - at < tonumber(ARGV[6]) then
        return nil, sub(value, 1, 1), number, sub(value, 18)
    end
end

function rule.put(lease)
    call('HSET', key, lease.id, rule.packed(lease))
    changed = true
end

-- Enters a hold in the index; that of an exclusive holder of a name is not there.
function rule.index(scope, id, exclusive)
    local at = rule.place(scope) .. '\0' .. id
    if byte(scope) ~= NAME and exclusive then
        call('ZADD', INDEX, 0, 'h' .. at, 0, 'x' .. at)
    elseif byte(scope) ~= NAME or not exclusive then
        call('ZADD', INDEX, 0, 'h' .. at)
    end
end

function rule.occupy(scope, id, exclusive)
    rule.index(scope, id, exclusive)
    if byte(scope) == NAME then
        call('HSET', key, scope,
            exclusive and id or '+' .. tonumber(call('HGET', key, scope) or 0) + 1)
    end
end

function rule.free(scope, id, exclusive)
    if byte(scope) ~= NAME then
        local at = rule.place(scope) .. '\0' .. id
        call('ZREM', INDEX, 'h' .. at, 'x' .. at)
    elseif exclusive then
        call('HDEL', key, scope)
    elseif call('ZREM', INDEX, 'h' .. scope .. '\0' .. id) == 1 then
        local left = tonumber(call('HGET', key, scope) or 1) - 1
        if left > 0 then
            call('HSET', key, scope, '+' .. left)
        else
            call('HDEL', key, scope)
        end
    end
end

function rule.enter(lease)
    local exclusive = rule.isExclusive(lease.claim)
    local list = rule.scopes(lease.claim)
    call('ZADD', ENDS, lease.expiry, lease.id)
    for i = 1, #list do
        rule.occupy(list[i], lease.id, exclusive)
    end
    rule.put(lease)
    occupied = occupied + #list
    due = math.min(due, lease.expiry)
end

-- Strikes a lease out, but for what is known under its id. The first write is one that is allowed
-- when the server's memory is full.
function rule.vacate(lease)
    local exclusive = rule.isExclusive(lease.claim)
    local list = rule.scopes(lease.claim)
    call('ZREM', ENDS, lease.id)
    for i = 1, #list do
        rule.free(list[i], lease.id, exclusive)
    end
    occupied = occupied - #list
    changed = true
    return list
end

-- Forgets the first that ended, but no more of them than can be handled at once.
function rule.forget(count)
    count = math.min(count, 1000)
    -- the first element stays
    local ids = call('LRANGE', ENDED, 1, count)
    if #ids == 0 then
        remembered = 0
        return
    end
    call('LSET', ENDED, #ids, '')
    call('LTRIM', ENDED, #ids, -1)
    local values = call('HMGET', key, unpack(ids))
    local over = {}
    for i = 1, #ids do
        -- else the id was used again
        if values[i] and byte(values[i]) ~= LEASE then
            over[#over + 1] = ids[i]
        end
    end
    if #over > 0 then
        call('HDEL', key, unpack(over))
    end
    remembered = remembered - #ids
end

-- Remembers how a lease ended: Released, Completed, Expired or Withdrawn; with a digest if it left something.
function rule.remember(id, how, number, digest)
    local most = tonumber(ARGV[7])
    changed = true
    if most == 0 then
        call('HDEL', key, id)
        return
    end
    call('HSET', key, id, how .. pack('>dd', now, number) .. (digest or ''))
    call('RPUSH', ENDED, id)
    remembered = remembered + 1
    if remembered > most then
        -- some more than need be, so that it is seldom needed
        rule.forget(remembered - most + math.min(255, math.floor(most / 64)))
    end
end

-- What the index has first from one key on and before another.
function rule.first(from, to)
    steps = steps + 1
    return call('ZRANGEBYLEX', INDEX, '[' .. from, '(' .. to, 'LIMIT', 0, 1)[1]
end
