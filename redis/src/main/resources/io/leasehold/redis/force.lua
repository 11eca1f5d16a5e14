-- SPDX-License-Identifier: Apache-2.0
--
-- Who holds exactly one scope, and how a lease is taken from its holder.

-- The ids of the leases, or of the lock-delays of such as ran out, at exactly this scope.
function rule.holdersAt(scope)
    local id = byte(scope) ~= NAME and '+' or call('HGET', key, scope)
    if not id or byte(id) ~= 43 then
        return {id or nil}
    end
    local from, ids = 'h' .. rule.place(scope), {}
    for _, entry in ipairs(call('ZRANGEBYLEX', INDEX, '[' .. from .. '\0', '(' .. from .. '\1')) do
        ids[#ids + 1] = rule.idOf(entry)
    end
    return ids
end

-- Force: scope, token. Ends the lease that holds the scope under the token, whoever holds it; it
-- counts as withdrawn. Returns as release does.
function operations.f(at)
    local number, reason = tonumber(ARGV[at + 1]), 'f'
    for _, id in ipairs(rule.holdersAt(ARGV[at])) do
        local lease = rule.lookUp(id)
        if lease and now >= lease.expiry + lease.delay then
            -- the schedule does not know that it is over
            rule.endLate(lease)
            lease = nil
        end
        local live = lease and now < lease.expiry
        if lease and lease.token == number then
            if not live then
                return {'X', 'e'}
            end
            local freed = rule.finish(lease, 'W', 'L')
            if waiting > 0 then
                rule.handOver(freed)
            end
            return {'E'}
        elseif live then
            reason = 'h'
        end
    end
    return {'X', reason}
end
