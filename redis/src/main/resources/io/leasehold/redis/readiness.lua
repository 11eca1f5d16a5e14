-- SPDX-License-Identifier: Apache-2.0
--
-- Before the rules: whether they may write. The server and the keys are asked before the first write,
-- because there is no undoing what was written before an error.

local RECORDS = key .. ':records'
ENDED, INDEX = key .. ':ended', key .. ':index'
WAITERS, CLIENTS = key .. ':waiters', key .. ':clients'

-- The rules take all arguments one by one, those of the rest of the operations from the eighth on.
local words = ARGV
local ARGV = {caller, words[2], sub(words[1], 1, 1), unpackFrom('>dddd', words[1], 2)}
local count = 7
while at <= last do
    word = words[at]
    letter, id = byte(word), sub(word, 2, 33)
    local expanded
    if letter == 65 then
        local ttl, wait, delay, _, sender, claim, holder, from =
            unpackFrom('>dddBdI2c0I2c0', word, 34)
        if isNode then
            local round, attempt = sender, unpackFrom('>d', word, #word - 15)
            sender = unpackFrom('>d', word, #word - 7)
            expanded = {'a11', id, claim, holder, ttl, wait, delay, sub(word, from, -17), '', sender,
                round, attempt}
        else
            expanded = {'a9', id, claim, holder, ttl, wait, delay, sub(word, from), '', sender}
        end
    elseif letter == 69 then
        local number, _, claim, from = unpackFrom('>ddI2c0', word, 34)
        expanded = {'e4', id, claim, sub(word, from), number}
    elseif letter == 85 then
        local number, to, claim, from = unpackFrom('>ddI2c0', word, 34)
        local round, attempt = unpackFrom('>dd', word, #word - 15)
        expanded = {'u7', id, claim, sub(word, from, -17), number, to, round, attempt}
    elseif letter == 82 then
        local size = unpackFrom('>I2', word, 2)
        local from = 4 + 32 * size
        expanded = {'r' .. size}
        for i = 1, size do
            local number, ttl, expected, claim, next = unpackFrom('>dddI2c0', word, from)
            expanded[i + 1] = sub(word, 32 * i - 28, 32 * i + 3)
                .. pack('>dddc0', number, ttl, expected, claim)
            from = next
        end
        for i = 1, size do
            local holder, next = unpackFrom('>I2c0', word, from)
            expanded[i + 1] = expanded[i + 1] .. holder
            from = next
        end
    else
        expanded = {unpack(words, at, at + tonumber(sub(word, 2)))}
        at = at + #expanded - 1
    end
    for i = 1, #expanded do
        ARGV[count + i] = expanded[i]
    end
    count, at = count + #expanded, at + 1
end
-- nothing stands behind the last
ARGV[count + 1] = nil
at = 8

-- the error at which nothing may be written; the one at which nothing may be taken on
local refusal, full
-- letters of the keys that were found without the member that stays, see repair.lua
local lost = ''
-- whether nothing is overdue, so that whatever still is was lost by the schedule
local settled = false
-- how many entries of the index were looked at
local steps = 0

-- Has the member that stays, if the key lacks it.
local function ask(letter, ...)
    local answer = safely(...)
    if type(answer) == 'table' then
        refusal = refusal or answer
    elseif answer == 1 then
        lost = lost .. letter
    end
end

local function establish()
    ask('s', 'ZADD', ENDS, 'NX', NEVER, '')
    if refusal and find(refusal.err, 'OOM', 1, true) then
        -- Leases that are there go on and end. The server judges only the first write of a script, and
        -- this one it lets pass.
        refusal, full = nil, refusal.err
        ask('', 'ZREM', ENDS, '-')
        ask('s', 'ZADD', ENDS, 'NX', NEVER, '')
    end
    ask('i', 'ZADD', INDEX, 'NX', 0, '')
    ask('r', 'HSETNX', RECORDS, '', '')
    ask('w', 'HSETNX', WAITERS, '', '')
    ask('c', 'ZADD', CLIENTS, 'NX', NEVER, '')
    local first = safely('LINDEX', ENDED, 0)
    if type(first) == 'table' then
        refusal = refusal or first
    elseif first ~= '' and not refusal then
        lost = lost .. 'e'
        call('LPUSH', ENDED, '')
        call('LTRIM', ENDED, 0, 0)
    end
end

establish()
if refusal and not changed then
    return refusal
end
