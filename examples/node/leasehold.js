// SPDX-License-Identifier: Apache-2.0
//
// A client of Leasehold for Node, as small as it can be. All it knows of the protocol comes from
// leasehold.proto: gRPC makes the calls from it.
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';

const here = dirname(fileURLToPath(import.meta.url));
const protocol = join(here, '../../client/src/main/proto');
// Where google/api/annotations.proto is, which leasehold.proto imports.
const imported = dirname(createRequire(import.meta.url).resolve('protobufjs/package.json'));

const { leasehold } = grpc.loadPackageDefinition(
  protoLoader.loadSync('leasehold/v1/leasehold.proto', {
    includeDirs: [protocol, imported],
    longs: String, // tokens are 64 bits wide
    enums: String,
    oneofs: true,
  }),
);

const seconds = (value) => ({
  seconds: Math.trunc(value),
  nanos: Math.round((value % 1) * 1e9),
});
const number = (duration) => Number(duration?.seconds ?? 0) + (duration?.nanos ?? 0) / 1e9;

/** A lock that somebody else holds, still so at the end of the wait. */
export class Busy extends Error {}

/** A lease that is over: what is written from here on must be refused. */
export class Lost extends Error {}

export class Leasehold {
  #leases;

  constructor(address = '127.0.0.1:5327', credentials = grpc.credentials.createInsecure()) {
    this.#leases = new leasehold.v1.Leases(address, credentials);
  }

  /** Acquires a lock, waiting for at most so many seconds, and keeps it until it is released. */
  async acquire(name, { ttl = 30, wait = 0, holder = `node/${process.pid}` } = {}) {
    const request = {
      leaseId: randomBytes(16).toString('hex'), // the secret that makes the lease ours
      scopes: [`name:${name}`],
      holder,
      ttl: seconds(ttl),
      wait: seconds(wait),
    };
    const sent = performance.now(); // counted from before it was sent, to be on the safe side
    const reply = await this.call('acquire', request);
    if (reply.outcome === 'held') {
      const { blocker, remaining } = reply.held;
      throw new Busy(`${name} is held by ${blocker.holder} for another ${number(remaining)} s`);
    }
    if (reply.outcome !== 'granted') {
      throw new Lost(`${name} was not granted: ${reply.gone?.message}`);
    }
    return new Lease(this, request, reply.granted, sent);
  }

  call(method, request) {
    return new Promise((resolve, reject) =>
      this.#leases[method](request, (error, reply) => (error ? reject(error) : resolve(reply))),
    );
  }

  close() {
    this.#leases.close();
  }
}

class Lease {
  #client;
  #grant;
  #ttl;
  #timer;
  #deadline = Number.NEGATIVE_INFINITY;
  #over = false;

  constructor(client, request, granted, sent) {
    this.#client = client;
    this.#ttl = request.ttl;
    this.#grant = {
      scopes: request.scopes,
      token: granted.holding.token,
      leaseId: request.leaseId,
      holder: request.holder,
      ttl: request.ttl,
    };
    this.#extend(sent, granted.validity);
    this.#timer = setInterval(() => this.renew().catch(() => {}), (number(request.ttl) * 1000) / 3);
    this.#timer.unref();
  }

  /** The fencing token: to be sent along with every write. */
  get token() {
    return this.#grant.token;
  }

  /** Whether the lease is ours for certain, as far as this machine's clock can tell. */
  get valid() {
    return !this.#over && performance.now() < this.#deadline;
  }

  async renew() {
    const sent = performance.now();
    const reply = await this.#client.call('renew', {
      renewals: [{ grant: this.#grant, ttl: this.#ttl }],
    });
    const [outcome] = reply.outcomes;
    if (outcome.outcome === 'refused') {
      this.#end();
      throw new Lost(outcome.refused.message);
    }
    if (this.#over) {
      throw new Lost('the lease was released meanwhile');
    }
    this.#extend(sent, outcome.renewed.validity);
  }

  async release() {
    this.#end();
    const reply = await this.#client.call('release', { grant: this.#grant });
    if (reply.outcome === 'refused') {
      throw new Lost(reply.refused.message);
    }
  }

  #extend(sent, { inStore, remaining }) {
    const length = (number(inStore) + number(remaining)) * 1000;
    // of two answers the earlier one may come last
    this.#deadline = Math.max(this.#deadline, sent + length * (1 - 2 * 0.01) - 5);
  }

  #end() {
    clearInterval(this.#timer);
    this.#over = true; // for good: an answer to a renewal may still be under way
  }
}
