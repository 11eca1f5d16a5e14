// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.quorum.QuorumListener.NodeChange;
import io.leasehold.quorum.QuorumListener.NodeState;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/** One node as this client sees it. */
final class Member {

    private static final System.Logger LOG = System.getLogger(Member.class.getName());

    /** The weight of one answer in the average is one part of this many. */
    private static final int WEIGHT = 8;

    /** An answer counts for no more than this many times the average. */
    private static final int MOST_AT_ONCE = 4;

    private record View(NodeState state, String reason) {}

    final int index;
    private final QuorumNode node;
    private final QuorumListener listener;
    private final Time time;
    private final long patience;
    private final ReentrantLock lock = new ReentrantLock(); // guards changes of the view
    private volatile View view = new View(NodeState.UNREACHABLE, "nothing is known of it yet");
    private volatile long latency; // of two changes at once one may be lost, which does no harm

    Member(int index, QuorumNode node, QuorumOptions options, Time time) {
        this.index = index;
        this.node = node;
        this.listener = options.listener();
        this.patience = options.patience().toNanos();
        this.time = time;
    }

    NodeState state() {
        return view.state;
    }

    String reason() {
        return view.reason;
    }

    /** Whether it takes part, be it that it did not answer of late. */
    boolean isJoined() {
        NodeState state = state();
        return state == NodeState.JOINED || state == NodeState.SILENT;
    }

    /** Whether it takes part and is worth waiting for. */
    boolean isLively() {
        return state() == NodeState.JOINED;
    }

    void become(NodeState state, String reason) {
        change(EnumSet.complementOf(EnumSet.of(state)), state, reason);
    }

    /** Notes that an answer did not come in time. */
    void missed() {
        if (state() == NodeState.JOINED) {
            change(EnumSet.of(NodeState.JOINED), NodeState.SILENT, "it did not answer in time");
        }
    }

    /** How long an answer usually takes, in nanoseconds; 0 if there was none. */
    long latency() {
        return latency;
    }

    /** Takes note of an answer. One that came too late is no sign of health. */
    private void answered(long took, Duration wait) {
        if (took <= patience + wait.toNanos()) {
            recovered();
        }
        if (wait.isZero()) {
            long usual = latency;
            long most = Math.max(MOST_AT_ONCE * usual, patience / Members.WORTH_MOVING);
            latency = usual == 0
                    ? Math.min(took, most)
                    : usual + (Math.min(took, most) - usual) / WEIGHT;
        }
    }

    private void recovered() {
        if (state() == NodeState.SILENT) {
            change(EnumSet.of(NodeState.SILENT), NodeState.JOINED, "it answers again");
        }
    }

    private void change(Set<NodeState> from, NodeState state, String reason) {
        boolean changed;
        lock.lock();
        try {
            changed = from.contains(view.state);
            if (changed || view.state == state) {
                view = new View(state, reason);
            }
        } finally {
            lock.unlock();
        }
        if (changed) {
            tell(new NodeChange(index, state, reason));
        }
    }

    private void tell(NodeChange change) {
        System.Logger.Level level = switch (change.state()) {
            case JOINED -> System.Logger.Level.INFO;
            case SILENT -> System.Logger.Level.DEBUG;
            case UNREACHABLE, KEPT_OUT, FOREIGN -> System.Logger.Level.WARNING;
        };
        LOG.log(
                level,
                () -> "node " + index + " of the quorum is " + change.state() + ": "
                        + change.reason());
        try {
            listener.on(change);
        } catch (Throwable e) { // of a listener's own: the operation that noticed it goes on
            LOG.log(System.Logger.Level.WARNING, "a quorum listener failed on " + change, e);
        }
    }

    /**
     * Asks the node. The stage fails with exceptions of Leasehold only, as they are. A node that
     * turns a request away may have forgotten, and is asked for its standing before anything else.
     */
    <T> CompletableFuture<T> ask(Function<QuorumNode, CompletionStage<T>> question) {
        return ask(Duration.ZERO, question);
    }

    /** The same, with a question that may wait at the node for so long. */
    <T> CompletableFuture<T> ask(Duration wait, Function<QuorumNode, CompletionStage<T>> question) {
        long sentAt = time.nanos();
        CompletableFuture<T> reply = new CompletableFuture<>();
        try {
            CompletionStage<T> unused = question.apply(node).whenComplete((answer, failure) -> {
                if (failure == null) {
                    answered(time.nanos() - sentAt, wait);
                    reply.complete(answer);
                } else {
                    reply.completeExceptionally(noted(failure));
                }
            });
        } catch (RuntimeException | Error e) {
            reply.completeExceptionally(noted(e));
        }
        return reply;
    }

    private LeaseholdException noted(Throwable failure) {
        Throwable cause = Members.cause(failure);
        if (cause instanceof StoreUnavailableException away) {
            if (isJoined()) {
                become(NodeState.UNREACHABLE, String.valueOf(away.getMessage()));
            }
            return away;
        }
        return cause instanceof LeaseholdException known
                ? known
                : new OutcomeUnknownException("node " + index + " failed", cause);
    }

    QuorumNode node() {
        return node;
    }
}
