// SPDX-License-Identifier: Apache-2.0
package consumer;

import io.leasehold.Digest;
import io.leasehold.Idempotency;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.jackson.JacksonCodec;
import io.leasehold.redis.RedisLeaseStore;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.time.Instant;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Starts a context of Spring Boot with two engines in it, takes a lock on each, stores a value, and
 * ends. The property {@code consumer.server} is the address of a Leasehold server.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class Consumer {

    /** A result with what a mapper alone does not know. */
    public record Receipt(String number, Instant at) {}

    private static final Instant NOON = Instant.parse("2024-06-01T12:00:00Z");

    public static void main(String[] args) {
        try (ConfigurableApplicationContext context =
                SpringApplication.run(Consumer.class, args)) {
            for (String engine : new String[] {"redis", "remote"}) {
                use(engine, context.getBean(engine, Leasehold.class));
            }
        }
    }

    private static void use(String engine, Leasehold leasehold) {
        try (Lease lease = leasehold.lock("consumer").acquire(Duration.ofSeconds(10))) {
            System.out.println("Spring Boot " + SpringBootVersion.getVersion() + ", " + engine
                    + ": token " + lease.token());
        }
        Idempotency<Receipt> payments = leasehold.idempotency(
                "payments", JacksonCodec.of(Receipt.class), Duration.ofMinutes(1));
        Receipt first = pay(payments);
        if (!pay(payments).equals(first)) {
            throw new IllegalStateException("the stored receipt came back as another");
        }
    }

    private static Receipt pay(Idempotency<Receipt> payments) {
        String number = "run-" + ProcessHandle.current().pid();
        return payments.once(number, Digest.of(number), token -> new Receipt(number, NOON))
                .value();
    }

    @Bean(destroyMethod = "close")
    RedisServer redisServer() {
        return RedisServer.start("appendonly yes", "appendfsync always");
    }

    @Bean(destroyMethod = "close")
    Leasehold redis(RedisServer server) {
        return Leasehold.on(RedisLeaseStore.connect(server.uri()));
    }

    @Bean(destroyMethod = "close")
    Leasehold remote(Environment environment) {
        return Leasehold.on(RemoteLeaseStore.connect(
                environment.getRequiredProperty("consumer.server")));
    }
}
