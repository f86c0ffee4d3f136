import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runToEnd, startInProcess } from '../run-in-process.ts';
import { scratchDirectory } from '../running-service.ts';
import { patiently, startedOutage } from '../started-outage.ts';

test('plant-store verify-store shows the verdict of each clause, in the order of the contract', async () => {
  const { code, output } = await runToEnd(['verify-store', '--only', 'PR-16,PR-11,PR-1'], { DATABASE_URL: 'memory:' });
  expect(code).toBe(0);
  const lines = output.split('\n');
  expect(lines[0]).toBe('✓ PR-1   an id is stored exactly, over the whole int64 range');
  expect(lines[1]).toMatch(/^– PR-11 {2}.* \(not promised\)$/);
  expect(lines[2]).toMatch(/^\? PR-16 {2}.* \(not checked: .*\)$/);
  expect(lines[3]).toMatch(/^1 passed, 1 not promised, 1 not checked, 0 failed, in \d+\.\d s$/);
});

describe.concurrent('plant-store verify-store on SQLite', () => {
  test('checks a scratch file beside the given one, with a process that is killed, and leaves nothing behind', async ({
    onTestFinished,
  }) => {
    const directory = await scratchDirectory(onTestFinished);
    const url = `sqlite:${join(directory, 'plants.db')}`;
    // A file has no server that could crash: PR-18. The given one is not there, and must not be made.
    const { code, output } = await runToEnd([
      'verify-store',
      '--url',
      url,
      '--only',
      'PLACE,PR-1,PR-11,PR-18,PE-1',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({
      contract: 'PlantStore',
      passed: 3,
      notPromised: 1,
      notChecked: 1,
      failed: 0,
    });
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
])('plant-store verify-store ends with 2 and a single line when %s', async (_, args, says) => {
  const { code, output } = await runToEnd(['verify-store', ...args]);
  expect(code).toBe(2);
  expect(output).toContain(says);
  expect(output).toMatch(/^.+\n$/);
  expect(output).not.toContain('sesame');
});
