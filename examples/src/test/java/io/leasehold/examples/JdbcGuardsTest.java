// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.Leasehold;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;
import java.sql.Connection;
import java.sql.Statement;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

final class JdbcGuardsTest {

    @Test
    void theJdbcGuideRefusesTheLateWriter() throws Exception {
        JdbcDataSource database = new JdbcDataSource();
        database.setUrl("jdbc:h2:mem:guide");
        try (Connection open = database.getConnection();
                Statement statement = open.createStatement();
                Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            statement.execute("create table accounts (id int primary key, balance int,"
                    + " owner varchar(100), fence bigint default 0 not null)");
            statement.execute("insert into accounts (id, balance) values (42, 100)");
            JdbcGuards guards = new JdbcGuards(database);

            guards.prepare();
            guards.book(leasehold, 5);
            assertThat(guards.bookShorter(new FencingToken(7), 10)).isEqualTo(115);
            assertThat(guards.bookLate(new FencingToken(6), 1_000))
                    .isEqualTo("token 6 came after token 7");
            assertThat(guards.balance()).isEqualTo(115);

            guards.rename(new FencingToken(3), "ada");
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> guards.rename(new FencingToken(2), "eve"))
                    .withMessage("stale token 2: accounts row with id 42 has seen token 3");
        }
    }
}
