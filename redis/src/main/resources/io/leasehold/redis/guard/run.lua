-- SPDX-License-Identifier: Apache-2.0
-- Admits a token and runs the body of the resource's owner. Stands behind check.lua; the body
-- stands before both, as a function body(KEYS, ARGV), so that the lines of its errors are its own.
--   keys       KEYS[1] the mark; the others are the body's, counted from 1
--   arguments  ARGV[1] the token; the others are the body's, counted from 1
--   returns    {'done', what the body returned}
--              {'failed', the error} if the body raised or returned one
--   atomic     the mark is raised before the body runs: a body that fails half-way keeps what it
--              wrote, and no older token may come after that
raise()
local keys, arguments = {}, {}
for i = 2, #KEYS do
  keys[i - 1] = KEYS[i]
end
for i = 2, #ARGV do
  arguments[i - 1] = ARGV[i]
end
local done, result = pcall(body, keys, arguments)
if done and not (type(result) == 'table' and result.err) then
  return {'done', result}
end
return {'failed', type(result) == 'table' and result.err or tostring(result)}
