-- SPDX-License-Identifier: Apache-2.0
--
-- Who is in the way.

local overlapping
local function searching()
    overlapping = overlapping or search()
    return overlapping
end

local function idOf(entry)
    return sub(entry, -32)
end

-- The id of a lease, or of the lock-delay of one that ran out, that excludes a claim on one scope.
local function blockerOf(scope, exclusive)
    if byte(scope) ~= NAME then
        return searching()(exclusive and 'h' or 'x', scope, idOf)
    end
    local id = call('HGET', HELD, scope)
    if not id or byte(id) ~= 43 then
        return id
    elseif exclusive then
        return idOf(first('h' .. scope .. '\0', 'h' .. scope .. '\1'))
    end
end

-- The lease, or the lock-delay of one that ran out, that excludes the claim.
local function holderInTheWay(claim)
    local exclusive, list = isExclusive(claim), scopes(claim)
    for i = 1, #list do
        local id = blockerOf(list[i], exclusive)
        if id then
            return (lookUp(id))
        end
    end
end

-- A lease that excludes a claim on one scope and has not run out.
local function successorAt(scope, exclusive)
    local function live(id)
        local lease = lookUp(id)
        return lease and now < lease.expiry and lease
    end
    local id = blockerOf(scope, exclusive)
    local lease = id and live(id)
    if lease or not id then
        return lease
    end
    -- the first of several is in its lock-delay
    return searching()(exclusive and 'h' or 'x', scope, function(entry)
        local to = sub(entry, 1, -34) .. '\1'
        while entry do
            local other = live(idOf(entry))
            if other then
                return other
            end
            entry = first(entry .. '\0', to)
        end
    end)
end

-- Why there is no lease where one was expected.
local function absence(claim, holder, ended)
    local exclusive, list = isExclusive(claim), scopes(claim)
    for i = 1, #list do
        local successor = successorAt(list[i], exclusive)
        if successor then
            return successor.holder == holder and 't' or 'h'
        end
    end
    return ended == 'E' and 'e' or 'f'
end

-- Why the lease is not, or no longer, the one that the caller holds; nothing if it is.
local function mismatch(lease, claim, number)
    return now >= lease.expiry and 'e'
        or lease.claim ~= claim and 's'
        or lease.token ~= number and 't'
        or nil
end

-- Enters a lease under the next token; or says why not.
local function grant(id, claim, holder, ttl, delay, record)
    if occupied + #scopes(claim) > tonumber(ARGV[4]) then
        return nil, {'L', 'leases'}
    end
    local number = draw()
    if not number then
        return nil, {'L', 'tokens'}
    end
    local lease = {
        id = id, token = number, ttl = ttl, expiry = now + ttl, version = 1, rotatedFrom = 0,
        grantedAt = now, delay = delay, lingers = 0, claim = claim, holder = holder,
        record = record
    }
    enter(lease)
    tell('G', claim, holder, number)
    return lease
end

local function granted(lease)
    return {'G', text(lease.token), lease.version, lease.expiry - now, lease.ttl, lease.holder}
end

-- For how long the lease, or the lock-delay behind it, is in the way.
local function blockedFor(lease)
    return math.max(0, (now < lease.expiry and lease.expiry or lease.expiry + lease.delay) - now)
end

local function held(lease)
    return {'H', lease.claim, lease.holder, text(lease.token), blockedFor(lease), lease.record}
end

-- The record at the scope.
local function recordAt(scope)
    local value = call('HGET', RECORDS, scope)
    if value then
        local number, completedAt, till, claim, holder, from =
            unpackFrom('>dddI2c0I2c0', value)
        return {
            token = number, completedAt = completedAt, till = till, claim = claim,
            holder = holder, record = sub(value, from)
        }
    end
end

local function erase(scope)
    if call('HDEL', RECORDS, scope) == 1 then
        call('ZREM', ENDS, 'R' .. scope)
        occupied = occupied - 1
        changed = true
    end
end

local function completed(kept)
    return {'C', kept.record, text(kept.token), kept.till - now}
end
