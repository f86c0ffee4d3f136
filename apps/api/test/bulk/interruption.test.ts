import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { interruption, untilAborted } from '../../src/bulk/interruption.ts';
import { openSource } from '../../src/bulk/source.ts';
import type { Host } from '../../src/host.ts';

// A terminal that closes may send SIGHUP several times.
test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s interrupts, and then SIGINT and SIGTERM end the process', (name) => {
  const host = new EventEmitter();
  const signal = interruption(host as unknown as Host);
  host.emit(name);
  expect(signal).toMatchObject({ aborted: true, reason: new Error('interrupted') });
  expect(['SIGINT', 'SIGTERM', 'SIGHUP'].filter((each) => host.emit(each))).toEqual(['SIGHUP']);
});

const never = new Promise<never>(() => {});

test('work is not waited for after an interruption, whether it comes before or after', async () => {
  const controller = new AbortController();
  const waiting = untilAborted(never, controller.signal);
  controller.abort(new Error('interrupted'));
  await expect(waiting).rejects.toThrow('interrupted');
  await expect(untilAborted(never, controller.signal)).rejects.toThrow('interrupted');
});

test.each(['-', import.meta.filename])('an interruption ends reading %s', async (file) => {
  const controller = new AbortController();
  const stream = await openSource(file, new PassThrough(), controller.signal);
  controller.abort();
  await expect(buffer(stream)).rejects.toThrow('abort');
});
