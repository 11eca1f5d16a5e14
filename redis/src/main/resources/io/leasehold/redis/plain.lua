-- SPDX-License-Identifier: Apache-2.0
--
-- The most common cases, spelled out: the exclusive acquire of a single name and its release, and in a
-- quorum the raise between them, while nobody listens and nothing is overdue. It is what the operations of the same letters would do. The
-- server makes the functions of a script anew for each call, and every command costs as much as many
-- lines; so there are no functions up to here, and few commands. Whatever is not so plain ends this
-- part with nothing written for the operation, and is left to the rules, which also find the errors.
-- Therefore a key is first written to, with something that can be undone or does no harm, or read.

local at = 8
local safely = redis.pcall
local plain = listened <= now and due > now
    and (isNode and sub(identity, 1, 40) == sub(ARGV[2], 2) and #identity > IDENTITY
        or not isNode and identity == '')
local nodes, index = byte(identity, IDENTITY + 1, IDENTITY + 2)
local saved

while plain and at <= #ARGV do
    local letter, id, claim = byte(ARGV[at]), ARGV[at + 1], ARGV[at + 2]
    local found = at == 8 and known
    plain = false
    if letter == 97 and find(claim, '^xn%Z*$') and ARGV[at + 8] == '' then
        local scope, holder, ttl = sub(claim, 2), ARGV[at + 3], tonumber(ARGV[at + 4])
        local wait, delay, record = tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6]), ARGV[at + 7]
        found = found or safely('HMGET', key, '', id, scope)
        local blocker = found[3]
        local queues = waiting > 0 or blocker
        local isNew = found[2] == false and (not queues or safely('HEXISTS', WAITERS, id) == 0)
        local ahead = queues
            and safely('ZLEXCOUNT', INDEX, '[q' .. scope .. '\0', '(q' .. scope .. '\1') or 0
        if isNew and blocker == false and ahead == 0 then
            -- it is free
            local drawn, expiry = math.max(token + 1, floor), now + ttl
            drawn = nodes and drawn + (index - drawn) % nodes or drawn
            if drawn < NEVER and occupied < tonumber(ARGV[4])
                and type(safely('ZADD', ENDS, expiry, id)) == 'number' then
                local lease = 'L' .. pack(FORMAT, drawn, ttl, expiry, 1, 0, now, delay, 0,
                    tonumber(ARGV[at + 9]), #claim, claim, #holder, holder) .. record
                token, due, occupied = drawn, math.min(due, expiry), occupied + 1
                saved = at + 10 > #ARGV and pack(STATE, now, token, due, occupied, waiting,
                    remembered, sequence, listened, events) .. identity
                if type(saved and safely('HSET', key, scope, id, id, lease, '', saved)
                    or safely('HSET', key, scope, id, id, lease)) == 'number' then
                    answers[#answers + 1] = {'G', pack('>dddd', drawn, 1, ttl, ttl) .. holder}
                    plain, at = true, at + 10
                end
            end
        elseif isNew and blocker and byte(blocker) ~= 43 and wait > 0
            and type(ahead) == 'number' and ahead < tonumber(ARGV[5]) then
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
                if ahead > 0 then
                    pause = pause + BEHIND + sequence * STEP % SPREAD
                end
                saved = false
                if type(safely('HSET', WAITERS, id, cmsgpack.pack({claim, holder, ttl, now + wait,
                    delay, record, '', caller, sequence, now + pause, tonumber(ARGV[at + 9])}))) == 'number' then
                    answers[#answers + 1] = {'Q', string.format('%.0f', now), pause}
                    plain, at = true, at + 10
                end
            end
        end
    elseif letter == 101 and find(claim, '^xn%Z*$') and remembered < tonumber(ARGV[7]) then
        local scope = sub(claim, 2)
        found = found or safely('HMGET', key, '', id)
        local number, _, expiry, own
        if found[2] and byte(found[2]) == LEASE then
            number, _, expiry, _, _, _, _, _, _, own = unpackFrom(FORMAT, found[2], 2)
        end
        local entries = waiting > 0 and safely('ZRANGEBYLEX', INDEX, '[q' .. scope .. '\0',
            '(q' .. scope .. '\1', 'LIMIT', 0, 2) or {}
        if number ~= tonumber(ARGV[at + 4]) or own ~= claim or now >= expiry then
            -- left to the rules
        elseif #entries == 0 then
            -- nobody waits for it
            if not entries.err and type(safely('RPUSH', ENDED, id)) == 'number'
                and (safely('ZREM', ENDS, id) == 1 or safely('RPOP', ENDED) == nil)
                and safely('HDEL', key, scope) == 1 then
                local ended = 'R' .. pack('>dd', now, number)
                occupied, remembered = occupied - 1, remembered + 1
                saved = at + 5 > #ARGV and pack(STATE, now, token, due, occupied, waiting,
                    remembered, sequence, listened, events) .. identity
                if (saved and safely('HSET', key, id, ended, '', saved)
                    or safely('HSET', key, id, ended)) == 0 then
                    answers[#answers + 1] = {'E'}
                    plain, at = true, at + 5
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
            local ttl, client = next[3] or 0, next[8]
            local drawn, till = math.max(token + 1, floor), now + ttl
            drawn = nodes and drawn + (index - drawn) % nodes or drawn
            if next[1] == claim and find(behind[1], '^[xs]n%Z*$')
                and drawn < NEVER and occupied <= tonumber(ARGV[4])
                and (client == caller
                    or (tonumber(safely('ZSCORE', CLIENTS, client)) or 0) > now
                    and (ARGV[3] == '0'
                        or (safely('PUBSUB', 'NUMSUB', key .. ':to:' .. client)[2] or 0) > 0))
                and type(safely('RPUSH', ENDED, id)) == 'number'
                and (safely('ZREM', ENDS, id, 'W' .. first) == 2 or safely('RPOP', ENDED) == nil)
                and safely('ZREM', INDEX, entries[1], 'e' .. sub(entries[1], 2)) == 2
                and safely('HDEL', WAITERS, first) == 1
                and type(safely('ZADD', ENDS, till, first)) == 'number' then
                token, due = drawn, math.min(due, till)
                waiting, remembered = waiting - 1, remembered + 1
                saved = false
                if safely('HSET', key, scope, first, id, 'R' .. pack('>dd', now, number), first,
                    'L' .. pack(FORMAT, drawn, ttl, till, 1, 0, now, next[5], 0, next[11],
                    #claim, claim, #next[2], next[2]) .. next[6]) == 1 then
                    answers[#answers + 1] = {'E'}
                    local grant = pack('>dddd', drawn, 1, ttl, ttl) .. next[2]
                    local text = string.format('%.0f', now)
                    if client == caller then
                        deliveries[#deliveries + 1] = {first, 'G', grant, text}
                    else
                        call('PUBLISH', key .. ':to:' .. client, '32:' .. first .. '1:G'
                            .. #grant .. ':' .. grant .. #text .. ':' .. text)
                    end
                    if second and behind[10] > till then
                        behind[10] = till
                        call('HSET', WAITERS, second, cmsgpack.pack(behind))
                        if behind[8] == caller then
                            deliveries[#deliveries + 1] = {second, 'Q', text, ttl, text}
                        else
                            local pause = string.format('%.0f', ttl)
                            call('PUBLISH', key .. ':to:' .. behind[8], '32:' .. second .. '1:Q'
                                .. #text .. ':' .. text .. #pause .. ':' .. pause
                                .. #text .. ':' .. text)
                        end
                    end
                    plain, at = true, at + 5
                end
            end
        end
    elseif letter == 117 then
        -- a token that the nodes of a quorum agreed on
        found = found or safely('HMGET', key, '', id)
        local value, to = found[2], tonumber(ARGV[at + 5])
        if value and byte(value) == LEASE then
            local number, _, expiry, _, _, _, _, _, _, own = unpackFrom(FORMAT, value, 2)
            if now < expiry and own == claim and number == tonumber(ARGV[at + 4]) then
                token = math.max(token, to)
                saved = at + 6 > #ARGV and pack(STATE, now, token, due, occupied, waiting,
                    remembered, sequence, listened, events) .. identity
                local raised = 'L' .. pack('>d', to) .. sub(value, 10)
                if (saved and safely('HSET', key, id, raised, '', saved)
                    or safely('HSET', key, id, raised)) == 0 then
                    answers[#answers + 1] = {'E'}
                    plain, at = true, at + 6
                end
            end
        end
    end
end
local changed = #answers > 0

if at > #ARGV then
    if not saved then
        call('HSET', key, '', pack(STATE, now, token, due, occupied, waiting, remembered, sequence,
            listened, events) .. identity)
    end
    for i = 1, #deliveries do
        answers[#answers + 1] = deliveries[i]
    end
    return answers
end
