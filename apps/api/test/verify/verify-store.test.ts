import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { plantRepositoryContract } from '@plant-store/contracts-stores';
import { describe, expect, test } from 'vitest';
import { runToEnd, startInProcess } from '../run-in-process.ts';
import { scratchDirectory } from '../running-service.ts';
import { patiently, startedOutage } from '../started-outage.ts';

const count = plantRepositoryContract.clauses.length;
/** A file has no server that could crash. */
const ofServers = ['PR-18', 'PR-22'];
const everyPromiseKeptButOfServers = {
  code: 0,
  report: {
    contract: 'PlantRepository',
    results: expect.any(Array),
    passed: count - ofServers.length,
    notPromised: ofServers.length,
    notChecked: 0,
    failed: 0,
  },
};

async function verifyStore(url: string) {
  const { code, output } = await runToEnd(['verify-store', '--url', url, '--json']);
  return { code, report: JSON.parse(output) };
}

test('plant-store verify-store lists every clause for a store in memory, and those that it does not promise', async () => {
  const { code, output } = await runToEnd(['verify-store'], { DATABASE_URL: 'memory:' });
  expect(code).toBe(0);
  const lines = output.split('\n');
  expect(lines).toHaveLength(count + 2);
  expect(lines[0]).toBe('✓ PR-1   an id is stored exactly, over the whole int64 range');
  expect(output).toMatch(/^– PR-11 {2}.* \(not promised\)$/m);
  expect(output).toMatch(/^\d+ passed, \d+ not promised, 1 not checked, 0 failed, in \d+\.\d s\n$/m);
});

describe.concurrent('plant-store verify-store on SQLite', () => {
  test('finds every clause passed, and leaves nothing behind', async ({ onTestFinished }) => {
    const directory = await scratchDirectory(onTestFinished);
    expect(await verifyStore(`sqlite:${join(directory, 'plants.db')}`)).toEqual(everyPromiseKeptButOfServers);
    expect(await readdir(directory)).toEqual([]);
  });

  test('leaves nothing behind when SIGTERM ends it', async ({ expect, onTestFinished }) => {
    const directory = await scratchDirectory(onTestFinished);
    const run = await startedOutage(`sqlite:${join(directory, 'plants.db')}`, onTestFinished);
    await expect.poll(() => readdir(directory), patiently).toHaveLength(1);
    run.process.kill('SIGTERM');
    expect(await run.ended).toBe(143);
    expect(await readdir(directory)).toEqual([]);
    expect(run.output()).not.toContain('✗');
  });

  test.for<[string, NodeJS.Signals[], number]>([
    ['SIGINT interrupts it', ['SIGINT'], 130],
    ['SIGHUP comes several times', ['SIGHUP', 'SIGHUP'], 129],
  ])('leaves nothing behind when %s, whatever it runs in', async ([, signals, code], { expect, onTestFinished }) => {
    const directory = await scratchDirectory(onTestFinished);
    const run = startInProcess(['verify-store', '--url', `sqlite:${join(directory, 'plants.db')}`, '--only', 'PR-12']);
    await expect.poll(() => readdir(directory), patiently).toHaveLength(1);
    for (const signal of signals) run.kill(signal);
    expect(await run.ended).toBe(code);
    expect(await readdir(directory)).toEqual([]);
    expect(run.output()).not.toContain('✗');
  });
});

test.each<[string, string[], string]>([
  ['there is no URL', [], 'DATABASE_URL'],
  ['the URL is none', ['--url', 'garden'], 'expected postgres://'],
  ['there is no such engine', ['--url', 'no-such-engine://root:sesame@localhost/plants'], 'expected postgres://'],
  ['no server listens', ['--url', 'postgres://root:sesame@127.0.0.1:9/plants'], 'ECONNREFUSED'],
  [
    'there is no such directory',
    ['--url', 'sqlite:/proc/plants.db'],
    'cannot create a directory beside /proc/plants.db',
  ],
  ['there is no such clause', ['--url', 'memory:', '--only', 'PR-6,PR-99'], '"PR-99"'],
  ['there is no such option', ['--url', 'memory:', '--colour'], '--colour'],
])('plant-store verify-store ends with 2 and a single line when %s', async (_, args, says) => {
  const { code, output } = await runToEnd(['verify-store', ...args]);
  expect(code).toBe(2);
  expect(output).toContain(says);
  expect(output).toMatch(/^.+\n$/);
  expect(output).not.toContain('sesame');
});

test('plant-store verify-store --only runs these clauses, in the order of the contract', async () => {
  const { code, output } = await runToEnd(['verify-store', '--url', 'memory:', '--only', 'PR-6,PR-3']);
  expect(code).toBe(0);
  expect(output).toMatch(/^✓ PR-3 .*\n✓ PR-6 .*\n2 passed, 0 not promised, 0 not checked, 0 failed, in .* s\n$/);
});
