-- SPDX-License-Identifier: Apache-2.0
--
-- Goes through the rest of the batch by the rules.

local rule, operations = rules()
-- an answer to all operations: that too much is overdue, or an error
local hindrance = refusal and {'!', refusal.err}
local foreign = (isNode or identity ~= '') and rule.hindrance()

local function work()
    while at <= #ARGV do
        local name, count = sub(ARGV[at], 1, 1), tonumber(sub(ARGV[at], 2))
        -- all but standing, admit, keep and listen
        local refused = foreign and not find('ndyo', name, 1, true) and {'!', foreign}
        answers[#answers + 1] = hindrance or refused or operations[name](at + 1, count)
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

if not hindrance and (lost ~= '' or not known[1]) then
    hindrance = try(rule.repair)
end
if not hindrance and not foreign and due <= now then
    hindrance = try(rule.advance)
end
settled = not hindrance
while at <= #ARGV do
    local failed = try(work)
    if failed then
        answers[#answers + 1] = failed
        at = at + 1 + tonumber(sub(ARGV[at], 2))
    end
end
if changed then
    call('HSET', key, '', pack(STATE, now, token, due, occupied, remembered, waiting, sequence,
        listened, events) .. identity)
end
if not isNode and not hindrance and not foreign and not isKnown then
    if not storeId then
        -- the namespace was never there, or was lost
        storeId = sub(redis.sha1hex(caller .. clock[1] .. ' ' .. clock[2]), 1, 32)
        call('HSET', key, 'n', storeId)
    end
    answers[#answers + 1] = {'I', storeId}
end
if settled and not foreign and due <= now then
    answers[#answers + 1] = 'A'
end
for i = 1, #deliveries do
    answers[#answers + 1] = deliveries[i]
end
return answers
