-- SPDX-License-Identifier: Apache-2.0
--
-- Goes through the batch. What is most common is spelled out here, because the server makes the
-- functions of a script anew for each call and that takes longer than all else: the grant of one
-- name that is free, exclusively, and its release, while nobody waits or listens. It is what the
-- operations of the same letters would do, to whom everything else is left.

local operations
local hindrance
local at = 8

local function plainGrant()
    local id, claim = ARGV[at + 1], ARGV[at + 2]
    local scope = sub(claim, 2)
    if ARGV[at + 8] ~= '' or occupied >= tonumber(ARGV[4]) or call('HGET', LEASES, id)
        or call('HGET', HELD, scope) then
        return nil
    end
    local drawn = math.max(token + 1, now, tonumber(ARGV[2]) + 1)
    if drawn >= NEVER then
        return nil
    end
    local holder, ttl = ARGV[at + 3], tonumber(ARGV[at + 4])
    token, changed = drawn, true
    call('ZADD', ENDS, now + ttl, id)
    call('HSET', HELD, scope, id)
    call('HSET', LEASES, id, 'L' .. pack(FORMAT, drawn, ttl, now + ttl, 1, 0, now,
        tonumber(ARGV[at + 6]), 0, #claim, claim, #holder, holder) .. ARGV[at + 7])
    occupied = occupied + 1
    due = math.min(due, now + ttl)
    return {'G', string.format('%.0f', drawn), 1, ttl, ttl, holder}
end

local function plainRelease()
    local id = ARGV[at + 1]
    local value = call('HGET', LEASES, id)
    if not value or byte(value) ~= LEASE or remembered >= tonumber(ARGV[7]) then
        return nil
    end
    local number, _, expiry, _, _, _, _, _, claim = unpackFrom(FORMAT, value, 2)
    if now >= expiry or claim ~= ARGV[at + 2] or number ~= tonumber(ARGV[at + 4]) then
        return nil
    end
    changed = true
    call('ZREM', ENDS, id)
    call('HDEL', HELD, sub(claim, 2))
    call('HSET', LEASES, id, 'R' .. pack('>dd', now, number))
    call('RPUSH', ENDED, id)
    occupied = occupied - 1
    remembered = remembered + 1
    return {'E'}
end

local function work()
    while at <= #ARGV do
        local name, count = sub(ARGV[at], 1, 1), tonumber(sub(ARGV[at], 2))
        local answer = hindrance
        if not answer and waiting == 0 and listened <= now and find(ARGV[at + 2] or '', '^xn%Z*$') then
            answer = name == 'a' and plainGrant() or name == 'e' and plainRelease()
        end
        if not answer then
            operations = operations or rules()
            answer = operations[name](at + 1, count)
        end
        answers[#answers + 1] = answer
        at = at + 1 + count
    end
end

-- Does it, or answers with the error.
local function try(what)
    local ok, answer = pcall(what)
    if ok then
        return answer
    end
    return {'!', type(answer) == 'table' and answer.err or tostring(answer)}
end

if due <= now then
    operations = rules()
    -- more than can be done now, or an error
    hindrance = try(operations.advance)
end
while at <= #ARGV do
    local failed = try(work)
    if failed then
        answers[#answers + 1] = failed
        at = at + 1 + tonumber(sub(ARGV[at], 2))
    end
end
if changed then
    call('SET', key, pack('>ddddddddd', now, token, due, occupied, waiting, remembered, sequence,
        listened, events))
end
for i = 1, #deliveries do
    answers[#answers + 1] = deliveries[i]
end
return answers
