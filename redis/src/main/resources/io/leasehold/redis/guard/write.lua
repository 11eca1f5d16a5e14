-- SPDX-License-Identifier: Apache-2.0
-- Admits a token and makes any number of writes, none included. Stands behind check.lua.
--   keys       KEYS[1] the mark, KEYS[2] and on the data, all in one slot
--   arguments  ARGV[1] the token; then for each write its name, the index of its key in KEYS, the
--              number of its arguments, and these:
--                set     value [milliseconds to live]
--                hset    field value, and so on
--                del
--                incrby  amount
--   returns    {'done', a number for each write: 1; new fields; keys deleted; the sum}
--              {'refused', key, why} if a key holds what a write can't work on
--   atomic     a failing script keeps what it wrote so far. So each write is tried on paper first,
--              on what the writes before it will have made of its key, and with the rights of the
--              user (which Redis 6.2 can't tell); the first real write is the mark's, and the
--              server refuses that one or none (OOM, READONLY, MISCONF, NOREPLICAS)
local MOST = 9007199254740991
local SAMPLES = {
  set = {'SET', '1'}, hset = {'HSET', '1', '1'}, del = {'DEL'}, incrby = {'INCRBY', '1'}
}
local kinds, texts = {}, {}

local function number(text)
  if text == '0' then
    return 0
  end
  if #text <= 17 and string.find(text, '^%-?[1-9]%d*$') then
    local value = tonumber(text)
    return math.abs(value) <= MOST and value or nil
  end
end

local function refusal(name, key, at)
  local sample = SAMPLES[name]
  if redis.acl_check_cmd
      and not redis.acl_check_cmd(sample[1], KEYS[key], unpack(sample, 2)) then
    return 'the user has no right to ' .. sample[1] .. ' it'
  end
  local kind = kinds[key] or redis.call('TYPE', KEYS[key]).ok
  if name == 'set' then
    kinds[key], texts[key] = 'string', ARGV[at]
  elseif name == 'del' then
    kinds[key], texts[key] = 'none', nil
  elseif name == 'hset' then
    if kind ~= 'none' and kind ~= 'hash' then
      return 'it holds a ' .. kind .. ', not a hash'
    end
    kinds[key] = 'hash'
  else
    if kind ~= 'none' and kind ~= 'string' then
      return 'it holds a ' .. kind .. ', not a number'
    end
    local before = kind == 'none' and 0 or number(texts[key] or redis.call('GET', KEYS[key]))
    if not before then
      return 'it holds no number from -(2^53-1) to 2^53-1'
    end
    local sum = before + tonumber(ARGV[at])
    if math.abs(sum) > MOST then
      return 'the sum is outside -(2^53-1) to 2^53-1'
    end
    kinds[key], texts[key] = 'string', string.format('%.0f', sum)
  end
end

local writes = {}
local at = 2
while at <= #ARGV do
  local write = {
    name = ARGV[at], key = tonumber(ARGV[at + 1]), first = at + 3,
    last = at + 2 + tonumber(ARGV[at + 2])
  }
  local why = refusal(write.name, write.key, write.first)
  if why then
    return {'refused', KEYS[write.key], why}
  end
  writes[#writes + 1] = write
  at = write.last + 1
end

raise()

local results = {'done'}
for _, write in ipairs(writes) do
  local key, result = KEYS[write.key], 1
  if write.name == 'set' and write.last == write.first then
    redis.call('SET', key, ARGV[write.first])
  elseif write.name == 'set' then
    redis.call('SET', key, ARGV[write.first], 'PX', ARGV[write.last])
  elseif write.name == 'del' then
    result = redis.call('DEL', key)
  elseif write.name == 'incrby' then
    result = redis.call('INCRBY', key, ARGV[write.first])
  else
    result = 0
    for from = write.first, write.last, 1000 do
      local to = math.min(from + 999, write.last)
      result = result + redis.call('HSET', key, unpack(ARGV, from, to))
    end
  end
  results[#results + 1] = result
end
return results
