import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { startService } from '../running-service.ts';
import { type Start, storeAt, stores } from './stores.ts';
import { byOutcome, underFault } from './under-fault.ts';

test.each<[title: string, Start, lastsMs: number, rate?: number, nameLength?: number, why?: string]>([
  ['P1/F2 P4/F2 P5/F2 the server is killed (SIGKILL) and restarted', stores.killed, 7_000],
  ['P1/F3 P4/F3 P5/F3 the server is frozen (SIGSTOP) and thawed', stores.frozen, 8_000],
  ['P1/F3 P4/F3 P5/F3 no standby responds', stores.withoutStandby, 10_000],
  ['P4/F3 P5/F3 no slot of the server is free', stores.withoutSlots, 6_000],
  ['P1/F5 P4/F5 P5/F5 another session locks the table', stores.locked, 8_000],
  [
    'P1/F4 P3/F4 P4/F4 P5/F4 the disk of a SQLite file is full',
    stores.fileOnFullDisk,
    7_000,
    200,
    1_000,
    'disk is full',
  ],
])('%s', async (title, start, lastsMs, rate, nameLength, why = 'reason') => {
  const { live, ready, reason } = await loseStore(title, start, lastsMs, rate, nameLength);
  expect([live, ready]).toEqual([new Set([200]), new Set([503])]);
  expect(reason).toContain(why);
});

// The canary may still find room where plants do not («Outside»), so `/readyz` is not looked at.
test('P1/F4 P3/F4 P4/F4 the disk of PostgreSQL is full', async () => {
  const { live } = await loseStore('full disk', stores.fullDisk, 7_000, 200, 1_000);
  expect(live).toEqual(new Set([200]));
});

async function loseStore(title: string, start: Start, lastsMs: number, rate?: number, nameLength?: number) {
  const store = await start();
  using service = await startService({ DATABASE_URL: store.url });
  const under = await underFault(title, service, { ...store, lastsMs, rate, nameLength });
  expect(byOutcome(under.results)).toContain('503');
  return under;
}

/** A cluster of your own, and the commands that break and repair it: docs/reliability.md has an example. */
const { FAULTS_DATABASE_URL: cluster = '', FAULTS_BREAK = '', FAULTS_REPAIR = 'true' } = process.env;
const { FAULTS_LASTS_SECONDS = '25', FAULTS_SETTLE_SECONDS = '20' } = process.env;

test.skipIf(!cluster)('P1/F2 P3/F2 P4/F2 P5/F2 a fault of your cluster', async () => {
  const shell = (command: string) => void execFileSync('/bin/sh', ['-c', command], { timeout: 60_000 });
  using service = await startService({ DATABASE_URL: cluster });
  await underFault(FAULTS_BREAK, service, {
    ...storeAt(cluster),
    begin: () => shell(FAULTS_BREAK || expect.unreachable('set FAULTS_BREAK to a command that causes the fault')),
    repair: () => shell(FAULTS_REPAIR),
    lastsMs: Number(FAULTS_LASTS_SECONDS) * 1_000,
    thenMs: Number(FAULTS_SETTLE_SECONDS) * 1_000,
    // When a former primary returns, the cluster may fail over once more.
    recoversWithinMs: 5_000,
  });
});
