-- SPDX-License-Identifier: Apache-2.0
-- Lets many locks run again in full, each if it is still the caller's.
--
-- KEYS     the locks
-- ARGV[1]  for how many milliseconds
-- ARGV[2]  who has them
-- returns  how many were the caller's
-- atomic   all of it
local renewed = 0
for i = 1, #KEYS do
    if redis.call('GET', KEYS[i]) == ARGV[2] then
        renewed = renewed + redis.call('PEXPIRE', KEYS[i], ARGV[1])
    end
end
return renewed
