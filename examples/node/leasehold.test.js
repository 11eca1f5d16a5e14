// SPDX-License-Identifier: Apache-2.0
//
// Runs against a real server: the one at LEASEHOLD_ADDRESS, as `host:port`.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { Busy, Leasehold, Lost } from './leasehold.js';

const leasehold = new Leasehold(process.env.LEASEHOLD_ADDRESS);
after(() => leasehold.close());

test('a lock carries a token and excludes others until it is released', async () => {
  const name = randomUUID();
  const lease = await leasehold.acquire(name);
  assert.match(lease.token, /^[1-9][0-9]*$/);
  assert.equal(lease.valid, true);

  await assert.rejects(leasehold.acquire(name), Busy);

  await lease.release();
  assert.equal(lease.valid, false);
  const next = await leasehold.acquire(name);
  assert.ok(BigInt(next.token) > BigInt(lease.token));
  await next.release();
});

test('a waiter is granted the lock as soon as it is released', async () => {
  const name = randomUUID();
  const lease = await leasehold.acquire(name);
  const waiter = leasehold.acquire(name, { wait: 30 });

  await lease.release();

  const next = await waiter;
  assert.ok(BigInt(next.token) > BigInt(lease.token));
  await next.release();
});

test('a lease that was renewed keeps its token', async () => {
  const lease = await leasehold.acquire(randomUUID());
  const { token } = lease;

  await lease.renew();

  assert.equal(lease.token, token);
  await lease.release();
});

test('a lease that is over is neither renewed nor valid', async () => {
  const lease = await leasehold.acquire(randomUUID());
  await lease.release();

  await assert.rejects(lease.renew(), Lost);
  assert.equal(lease.valid, false);
});

test('a renewal that is answered after the release does not make the lease valid again', async () => {
  const lease = await leasehold.acquire(randomUUID());
  let isReleased;
  const released = new Promise((resolve) => (isReleased = resolve));
  const renewed = new Promise((resolve) => {
    leasehold.call = async (method, request) => {
      const reply = await Leasehold.prototype.call.call(leasehold, method, request);
      if (method === 'renew') {
        resolve();
        await released;
      }
      return reply;
    };
  });
  try {
    const renewal = lease.renew();
    await renewed; // in the store: its answer is under way
    await lease.release();
    isReleased();

    await assert.rejects(renewal, Lost);
    assert.equal(lease.valid, false);
  } finally {
    delete leasehold.call;
  }
});
