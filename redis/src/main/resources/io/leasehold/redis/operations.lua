-- SPDX-License-Identifier: Apache-2.0
--
-- The operations. Each takes its arguments from ARGV, from the given place on, and returns its
-- answer: a letter and what belongs to it.
--
-- Reasons for a refusal: f not found, h not holder, t token mismatch, e expired, v version mismatch,
-- s scope mismatch.

-- Acquire: id, claim, holder, ttl, wait, lock-delay, record or nothing, the oldest token whose record
-- will do instead or nothing, its sender or 0, and at a node of a quorum the round and its attempt, see
-- node.lua.
-- Returns
--   G token, version, remaining, ttl, holder      granted: four numbers and the holder, in one; a node
--                                                 adds what it knows of the token, see rule.granted
--   H claim holder token remaining record delay   held by another; or 1 at the end if its lock-delay is
--                                                 all that is in the way, else 0
--   C record token kept-for                       completed
--   N reason                                      the id was used before, or is used for another request
--   Q now look-again-in                           queued: the answer follows
--   L limit                                       full
--   ! error                                       the server's memory is full
function operations.a(at)
    local id, claim, since = ARGV[at], ARGV[at + 1], ARGV[at + 7]
    local wait, sender = tonumber(ARGV[at + 4]), tonumber(ARGV[at + 8])
    local round = isNode and tonumber(ARGV[at + 9]) or nil
    local attempt = isNode and tonumber(ARGV[at + 10]) or nil
    local lease, ended = rule.lookUp(id)
    if lease and not rule.isRepeat(lease, claim, ARGV[at + 2], tonumber(ARGV[at + 3])) then
        return {'N', 's'}
    elseif lease then
        local news = rule.sentAgain(lease, sender)
        if isNode and rule.ask(lease, round, attempt) or news then
            rule.put(lease)
        end
        return now >= lease.expiry and {'N', 'e'} or rule.granted(lease)
    end
    local waiter = waiting > 0 and rule.waiterOf(id)
    if waiter and not rule.isRepeat(waiter, claim, ARGV[at + 2], tonumber(ARGV[at + 3])) then
        return {'N', 's'}
    elseif waiter then
        return rule.join(waiter, wait, {sender = sender, round = round, attempt = attempt})
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
    local request = {
        id = id, claim = claim, holder = ARGV[at + 2], ttl = tonumber(ARGV[at + 3]),
        delay = tonumber(ARGV[at + 5]), record = ARGV[at + 6], since = since, sender = sender,
        round = round, attempt = attempt, maker = attempt
    }
    local blocker = rule.holderInTheWay(claim)
    if full and (wait > 0 or not blocker) then
        return {'!', full}
    elseif not blocker and (waiting == 0 or not rule.waiterInTheWay(claim, NEVER)) then
        local new, limit = rule.grant(request)
        return new and rule.granted(new) or limit
    elseif wait == 0 then
        blocker = blocker or rule.holderBefore(claim, NEVER)
        return blocker and rule.held(blocker) or {'A'}
    end
    return rule.enqueue(request, wait, blocker)
end

-- Whether a request with the id of a lease, or of a request that waits, is that request again.
function rule.isRepeat(entry, claim, holder, ttl)
    return entry.claim == claim
        and (entry.askedTtl == 0 or entry.askedTtl == ttl and entry.holder == holder)
end

-- Notes that a lease, or a request that waits, was asked for again; returns whether that changed anything.
-- Once there was another sender, it has none.
function rule.sentAgain(entry, sender)
    if entry.sender == sender or entry.sender == 0 then
        return false
    end
    entry.sender = 0
    return true
end

function rule.finish(lease, how, change, digest)
    local freed = rule.vacate(lease)
    rule.remember(lease.id, how, lease.token, digest)
    rule.tell(change, lease.claim, lease.holder, lease.token)
    return freed
end

-- The lease that the caller may end, or an answer. A repeat is one that leaves the same again.
function rule.toEnd(at, how, digest)
    local claim, number = ARGV[at + 1], tonumber(ARGV[at + 3])
    local lease, ended, endedAs, left = rule.lookUp(ARGV[at])
    if lease then
        local reason = rule.mismatch(lease, claim, number)
        return not reason and lease, reason and {'X', reason}
    elseif ended == how and endedAs == number and left == (digest or '') then
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
