import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { startService } from '../running-service.ts';
import { type Start, storeAt, stores } from './stores.ts';
import { byOutcome, underFault } from './under-fault.ts';

test.each<[title: string, Start, lastsMs: number, rate?: number, nameLength?: number]>([
  ['the server is killed (SIGKILL) and restarted', stores.killed, 5_000],
  ['the server is frozen (SIGSTOP) and thawed', stores.frozen, 8_000],
  ['the server is frozen for longer than connections stay open', stores.frozen, 45_000, 100],
  ['no standby responds', stores.withoutStandby, 10_000],
  ['no standby responds for longer than connections stay open', stores.withoutStandby, 75_000, 100],
  ['the disk is full', stores.fullDisk, 5_000, 200, 1_000],
  ['no slot of the server is free', stores.withoutSlots, 5_000],
  ['the disk of a SQLite file is full', stores.fileOnFullDisk, 5_000, 200, 1_000],
  ['the file system of a SQLite file hangs', stores.fileOnFrozenDisk, 10_000],
])('%s', async (title, start, lastsMs, rate, nameLength) => {
  const store = await start();
  using service = await startService({ DATABASE_URL: store.url });
  const { results, live, ready } = await underFault(title, service, { ...store, lastsMs, rate, nameLength });
  expect(byOutcome(results)).toContain('503');
  expect([live, ready]).toEqual([new Set([200]), new Set([503])]);
});

/** A cluster of your own, and the commands that break and repair it: docs/reliability.md has examples. */
const { FAULTS_DATABASE_URL: cluster = '', FAULTS_BREAK = '', FAULTS_REPAIR = 'true' } = process.env;
const { FAULTS_LASTS_SECONDS = '25', FAULTS_SETTLE_SECONDS = '20' } = process.env;

test.skipIf(!cluster)('a fault of your cluster', async () => {
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
