// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.http;

import io.leasehold.cli.json.JsonException;
import io.leasehold.cli.json.JsonObject;
import io.leasehold.cli.json.Printable;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Mode;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Validity;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * Reads replies into the model. What can't be read is a {@link JsonException} or, from the model
 * itself, an {@link IllegalArgumentException}.
 */
final class FromJson {

    private FromJson() {}

    static Acquisition acquisition(LeaseRequest request, JsonObject reply) {
        Optional<JsonObject> granted = reply.object("granted");
        if (granted.isPresent()) {
            JsonObject answer = granted.get();
            Holding holding =
                    new Holding(request.claim(), request.holder(), token(part(answer, "holding")));
            Grant grant = new Grant(holding, request.id(), answer.duration("ttl"));
            return new Acquisition.Granted(grant, answer.number("version"), validity(answer));
        }
        Optional<JsonObject> held = reply.object("held");
        if (held.isPresent()) {
            JsonObject answer = held.get();
            return new Acquisition.Held(
                    holding(part(answer, "blocker")),
                    answer.duration("remaining"),
                    record(answer),
                    answer.flag("inLockDelay"));
        }
        Optional<JsonObject> completed = reply.object("completed");
        if (completed.isPresent()) {
            JsonObject answer = completed.get();
            return new Acquisition.Completed(
                    readRecord(part(answer, "record")), token(answer), answer.duration("keptFor"));
        }
        return new Acquisition.Gone(reason(part(reply, "gone")));
    }

    static List<Renewal> renewals(JsonObject reply) {
        List<Renewal> renewals = new ArrayList<>();
        for (JsonObject outcome : reply.objects("outcomes")) {
            Optional<JsonObject> renewed = outcome.object("renewed");
            renewals.add(
                    renewed.isPresent()
                            ? new Renewal.Renewed(
                                    renewed.get().number("version"), validity(renewed.get()))
                            : new Refused(reason(part(outcome, "refused"))));
        }
        return renewals;
    }

    static Rotation rotation(Grant before, JsonObject reply) {
        Optional<JsonObject> rotated = reply.object("rotated");
        if (rotated.isEmpty()) {
            return new Refused(reason(part(reply, "refused")));
        }
        JsonObject answer = rotated.get();
        Holding holding = new Holding(
                before.holding().claim(),
                before.holding().holder(),
                token(part(answer, "holding")));
        return new Rotation.Rotated(
                new Grant(holding, before.id(), answer.duration("ttl")),
                answer.number("version"),
                validity(answer));
    }

    static Ending ending(JsonObject reply) {
        return reply.has("ended")
                ? new Ending.Ended()
                : new Refused(reason(part(reply, "refused")));
    }

    /** Our server tells an empty list as such. */
    static LeasePage page(JsonObject reply) {
        if (!reply.has("leases")) {
            throw missing("leases");
        }
        List<LeaseView> leases = new ArrayList<>();
        for (JsonObject view : reply.objects("leases")) {
            leases.add(view(view));
        }
        return new LeasePage(leases, reply.flag("more"));
    }

    private static LeaseView view(JsonObject view) {
        LeaseView.State state = switch (view.text("status")) {
            case "", "HELD", "RUNNING" -> LeaseView.State.HELD;
            case "LOCK_DELAY" -> LeaseView.State.LOCK_DELAY;
            case "COMPLETED", "FAILED" -> LeaseView.State.COMPLETED;
            default -> throw unknown("status");
        };
        return new LeaseView(
                holding(part(view, "holding")),
                state,
                view.duration("age"),
                view.duration("remaining"),
                (int) view.number("waiters"),
                record(view));
    }

    /** An event; nothing for a mark that is none. How much a resync missed is not known. */
    static Optional<LeaseEvent> event(JsonObject reply) {
        Optional<JsonObject> changed = reply.object("changed");
        if (changed.isPresent()) {
            return Optional.of(new LeaseEvent.Changed(
                    constant(LeaseEvent.Change.class, changed.get().text("change"), "GRANTED"),
                    holding(part(changed.get(), "holding"))));
        }
        Optional<JsonObject> refused = reply.object("renewalRefused");
        if (refused.isPresent()) {
            return Optional.of(new LeaseEvent.RenewalRefused(
                    reason(refused.get()), holding(part(refused.get(), "holding"))));
        }
        return reply.has("resync") ? Optional.of(new LeaseEvent.Missed(1)) : Optional.empty();
    }

    /** The store that a reply is the answer of, if it tells. */
    static Optional<StoreId> storeId(JsonObject reply) {
        String text = reply.text("storeId");
        return text.isEmpty() ? Optional.empty() : Optional.of(StoreId.parse(text));
    }

    /** Its texts are another program's: they are shown in one line, and as they are. */
    static Guarantees guarantees(JsonObject info) {
        return new Guarantees(
                Printable.text(info.text("engine")),
                info.flag("durable"),
                info.flag("survivesFailover"),
                constant(Guarantees.Clock.class, info.text("clock"), "MONOTONIC"),
                info.flag("fairQueue"),
                info.texts("caveats").stream().map(Printable::text).toList());
    }

    private static Holding holding(JsonObject holding) {
        List<Scope> scopes = new ArrayList<>();
        for (String scope : holding.texts("scopes")) {
            scopes.add(Scope.parse(scope));
        }
        String label = holding.text("holder");
        return new Holding(
                new Claim(scopes, constant(Mode.class, holding.text("mode"), "EXCLUSIVE")),
                new Holder(label.isEmpty() ? "unnamed" : label),
                token(holding));
    }

    private static FencingToken token(JsonObject in) {
        return new FencingToken(in.number("token"));
    }

    private static Validity validity(JsonObject in) {
        JsonObject validity = part(in, "validity");
        return new Validity(validity.duration("inStore"), validity.duration("remaining"));
    }

    private static RefusalReason reason(JsonObject refusal) {
        return constant(RefusalReason.class, refusal.text("reason"), "");
    }

    private static Optional<LeaseRecord> record(JsonObject in) {
        return in.object("record").map(FromJson::readRecord);
    }

    private static LeaseRecord readRecord(JsonObject record) {
        return LeaseRecord.of(
                constant(LeaseRecord.Kind.class, record.text("kind"), "VALUE"),
                Base64.getDecoder().decode(record.text("value")));
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String name, String first) {
        String wanted = name.isEmpty() ? first : name;
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equals(wanted)) {
                return constant;
            }
        }
        throw unknown(type.getSimpleName());
    }

    private static JsonObject part(JsonObject in, String name) {
        return in.object(name).orElseThrow(() -> missing(name));
    }

    private static JsonException missing(String name) {
        return new JsonException("there is no '" + name + "'");
    }

    private static JsonException unknown(String what) {
        return new JsonException("an unknown " + what + ": the server may be of a newer version");
    }
}
