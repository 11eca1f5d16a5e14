-- SPDX-License-Identifier: Apache-2.0
--
-- What a node of a quorum does beside: tells who it is, is admitted, takes the tokens that a majority
-- of nodes agreed on.
--
-- A server may come back from a restart with less than it had, and can't tell. So whatever a node
-- knows is bound to the run of the server: who it is begins with the run id, and every call brings the
-- run id that was read on the same connection. When they differ, the node has forgotten: it is to
-- answer nothing until it is admitted anew. It is the run id, the generation in 16 hex digits, since
-- when it has that, then the quorum it was admitted to, or nothing: how many nodes it has and which one
-- this is, a byte each, and its name.

function rule.isOfThisRun()
    return sub(identity, 1, 40) == sub(ARGV[2], 2)
end

-- Why operations are refused; nothing if they are not.
function rule.hindrance()
    if isNode then
        return not (rule.isOfThisRun() and #identity > IDENTITY)
            and 'NOTADMITTED the node has not been admitted to its quorum'
    end
    return identity ~= '' and 'FOREIGN the namespace belongs to a node of a quorum'
end

function rule.standing()
    local generation, since = unpackFrom('>c16d', identity, 41)
    return {'N', generation, rule.text(token), rule.text(now - since), sub(identity, IDENTITY + 1)}
end

-- Standing: a generation for a node that has forgotten. Returns N generation counter age quorum.
function operations.n(at)
    if not rule.isOfThisRun() then
        -- all but the last token, which does no harm
        call('DEL', key, ENDED, INDEX, RECORDS, WAITERS, CLIENTS, ENDS)
        establish()
        due, occupied, waiting, remembered = NEVER, 0, 0, 0
        identity = sub(ARGV[2], 2) .. ARGV[at] .. pack('>d', now)
        changed = true
    end
    return rule.standing()
end

-- Admit: generation, quorum, floor. Returns as standing does.
function operations.d(at)
    local quorum = sub(identity, IDENTITY + 1)
    if rule.isOfThisRun() and sub(identity, 41, 56) == ARGV[at]
        and (quorum == '' or quorum == ARGV[at + 1]) then
        identity = sub(identity, 1, IDENTITY) .. ARGV[at + 1]
        token = math.max(token, tonumber(ARGV[at + 2]))
        changed = true
    end
    return rule.isOfThisRun() and rule.standing() or {'!', rule.hindrance()}
end

-- Keep: for each of several records its scope, claim, holder, token, age, how long to keep it, and
-- itself. Takes what is newer than what is there, also before the node is admitted. Returns as
-- standing does, or L limit.
function operations.y(at, count)
    if not rule.isOfThisRun() then
        return {'!', rule.hindrance()}
    elseif full then
        return {'!', full}
    end
    for i = at, at + count - 1, 7 do
        local scope, number = ARGV[i], tonumber(ARGV[i + 3])
        local there = rule.recordAt(scope)
        if not there and occupied >= tonumber(ARGV[4]) then
            return {'L', 'leases'}
        elseif not there or there.token < number then
            local kept = {
                token = number, completedAt = now - ARGV[i + 4], till = now + ARGV[i + 5],
                claim = ARGV[i + 1], holder = ARGV[i + 2], record = ARGV[i + 6]
            }
            token = math.max(token, number)
            rule.keep(scope, kept)
            if waiting > 0 then
                rule.handOver(rule.answerWith(scope, kept))
            end
        end
    end
    changed = true
    return rule.standing()
end

-- Record: a scope. Returns what a listing does: 0, then a row if there is a record.
function operations.g(at)
    local kept = rule.recordAt(ARGV[at])
    return {'0', kept and rule.recordRow(ARGV[at], kept)}
end

function rule.take(lease, number)
    lease.token = number
    rule.put(lease)
    rule.tell(lease.rotatedFrom > 0 and 'T' or 'G', lease.claim, lease.holder, number)
end

-- Raise: id, claim, holder, token, the token agreed on. Returns E, or X reason.
function operations.u(at)
    local claim, number, to = ARGV[at + 1], tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
    local lease, ended = rule.lookUp(ARGV[at])
    if not lease then
        return {'X', rule.absence(claim, ARGV[at + 2], ended)}
    end
    local reason = rule.mismatch(lease, claim, number)
    if lease.token == to and (not reason or reason == 't') then
        return {'E'}
    elseif reason then
        return {'X', reason}
    end
    token = math.max(token, to)
    rule.take(lease, to)
    return {'E'}
end

-- Restore: id, claim, holder, ttl, lock-delay, record or nothing, token. Returns as acquire does.
function operations.v(at)
    local id, claim, number = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 6])
    local lease, ended = rule.lookUp(id)
    if lease and now < lease.expiry and lease.claim == claim then
        if lease.token ~= number then
            token = math.max(token, number)
            rule.take(lease, number)
        end
        return rule.granted(lease)
    elseif lease or ended and ended ~= 'E' then
        return {'N', lease and 'e' or 'f'}
    end
    local blocker = rule.holderInTheWay(claim)
    if blocker then
        return rule.held(blocker)
    elseif full then
        return {'!', full}
    elseif occupied + #rule.scopes(claim) > tonumber(ARGV[4]) then
        return {'L', 'leases'}
    end
    token = math.max(token, number)
    local entered = {
        id = id, token = number, ttl = tonumber(ARGV[at + 3]), expiry = now + ARGV[at + 3],
        version = 1, rotatedFrom = 0, grantedAt = now, delay = tonumber(ARGV[at + 4]), lingers = 0,
        round = 0, claim = claim, holder = ARGV[at + 2], record = ARGV[at + 5]
    }
    rule.enter(entered)
    rule.tell('G', claim, entered.holder, number)
    return rule.granted(entered)
end

-- Retract: id, round. Takes back what was asked for in no later round. Returns E.
function operations.k(at)
    local id, round = ARGV[at], tonumber(ARGV[at + 1])
    local waiter = waiting > 0 and rule.waiterOf(id)
    local lease = rule.lookUp(id)
    if waiter and waiter.round <= round then
        rule.leave(waiter)
        rule.deliver(waiter.client, id, {'N', 'f'})
        rule.handOver(rule.scopes(waiter.claim))
    elseif lease and now < lease.expiry and lease.round <= round then
        local freed = rule.vacate(lease)
        call('HDEL', key, id)
        rule.tell('L', lease.claim, lease.holder, lease.token)
        if waiting > 0 then
            rule.handOver(freed)
        end
    end
    return {'E'}
end
