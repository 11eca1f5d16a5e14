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

-- A lease, or a request that waits, has with it what makes the nodes agree on one token:
--   round, attempt    asked: the last round in which it was asked for, with the attempt that asked
--   maker             the attempt that asked for it, if there was no other; else 0
-- and a lease:
--   draw              the number that this node drew for it, 0 if none
--   marked, marker    mark: the round and attempt in which the node took the token; 0 if the token is
--                     only its draw; NEVER if the node was told that the token is final

-- Whether an entry was asked for in a later round than this.
function rule.isOvertaken(entry, round, attempt)
    return entry.round > round or entry.round == round and entry.attempt > attempt
end

-- Notes that an attempt asked for it; returns whether that changed anything.
function rule.ask(entry, round, attempt)
    local before, maker = entry.round, entry.maker
    local asker = entry.attempt
    if not rule.isOvertaken(entry, round, attempt) then
        entry.round, entry.attempt = round, attempt
    end
    if entry.maker ~= attempt then
        entry.maker = 0
    end
    return entry.round ~= before or entry.attempt ~= asker or entry.maker ~= maker
end

-- The agreement on the token of a rotation begins anew, and nobody takes the lease back. Rounds that
-- were asked stay so: the same rotation may have begun here before, and a repair have undone it.
function rule.beginRotation(lease, round, attempt)
    rule.ask(lease, round, attempt)
    lease.draw, lease.maker, lease.marked, lease.marker = lease.token, 0, 0, 0
end

-- Whether the attempt alone asked for it, and not in a later round.
function rule.isGivenBack(entry, round, attempt)
    return attempt ~= 0 and entry.maker == attempt and not rule.isOvertaken(entry, round, attempt)
end

-- Gives a lease a token that was proposed, with its mark.
function rule.take(lease, number, round, attempt)
    local told = lease.marked > 0 and lease.token == number
    token = math.max(token, number)
    lease.token, lease.marked, lease.marker = number, round, attempt
    rule.put(lease)
    if not told then
        rule.tell(lease.rotatedFrom > 0 and 'T' or 'G', lease.claim, lease.holder, number)
    end
end

-- Raise: id, claim, holder, token, the token proposed, round, attempt. Returns E, or X reason.
function operations.u(at)
    local claim, number, to = ARGV[at + 1], tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
    local round, attempt = tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6])
    local lease, ended = rule.lookUp(ARGV[at])
    if not lease then
        return {'X', rule.absence(claim, ARGV[at + 2], ended)}
    end
    local reason = rule.mismatch(lease, claim, number)
    if reason and (reason ~= 't' or lease.token ~= to) then
        return {'X', reason}
    elseif lease.marked >= NEVER then
        return lease.token == to and {'E'} or {'X', 't'}
    elseif round >= NEVER and lease.rotatedFrom >= to and lease.token ~= to then
        return {'X', 't'}
    elseif round < NEVER then
        if rule.isOvertaken(lease, round, attempt)
            or to < lease.draw and not (lease.marked > 0 and lease.token == to) then
            return {'X', 't'}
        end
        lease.round, lease.attempt = round, attempt
    end
    rule.take(lease, to, round, attempt)
    return {'E'}
end

-- Restore: id, claim, holder, ttl, lock-delay, record or nothing, token. Returns as acquire does. If the
-- request waits, it is answered with the lease.
function operations.v(at)
    local id, claim, number = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 6])
    local lease, ended = rule.lookUp(id)
    if lease and now < lease.expiry and lease.claim == claim then
        local rotatedSince = lease.rotatedFrom > number
            or lease.rotatedFrom == number and lease.marked > 0
            or lease.marked >= NEVER and lease.token > number
        if not rotatedSince then
            rule.take(lease, number, NEVER, 0)
        end
        return rule.granted(lease)
    elseif lease or ended and ended ~= 'E' then
        return {'N', lease and 'e' or 'f'}
    end
    local blocker = rule.holderInTheWay(claim)
    local waiter = waiting > 0 and rule.waiterOf(id)
    if blocker then
        return rule.held(blocker)
    elseif waiter and waiter.claim ~= claim then
        return {'N', 's'}
    elseif full then
        return {'!', full}
    elseif occupied + #rule.scopes(claim) > tonumber(ARGV[4]) then
        return {'L', 'leases'}
    end
    token = math.max(token, number)
    local entered = {
        id = id, token = number, ttl = tonumber(ARGV[at + 3]), expiry = now + ARGV[at + 3],
        version = 1, rotatedFrom = 0, grantedAt = now, askedTtl = 0, delay = tonumber(ARGV[at + 4]),
        lingers = 0,
        sender = 0, round = 0, claim = claim, holder = ARGV[at + 2], record = ARGV[at + 5],
        draw = 0, attempt = 0, maker = 0, marked = NEVER, marker = 0
    }
    rule.enter(entered)
    rule.tell('G', claim, entered.holder, number)
    if waiter then
        rule.leave(waiter)
        rule.deliver(waiter.client, id, rule.granted(entered))
        rule.handOver(rule.scopes(claim))
    end
    return rule.granted(entered)
end

-- Retract: id, round, attempt. Takes back what the attempt alone asked for, and in no later round.
-- Returns E.
function operations.k(at)
    local id, round, attempt = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
    local waiter = waiting > 0 and rule.waiterOf(id)
    local lease = rule.lookUp(id)
    if waiter and rule.isGivenBack(waiter, round, attempt) then
        rule.leave(waiter)
        rule.deliver(waiter.client, id, {'N', 'f'})
        rule.handOver(rule.scopes(waiter.claim))
    elseif lease and now < lease.expiry and rule.isGivenBack(lease, round, attempt) then
        local freed = rule.vacate(lease)
        call('HDEL', key, id)
        if lease.marked > 0 then
            rule.tell('L', lease.claim, lease.holder, lease.token)
        end
        if waiting > 0 then
            rule.handOver(freed)
        end
    end
    return {'E'}
end
