-- SPDX-License-Identifier: Apache-2.0
-- Raises the fence of one row to the caller's token, unless the row has seen a newer one.
-- Atomic: this one statement waits for the row's lock, judges the committed fence, writes, and
-- keeps the lock until the transaction ends. It writes an equal token too: that takes the lock, and
-- tells a transaction on an old snapshot that the row has changed.
--   ${table}, ${key}, ${fence}  checked identifiers
--   ${values}                   nothing, or further columns: "a = ?, b = ?, "
--   arguments  the values, the token, the key, the lowest sound fence, the token again
--              (to confirm that the row is locked still: the token as the lowest fence, too)
--   returns    1 row: raised, and locked. 0 rows: no such row, or its fence is newer or damaged
update ${table} set ${values}${fence} = ?
 where ${key} = ? and ${fence} between ? and ?
