-- SPDX-License-Identifier: Apache-2.0
-- What the server says of itself that decides whether it can forget a mark. Writes nothing. INFO,
-- not CONFIG, which hosted servers refuse.
--   returns    the sections memory and persistence of INFO, as two texts
return {redis.call('INFO', 'memory'), redis.call('INFO', 'persistence')}
