-- SPDX-License-Identifier: Apache-2.0
-- The first mark of a resource. Runs behind a savepoint, because losing the race is an error.
-- Atomic by the primary key: of two transactions the second waits for the first one's end, and then
-- either inserts (the first was rolled back) or fails with SQLState 23505.
--   ${table}   a checked identifier
--   arguments  the resource, the token
insert into ${table} (resource, token) values (?, ?)
