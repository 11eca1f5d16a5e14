-- SPDX-License-Identifier: Apache-2.0
--
-- The most common cases, spelled out: the exclusive acquire of a single name and its release, and in a
-- quorum the raise between them, while nobody listens and nothing is overdue. It is what the operations
-- of the same letters would do. The server makes the functions of a script anew for each call, and every command costs as much as many
-- lines; so there are no functions up to here, and few commands. Whatever is not so plain ends this
-- part with nothing written for the operation, and is left to the rules, which also find the errors.
-- Therefore a key is first written to, with something that can be undone or does no harm, or read.

local safely = redis.pcall
local plain = listened <= now and due > now
    and (isNode and sub(identity, 1, 40) == sub(ARGV[2], 2) and #identity > IDENTITY
        or not isNode and identity == '')
local nodes, index = byte(identity, IDENTITY + 1, IDENTITY + 2)
-- the end of the state, which only those who wait change
local rest = known[1] and sub(known[1], 41)
    or pack('>dddd', waiting, sequence, listened, events) .. identity
local saved

while plain and at <= last do
    local found = at == 3 and known
    if at > 3 then
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
                local lease = pack('>Bdddddd', LEASE, drawn, ttl, expiry, 1, 0, now) .. sub(word, 50)
                token, due, occupied = drawn, math.min(due, expiry), occupied + 1
                saved = at == last and pack('>ddddd', now, token, due, occupied, remembered) .. rest
                if type(saved and safely('HSET', key, scope, id, id, lease, '', saved)
                    or safely('HSET', key, scope, id, id, lease)) == 'number' then
                    answers[#answers + 1] = pack('>Bd', 71, drawn)
                    plain, at = true, at + 1
                end
            end
        elseif isNew and blocker and byte(blocker) ~= 43 and wait > 0
            and type(ahead) == 'number' and ahead < unpackFrom('>d', ARGV[1], 10) then
            -- one other holds it, and the request waits
            local held, pause = safely('HGET', key, blocker), -1
            if held and byte(held) == LEASE then
                local _, _, expiry, _, _, _, lockDelay = unpackFrom(FORMAT, held, 2)
                pause = (now < expiry and expiry or expiry + lockDelay) - now
            end
            local place = scope .. '\0' .. string.format('%016.0f', sequence + 1) .. id
            if pause >= 0 and type(safely('ZADD', CLIENTS, now + ALIVE, caller)) == 'number'
                and type(safely('ZADD', ENDS, now + wait, 'W' .. id)) == 'number'
                and type(safely('ZADD', INDEX, 0, 'q' .. place, 0, 'e' .. place)) == 'number' then
                sequence, waiting, due = sequence + 1, waiting + 1, math.min(due, now + wait)
                rest = pack('>dddd', waiting, sequence, listened, events) .. identity
                if ahead > 0 then
                    pause = pause + BEHIND + sequence * STEP % SPREAD
                end
                local delay, _, round, claim, holder, from = unpackFrom('>dBdI2c0I2c0', word, 50)
                if type(safely('HSET', WAITERS, id, cmsgpack.pack({claim, holder, ttl, now + wait,
                    delay, sub(word, from), '', caller, sequence, now + pause, round}))) == 'number' then
                    answers[#answers + 1] = pack('>Bdd', 81, now, pause)
                    plain, at = true, at + 1
                end
            end
        end
    elseif letter == 69 and remembered < unpackFrom('>d', ARGV[1], 26) then
        found = found or safely('HMGET', key, '', id)
        local value, size = found[2], unpackFrom('>I2', word, 50)
        local number, expiry, entries, _
        if value and byte(value) == LEASE and sub(value, 67, 68 + size) == sub(word, 50, 51 + size) then
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
                saved = at == last and pack('>ddddd', now, token, due, occupied, remembered) .. rest
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
            local next, behind = {}, {}
            if values[1] and values[2] then
                next, behind = cmsgpack.unpack(values[1]), cmsgpack.unpack(values[2])
            end
            local claim, ttl, client = sub(word, 52, 51 + size), next[3] or 0, next[8]
            local drawn, till = math.max(token + 1, floor), now + ttl
            drawn = nodes and drawn + (index - drawn) % nodes or drawn
            if next[1] == claim and find(behind[1], '^[xs]n%Z*$')
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
                if safely('HSET', key, scope, first, id, pack('>Bdd', RELEASED, now, number), first,
                    'L' .. pack(FORMAT, drawn, ttl, till, 1, 0, now, next[5], 0, next[11],
                    #claim, claim, #next[2], next[2]) .. next[6]) == 1 then
                    answers[#answers + 1] = 'E'
                    if client == caller then
                        deliveries[#deliveries + 1] = first .. pack('>dBd', now, 71, drawn)
                    else
                        local grant = pack('>dddd', drawn, 1, ttl, ttl) .. next[2]
                        local text = string.format('%.0f', now)
                        call('PUBLISH', key .. ':to:' .. client, '32:' .. first .. '1:G'
                            .. #grant .. ':' .. grant .. #text .. ':' .. text)
                    end
                    if second and behind[10] > till then
                        behind[10] = till
                        call('HSET', WAITERS, second, cmsgpack.pack(behind))
                        if behind[8] == caller then
                            deliveries[#deliveries + 1] =
                                second .. pack('>dBdd', now, 81, now, ttl)
                        else
                            local text = string.format('%.0f', now)
                            local pause = string.format('%.0f', ttl)
                            call('PUBLISH', key .. ':to:' .. behind[8], '32:' .. second .. '1:Q'
                                .. #text .. ':' .. text .. #pause .. ':' .. pause
                                .. #text .. ':' .. text)
                        end
                    end
                    plain, at = true, at + 1
                end
            end
        end
    elseif letter == 85 then
        -- a token that the nodes of a quorum agreed on
        found = found or safely('HMGET', key, '', id)
        local value, size = found[2], unpackFrom('>I2', word, 50)
        if value and byte(value) == LEASE and sub(value, 67, 68 + size) == sub(word, 50, 51 + size) then
            local number, _, expiry = unpackFrom('>ddd', value, 2)
            local own, to = unpackFrom('>dd', word, 34)
            if now < expiry and number == own then
                token = math.max(token, to)
                saved = at == last and pack('>ddddd', now, token, due, occupied, remembered) .. rest
                local raised = 'L' .. pack('>d', to) .. sub(value, 10)
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
