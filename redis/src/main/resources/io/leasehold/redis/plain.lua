-- SPDX-License-Identifier: Apache-2.0
--
-- The most common case, spelled out: the exclusive grant of a single name that is free, and its
-- release, while nobody waits or listens and nothing is overdue. It is what the operations of the
-- same letters would do. The server makes the functions of a script anew for each call, which takes
-- longer than all else; so there are none up to here. Whatever is not so plain ends this part with
-- nothing written for the operation, and is left to the rules, which also find the errors: only a
-- key or a command that the user may not write to can end it later.

local at = 8
local safely = redis.pcall
local plain = waiting == 0 and listened <= now and due > now

while plain and at <= #ARGV do
    local letter, id, claim = byte(ARGV[at]), ARGV[at + 1], ARGV[at + 2]
    plain = false
    if letter == 97 and find(claim, '^xn%Z*$') and ARGV[at + 8] == ''
        and occupied < tonumber(ARGV[4]) then
        local scope, holder, ttl = sub(claim, 2), ARGV[at + 3], tonumber(ARGV[at + 4])
        local drawn = math.max(token + 1, now, ARGV[2] + 1)
        if safely('HGET', LEASES, id) == false and safely('HGET', HELD, scope) == false
            and drawn < NEVER and type(safely('ZADD', ENDS, now + ttl, id)) == 'number'
            and type(safely('HSET', HELD, scope, id)) == 'number'
            and type(safely('HSET', LEASES, id, 'L' .. pack(FORMAT, drawn, ttl, now + ttl, 1, 0,
                now, tonumber(ARGV[at + 6]), 0, #claim, claim, #holder, holder)
                .. ARGV[at + 7])) == 'number' then
            token, occupied, due = drawn, occupied + 1, math.min(due, now + ttl)
            answers[#answers + 1] = {'G', string.format('%.0f', drawn), 1, ttl, ttl, holder}
            plain, at = true, at + 9
        end
    elseif letter == 101 and find(claim, '^xn%Z*$') and remembered < tonumber(ARGV[7]) then
        local value = safely('HGET', LEASES, id)
        if type(value) == 'string' and byte(value) == LEASE then
            local number, _, expiry, _, _, _, _, _, own = unpackFrom(FORMAT, value, 2)
            if now < expiry and own == claim and number == tonumber(ARGV[at + 4])
                and safely('ZREM', ENDS, id) == 1 and safely('HDEL', HELD, sub(claim, 2)) == 1
                and safely('HSET', LEASES, id, 'R' .. pack('>dd', now, number)) == 0
                and type(safely('RPUSH', ENDED, id)) == 'number' then
                occupied, remembered = occupied - 1, remembered + 1
                answers[#answers + 1] = {'E'}
                plain, at = true, at + 5
            end
        end
    end
end
local changed = #answers > 0

if at > #ARGV then
    if changed then
        call('SET', key, pack(STATE, now, token, due, occupied, waiting, remembered, sequence,
            listened, events))
    end
    return answers
end
