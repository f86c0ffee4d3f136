import { setTimeout as sleep } from 'node:timers/promises';
import { type CreatePlant, type NewPlant, StoreOverloaded, StoreUnavailable } from '@plant-store/domain';
import { expect, test } from 'vitest';
import { type PaceOptions, paced } from '../src/import/pace.ts';
import { RetryAfter } from '../src/import/retry.ts';

const options: PaceOptions = { first: 4, max: 64, forMs: 200, signal: new AbortController().signal, onWait() {} };

const someOf = (count: number): NewPlant[] =>
  Array.from({ length: count }, (_, at) => ({ id: BigInt(at), name: 'Fern' }));

/** A service that takes some plants at once, for some milliseconds, and refuses others. */
function service({ capacity = Number.POSITIVE_INFINITY, ms = 1 } = {}) {
  const seen = { inFlight: 0, most: 0, refused: 0 };
  const create: CreatePlant = async (plant) => {
    if (seen.inFlight >= capacity) {
      seen.refused += 1;
      throw new StoreOverloaded('overloaded');
    }
    seen.inFlight += 1;
    seen.most = Math.max(seen.most, seen.inFlight);
    await sleep(ms);
    seen.inFlight -= 1;
    return { outcome: 'created', plant };
  };
  return { create, seen };
}

test('more and more plants are sent at once, up to the maximum', async () => {
  const { create, seen } = service();
  const send = paced(create, options);
  const sending = someOf(500).map(send);
  await Promise.resolve();
  expect(seen.inFlight).toBe(4);
  await Promise.all(sending);
  expect(seen.most).toBe(64);
});

test('an overload of its own slows it down and does not end it, however long it lasts', async () => {
  const { create, seen } = service({ capacity: 8, ms: 5 });
  // Takes longer than 200 ms.
  await Promise.all(someOf(500).map(paced(create, { ...options, first: 64 })));
  expect(seen.most).toBe(8);
  // 69: 56 at once, then one for every 30 or so that are created.
  expect(seen.refused).toBeLessThan(80);
});

test('what is unreachable is asked by one plant at a time, and all are given up once none was created for so long', async () => {
  let [asked, atOnce, most] = [0, 0, 0];
  const create: CreatePlant = async () => {
    asked += 1;
    atOnce += 1;
    if (asked > 4) most = Math.max(most, atOnce);
    await sleep(1);
    atOnce -= 1;
    throw new StoreUnavailable('unreachable');
  };
  const reasons: string[] = [];
  const send = paced(create, { ...options, onWait: (reason) => reasons.push(reason) });
  const results = await Promise.allSettled(someOf(1_000).map(send));
  expect(new Set(results.map((each) => each.status === 'rejected' && each.reason.message))).toEqual(
    new Set(['unreachable']),
  );
  expect(most).toBe(1);
  expect(asked).toBeLessThan(20);
  expect(new Set(reasons)).toEqual(new Set(['unreachable']));
});

test('after an outage it is soon as fast as before', async () => {
  let isOut = false;
  const { create, seen } = service();
  const send = paced(
    async (plant) => {
      if (isOut) throw new StoreUnavailable('unreachable');
      return create(plant);
    },
    { ...options, forMs: 10_000 },
  );
  await Promise.all(someOf(500).map(send));
  isOut = true;
  const sending = someOf(500).map(send);
  await sleep(100);
  isOut = false;
  seen.most = 0;
  await Promise.all(sending);
  expect(seen.most).toBeGreaterThanOrEqual(32);
});

test('a plant is not sent again before the service has said, and others go on', async () => {
  const sent: number[] = [];
  const { create } = service();
  const send = paced(async (plant) => {
    if (plant.id !== 0n) return create(plant);
    sent.push(performance.now());
    if (sent.length === 1) throw new RetryAfter('later', 100);
    return create(plant);
  }, options);
  const [first, ...others] = someOf(20).map(send);
  await Promise.all(others);
  expect(sent).toHaveLength(1);
  await first;
  expect((sent[1] ?? 0) - (sent[0] ?? 0)).toBeGreaterThanOrEqual(99);
});

test('an interruption lets plants in flight complete, and sends no other', async () => {
  const interruption = new AbortController();
  const { create } = service({ ms: 20 });
  const sending = someOf(10).map(paced(create, { ...options, signal: interruption.signal }));
  interruption.abort();
  const results = await Promise.allSettled(sending);
  expect(results.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), ...Array(6).fill('rejected')]);
});
