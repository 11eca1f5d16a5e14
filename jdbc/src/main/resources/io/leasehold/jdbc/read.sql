-- SPDX-License-Identifier: Apache-2.0
-- The fence of one row, as committed or as written by this transaction. Takes no lock.
--   ${table}, ${key}, ${fence}  checked identifiers
--   arguments  the key
--   returns    the fence; no row if there is none
select ${fence} from ${table} where ${key} = ?
