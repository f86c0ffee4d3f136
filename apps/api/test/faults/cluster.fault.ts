import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { test } from 'vitest';
import { expectResilience } from './expectations.ts';
import { figuresOf, print } from './figures.ts';
import { underFault } from './under-fault.ts';

/**
 * A fault of an external cluster. Its address and the commands that cause and repair the fault come from the environment;
 * docs/reliability.md has examples.
 */
const {
  FAULTS_DATABASE_URL = '',
  FAULTS_BREAK,
  FAULTS_REPAIR = 'true',
  FAULTS_LASTS_SECONDS = '25',
  FAULTS_SETTLE_SECONDS = '20',
} = process.env;

/** After a repair the cluster may fail over once more when a former primary returns. */
const RECOVERS = { recoversWithinMs: 5_000 };

test('a fault of the cluster', async () => {
  if (!FAULTS_BREAK) throw new Error('set FAULTS_BREAK to a shell command that causes the fault');
  const observed = await underFault({
    url: FAULTS_DATABASE_URL,
    begin: () => shell(FAULTS_BREAK),
    repair: () => shell(FAULTS_REPAIR),
    lastsMs: Number(FAULTS_LASTS_SECONDS) * 1_000,
    thenMs: Number(FAULTS_SETTLE_SECONDS) * 1_000,
  });
  print(FAULTS_BREAK, figuresOf(observed));
  expectResilience(observed, RECOVERS);
});

async function shell(command: string): Promise<void> {
  await promisify(execFile)('/bin/sh', ['-c', command], { timeout: 60_000 });
}
