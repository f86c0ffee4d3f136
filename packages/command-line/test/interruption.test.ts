import { expect, test } from 'vitest';
import { untilAborted } from '../src/index.ts';

const pending = new Promise<never>(() => {});

test('work that begins after an interruption is not waited for', async () => {
  await expect(untilAborted(pending, AbortSignal.abort(new Error('interrupted')))).rejects.toThrow('interrupted');
});

test('work that an interruption finds at its end is completed', async () => {
  const controller = new AbortController();
  const work = Promise.withResolvers<string>();
  const settled = untilAborted(work.promise, controller.signal, 60_000);
  controller.abort();
  work.resolve('done');
  expect(await settled).toBe('done');
  await expect(untilAborted(pending, controller.signal, 1)).rejects.toThrow('abort');
});
