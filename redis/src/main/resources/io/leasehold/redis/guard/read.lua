-- SPDX-License-Identifier: Apache-2.0
-- The mark, from the server that decides. Writes nothing.
--   keys       KEYS[1] the mark
--   returns    {'mark', the token} | {'none'} | {'damaged', what the mark's key holds}
local mark = redis.pcall('GET', KEYS[1])
if type(mark) == 'table' then
  if not string.find(mark.err, '^WRONGTYPE') then
    return mark
  end
  return {'damaged', 'a ' .. redis.call('TYPE', KEYS[1]).ok}
end
if not mark then
  return {'none'}
end
if #mark > 16 or not string.find(mark, '^[1-9]%d*$') or tonumber(mark) > 9007199254740991 then
  return {'damaged', "'" .. string.sub(mark, 1, 40) .. "'"}
end
return {'mark', mark}
