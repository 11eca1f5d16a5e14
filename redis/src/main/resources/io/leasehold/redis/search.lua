-- SPDX-License-Identifier: Apache-2.0
--
-- Which scopes overlap. Two overlap if they are equal names; an inode with any of its ranges; two
-- ranges that share a byte; a subtree with every path at or below it.
--
-- The index holds four sets, each entry in the order of its scope's place:
--   h place \0 id           who holds a scope, but for exclusive holders of names
--   x place \0 id           who holds it exclusively
--   q place \0 sequence id  who waits for it
--   e place \0 sequence id  who waits for it exclusively
-- The sequence is padded so that an entry is longer than the 64 bytes up to which the server keeps a
-- small set as a mere list, through all of which it goes for each command.
--
-- Ranges stand by the inode, then by the binary logarithm of their length, then by their start. Those
-- of one length class can overlap a given range only if they start less than twice the class's
-- length before it; so for each class that is in use there is one stretch of the index to look at.

local TAIL = {h = 33, x = 33, q = 65, e = 65}

-- Calls visit with the first entry of every scope from one key on and before another, until it
-- returns something.
function rule.within(set, from, to, visit)
    local entry = rule.first(from, to)
    while entry do
        local found = visit(entry)
        if found then
            return found
        end
        entry = rule.first(sub(entry, 1, -TAIL[set] - 1) .. '\1', to)
    end
end

function rule.at(set, scope, visit)
    local from = set .. rule.place(scope)
    local entry = rule.first(from .. '\0', from .. '\1')
    return entry and visit(entry)
end

-- The number less 2^bits, or 0: both in 16 hex digits.
function rule.less(hex, bits)
    local high, low = tonumber(sub(hex, 1, 8), 16), tonumber(sub(hex, 9), 16)
    if bits >= 32 then
        high = high - 2 ^ (bits - 32)
    else
        low = low - 2 ^ bits
        if low < 0 then
            high, low = high - 1, low + 2 ^ 32
        end
    end
    return high < 0 and '0000000000000000' or string.format('%08x%08x', high, low)
end

function rule.ranges(set, scope, visit)
    local inode, from, to = sub(scope, 2, 17), sub(scope, 20, 35), sub(scope, 36, 51)
    local prefix = set .. 'r' .. inode
    local function reaches(entry)
        return sub(entry, 37, 52) > from and visit(entry)
    end
    local entry = rule.first(prefix, prefix .. 'g')
    while entry do
        local class = sub(entry, 19, 20)
        local start = prefix .. class .. rule.less(from, tonumber(class, 16) + 1)
        local found = rule.within(set, start, prefix .. class .. to, reaches)
        if found then
            return found
        end
        entry = rule.first(prefix .. class .. 'g', prefix .. 'g')
    end
end

function rule.subtreesAbove(set, body, visit)
    local up = 0
    while up do
        local found = rule.at(set, 't' .. sub(body, 1, up), visit)
        if found then
            return found
        end
        if up == #body then
            return nil
        end
        up = (find(body, '\1', up + 2, true) or #body + 1) - 1
    end
end

-- Calls visit with the first entry of every scope in the set that overlaps the given one, which is no
-- name, until it returns something; returns that.
function rule.overlapping(set, scope, visit)
    local kind, body = byte(scope), sub(scope, 2)
    if kind == RANGE then
        return rule.at(set, 'i' .. sub(body, 1, 16), visit) or rule.ranges(set, scope, visit)
    elseif kind == INODE then
        return rule.at(set, scope, visit)
            or rule.within(set, set .. 'r' .. body, set .. 'r' .. body .. 'g', visit)
    elseif kind == PATH then
        return rule.at(set, scope, visit) or rule.subtreesAbove(set, body, visit)
    end
    return rule.subtreesAbove(set, body, visit)
        or rule.within(set, set .. 'p' .. body .. '\0', set .. 'p' .. body .. '\2', visit)
end
