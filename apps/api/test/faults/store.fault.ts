import { expect, test } from 'vitest';
import { configure, type DedicatedStore, startStore } from './dedicated-store.ts';
import { expectAllServed, expectResilience } from './expectations.ts';
import { byOutcome, figuresOf, print } from './figures.ts';
import type { Observed } from './observed.ts';
import { takeEverySlot } from './slots.ts';
import { databaseOn, mountSmallDisk } from './small-disk.ts';
import { type Fault, underFault } from './under-fault.ts';

/** Half a second for the jitter of a probe; the rest for a busy machine. */
const RECOVERS = { recoversWithinMs: 1_000 };

async function observe(title: string, fault: Fault): Promise<Observed> {
  const observed = await underFault(fault);
  print(title, figuresOf(observed));
  expectResilience(observed, RECOVERS);
  return observed;
}

const killed = ({ server: { kill, start } }: DedicatedStore) => ({ begin: kill, repair: start });
const frozen = ({ server: { pause, resume } }: DedicatedStore) => ({ begin: pause, repair: resume });
const withoutStandby = (store: DedicatedStore) => ({
  begin: () => configure(store, { synchronous_standby_names: 'nobody' }),
  repair: () => configure(store, { synchronous_standby_names: '' }),
});

test.each([
  ['the server is killed (SIGKILL) and restarted', killed, 5_000],
  ['the server is frozen (SIGSTOP) and thawed', frozen, 8_000],
  ['the server is frozen for longer than connections stay open', frozen, 45_000, 100],
  ['no standby responds', withoutStandby, 10_000],
  ['no standby responds for longer than connections stay open', withoutStandby, 75_000, 100],
] as const)('%s', async (title, fault, lastsMs, rate?) => {
  const store = await startStore();
  const { ready } = await observe(title, { url: store.url, ...fault(store), lastsMs, ...(rate && { rate }) });
  if (fault === withoutStandby) expect(new Set(ready)).toEqual(new Set([503]));
});

test('one backend at a time is terminated: no client notices', async () => {
  const store = await startStore();
  const observed = await observe('one backend terminated, ten times', {
    url: store.url,
    async begin() {
      for (let time = 0; time < 10; time += 1) await store.sql(TERMINATE_ONE);
    },
    repair: async () => {},
    lastsMs: 0,
  });
  expectAllServed(observed.results);
});

/** Preferably one that is storing plants; the pause lets the service reconnect. */
const TERMINATE_ONE = `
  SELECT pg_terminate_backend(pid), pg_sleep(0.2) FROM (
    SELECT pid FROM pg_stat_activity WHERE usename = 'gardener' ORDER BY state <> 'active', backend_start LIMIT 1
  ) AS one`;

test('the disk is full', async () => {
  const store = await startStore();
  const disk = await mountSmallDisk(store.server.stop);
  const observed = await observe('disk full', {
    url: await databaseOn(disk, store),
    begin: disk.fill,
    repair: disk.empty,
    lastsMs: 5_000,
    nameLength: 1_000,
  });
  expect(byOutcome(observed.results)).toContain('503');
  expect(new Set(observed.ready)).toEqual(new Set([503]));
});

test('every slot of the server is taken', async () => {
  const store = await startStore();
  const slots = takeEverySlot(store);
  const observed = await observe('slots full', {
    url: store.url,
    askedAt: store.server.url,
    begin: slots.take,
    repair: slots.free,
    lastsMs: 5_000,
  });
  expect(byOutcome(observed.results)).toContain('503');
});
