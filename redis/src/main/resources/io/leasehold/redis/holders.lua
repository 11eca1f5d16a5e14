-- SPDX-License-Identifier: Apache-2.0
--
-- Who is in the way.

function rule.idOf(entry)
    return sub(entry, -32)
end

-- Calls visit with the first entry of every scope in the set that overlaps the given one, until it
-- returns something; returns that. A name overlaps itself alone.
function rule.each(set, scope, visit)
    if byte(scope) ~= NAME then
        return rule.overlapping(set, scope, visit)
    end
    local entry = rule.first(set .. scope .. '\0', set .. scope .. '\1')
    return entry and visit(entry)
end

function rule.itself(entry)
    return entry
end

-- The id of a lease, or of the lock-delay of one that ran out, that excludes a claim on one scope; and
-- its entry in the index, if it has one.
function rule.blockerOf(scope, exclusive)
    local entry
    if byte(scope) ~= NAME then
        entry = rule.overlapping(exclusive and 'h' or 'x', scope, rule.itself)
    else
        local id = call('HGET', key, scope)
        if not id or byte(id) ~= 43 then
            return id
        elseif not exclusive then
            return nil
        end
        entry = rule.first('h' .. scope .. '\0', 'h' .. scope .. '\1')
        if not entry then
            -- nobody shares it any more
            call('HDEL', key, scope)
        end
    end
    return entry and rule.idOf(entry), entry
end

-- The lease, or the lock-delay of one that ran out, that excludes a claim on one scope. Whatever is over
-- though the schedule does not know, or is not there, is struck out on the way.
function rule.holderAt(scope, exclusive)
    local id, entry = rule.blockerOf(scope, exclusive)
    while id do
        local lease = rule.lookUp(id)
        if not lease then
            rule.strikeHolder(scope, id, entry)
        elseif settled and now >= lease.expiry + lease.delay then
            rule.endLate(lease)
        else
            return lease
        end
        id, entry = rule.blockerOf(scope, exclusive)
    end
end

-- The lease, or the lock-delay of one that ran out, that excludes the claim.
function rule.holderInTheWay(claim)
    local exclusive, list = rule.isExclusive(claim), rule.scopes(claim)
    for i = 1, #list do
        local lease = rule.holderAt(list[i], exclusive)
        if lease then
            return lease
        end
    end
end

-- Why the lease is not, or no longer, the one that the caller holds; nothing if it is.
function rule.mismatch(lease, claim, number)
    return now >= lease.expiry and 'e'
        or lease.claim ~= claim and 's'
        or lease.token ~= number and 't'
        or nil
end

-- Enters a lease under the next token; or says why not. The request is one that waited, or alike.
function rule.grant(request)
    local claim, ttl = request.claim, request.ttl
    if occupied + #rule.scopes(claim) > tonumber(ARGV[4]) then
        return nil, {'L', 'leases'}
    end
    local number = rule.draw()
    if not number then
        return nil, {'L', 'tokens'}
    end
    local lease = {
        id = request.id, token = number, ttl = ttl, expiry = now + ttl, version = 1, rotatedFrom = 0,
        grantedAt = now, askedTtl = ttl, delay = request.delay, lingers = 0, sender = request.sender, claim = claim,
        holder = request.holder, record = request.record, round = request.round,
        draw = number, attempt = request.attempt, maker = request.maker, marked = 0, marker = 0
    }
    rule.enter(lease)
    rule.tellDraw('G', lease)
    return lease
end

function rule.granted(lease)
    return {'G', pack('>dddd', lease.token, lease.version, lease.expiry - now, lease.ttl)
        .. lease.holder,
        isNode and pack('>dddddd', lease.draw, lease.marked, lease.marker, lease.round, lease.attempt,
            lease.rotatedFrom) or nil}
end

-- For how long the lease, or the lock-delay behind it, is in the way.
function rule.blockedFor(lease)
    return math.max(0, (now < lease.expiry and lease.expiry or lease.expiry + lease.delay) - now)
end

function rule.held(lease)
    return {'H', lease.claim, lease.holder, rule.text(lease.token), rule.blockedFor(lease), lease.record,
        now < lease.expiry and 0 or 1}
end
