-- SPDX-License-Identifier: Apache-2.0
--
-- Renewals, while nobody listens and nothing is overdue, as operations.r would do them. If one of an
-- operation is to be refused, all of that are left to the rules, with nothing written.

while plain and letter == 82 do
    local count = unpackFrom('>I2', word, 2)
    -- the last that is asked for is no lease, but where the ids end
    local values = safely('HMGET', key, unpackFrom(string.rep('c32', count), word, 4))
    local terms = {unpackFrom('>' .. string.rep('c32', count) .. string.rep('dddI2c0', count), word, 4)}
    -- by id: as it was renewed
    local fresh, results, writes = {}, {}, {}
    local i = 1
    while i <= count do
        local id, at = terms[i], count + 4 * i - 3
        local value = fresh[id] or values[i]
        -- a claim is compared with its length, as it is written in the lease
        if not value or byte(value) ~= LEASE or find(value, terms[at + 3], CLAIM_AT, true) ~= CLAIM_AT then
            break
        end
        local number, own, expiry, version = unpackFrom('>dddd', value, 2)
        local ttl, expected = terms[at + 1], terms[at + 2]
        ttl = ttl > 0 and ttl or own
        if now >= expiry or number ~= terms[at] or expected ~= 0 and expected ~= version then
            break
        end
        -- never shorter: an earlier renewal's deadline is relied upon
        if expiry < now + ttl then
            expiry = now + ttl
        end
        value = pack('>Bddddc0', LEASE, number, ttl, expiry, version + 1, sub(value, 34))
        fresh[id], writes[2 * i - 1], writes[2 * i] = value, id, value
        results[3 * i - 2], results[3 * i - 1], results[3 * i] = 82, version + 1, expiry - now
        i = i + 1
    end
    plain = i > count
    if plain then
        saved = at == last and pack('>dddddc0', now, token, due, occupied, remembered, rest)
        if saved then
            writes[2 * count + 1], writes[2 * count + 2] = '', saved
        end
        plain = safely('HSET', key, unpack(writes)) == 0
    end
    if plain then
        answers[#answers + 1] = pack('>B' .. string.rep('Bdd', count), 82, unpack(results))
        at = at + 1
        word = ARGV[at] or ''
        letter, id = byte(word), sub(word, 2, 33)
    end
end
