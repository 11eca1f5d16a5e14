-- SPDX-License-Identifier: Apache-2.0
-- The check that every guarded script makes before anything else. It is no script by itself: what
-- follows it runs only if the token passes.
--   keys       KEYS[1] the mark: a string, the token in plain digits, no time to live
--   arguments  ARGV[1] the token, 1 to 2^53-1, so that comparing it as a double is exact
--   returns    {'stale', the mark}
--              {'damaged', what the mark's key holds}
--   defines    raise(), which makes the token the mark
--   atomic     nothing is written unless the token passes, with one exception: a mark that someone
--              gave a time to live loses it at once, for it would forget
if redis.call('PTTL', KEYS[1]) >= 0 then
  redis.call('PERSIST', KEYS[1])
end
local mark = redis.pcall('GET', KEYS[1])
if type(mark) == 'table' then
  if not string.find(mark.err, '^WRONGTYPE') then
    return mark
  end
  return {'damaged', 'a ' .. redis.call('TYPE', KEYS[1]).ok}
end
if mark then
  if #mark > 16 or not string.find(mark, '^[1-9]%d*$') or tonumber(mark) > 9007199254740991 then
    return {'damaged', "'" .. string.sub(mark, 1, 40) .. "'"}
  end
  if tonumber(ARGV[1]) < tonumber(mark) then
    return {'stale', mark}
  end
end
local function raise()
  if mark ~= ARGV[1] then
    redis.call('SET', KEYS[1], ARGV[1])
  end
end
