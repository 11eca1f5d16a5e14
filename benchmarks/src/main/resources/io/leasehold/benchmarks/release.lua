-- SPDX-License-Identifier: Apache-2.0
-- Gives a lock up, if the caller has it.
--
-- KEYS[1]  the lock
-- ARGV[1]  who had it
-- returns  1 if it was the caller's, else 0
-- atomic   comparison and deletion
if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
end
return 0
