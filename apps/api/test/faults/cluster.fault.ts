import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { test } from 'vitest';
import { figuresOf, print } from './figures.ts';
import { expectPromisesKept } from './promises.ts';
import { underFault } from './under-fault.ts';

/**
 * A fault of a cluster that somebody else runs. Its address and the commands that make the fault and repair it come from
 * the environment; docs/reliability.md has examples.
 */
const {
  FAULTS_DATABASE_URL = '',
  FAULTS_SERVICE_URL = FAULTS_DATABASE_URL,
  FAULTS_BREAK,
  FAULTS_REPAIR = 'true',
  FAULTS_LASTS_SECONDS = '25',
  FAULTS_SETTLE_SECONDS = '20',
} = process.env;

/** After a repair a cluster may change its primary once more: a former one comes back. */
const RECOVERS = { recoversWithinMs: 5_000 };

test('a fault of the cluster', async () => {
  if (!FAULTS_BREAK) throw new Error('set FAULTS_BREAK to a shell command that makes the fault');
  const observed = await underFault({
    url: FAULTS_DATABASE_URL,
    serviceUrl: FAULTS_SERVICE_URL,
    begin: () => shell(FAULTS_BREAK),
    repair: () => shell(FAULTS_REPAIR),
    lastsMs: Number(FAULTS_LASTS_SECONDS) * 1_000,
    thenMs: Number(FAULTS_SETTLE_SECONDS) * 1_000,
  });
  print(FAULTS_BREAK, figuresOf(observed));
  expectPromisesKept(observed, RECOVERS);
});

async function shell(command: string): Promise<void> {
  await promisify(execFile)('/bin/sh', ['-c', command], { timeout: 60_000 });
}
