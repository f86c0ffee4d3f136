import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Host } from '@plant-store/command-line';
import { expect, test } from 'vitest';
import { checkAndReport } from '../../src/cli/index.ts';

const reporting = {
  ...{ program: 'garden', subject: 'a test', json: false },
  ...{ junit: undefined, html: undefined, force: false, storeFiles: [] },
};

test('a run listens for the end of its process, to erase the line of progress, until the run ends', async () => {
  const before = process.listenerCount('exit');
  const during = new Set<number>();
  const check = async () => void during.add(process.listenerCount('exit'));
  const contract = { name: 'Garden', clauses: [{ id: 'G-1', title: 'grows', check }] };
  const cursor = { columns: 80, cursorTo: () => true, clearLine: () => true };
  const stderr = Object.assign(new PassThrough(), { isTTY: true, ...cursor });
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr };
  const host: Host = Object.assign(new EventEmitter(), streams, { exit() {} });
  await checkAndReport(contract, {}, reporting, host);
  expect([...during]).toEqual([before + 1]);
  expect(process.listenerCount('exit')).toBe(before);
});
