-- SPDX-License-Identifier: Apache-2.0
--
-- The most common cases, spelled out: the exclusive acquire of a single name and its release, also
-- when others wait, and in a quorum the raise between them; while nobody listens and nothing is
-- overdue. It is what the operations of the same letters would do. The server makes the functions of a
-- script anew for each call, and every command costs as much as many lines; so there are no functions
-- up to here, and few commands. Whatever is not so plain ends this part with nothing written for the
-- operation, and is left to the rules, which also find the errors. Therefore a key is first written to,
-- with something that can be undone or does no harm, or read.

while plain and at <= last do
    local found = at == 3 and known
    if not found then
        word = ARGV[at]
        letter, id = byte(word), sub(word, 2, 33)
    end
    plain, saved = false, false
    if letter == 65 then
        local ttl, wait = unpackFrom('>dd', word, 34)
        if not found then
            scope = sub(word, 70, 68 + unpackFrom('>I2', word, 67))
            found = safely('HMGET', key, '', id, scope)
        end
        local blocker = found[3]
        local queues = waiting > 0 or blocker
        if queues and not INDEX then
            INDEX, WAITERS, CLIENTS = key .. ':index', key .. ':waiters', key .. ':clients'
        end
        local isNew = found[2] == false and (not queues or safely('HEXISTS', WAITERS, id) == 0)
        local ahead = queues
            and safely('ZLEXCOUNT', INDEX, '[q' .. scope .. '\0', '(q' .. scope .. '\1') or 0
        if isNew and blocker == false and ahead == 0 then
            -- it is free
            local drawn, expiry = math.max(token + 1, floor), now + ttl
            drawn = nodes and drawn + (index - drawn) % nodes or drawn
            if drawn < NEVER and occupied < unpackFrom('>d', ARGV[1], 2)
                and type(safely('ZADD', ENDS, expiry, id)) == 'number' then
                local lease = pack('>Bdddddddc0', LEASE, drawn, ttl, expiry, 1, 0, now, ttl,
                    sub(word, 50, nodes and -17 or -1))
                if nodes then
                    local attempt = sub(word, -16, -9)
                    lease = lease .. pack('>dc0c0ddc0', drawn, attempt, attempt, 0, 0, sub(word, -8))
                end
                token, due, occupied = drawn, math.min(due, expiry), occupied + 1
                saved = at == last and pack('>dddddc0', now, token, due, occupied, remembered, rest)
                if type(saved and safely('HSET', key, scope, id, id, lease, '', saved)
                    or safely('HSET', key, scope, id, id, lease)) == 'number' then
                    answers[#answers + 1] = pack('>Bd', 71, drawn)
                    plain, at = true, at + 1
                end
            end
        elseif isNew and blocker and wait > 0
            and type(ahead) == 'number' and ahead < unpackFrom('>d', ARGV[1], 10) then
            -- if it is one other that holds it, the request waits
            local held, pause = safely('HGET', key, blocker), 0
            if held and byte(held) == LEASE then
                local _, _, expiry = unpackFrom('>ddd', held, 2)
                pause = expiry - now
            end
            local place = scope .. '\0' .. string.format('%032.0f', sequence + 1) .. id
            if pause > 0 and type(safely('ZADD', CLIENTS, now + ALIVE, caller)) == 'number'
                and type(safely('ZADD', ENDS, now + wait, 'W' .. id)) == 'number'
                and type(safely('ZADD', INDEX, 0, 'q' .. place, 0, 'e' .. place)) == 'number' then
                sequence, waiting, due = sequence + 1, waiting + 1, math.min(due, now + wait)
                rest = pack('>dddd', waiting, sequence, listened, events) .. identity
                if ahead > 0 then
                    pause = pause + BEHIND + sequence * STEP % SPREAD
                end
                if type(safely('HSET', WAITERS, id, pack('>dddI2c0I2c0', now + wait, sequence,
                    now + pause, #caller, caller, 0,
                    nodes and sub(word, 34, -9) .. sub(word, -16) or sub(word, 34)))) == 'number' then
                    answers[#answers + 1] = pack('>Bdd', 81, now, pause)
                    plain, at = true, at + 1
                end
            end
        end
    elseif letter == 69 and remembered < unpackFrom('>d', ARGV[1], 26) then
        found = found or safely('HMGET', key, '', id)
        local value, size = found[2], unpackFrom('>I2', word, 50)
        local number, expiry, entries, _
        if value and byte(value) == LEASE
            and sub(value, CLAIM_AT, CLAIM_AT + 1 + size) == sub(word, 50, 51 + size) then
            number, _, expiry = unpackFrom('>ddd', value, 2)
            scope, entries = sub(word, 53, 51 + size), {}
            ENDED = ENDED or key .. ':ended'
        end
        if number and waiting > 0 then
            INDEX, WAITERS, CLIENTS = key .. ':index', key .. ':waiters', key .. ':clients'
            entries = safely('ZRANGEBYLEX', INDEX, '[q' .. scope .. '\0', '(q' .. scope .. '\1',
                'LIMIT', 0, 2)
        end
        if not number or number ~= unpackFrom('>d', word, 34) or now >= expiry then
            -- left to the rules
        elseif #entries == 0 then
            -- nobody waits for it
            if not entries.err and type(safely('RPUSH', ENDED, id)) == 'number'
                and (safely('ZREM', ENDS, id) == 1 or safely('RPOP', ENDED) == nil)
                and safely('HDEL', key, scope) == 1 then
                local ended = pack('>Bdd', RELEASED, now, number)
                occupied, remembered = occupied - 1, remembered + 1
                saved = at == last and pack('>dddddc0', now, token, due, occupied, remembered, rest)
                if (saved and safely('HSET', key, id, ended, '', saved)
                    or safely('HSET', key, id, ended)) == 0 then
                    answers[#answers + 1] = 'E'
                    plain, at = true, at + 1
                end
            end
        else
            -- the first in line gets it, and the second is now the first
            local first, second = sub(entries[1], -32), entries[2] and sub(entries[2], -32)
            local values = safely('HMGET', WAITERS, first, second or first)
            local next, ttl, client, from, holder, lookAt, other, claim, _
            if values[1] and values[2] then
                next = values[1]
                _, _, _, client, _, ttl, from = unpackFrom('>dddI2c0I2c0d', next)
                _, _, lookAt, other, _, _, _, _, _, _, claim = unpackFrom(WAITER, values[2])
            end
            local drawn, till = math.max(token + 1, floor), now + (ttl or 0)
            drawn = nodes and drawn + (index - drawn) % nodes or drawn
            if next and sub(next, from + 25, from + 26 + size) == sub(word, 50, 51 + size)
                and find(claim, '^[xs]n%Z*$')
                and drawn < NEVER and occupied <= unpackFrom('>d', ARGV[1], 2)
                and (client == caller
                    or (tonumber(safely('ZSCORE', CLIENTS, client)) or 0) > now
                    and (byte(ARGV[1]) == 48
                        or (safely('PUBSUB', 'NUMSUB', key .. ':to:' .. client)[2] or 0) > 0))
                and type(safely('RPUSH', ENDED, id)) == 'number'
                and (safely('ZREM', ENDS, id, 'W' .. first) == 2 or safely('RPOP', ENDED) == nil)
                and safely('ZREM', INDEX, entries[1], 'e' .. sub(entries[1], 2)) == 2
                and safely('HDEL', WAITERS, first) == 1
                and type(safely('ZADD', ENDS, till, first)) == 'number' then
                token, due = drawn, math.min(due, till)
                waiting, remembered = waiting - 1, remembered + 1
                rest = pack('>dddd', waiting, sequence, listened, events) .. identity
                saved = at == last and pack('>dddddc0', now, token, due, occupied, remembered, rest)
                local ended = pack('>Bdd', RELEASED, now, number)
                -- what follows the times is written alike in a waiter and in a lease
                local lease = pack('>Bdddddddc0', LEASE, drawn, ttl, till, 1, 0, now, ttl,
                    sub(next, from + 8, nodes and -VOTER_SIZE - 1 or -1))
                if nodes then
                    lease = lease .. pack('>dc0ddc0', drawn, sub(next, -24, -9), 0, 0, sub(next, -8))
                end
                if (saved and safely('HSET', key, scope, first, id, ended, first, lease, '', saved)
                    or safely('HSET', key, scope, first, id, ended, first, lease)) == 1 then
                    answers[#answers + 1] = 'E'
                    local grant = pack('>dddd', drawn, 1, ttl, ttl)
                        .. unpackFrom('>I2c0', next, from + 27 + size)
                    if client == caller then
                        deliveries[#deliveries + 1] = first .. pack('>dB', now, 71) .. grant
                    else
                        local text = string.format('%.0f', now)
                        call('PUBLISH', key .. ':to:' .. client, '32:' .. first .. '1:G'
                            .. #grant .. ':' .. grant .. #text .. ':' .. text)
                    end
                    if second and lookAt > till then
                        call('HSET', WAITERS, second,
                            sub(values[2], 1, 16) .. pack('>d', till) .. sub(values[2], 25))
                        if other == caller then
                            deliveries[#deliveries + 1] =
                                second .. pack('>dBdd', now, 81, now, ttl)
                        else
                            local text, pause = string.format('%.0f', now), string.format('%.0f', ttl)
                            call('PUBLISH', key .. ':to:' .. other, '32:' .. second .. '1:Q'
                                .. #text .. ':' .. text .. #pause .. ':' .. pause
                                .. #text .. ':' .. text)
                        end
                    end
                    plain, at = true, at + 1
                end
            end
        end
    elseif letter == 85 then
        -- a token that is proposed to the nodes of a quorum
        found = found or safely('HMGET', key, '', id)
        local value, size = found[2], unpackFrom('>I2', word, 50)
        if value and byte(value) == LEASE
            and sub(value, CLAIM_AT, CLAIM_AT + 1 + size) == sub(word, 50, 51 + size) then
            local number, _, expiry, _, rotatedFrom = unpackFrom('>ddddd', value, 2)
            local own, to = unpackFrom('>dd', word, 34)
            local round, attempt = unpackFrom('>dd', word, #word - 15)
            local asked = unpackFrom('>d', value, SENDER_AT)
            local drawn, asker, maker, marked, _, sender = unpackFrom(VOTE, value, #value - VOTE_SIZE + 1)
            local final = round >= NEVER
            if now < expiry and number == own and marked < NEVER
                and (final and (rotatedFrom < to or number == to)
                    or not final and (round > asked or round == asked and attempt >= asker)
                    and (to >= drawn or marked > 0 and number == to)) then
                if not final then
                    asked, asker = round, attempt
                end
                token = math.max(token, to)
                saved = at == last and pack('>dddddc0', now, token, due, occupied, remembered, rest)
                local raised = pack('>Bdc0dc0dddddd', LEASE, to, sub(value, 10, SENDER_AT - 1), asked,
                    sub(value, CLAIM_AT, -VOTE_SIZE - 1), drawn, asker, maker, round, attempt,
                    sender)
                if (saved and safely('HSET', key, id, raised, '', saved)
                    or safely('HSET', key, id, raised)) == 0 then
                    answers[#answers + 1] = 'E'
                    plain, at = true, at + 1
                end
            end
        end
    end
end
local changed = #answers > 0

if at > last then
    if not saved then
        call('HSET', key, '', pack('>ddddd', now, token, due, occupied, remembered) .. rest)
    end
    for i = 1, #deliveries do
        answers[#answers + 1] = deliveries[i]
    end
    return #answers == 1 and answers[1] or answers
end
