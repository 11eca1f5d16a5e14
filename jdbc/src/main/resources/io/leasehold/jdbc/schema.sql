-- SPDX-License-Identifier: Apache-2.0
-- The table of JdbcGuard: one row for each guarded resource, with the highest token it has seen.
-- PostgreSQL and H2. ${table} is the table's name, leasehold_marks unless chosen otherwise.
-- May be run again: it leaves a table that is there alone.
--   resource  the scope in its canonical text, such as name:ledger/42
--   token     the mark; one outside the range of tokens is refused by the guard as well
create table if not exists ${table} (
    resource varchar(520) not null primary key,
    token bigint not null check (token between 1 and 9007199254740991)
)
