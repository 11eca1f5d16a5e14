-- SPDX-License-Identifier: Apache-2.0
-- The least that a fenced lock needs: takes the lock if it is free and draws a token.
--
-- KEYS[1]  the lock
-- KEYS[2]  the counter of tokens
-- ARGV[1]  who wants it
-- ARGV[2]  for how many milliseconds
-- returns  the token, or nothing if somebody has the lock
-- atomic   both or neither
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
    return redis.call('INCR', KEYS[2])
end
return false
