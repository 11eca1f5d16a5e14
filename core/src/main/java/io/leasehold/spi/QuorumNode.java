// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store that is one of the independent nodes of a quorum. Nodes know nothing of each other; the
 * quorum engine, in each client, asks all of them and goes by what a majority says.
 *
 * <h2>What an implementer owes, beyond {@link LeaseStore}</h2>
 *
 * <ul>
 *   <li><b>Admission.</b> Until {@link #admit} has succeeded, every operation but {@link #standing},
 *       {@link #keep} and {@link #admit} is refused with {@link io.leasehold.model.StoreUnavailableException} and
 *       changes nothing. The admission is part of what the node may forget: a node that forgot
 *       anything it had acknowledged (restarted empty, flushed, restored from a copy, failed over
 *       to a replica that lagged) has forgotten its admission with it, in the same instant. Where a
 *       node can't tell whether it forgot, it has. So no request needs to say whom it means: a node
 *       that forgot answers none.
 *   <li><b>Generation.</b> A random number that is new whenever the node has forgotten, so that an
 *       admission meant for the node as it was does not reach the node as it is.
 *   <li><b>Tokens</b> are drawn as the smallest number above the counter that leaves the node's
 *       index when it is divided by the number of nodes; never from a clock. So no two nodes ever
 *       draw the same number, and no node draws one twice: whatever was drawn for a lease is
 *       nobody else's. The counter never goes back while the node remembers its admission.
 *   <li><b>Raising</b> is one step with the check whether the lease is held, with respect to every
 *       other draw and raise of the node.
 * </ul>
 */
public interface QuorumNode extends LeaseStore {

    /** Who the node is. Answered also while it is not admitted. */
    CompletionStage<NodeStanding> standing();

    /**
     * Admits the node to a quorum, if it is still of the generation given and is not of another
     * quorum: raises its counter to the floor, if it is below, and lets it take part from then on.
     * Repeated, it only raises the floor. Answers with the standing after that; a node that does
     * not fit changes nothing and answers with its standing as it is.
     */
    CompletionStage<NodeStanding> admit(NodeAdmission admission);

    /**
     * Proposes a token for a lease. In one step:
     *
     * <ul>
     *   <li>No lease with this id and these scopes is held: {@link Refused}, as a renewal would be.
     *   <li>Its token is neither the grant's nor {@code to}: {@code Refused(TOKEN_MISMATCH)}.
     *   <li>The node was told that the token is final: {@link Raising.Raised} if it is {@code to},
     *       {@code Refused(TOKEN_MISMATCH)} if not.
     *   <li>The round is {@link Round#FINAL}: the node takes the token, also below its own draw;
     *       but {@code Refused(TOKEN_MISMATCH)} if the lease was rotated from it or a later one.
     *   <li>The lease was asked for in a later round; or {@code to} is below the node's own draw,
     *       and the node has not taken it before: {@code Refused(TOKEN_MISMATCH)}.
     *   <li>Otherwise the node takes the token, and the round counts as asked.
     * </ul>
     *
     * To take the token: the lease's token becomes {@code to}, the round is kept as the {@linkplain
     * TokenState#mark() mark}, the node's counter becomes {@code to} if it is below; the answer is
     * {@code Raised}. Neither the version nor the expiry of the lease change, nor which token it was
     * rotated from. If the token changed, listeners are told as of a grant, or a rotation if the
     * lease was ever rotated, under the new token.
     *
     * @param grant the lease as this node has it, with this node's token
     * @param to what one of the nodes drew for this lease
     * @param round the one in which the node answered the grant, or {@link Round#FINAL} for a token
     *     that a majority took in one round
     */
    CompletionStage<Raising> raise(Grant grant, FencingToken to, Round round);

    /**
     * Sees to it that the node has a lease that a majority of the quorum has, under the token that
     * a majority has said {@link Raising.Raised} to. In one step:
     *
     * <ul>
     *   <li>A lease with this id and these scopes is held: its token becomes the one given, also
     *       below the node's own draw, and is known to be final. Nothing else of it changes. But a
     *       lease that has the token of a later rotation keeps it; one that was rotated from the
     *       token given is such a lease when a token for that rotation was proposed here.
     *   <li>A lease with this id was released, also by force, completed or withdrawn: {@link
     *       Acquisition.Gone}. That one ran out here is no obstacle, unlike in {@link #acquire}.
     *   <li>A lease, or the lock-delay of one, is in the way: {@link Acquisition.Held}. Whoever
     *       waits is not in the way: the lease is older.
     *   <li>Otherwise the lease is entered for the request's ttl under the token given.
     * </ul>
     *
     * The counter becomes the token if it is below; none is drawn. To be called only for a token
     * that was agreed on: it makes no promise that the number is unique.
     */
    CompletionStage<Acquisition> restore(LeaseRequest request, FencingToken token);

    /**
     * Asks for a lease as {@link #acquire(LeaseRequest)} does. The lease, or the place in the queue,
     * remembers the last round in which it was asked for, and whether a single attempt asked for it:
     * then that attempt is its maker. A lease that is restored, or was rotated, has no maker.
     */
    CompletionStage<Polled<Acquisition>> acquire(LeaseRequest request, Round round);

    /**
     * Rotates a lease as {@link #rotate(Grant)} does. A new draw begins the agreement on its token
     * anew, without a mark and a maker; a repeat only asks for it.
     */
    CompletionStage<Polled<Rotation>> rotate(Grant grant, Round round);

    /**
     * Takes a request back as if it had never come: out of the queue, or out of the lease it
     * became. Only if the attempt is its maker and did not ask again in a later round: so nobody
     * takes back what somebody else may rely on, and a message that is late takes nothing from a
     * later round. Unlike {@link #withdraw} it is not remembered: the request may come again.
     * Attempts that still wait are answered {@link Acquisition.Gone}. Ended also when there was
     * nothing.
     */
    CompletionStage<Ending> retract(LeaseRequest request, Round round);

    /** A node is another store in each generation. Its quorum has an id of its own. */
    @Override
    default CompletionStage<StoreId> storeId() {
        return standing().thenApply(standing -> new StoreId(0, standing.generation()));
    }

    // ---- records

    /**
     * Lists the records of the node part by part, in whatever order. What is there from the first
     * call to the last is listed at least once; what comes or goes meanwhile may be.
     *
     * @param cursor {@link NodeRecord.Page#FIRST}, then what the part before ended with
     */
    CompletionStage<NodeRecord.Page> records(String cursor);

    /** The record that is kept at exactly this scope. */
    CompletionStage<Optional<NodeRecord>> record(Scope scope);

    /**
     * Takes over records from other nodes, each unless the node has one of the same or a higher
     * token at that scope; whoever waits for such a record gets it. Done also by a node that is not
     * admitted yet, so that it is complete when it is. The counter becomes the highest token of
     * them if it is below. Answers with the standing.
     *
     * @param records no more than a page of them
     * @throws io.leasehold.model.LimitExceededException in the stage, if there is no room
     */
    CompletionStage<NodeStanding> keep(List<NodeRecord> records);
}
