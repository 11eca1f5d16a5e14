-- SPDX-License-Identifier: Apache-2.0
--
-- Before the rules: whether they may write. The server and the keys are asked before the first write,
-- because there is no undoing what was written before an error.

local RECORDS = key .. ':records'
-- the error at which nothing may be written; the one at which nothing may be taken on
local refusal, full

local function ask(...)
    local answer = safely(...)
    if type(answer) == 'table' then
        refusal = refusal or answer
    end
end

-- a write that changes nothing
ask('ZADD', ENDS, 'XX', 0, '')
if refusal and find(refusal.err, 'OOM', 1, true) then
    -- Leases that are there go on and end. The server judges only the first write of a script, and
    -- this one it lets pass.
    refusal, full = nil, refusal.err
    ask('ZREM', ENDS, '')
end
ask('LLEN', ENDED)
ask('ZCARD', INDEX)
ask('HLEN', RECORDS)
ask('HLEN', WAITERS)
ask('ZCARD', CLIENTS)

if refusal and not changed then
    return refusal
end
